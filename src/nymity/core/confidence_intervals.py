"""Intervals: a proportion of independent trials, or of trials in clusters, with 95% confidence.

Clopper & Pearson (1934) for independent trials. Trials on one person or one image are not independent; their interval
is that of Korn & Graubard (1998): Clopper-Pearson at the effective number of trials n* = p (1 − p) / v, v the variance
of p estimated between clusters, never more than n. Where all answers agree v says nothing, and n* is the number of
clusters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import number, whole_number

#: Two-sided error of every interval.
ERROR = 0.05


def clopper_pearson(successes: float, trials: float, *, error: float) -> tuple[float, float]:
    """Return the two-sided interval; numbers of trials may be effective ones and need not be whole."""
    number("trials", trials, above=0)
    number("successes", successes, at_least=0, at_most=trials)
    from scipy.special import betainccinv as above  # importing it takes a tenth of a second

    # The quantile of 1 - error / 2 from above: the difference would round a small error away.
    high = 1.0 if successes == trials else float(above(successes + 1, trials - successes, error / 2))
    return _lower(successes, trials, error / 2), high


def lower_bound(successes: int, trials: int, *, error: float) -> float:
    """Return the one-sided Clopper-Pearson bound: the probability is at least this, with confidence 1 − error."""
    whole_number("successes", successes, at_least=0, at_most=trials)
    number("error", error, above=0, at_most=0.5)
    return _lower(successes, trials, error)


def clustered_interval(
    successes: NDArray[np.float64], trials: NDArray[np.float64], *, error: float = ERROR
) -> tuple[float, float]:
    """Return the interval of all successes over all trials, both given by cluster, (n_clusters,)."""
    n, clusters = float(trials.sum()), len(trials)
    p = min(1.0, float(successes.sum()) / n)
    if clusters == n:
        effective = n
    elif p in (0.0, 1.0) or clusters == 1:
        effective = float(clusters)
    else:
        # The variance of a ratio by clusters; as many independent trials as would have it are counted below.
        variance = float(((successes - p * trials) ** 2).sum()) / n**2 * clusters / (clusters - 1)
        effective = n if variance <= 0 else min(n, p * (1 - p) / variance)
    return clopper_pearson(p * effective, effective, error=error)


def _lower(successes: float, trials: float, error: float) -> float:
    """Return the quantile of Beta(successes, trials − successes + 1) that the probability reaches but for an error."""
    from scipy.special import betaincinv as below

    return float(below(successes, trials - successes + 1, error)) if successes else 0.0
