"""The objective of logistic regression to second order, in whole numbers, and how much one record changes it.

For a record with features x, a vector of length d, and class y, 0 or 1, the loss is ln(1 + e^(x·w)) - y x·w. Its
expansion around w = 0 is ln 2 + (1/2 - y) x·w + (x·w)² / 8 (Zhang et al. 2012, section 5). Of a table it takes two
sums: (1/2 - y) x, which is linear, and x xᵀ / 8. The constant tells how many records there are, and is never used.

**Whole numbers.** Features are multiples of g = 2^-GRID, x = g X, and in units of g² / 8 every coefficient is a whole
number: 4 (1 - 2y) X_i / g of w_i, X_i² of w_i², 2 X_i X_j of w_i w_j. Each record is rounded by itself and stays in the
domain, so rounding does not raise what one record changes; sums are not rounded at all.

**Sensitivity**, the sum of the changes of all coefficients, where |x_i| ≤ 1 and Σ |x_i| ≤ B ≤ d. Those of one record
are Σ |x_i| / 2 + (Σ |x_i|)² / 8 in sum, hence adding or removing it changes at most S = B / 2 + B² / 8. Replacing
(x, y) by (x', y') changes at most 2 S. With u = (x + x') / 2 and v = (x - x') / 2, a = Σ |u_i| and b = Σ |v_i|:

* the linear coefficients change by a where the classes differ, by b where they are the same;
* x xᵀ - x' x'ᵀ = 2 (u vᵀ + v uᵀ), so the others change by at most a b / 2;
* |u_i| + |v_i| = max(|x_i|, |x'_i|) ≤ 1, so a + b ≤ d; and a ≤ B, b ≤ B.

Together this is at most the largest a (1 + (d - a) / 2) with a ≤ B, that of a = min(B, (d + 2) / 2); with a and b
exchanged it is the same. The smaller of both bounds is used. Where B = d it is (d + 2)² / 8 for d ≥ 2, about half of
the published d + d² / 4, and attained: classes differ, and (1, …, 1) is replaced by a record that has (d - 2) / 2
features negated (where d is odd, half of one is a feature of 0). Where 2 B ≤ d it is 2 S, attained by records that have
no feature in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import Bits
from nymity.dp.mechanisms import discrete_laplace

#: Features are multiples of 2^-GRID.
GRID = 16
#: Units of a coefficient: g² / 8.
UNITS = 8 * 4**GRID
#: Rows that are summed at once. Products are below 2^(2 GRID), so their sums are exact in doubles.
_ROWS = 2 ** (52 - 2 * GRID)


@dataclass(frozen=True, eq=False, kw_only=True)
class Objective:
    """Coefficients in units of 1 / UNITS: ``linear`` (d,) of w_i, ``products`` (d, d) of w_i w_j, 0 for i < j."""

    linear: NDArray[np.int64]
    products: NDArray[np.int64]

    @staticmethod
    def of(features: NDArray[np.int64], positive: NDArray[np.bool_]) -> Objective:
        """Sum over records: features (n, d) in multiples of 2^-GRID, and which are of class 1."""
        d = features.shape[1]
        linear, squares = np.zeros(d, dtype=np.int64), np.zeros((d, d), dtype=np.int64)
        for start in range(0, len(features), _ROWS):
            part = features[start : start + _ROWS].astype(np.float64)
            signs = np.where(positive[start : start + _ROWS], -1.0, 1.0)
            linear += (signs @ part).astype(np.int64)
            squares += (part.T @ part).astype(np.int64)
        return Objective(linear=linear * 2 ** (GRID + 2), products=np.tril(squares) + np.tril(squares, -1))

    def noisy(self, scale: Fraction, bits: Bits) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Add discrete Laplace noise of a scale; return α (d,) and a symmetric M (d, d) of α·w + w·M w."""
        d = len(self.linear)
        lower = np.tril_indices(d)
        exact = [*self.linear.tolist(), *self.products[lower].tolist()]
        noise = discrete_laplace(scale=scale * UNITS, size=len(exact), bits=bits).value
        drawn = np.array([(value + shift) / UNITS for value, shift in zip(exact, noise, strict=True)])
        matrix = np.zeros((d, d))
        matrix[lower] = drawn[d:]
        return drawn[:d], (matrix + matrix.T) / 2


def sensitivity(*, width: int, norm: Fraction, neighbours: str) -> Fraction:
    """Return by how much one record changes all coefficients in sum: ``width`` is d, ``norm`` B; see the module."""
    one = norm / 2 + norm**2 / 8
    if neighbours == "add-remove":
        return one
    a = min(norm, Fraction(width + 2, 2))
    return min(2 * one, a * (1 + (width - a) / 2))


def minimizer(linear: NDArray[np.float64], matrix: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """Return the w with the least α·w + w·(M + ridge) w, where it has one (Zhang et al. 2012, section 6).

    Noise can leave M with eigenvalues that are not positive, along whose vectors the objective falls without end. The
    ridge raises them all, and directions that are still not positive are left at 0.
    """
    values, vectors = np.linalg.eigh(matrix + ridge * np.eye(len(linear)))
    positive = values > max(values.max(), 0) * len(linear) * np.finfo(np.float64).eps
    kept = vectors[:, positive]
    return np.asarray(-kept @ ((kept.T @ linear) / values[positive]) / 2)
