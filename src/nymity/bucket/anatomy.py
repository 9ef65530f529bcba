"""Anatomy on counts (Xiao & Tao 2006): buckets of at least l records, no two of them with the same value.

Buckets of that kind exist exactly if no value has more than n / l of the n records. The paper takes one record of each
of the l most frequent values at a time, then puts each record that is left, fewer than l in all, into a bucket without
its value. Dealing all records in turn to floor(n / l) buckets, value by value, gives as many buckets with the same
promise: no value has more records than there are buckets, so its records go to different ones, and what the paper
calls the residue is the last round. Sizes then differ by at most one, which is the least loss that so many buckets can
have.
"""

from __future__ import annotations

from nymity.bucket.filling import deal
from nymity.bucket.problem import Counts, read_counts
from nymity.core import validation
from nymity.core.errors import NoSolutionError
from nymity.core.quoting import quoted
from nymity.table.bucket_recoding import Slots


def anatomize(counts: Counts, l: int) -> Slots:  # noqa: E741 -- the paper's letter
    """Return buckets of at least ``l`` records with different values, or say which value is too frequent."""
    validation.whole_number("l", l, at_least=1)
    values, numbers = read_counts(counts)
    n, most = int(numbers.sum()), int(numbers.argmax())
    if numbers[most] * l > n:
        raise NoSolutionError(
            f"no buckets of at least {l} records with different values: {quoted(values[most])} has {numbers[most]:,} "
            f"of {n:,} records, more than one in {l}. Try: l of at most {n // int(numbers[most])}"
        )
    return Slots(*deal(numbers, n // l))


def anatomy_loss(counts: Counts, l: int) -> int:  # noqa: E741 -- the paper's letter
    """Return the loss of floor(n / l) buckets of sizes as equal as possible, *whether or not they can be filled*.

    Wang (2014, section 7.2.1) compares with this number for values of l at which no such buckets exist. It is for
    studies alone: a plan or :func:`anatomize` says what can be published.
    """
    _, numbers = read_counts(counts)
    n = int(numbers.sum())
    validation.whole_number("l", l, at_least=1, at_most=n)
    size, larger = divmod(n, n // l)
    return (n // l - larger) * (size - 1) ** 2 + larger * size**2
