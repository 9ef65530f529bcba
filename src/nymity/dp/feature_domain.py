"""FeatureDomain: public bounds of features, and records brought into them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.dp.expanded_objective import GRID
from nymity.dp.parameters import Number, fraction_between

#: Records are shrunk this much too far, so that no rounding leaves them outside.
_MARGIN = 2.0**-40


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureDomain:
    """Every scaled feature lies between -1 and 1, and a norm of the record below a bound if there is one.

    Features are clipped to their bounds. With an intercept and no ``norm`` the bounds are scaled to -1 and 1. Otherwise
    0 stays 0, the larger of both bounds is scaled to 1 in size, and what has too large a ``norm``, ``l1`` or ``l2``, is
    shrunk to the ``radius``. All of that is done to each record by itself.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    intercept: bool
    norm: str | None = None
    radius: Fraction = Fraction(0)

    @staticmethod
    def of(
        bounds: object, features: int, *, intercept: bool, l1_norm: Number | None, l2_norm: Number | None
    ) -> FeatureDomain:
        """Check the parameters: ``bounds`` is a lower and an upper one, for all features or for each."""
        low, high = _checked(bounds, features)
        if l1_norm is not None and l2_norm is not None:
            raise ParameterError("l2_norm", expected="one norm at most", got="both l1_norm and l2_norm")
        given = l1_norm if l1_norm is not None else l2_norm
        if given is None:
            return FeatureDomain(low=low, high=high, intercept=intercept)
        norm = "l1" if l1_norm is not None else "l2"
        radius = fraction_between(f"{norm}_norm", given, 0)
        return FeatureDomain(low=low, high=high, intercept=intercept, norm=norm, radius=radius)

    @property
    def width(self) -> int:
        """How many features there are, the intercept among them."""
        return len(self.low) + self.intercept

    @property
    def largest_sum(self) -> Fraction:
        """A bound of Σ |x_i| over a record's scaled features, the intercept's 1 among them."""
        features = Fraction(len(self.low))
        if self.norm == "l1":
            features = min(features, self.radius)
        elif self.norm == "l2":  # Σ |x_i| ≤ √d · radius, rounded up
            root = Fraction(1 + isqrt(len(self.low) * 4**GRID), 2**GRID)
            features = min(features, self.radius * root)
        return features + self.intercept

    def scaled(self, table: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the records (n, width) in multiples of 2^-GRID, the intercept first."""
        centre, half = self._scale
        unit = 2.0**GRID
        # Clipped again after scaling: division rounds, and a feature beyond 1 would break the bound on a record.
        inside = np.clip((np.clip(table, self.low, self.high) - centre) / half, -1.0, 1.0)
        whole = np.rint(inside * unit)
        if self.norm is not None:
            sizes = np.linalg.norm(whole, ord=1 if self.norm == "l1" else 2, axis=1)
            limit = float(int(self.radius * 2**GRID)) * (1 - _MARGIN)
            large = sizes > limit
            # Towards zero: to the nearest, a record could leave the ball again.
            whole[large] = np.trunc(whole[large] * (limit / sizes[large])[:, None])
        if self.intercept:
            whole = np.column_stack([np.full(len(whole), unit), whole])
        return whole.astype(np.int64)

    def unscaled(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return the coefficients of raw features and the intercept for weights (width,) of scaled ones."""
        centre, half = self._scale
        coefficients = weights[int(self.intercept) :] / half
        return coefficients, float(weights[0] - coefficients @ centre) if self.intercept else 0.0

    @property
    def _scale(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.intercept and self.norm is None:
            return (self.low + self.high) / 2, (self.high - self.low) / 2
        return np.zeros_like(self.low), np.maximum(np.abs(self.low), np.abs(self.high))


def _checked(bounds: object, features: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if bounds is None:
        raise ParameterError(
            "bounds",
            expected="a lower and an upper bound of the features, each a number or one for each feature",
            got="none",
            hint="bounds that anybody may know: those of the data are private",
        )
    try:
        low, high = (_filled(bound, features) for bound in bounds)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "bounds", expected=f"two numbers, or two lists of {features} numbers", got=as_given(bounds)
        ) from error
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise ParameterError("bounds", expected="finite lower bounds below the upper ones", got=as_given(bounds))
    return low, high


def _filled(bound: ArrayLike, features: int) -> NDArray[np.float64]:
    return np.broadcast_to(np.asarray(bound, dtype=np.float64), (features,)).copy()
