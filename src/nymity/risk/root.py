"""The root of a function between two bounds."""

from __future__ import annotations

from collections.abc import Callable

_TOLERANCE = 1e-13


def root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Return a root between two places with different signs, or None where they have not (Brent 1973)."""
    from scipy.optimize import brentq

    at_low, at_high = function(low), function(high)
    if (at_low < 0) == (at_high < 0) and at_low != 0 != at_high:
        return None
    return float(brentq(function, low, high, xtol=_TOLERANCE, rtol=_TOLERANCE))
