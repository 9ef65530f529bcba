"""What a plan is made for: the records of each sensitive value, their thresholds, and the sizes buckets may have.

A bucket of size S holds at most floor(f' * S) records of a value with threshold f' (Wang 2014, lemma 3). That floor
decides whether a release keeps its promise, so it is taken of exact rationals: f' = 2/7 and S = 7 give 2, and a
decimal is the number as written.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given, quoted
from nymity.core.validation import exact_fraction

Ints = NDArray[np.int64]
Value = Hashable
Counts = Mapping[Any, int] | Sequence[int] | Ints
#: A share as it is written: "0.29" and 0.29 are 29/100.
Share = Fraction | Decimal | float | str
Thresholds = Mapping[Any, Share] | Sequence[Share]

#: The largest size unless another is given or needed (Wang 2014, table 7.2).
LARGEST = 50
#: So many records at most: products with sizes and steps then fit 64 bits.
MOST_RECORDS = 2**31 - 1
#: So many different sizes at most; the search looks at every two of them.
MOST_SIZES = 1_000


@dataclass(frozen=True, eq=False)
class BucketProblem:
    """Records of each value (n_values,), the sizes to choose among (n_sizes,), ascending, and what they admit.

    caps: (n_values, n_sizes), floor(f' * S): the most records of a value in one bucket of a size.
    """

    values: tuple[Value, ...]
    counts: Ints
    thresholds: tuple[Fraction, ...]
    sizes: Ints
    caps: Ints

    @classmethod
    def of(cls, counts: Counts, thresholds: Thresholds, sizes: Sequence[int]) -> BucketProblem:
        """Read counts and thresholds, for these sizes."""
        values, numbers = read_counts(counts)
        shares = _read_thresholds(values, thresholds)
        chosen = np.array(sizes, dtype=np.int64)
        return cls(values, numbers, shares, chosen, _caps(shares, chosen))

    @classmethod
    def within(cls, counts: Counts, thresholds: Thresholds, sizes: Sequence[int] | None) -> BucketProblem:
        """Read counts and thresholds for every size from the least to the largest, and refuse what has no plan."""
        values, numbers = read_counts(counts)
        shares = _read_thresholds(values, thresholds)
        _refuse_impossible(values, numbers, shares)
        chosen = _read_sizes(values, shares, sizes, int(numbers.sum()))
        return cls(values, numbers, shares, chosen, _caps(shares, chosen))

    @property
    def n_records(self) -> int:
        """How many records all buckets hold together."""
        return int(self.counts.sum())

    @property
    def costs(self) -> Ints:
        """What a bucket of each size adds to the loss, (S - 1)^2 (equation 3.2)."""
        return (self.sizes - 1) ** 2

    def loss(self, buckets: Ints) -> int:
        """Return the loss of so many buckets of each size (n_sizes,)."""
        return int(buckets @ self.costs)

    @property
    def least_loss(self) -> int:
        """A lower bound of the loss of every setting, as if each record were in the smallest bucket that admits it.

        A record in a bucket of size S carries (S - 1)^2 / S of the loss, which grows with S.
        """
        smallest = self.sizes[(self.caps > 0).argmax(axis=1)]  # (n_values,); every value has one
        sums = np.bincount(smallest, weights=self.counts)
        return ceil(sum(Fraction(int(sums[s]) * (s - 1) ** 2, s) for s in np.flatnonzero(sums).tolist()))

    def part(self, counts: Ints) -> BucketProblem:
        """Return the same problem for some of the records (n_values,); thresholds stay those of the whole."""
        return replace(self, counts=counts)

    def take(self, order: Sequence[int]) -> BucketProblem:
        """Return the same problem with its values in another order."""
        return replace(
            self,
            values=tuple(self.values[i] for i in order),
            counts=self.counts[order],
            thresholds=tuple(self.thresholds[i] for i in order),
            caps=self.caps[order],
        )

    def with_sizes(self, sizes: Ints) -> BucketProblem:
        """Return the same problem for other sizes."""
        return replace(self, sizes=sizes, caps=_caps(self.thresholds, sizes))


def read_counts(counts: Counts) -> tuple[tuple[Value, ...], Ints]:
    """Return the values and how many records have each; values of a sequence are its positions."""
    pairs = counts.items() if isinstance(counts, Mapping) else enumerate(counts)
    read = dict[Value, int](pairs)
    for value, number in read.items():
        validation.whole_number(f"counts, {quoted(value)}", number, at_least=1)
    total = sum(map(int, read.values()))
    if not 1 <= total <= MOST_RECORDS:
        raise ParameterError("counts", expected=f"1 to {MOST_RECORDS:,} records in all", got=f"{total:,}")
    return tuple(read), np.fromiter(read.values(), dtype=np.int64, count=len(read))


def _read_thresholds(values: tuple[Value, ...], thresholds: Thresholds) -> tuple[Fraction, ...]:
    if isinstance(thresholds, Mapping):
        missing = [value for value in values if value not in thresholds]
        unknown = [value for value in thresholds if value not in set(values)]
        if missing or unknown:
            got = f"none for {quoted(missing[0])}" if missing else f"one for {quoted(unknown[0])}, which does not occur"
            raise ParameterError("thresholds", expected="one for each value", got=got)
        listed = [thresholds[value] for value in values]
    else:
        listed = list(thresholds)
        if len(listed) != len(values):
            raise ParameterError("thresholds", expected=f"one for each of {len(values)} values", got=str(len(listed)))
    return tuple(
        _read_share(f"thresholds, {quoted(value)}", share) for value, share in zip(values, listed, strict=True)
    )


def _read_share(where: str, share: Share) -> Fraction:
    try:
        exact = Fraction(0) if isinstance(share, bool) else exact_fraction(share)
    except (TypeError, ValueError, ArithmeticError):  # no number, NaN, infinity, "1/0"
        exact = Fraction(0)
    if not 0 < exact <= 1:
        raise ParameterError(where, expected="a number above 0 and at most 1", got=as_given(share))
    return exact


def _refuse_impossible(values: tuple[Value, ...], counts: Ints, thresholds: tuple[Fraction, ...]) -> None:
    """Refuse a threshold below the value's share of all records: some bucket has at least that share (lemma 1)."""
    total = int(counts.sum())
    for value, records, share in zip(values, counts.tolist(), thresholds, strict=True):
        if share.numerator * total < records * share.denominator:
            raise ParameterError(
                f"thresholds, {quoted(value)}",
                expected=f"at least {records / total:.6g}, the share of {records:,} of {total:,} records that have it: "
                "some bucket has no smaller share",
                got=f"{float(share):.6g}",
                hint="raise the threshold of this value",
            )


def _read_sizes(
    values: tuple[Value, ...], thresholds: tuple[Fraction, ...], sizes: Sequence[int] | None, total: int
) -> Ints:
    """Return every size from the least to the largest, none above the number of records."""
    needed = [ceil(1 / share) for share in thresholds]  # the smallest bucket that admits one record of a value
    least, largest = (min(needed), max(LARGEST, *needed)) if sizes is None else read_pair(sizes)
    validation.whole_number("sizes, smallest", least, at_least=1, at_most=total)
    rarest = max(range(len(values)), key=needed.__getitem__)
    if largest < needed[rarest]:
        raise ParameterError(
            "sizes, largest",
            expected=f"at least {needed[rarest]}: the threshold {thresholds[rarest]} of {quoted(values[rarest])} "
            "admits no record into a smaller bucket",
            got=str(largest),
        )
    largest = min(largest, total)
    if largest - least >= MOST_SIZES:
        raise ParameterError(
            "sizes",
            expected=f"at most {MOST_SIZES:,} different ones",
            got=f"{least} to {largest}",
            hint=f"a smallest size of {largest - MOST_SIZES + 1}",
        )
    return np.arange(least, largest + 1, dtype=np.int64)


def read_pair(sizes: Sequence[int], *, where: str = "sizes") -> tuple[int, int]:
    """Return the smallest and the largest size."""
    try:
        least, largest = sizes
    except (TypeError, ValueError):
        raise ParameterError(where, expected="the smallest and the largest size", got=as_given(sizes)) from None
    validation.whole_number(f"{where}, smallest", least, at_least=1)
    validation.whole_number(f"{where}, largest", largest, at_least=least)
    return int(least), int(largest)


def _caps(thresholds: tuple[Fraction, ...], sizes: Ints) -> Ints:
    """Return floor(f' * S) in integers, of any length where 64 bits could be too few; f' is at most 1."""
    wide = max(share.denominator for share in thresholds) * int(sizes.max(initial=1)) >= 2**63
    terms = np.array([share.as_integer_ratio() for share in thresholds], dtype=object if wide else np.int64)
    caps: Ints = (terms[:, :1] * sizes // terms[:, 1:]).astype(np.int64)
    return caps
