"""Two sizes, with settings left out by loss and by privacy (Wang 2014, programs 5.2 and 5.3).

Theorem 1 says which settings (b_1, b_2) of two sizes are valid. Along the row of settings of a pair every condition
cuts off one end, at a place that integer division gives:

- Fill, sum_i min(c_i b, o_i) >= S b: the left side is concave in b and 0 at 0, so it holds up to some most b, which
  depends on the size alone.
- Privacy, min(c_i1 b_1, o_i) + min(c_i2 b_2, o_i) >= o_i: the same as c_i1 b_1 + c_i2 b_2 >= o_i, since a term that
  reaches o_i suffices in both. That is linear in k, so it holds from some k on or up to some k. The unions of intervals
  of lemma 7 are never needed: where its prefix and its suffix are both there, they meet.

So the valid settings of a pair are an interval, and its first is the best of the pair. Pairs come in the order of what
their fill constraints admit at best, and the search ends when that is no better than the best found.
"""

from __future__ import annotations

import numpy as np

from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.pairs import Pairs
from nymity.bucket.problem import BucketProblem, Ints

#: So many cells (pairs by values) are looked at together.
BLOCK = 1 << 14


def two_size(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return the best setting of at most two sizes."""
    pairs = Pairs.of(problem)
    most = most_buckets(problem)
    low = np.maximum(-((most[pairs.small] - pairs.b1) // pairs.step1), 0)
    high = np.minimum((most[pairs.large] - pairs.b2) // pairs.step2, pairs.last)
    least = pairs.loss + low * pairs.slope
    order = np.argsort(least, kind="stable")
    order = order[(low <= high)[order]]
    best, loss = None, np.iinfo(np.int64).max
    n_values, block = len(problem.counts), 0
    # pairs come in the order of the least that they can lose: from the first that cannot win on, none can
    while block < len(order) and least[order[block]] < loss:
        chosen = order[block : block + max(1, BLOCK // n_values)]
        part = pairs.take(chosen)
        first, valid = _first_valid(problem, part, low[chosen], high[chosen])
        losses = np.where(valid, part.loss + first * part.slope, loss)
        if losses.min() < loss:
            winner = int(losses.argmin())
            best, loss = part.setting(problem, winner, int(first[winner])), int(losses[winner])
        block += len(chosen)
        watch.report("two-size", min(block, len(order)), len(order), None if best is None else loss)
        if watch.left <= 0 and block < len(order):
            return BestSetting(best)
    return BestSetting.best(problem, best)


def most_buckets(problem: BucketProblem) -> Ints:
    """Return for each size how many buckets the records can fill at most, by binary search on all sizes at once."""
    low, high = np.zeros_like(problem.sizes), problem.n_records // problem.sizes
    while (low < high).any():
        middle = (low + high + 1) // 2
        filled = np.minimum(problem.caps * middle, problem.counts[:, None]).sum(axis=0) >= problem.sizes * middle
        low, high = np.where(filled, middle, low), np.where(filled, high, middle - 1)
    return low


def _first_valid(problem: BucketProblem, pairs: Pairs, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return the first k from low to high at which every value's privacy constraint holds, and whether there is one.

    With slack s and slope d the constraint is s + k d >= 0: k >= -s / d where d > 0, and k <= s / -d where d < 0.
    """
    caps1, caps2 = problem.caps[:, pairs.small], problem.caps[:, pairs.large]  # (n_values, n_pairs)
    slack = caps1 * pairs.b1 + caps2 * pairs.b2 - problem.counts[:, None]
    slope = caps2 * pairs.step2 - caps1 * pairs.step1
    steps = slack // np.maximum(np.abs(slope), 1)
    first = np.maximum(np.where(slope > 0, -steps, 0).max(axis=0), low)
    last = np.where(slope < 0, steps, high).min(axis=0)
    stuck = ((slope == 0) & (slack < 0)).any(axis=0)
    return first, (first <= np.minimum(last, high)) & ~stuck
