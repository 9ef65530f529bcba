"""Two sizes, with settings left out by loss alone (Wang 2014, program 5.2, corrected).

Each pair's settings are checked from the first until one is valid, or until they are no better than the best found. The
best starts at infinity: as printed, n / M' buckets of size M' would never be found, being no better than the start.
And equation 5.7 may lead beyond the last setting, so that is a limit too.
"""

from __future__ import annotations

import numpy as np

from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.pairs import Pairs
from nymity.bucket.problem import BucketProblem, Ints

#: So many settings are checked together at first, twice as many each time.
CHUNK = 64


def two_size_loss(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return the best setting of at most two sizes."""
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
    start, chunk = 0, CHUNK
    while start <= last:
        k: Ints = np.arange(start, min(start + chunk, last + 1))
        valid = pairs.valid(problem, pair, k)
        if valid.any():
            return start + int(valid.argmax())
        start, chunk = start + chunk, min(2 * chunk, 1 << 12)
    return None
