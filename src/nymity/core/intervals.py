"""Intervals: a proportion of independent trials, or of trials in clusters, with 95% confidence.

Clopper & Pearson (1934) for independent trials. Trials on one person or one image are not independent; their interval
is that of Korn & Graubard (1998): Clopper-Pearson at the effective number of trials n* = p (1 − p) / v, v the variance
of p estimated between clusters, never more than n. Where all answers agree v says nothing, and n* is the number of
clusters.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import number, whole_number

#: Two-sided error of every interval.
ERROR = 0.05


def clopper_pearson(successes: float, trials: float, *, error: float) -> tuple[float, float]:
    """Return the two-sided interval; numbers of trials may be effective ones and need not be whole."""
    number("trials", trials, above=0)
    number("successes", successes, at_least=0, at_most=trials)
    low = 0.0 if successes == 0 else _beta_quantile(error / 2, successes, trials - successes + 1)[0]
    high = 1.0 if successes == trials else _beta_quantile(1 - error / 2, successes + 1, trials - successes)[1]
    return low, high


def lower_bound(successes: int, trials: int, *, error: float) -> float:
    """Return the one-sided Clopper-Pearson bound: the probability is at least this, with confidence 1 − error."""
    whole_number("successes", successes, at_least=0, at_most=trials)
    number("error", error, above=0, at_most=0.5)
    return 0.0 if successes == 0 else _beta_quantile(error, successes, trials - successes + 1)[0]


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
        variance = float(((successes - p * trials) ** 2).sum()) / n**2 * clusters / (clusters - 1)
        effective = n if variance <= 0 else min(n, p * (1 - p) / variance)
    return clopper_pearson(p * effective, effective, error=error)


def _beta_quantile(probability: float, a: float, b: float) -> tuple[float, float]:
    """Enclose the quantile of Beta(a, b) by bisection down to neighbouring floats or a width of 1e-15."""
    low, high = 0.0, 1.0
    while high - low > 1e-15:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _beta_cdf(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return low, high


def _beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function by its continued fraction (Lentz; DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on the other side
        return 1 - _beta_cdf(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    value, c, d = 1.0, 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-16 * 10:
            break
    return front * value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300
