"""The mixed integer program that defines the optimum (Liang 2020, section 3.2.2, corrected).

v_il says that records i and l are published alike, y_ij and z_ij are the ends of the interval of record i on axis j:

    minimize   sum over i, j of scale_j * (z_ij - y_ij)                                           (3.2.21, 3.2.34)
    such that  |y_ij - y_lj| <= (max(x_ij, x_lj) - L_j) * (1 - v_il)                              (3.2.22, 3.2.23)
               |z_ij - z_lj| <= (U_j - min(x_ij, x_lj)) * (1 - v_il)                              (3.2.24, 3.2.25)
               sum over l of v_il >= k - 1                                                        (3.2.26)
               L_j <= y_ij <= x_ij <= z_ij <= U_j

The last line is missing in print; without it all intervals shrink to a point and the optimum is 0. The text also swaps
U and L, and y and z. Sets become axes, one per value (section 3.2.5). The relaxation is so weak that a proof is out of
reach beyond some ten records: this is the definition and the oracle, :class:`ExactPartition` the method.
"""

from __future__ import annotations

from itertools import combinations
from math import inf
from typing import Any

import numpy as np

from nymity.partition.geometry import Geometry
from nymity.partition.optimum import Optimum
from nymity.partition.sorted_groups import require_enough


def big_m_optimum(geometry: Geometry, k: int, *, seconds: float | None = None) -> Optimum:
    """Solve the program as it stands; where the time ends first, return all records in one class if none was found."""
    from scipy import optimize

    n, axes = require_enough(geometry, k), geometry.expanded()
    x, pairs = axes.points, list(combinations(range(n), 2))
    n_cells = x.size
    low, high = np.broadcast_to(x.min(axis=0), x.shape), np.broadcast_to(x.max(axis=0), x.shape)
    prices = np.tile(axes.scales, n)
    # variables: y (n * m), z (n * m), v (pairs)
    result = optimize.milp(
        c=np.concatenate([-prices, prices, np.zeros(len(pairs))]),
        integrality=np.concatenate([np.zeros(2 * n_cells), np.ones(len(pairs))]),
        bounds=optimize.Bounds(
            np.concatenate([low.ravel(), x.ravel(), np.zeros(len(pairs))]),
            np.concatenate([x.ravel(), high.ravel(), np.ones(len(pairs))]),
        ),
        constraints=[_alike(x, pairs, optimize), _enough(n, n_cells, pairs, k, optimize)],
        options={"mip_rel_gap": 0.0, "time_limit": inf if seconds is None else seconds},
    )
    together = result.x[2 * n_cells :] > 0.5 if result.x is not None else np.ones(len(pairs), dtype=bool)
    classes = _components(n, [pair for pair, alike in zip(pairs, together, strict=True) if alike])
    value = geometry.total(classes)
    bound = value if result.status == 0 else max(result.mip_dual_bound or 0.0, 0.0)
    return Optimum(classes, value, min(bound, value))


def _alike(x: Any, pairs: list[tuple[int, int]], optimize: Any) -> Any:
    """Records published alike have the same intervals: for each pair, axis and sign, a row for y and one for z."""
    m, n_cells = x.shape[1], x.size
    rows, most = [], []
    for p, (i, other) in enumerate(pairs):
        for j in range(m):
            y_size = max(x[i, j], x[other, j]) - x[:, j].min()
            z_size = x[:, j].max() - min(x[i, j], x[other, j])
            for first, size in ((0, y_size), (n_cells, z_size)):
                for sign in (1.0, -1.0):
                    row = np.zeros(2 * n_cells + len(pairs))
                    # sign * (end of i - end of other) + size * v <= size: equal ends where v is 1, and nothing asked
                    # where it is 0.
                    row[first + i * m + j], row[first + other * m + j], row[2 * n_cells + p] = sign, -sign, size
                    rows.append(row)
                    most.append(size)
    return optimize.LinearConstraint(np.array(rows), -np.inf, np.array(most))


def _enough(n: int, n_cells: int, pairs: list[tuple[int, int]], k: int, optimize: Any) -> Any:
    rows = np.zeros((n, 2 * n_cells + len(pairs)))
    for p, (i, other) in enumerate(pairs):
        rows[[i, other], 2 * n_cells + p] = 1.0
    return optimize.LinearConstraint(rows, k - 1, np.inf)


def _components(n: int, pairs: list[tuple[int, int]]) -> Any:
    """Number the sets of records that pairs connect, directly or not (definition 6: indirectly equivalent)."""
    classes = np.arange(n)
    for i, other in pairs:
        classes[classes == classes[i]] = classes[other]
    return np.unique(classes, return_inverse=True)[1].astype(np.int64)
