"""Two sizes, every setting checked: what the pruned searches are compared with (Wang 2014, section 7.3)."""

from __future__ import annotations

import numpy as np

from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.pairs import Pairs
from nymity.bucket.problem import BucketProblem

#: So many cells (settings by values) are checked together.
CHUNK = 1 << 18


def two_size_exhaustive(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return the best setting of at most two sizes, by checking all."""
    pairs = Pairs.of(problem)
    best, loss, chunk = None, None, max(1, CHUNK // len(problem.counts))
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
