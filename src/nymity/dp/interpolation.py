"""Interpolation: count some nodes of a lattice, and take the mean of counted neighbours for the others.

Li (2019), section 3.3. Which nodes are counted follows from the lattice alone, never from the records. A mean is a
convex combination: where one record changes every count by something in [a, b], it changes their means by something in
[a, b] too, so an interval that holds the changes of counts holds those of means.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.lattice.space import Space

#: Whole numbers of every node, (size,) in C order.
Counts = NDArray[Any]


class Interpolation(ABC):
    """Which nodes of a lattice are counted."""

    @abstractmethod
    def counted(self, space: Space) -> NDArray[np.bool_]:
        """Return which, in an array of the lattice's shape; every other node has a counted neighbour."""

    @abstractmethod
    def parts(self, space: Space) -> Iterator[Space]:
        """Give lattices that together hold all counted nodes, and as few others as an engine can leave out."""

    @abstractmethod
    def denominator(self, space: Space) -> int:
        """Return a number that makes all means whole, in this lattice and in every part of it."""

    def means(self, counts: Counts, space: Space, denominator: int) -> Counts:
        """Return the counts times the denominator; for nodes not counted the mean of those of counted neighbours.

        Neighbours differ by one level of one attribute. Divisions leave no rest.
        """
        counted = self.counted(space)
        known = np.where(counted, counts.reshape(space.grid), 0)
        total, neighbours = np.zeros_like(known), np.zeros(space.grid, dtype=np.int64)
        for axis in range(known.ndim):
            for here, there in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
                at, beside = (*(slice(None),) * axis, here), (*(slice(None),) * axis, there)
                total[at] += known[beside]
                neighbours[at] += counted[beside]
        # A common multiple of all numbers of neighbours: means stay whole numbers, and scores exact.
        factor = denominator // np.where(counted, 1, neighbours)
        return np.asarray(np.where(counted, known, total) * factor).reshape(-1)


class EverySecondLevel(Interpolation):
    """Count nodes whose levels, from the lowest on, have an even sum: all neighbours of the others are counted.

    Kept for the record, to repeat the thesis's figures: nothing is saved. Nodes are rolled up from one another, which
    comes by every node, and counting its classes is no more work than that. The thesis groups all records for each.
    """

    def counted(self, space: Space) -> NDArray[np.bool_]:
        """Return which are even."""
        return np.asarray((space.heights() - sum(space.low)) % 2 == 0)

    def parts(self, space: Space) -> Iterator[Space]:
        """Give the lattice itself."""
        yield space

    def denominator(self, space: Space) -> int:
        """Return a multiple of every possible number of neighbours."""
        return lcm(*range(1, 1 + sum(min(2, levels - 1) for levels in space.shape)))


class EverySecondOfOne(Interpolation):
    """Count every second level of the attribute with most levels, the first of several.

    The others have neighbours that are counted along that attribute alone. The thesis takes the mean of all neighbours,
    which is circular: a neighbour along another attribute is a mean itself.
    """

    def counted(self, space: Space) -> NDArray[np.bool_]:
        """Return which have such a level."""
        counted = np.zeros(space.grid, dtype=np.bool_)
        np.moveaxis(counted, self._axis(space), 0)[::2] = True
        return counted

    def parts(self, space: Space) -> Iterator[Space]:
        """Give a lattice for each of these levels."""
        a = self._axis(space)
        for level in range(space.low[a], space.high[a] + 1, 2):
            yield Space((*space.low[:a], level, *space.low[a + 1 :]), (*space.high[:a], level, *space.high[a + 1 :]))

    def denominator(self, space: Space) -> int:
        """Return 2: there are one or two neighbours."""
        return 2

    @staticmethod
    def _axis(space: Space) -> int:
        return int(np.argmax(space.shape))


INTERPOLATIONS: dict[str, Interpolation] = {"level": EverySecondLevel(), "dictionary": EverySecondOfOne()}
