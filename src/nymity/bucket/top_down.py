"""Several sizes, by dividing again and again into two (Wang 2014, program 6.1).

The records are divided into two sizes as well as possible, then the records of each size are again, as long as that
lowers the loss. Thresholds stay those of the whole table, and a size without buckets is left out. Which values' records
go to the larger size first is left open there and matters, so rare values first and frequent ones first are both tried.
"""

from __future__ import annotations

import numpy as np

from nymity.bucket.assignment import assign
from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.problem import BucketProblem, Ints
from nymity.bucket.two_size import two_size


def top_down(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return a setting of several sizes, at least as good as the best of two."""
    two = two_size(problem, watch)
    if two.buckets is None:
        return two
    by_count = sorted(range(len(problem.values)), key=lambda i: (problem.counts[i], problem.thresholds[i]))
    ways = [_divide(problem.take(order), two.buckets, watch) for order in (by_count, by_count[::-1])]
    return BestSetting(min(ways, key=problem.loss), problem.least_loss)


def _divide(problem: BucketProblem, buckets: Ints, watch: Watch) -> Ints:
    """Return a setting in which the records of each size of this one are divided further, where that pays."""
    records = assign(problem, buckets)
    assert isinstance(records, np.ndarray)  # two_size returns what theorem 1 accepts
    total = np.zeros_like(buckets)
    for size in np.flatnonzero(buckets):
        alone = np.where(np.arange(len(buckets)) == size, buckets, 0)
        part = problem.part(records[:, size])
        two = two_size(part, watch).buckets if watch.left > 0 else None
        if two is not None and problem.loss(two) < problem.loss(alone):
            total += _divide(part, two, watch)
        else:
            total += alone
    return total
