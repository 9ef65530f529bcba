"""MeasuredRate: a proportion with an interval that covers the true one with 95% probability.

Examples made from one image are not independent: each image is a cluster (:mod:`nymity.core.confidence_intervals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from nymity.core.confidence_intervals import clopper_pearson, clustered_interval, lower_bound

__all__ = ["MeasuredRate", "clopper_pearson", "lower_bound", "measured_rate"]


@dataclass(frozen=True, kw_only=True)
class MeasuredRate:
    """``count`` of ``n`` trials on ``images`` different images, and the interval; a sum of shares need not be whole."""

    count: float
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


def measured_rate(granted: Tensor, source: Tensor | None = None) -> MeasuredRate:
    """Return the share of true values, or the mean of values in [0, 1]; ``source`` numbers the image behind each."""
    values = granted.double().cpu().numpy()
    n = len(values)
    homes = np.arange(n) if source is None else np.unique(source.cpu().numpy(), return_inverse=True)[1]
    trials = np.bincount(homes).astype(np.float64)
    low, high = clustered_interval(np.bincount(homes, weights=values).astype(np.float64), trials)
    return MeasuredRate(count=float(values.sum()), n=n, images=len(trials), low=low, high=high)
