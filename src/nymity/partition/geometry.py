"""Geometry: records as points, and what it costs to publish some of them alike.

A number or an ordered value is a point on an axis; a class costs each of its records the width of the interval that
covers them all, as a share of the attribute's bounds (Liang 2020, definition 4). A value without an order is taken as a
set: a class with d >= 2 different values of the H there are costs d / H, and nothing with one. That is what splitting
the attribute into H binary ones of weight 1 / H comes to (Liang 2020, section 3.2.5), and the global certainty penalty.
A set may have a limit: a class of more different values costs no more than one of so many. With a limit of 2 it costs
the same whatever the values are, once they differ: that is a cell that is published or suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Geometry:
    """n records on p axes and s sets.

    points (n, p): place of each record on each axis. scales (p,): what a unit of width costs a record, the weight of
    the attribute over the distance of its bounds; 0 where these are equal. codes (n, s): value of each record in each
    set, below ``set_sizes`` (s,). set_scales (s,): what each different value costs a record once there are two, the
    weight of the attribute over the number of its values. limits (s,): how many values are paid for; all if None.
    """

    points: Floats
    scales: Floats
    codes: Ints
    set_sizes: Ints
    set_scales: Floats
    limits: Ints | None = None

    @staticmethod
    def of_points(points: Floats, scales: Floats) -> Geometry:
        """Return records with axes alone."""
        none = np.empty((len(points), 0), dtype=np.int64)
        return Geometry(points, scales, none, np.empty(0, np.int64), np.empty(0))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def set_limits(self) -> Ints:
        """How many different values of each set are paid for at most."""
        return self.set_sizes if self.limits is None else self.limits

    def cost(self, members: Ints) -> float:
        """Return what publishing these records alike costs, summed over them."""
        if not len(members):
            return 0.0
        widths = np.ptp(self.points[members], axis=0)
        different = np.array([len(np.unique(column)) for column in self.codes[members].T], dtype=np.float64)
        different = np.minimum(different, self.set_limits)
        each = widths @ self.scales + np.where(different > 1, different, 0.0) @ self.set_scales
        return float(each) * len(members)

    def total(self, classes: Ints) -> float:
        """Return the cost of a partition, given the class of each record (n,)."""
        order = np.argsort(classes, kind="stable")
        ends = np.flatnonzero(np.diff(classes[order])) + 1
        return float(sum(self.cost(members) for members in np.split(order, ends)))

    def expanded(self) -> Geometry:
        """Return the same costs with axes alone: each value of a set becomes an axis from 0 to 1."""
        if (self.set_limits < self.set_sizes).any():
            raise ValueError("sets with a limit are no sums of axes")
        indicators = [
            (self.codes[:, a : a + 1] == np.arange(size)).astype(np.float64) for a, size in enumerate(self.set_sizes)
        ]
        scales = [np.full(size, scale) for size, scale in zip(self.set_sizes, self.set_scales, strict=True)]
        return Geometry.of_points(np.hstack([self.points, *indicators]), np.concatenate([self.scales, *scales]))
