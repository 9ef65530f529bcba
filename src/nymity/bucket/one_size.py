"""One size for all buckets (Wang 2014, lemma 3): S divides n, and o_i <= floor(f'_i S) n / S for every value."""

from __future__ import annotations

import numpy as np

from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.problem import BucketProblem


def one_size(problem: BucketProblem, _: Watch) -> BestSetting:
    """Return the smallest valid size: n (S - 1)^2 / S grows with S."""
    buckets = problem.n_records // problem.sizes
    valid = (problem.n_records % problem.sizes == 0) & (problem.counts[:, None] <= problem.caps * buckets).all(axis=0)
    if not valid.any():
        return BestSetting(None, complete=True)
    return BestSetting.best(problem, np.where(np.arange(len(buckets)) == valid.argmax(), buckets, 0))
