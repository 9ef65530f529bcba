"""The sorted order: records that lie close to each other tend to follow each other in it (Liang 2020, section 3.2.3).

Columns are compared in the order of ascending weighted variance, Var(c) / w² (3.2.36), then rows lexicographically.
Population and sample variance differ by a factor common to all columns, so either gives the same order. Columns of
equal variance keep their order, axes before sets; rows that are equal in every column keep theirs.
"""

from __future__ import annotations

import numpy as np

from nymity.partition.geometry import Geometry, Ints


def sorted_order(geometry: Geometry) -> Ints:
    """Return the records in sorted order (n,)."""
    columns = [*geometry.points.T, *geometry.codes.T]
    if not columns:
        return np.arange(len(geometry))
    return np.lexsort([columns[c] for c in column_order(geometry)[::-1]])


def column_order(geometry: Geometry) -> Ints:
    """Return the columns, axes then sets, in the order in which rows are compared (p + s,).

    The weight of an axis is its scale times the width of the records on it, that of a set its scale times the number
    of its values. A column without weight costs nothing however it is published, and comes last: its weighted variance
    is infinite, where the paper divides by zero. A set is compared by its codes, as if these were numbers.
    """
    if not len(geometry):
        return np.arange(len(geometry.scales) + len(geometry.set_scales))
    variances = np.concatenate([geometry.points.var(axis=0), geometry.codes.var(axis=0)])
    weights = np.concatenate(
        [
            geometry.scales * np.ptp(geometry.points, axis=0),
            geometry.set_scales * geometry.set_limits,
        ]
    )
    deviations = np.full(len(weights), np.inf)  # the root of the weighted variance: the same order, no overflow
    np.divide(np.sqrt(variances), weights, out=deviations, where=weights > 0)
    digits, exponents = np.frexp(deviations)
    equalized = np.ldexp(np.round(digits * 2**40), exponents)  # what is equal on paper may differ in the last digits
    return np.argsort(equalized, kind="stable")
