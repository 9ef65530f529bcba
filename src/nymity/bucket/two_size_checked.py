"""Two sizes, settings of each pair checked one after another: all of them, or those that can be better.

They are what the search of :mod:`nymity.bucket.two_size` is compared with (Wang 2014, section 7.3, and program 5.2,
corrected). With settings left out by loss, the best starts at infinity: as printed, n / M' buckets of size M' would
never be found, being no better than the start. And equation 5.7 may lead beyond the last setting, so that is a limit
too.
"""

from __future__ import annotations

import numpy as np

from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.pairs import Pairs
from nymity.bucket.problem import BucketProblem, Ints

#: So many cells (settings by values) are checked together, where all are.
CELLS = 1 << 18
#: So many settings are checked together at first, twice as many each time, where few are.
SETTINGS = 64


def two_size_exhaustive(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return the best setting of at most two sizes, by checking all."""
    pairs = Pairs.of(problem)
    best, loss, chunk = None, None, max(1, CELLS // len(problem.counts))
    for pair, last in enumerate(pairs.last.tolist()):
        for start in range(0, last + 1, chunk):
            k = np.arange(start, min(start + chunk, last + 1))
            valid = k[pairs.valid(problem, pair, k)]
            if len(valid) and (loss is None or pairs.loss[pair] + valid[0] * pairs.slope[pair] < loss):
                best = pairs.setting(problem, pair, int(valid[0]))
                loss = problem.loss(best)
            if watch.left <= 0:
                return BestSetting(best)
        watch.report("two-size-exhaustive", pair + 1, len(pairs.last), loss)
    return BestSetting.best(problem, best)


def two_size_loss(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return the best setting of at most two sizes; of a pair, no setting is checked that loses as much as the best."""
    pairs = Pairs.of(problem)
    best, loss = None, None
    for pair, last in enumerate(pairs.last.tolist()):
        if loss is not None:
            last = min(last, (loss - 1 - int(pairs.loss[pair])) // int(pairs.slope[pair]))
        first = _first_valid(problem, pairs, pair, last)
        if first is not None:
            best = pairs.setting(problem, pair, first)
            loss = problem.loss(best)
        watch.report("two-size-loss", pair + 1, len(pairs.last), loss)
        if watch.left <= 0:
            return BestSetting(best)
    return BestSetting.best(problem, best)


def _first_valid(problem: BucketProblem, pairs: Pairs, pair: int, last: int) -> int | None:
    start, chunk = 0, SETTINGS
    while start <= last:
        k: Ints = np.arange(start, min(start + chunk, last + 1))
        valid = pairs.valid(problem, pair, k)
        if valid.any():
            return start + int(valid.argmax())
        start, chunk = start + chunk, min(2 * chunk, 1 << 12)
    return None
