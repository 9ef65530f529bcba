"""Greedy search (Liang 2020, section 3.3.2, algorithm 2).

Down the sorted order, each record that is left takes the k - 1 others with which its class costs least, one at a time;
the first in sorted order wins a tie. The n mod k records that are left in the end each join the class whose total cost
*after* adding them is least: algorithm 2 omits this step, and table 3.5 follows from it.

Liang bounds the work by n² / 2 comparisons; a tree of boxes finds the same classes with a small share of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nymity.core.progress import Observer, silent
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.growing import Grown, grow_classes
from nymity.partition.method import RecordMethod
from nymity.partition.sorted_groups import require_enough


@dataclass(frozen=True, kw_only=True)
class GreedySearch(RecordMethod):
    """Let each record left in sorted order take the k - 1 cheapest others."""

    key: ClassVar[str] = "greedy-search"

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Ints:
        """Return the class of each record (n,), numbered in the order in which classes were made."""
        return self.grow(geometry, k, observe).classes

    def grow(self, geometry: Geometry, k: int, observe: Observer = silent) -> Grown:
        """Return the classes with their records in the order in which these were added, as in table 3.5."""
        require_enough(geometry, k)
        return grow_classes(geometry, k, away=False, observe=observe, stage="greedy search")
