"""One size for all buckets (Wang 2014, lemma 3): S divides n, and o_i <= floor(f'_i S) n / S for every value."""

from __future__ import annotations

import numpy as np

from nymity.bucket.found import Found, Watch
from nymity.bucket.problem import Problem


def one_size(problem: Problem, _: Watch) -> Found:
    """Return the smallest valid size: n (S - 1)^2 / S grows with S."""
    buckets = problem.n_records // problem.sizes
    valid = (problem.n_records % problem.sizes == 0) & (problem.counts[:, None] <= problem.caps * buckets).all(axis=0)
    if not valid.any():
        return Found(None, complete=True)
    return Found.best(problem, np.where(np.arange(len(buckets)) == valid.argmax(), buckets, 0))
