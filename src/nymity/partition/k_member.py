"""Greedy k-member clustering (Byun, Kamra, Bertino and Li 2007, section 4).

Each class starts with the record furthest from the last one that was added to the class before, and takes the record
with the least increase of information loss until it has k. Each of the n mod k records left joins the class with the
least increase. Information loss is the cost of the geometry; the distance of two records is what each costs when both
are published alike, which for numbers is the paper's. The paper starts from a random record; this starts from the first
in sorted order and lets the first win ties, so that a table has one answer.
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
class KMember(RecordMethod):
    """Start each class far from the last one and take the k - 1 cheapest others."""

    key: ClassVar[str] = "k-member"

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Ints:
        """Return the class of each record (n,), numbered in the order in which classes were made."""
        return self.grow(geometry, k, observe).classes

    def grow(self, geometry: Geometry, k: int, observe: Observer = silent) -> Grown:
        """Return the classes with their records in the order in which these were added."""
        require_enough(geometry, k)
        return grow_classes(geometry, k, away=True, observe=observe, stage="k-member clustering")
