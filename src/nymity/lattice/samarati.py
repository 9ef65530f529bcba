"""Samarati's search (2001): the smallest sum of levels at which there is a solution, by binary search.

If a node is a solution, so is every node above it, provided that a class that contains an accepted class is accepted.
So if there is a solution at one height there is one at every larger height, and the smallest height with a solution is
found by halving. Among the solutions of that height the one with the least loss is taken; another height may hold one
with a smaller loss, so nothing is proved about the loss, unless the loss is ``height`` itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nymity.core.errors import ParameterError
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.quality import NodeStatistics

#: Largest lattice whose nodes are listed by height.
MAX_LISTED = 2**24


@dataclass(frozen=True, kw_only=True)
class Samarati(LatticeSearch):
    """Find the least-loss solution among those with the smallest sum of levels."""

    key: ClassVar[str] = "samarati"

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Halve the heights until the smallest one with a solution is found."""
        inquiry.require_monotone(self.key)
        space = inquiry.space
        if space.size > MAX_LISTED:
            raise ParameterError(
                self.key,
                expected=f"at most {MAX_LISTED:,} nodes",
                got=f"{space.size:,}",
                hint="'anytime-lattice', or bound levels (min_level, max_level)",
            )
        layers = _Layers(inquiry)
        if not layers.solutions(sum(space.high)):
            return ChosenNode(None, optimal=False)
        low, high = sum(space.low), sum(space.high)
        while low < high:  # there is a solution at height ``high`` and none below ``low``
            middle = (low + high) // 2
            low, high = (low, middle) if layers.solutions(middle, first=True) else (middle + 1, high)
        # The heights compared here are plain sums of levels; those of the loss are weighted.
        weights = set(inquiry.engine.table.weights)
        optimal = self.minimized.key == "height" and len(weights) == 1
        return ChosenNode(inquiry.best_of(layers.solutions(low)), optimal=optimal)


class _Layers:
    """Solutions by height; what was checked before says much about the rest of a layer."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.heights = inquiry.space.heights()
        self.ruled_out = np.zeros(inquiry.space.grid, dtype=np.bool_)
        self.known: dict[int, NodeStatistics] = {}

    def solutions(self, height: int, *, first: bool = False) -> list[NodeStatistics]:
        """Return the solutions of a height, or only the ``first`` one found."""
        found = []
        for number in np.flatnonzero((self.heights == height) & ~self.ruled_out).tolist():
            if number not in self.known and not self.ruled_out.flat[number]:
                self._check(number)
            if number in self.known:
                found.append(self.known[number])
                if first:
                    break
        return found

    def _check(self, number: int) -> None:
        node = self.inquiry.space.node(number)
        statistics = self.inquiry.check(node)
        if statistics is None:
            self.ruled_out[self.inquiry.space.below(node)] = True  # below it more is suppressed, not less
        else:
            self.known[number] = statistics
