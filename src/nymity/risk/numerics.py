"""What the population models compute with: roots between bounds, and functions of the gamma family.

Written out because differences of library values lose what matters here: ln Gamma of 300 million has an error of a
millionth, and so would the estimate.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import exp, lgamma, log, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", float, NDArray[np.float64])

_ITERATIONS = 200
#: From here on two terms of the asymptotic series are better than a difference of library values.
_LARGE = 1e3


def root(function: Callable[[float], float], low: float, high: float, *, tolerance: float = 1e-13) -> float | None:
    """Return a root between two places where the function has different signs, or None where it has not.

    Ridders' method (1979): false position on the function times an exponential, which makes it nearly straight. Each
    step at least halves the interval, so it cannot run away.
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0 or at_high == 0:
        return low if at_low == 0 else high
    if (at_low < 0) == (at_high < 0):
        return None
    for _ in range(_ITERATIONS):
        middle = (low + high) / 2
        at_middle = function(middle)
        if at_middle == 0 or high - low <= tolerance * max(1.0, abs(middle)):
            return middle
        bend = sqrt((at_middle / at_low) ** 2 - at_high / at_low)
        place = middle + (middle - low) * (at_middle / at_low) / bend
        at_place = function(place)
        if at_place == 0:
            return place
        points = sorted([(low, at_low), (middle, at_middle), (place, at_place), (high, at_high)])
        (low, at_low), (high, at_high) = next((a, b) for a, b in pairwise(points) if (a[1] < 0) != (b[1] < 0))
    return (low + high) / 2


def digamma(x: Number) -> Number:
    """Return the derivative of ln Gamma at positive x: shifted by eight, then the asymptotic series."""
    shift = x * 0.0
    for i in range(8):
        shift = shift + 1 / (x + i)
    y = x + 8
    z = 1 / (y * y)
    series = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * 691 / 32760)))))
    logarithm = log(y) if isinstance(y, float) else np.log(y)
    return logarithm - 0.5 / y - series - shift


def gamma_ratio(x: float, step: float) -> float:
    """Return Gamma(x + step) / Gamma(x) for positive x and x + step, and a step between -1 and 1."""
    if x < _LARGE:
        return exp(lgamma(x + step) - lgamma(x))
    bend = step * (step - 1) / 2
    return exp(step * log(x) + bend / x - bend * (2 * step - 1) / (6 * x * x))
