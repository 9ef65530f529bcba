"""Dictionary-based interpolation as published (Li 2019, section 3.3): one depth of one attribute is interpolated.

The thesis shows attribute 0 at depth 2 and attribute 3 at depth 1 (figures 5.3b and 5.3c). Its means are of all
neighbours (equation 3.13), which is circular: a neighbour along another attribute is a mean itself. Here they are of
the counted ones, which differ in that attribute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.dp.interpolation import INTERPOLATIONS, Interpolation
from nymity.lattice.space import Space


@dataclass(frozen=True, kw_only=True)
class OneDepth(Interpolation):
    """Count all nodes but those with one level of one attribute, both numbered from 0."""

    attribute: int
    depth: int

    def counted(self, space: Space) -> NDArray[np.bool_]:
        """Return which have another level; all, where it is the only one."""
        counted = np.ones(space.grid, dtype=np.bool_)
        at = self.depth - space.low[self.attribute]
        if 0 <= at < space.shape[self.attribute] > 1:
            np.moveaxis(counted, self.attribute, 0)[at] = False
        return counted

    def parts(self, space: Space) -> Iterator[Space]:
        """Give the lattices below and above that level."""
        a, low, high = self.attribute, space.low, space.high
        if low[a] == high[a]:
            yield space
            return
        for first, last in ((low[a], min(self.depth - 1, high[a])), (max(self.depth + 1, low[a]), high[a])):
            if first <= last:
                yield Space((*low[:a], first, *low[a + 1 :]), (*high[:a], last, *high[a + 1 :]))

    def denominator(self, space: Space) -> int:
        """Return 2: there are one or two neighbours."""
        return 2


def interpolation(way: str) -> str | Interpolation | None:
    """Return what a step's parameter names: ``none``, a key of nymity's, or such as ``attribute 0, depth 2``."""
    if way == "none":
        return None
    if way in INTERPOLATIONS:
        return way
    attribute, depth = map(int, re.fullmatch(r"attribute (\d+), depth (\d+)", way).groups())  # type: ignore[union-attr]
    return OneDepth(attribute=attribute, depth=depth)
