"""Share: a proportion with an interval that covers the true one with 95% probability.

Clopper-Pearson (1934) for independent trials. Examples made from one image are not independent, so their interval is
that of Korn & Graubard (1998): Clopper-Pearson at the effective number of trials n* = p (1 − p) / v, v the variance of
p estimated between images, never more than n. Where all answers agree v says nothing, and n* is the number of images.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, log1p
from typing import Any

import torch
from torch import Tensor

from nymity.core.validation import number, whole_number

#: Two-sided error of every interval.
ERROR = 0.05


@dataclass(frozen=True, kw_only=True)
class Share:
    """``count`` of ``n`` trials on ``images`` different images, and the interval."""

    count: int
    n: int
    images: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share itself."""
        return self.count / self.n

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"share": self.value, "low": self.low, "high": self.high, "n": self.n, "images": self.images}


def share(granted: Tensor, source: Tensor | None = None) -> Share:
    """Return the share of true values; ``source`` numbers the image that each one was made from."""
    values = granted.double().cpu()
    n, count = len(values), int(values.sum())
    homes = torch.arange(n) if source is None else source.cpu().unique(return_inverse=True)[1]
    images = int(homes.max()) + 1
    effective = float(n) if images == n else _effective(values, homes, images)
    low, high = clopper_pearson(count / n * effective, effective, error=ERROR)
    return Share(count=count, n=n, images=images, low=low, high=high)


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


def _effective(values: Tensor, homes: Tensor, images: int) -> float:
    n, p = len(values), float(values.mean())
    if p in (0.0, 1.0) or images == 1:
        return float(images)
    residuals = torch.zeros(images, dtype=torch.float64).index_add_(0, homes, values - p)
    variance = float(residuals.square().sum()) / n**2 * images / (images - 1)
    return float(n) if variance <= 0 else min(float(n), p * (1 - p) / variance)


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
