"""ExactPartition: the cheapest partition into classes of at least k records, with proof.

A class of 2k or more records can be cut in two without cost, so classes of k to 2k - 1 suffice, and the question is
one of set partitioning: choose classes that hold each record once. A few records are settled by depth-first search
(:mod:`nymity.kernels.set_partition`), more by a linear program whose columns are classes
(:mod:`nymity.partition.column_generation`). The program of Liang (2020, section 3.2.2) defines the same optimum, and
tests ask it; its relaxation proves nothing for more than some ten records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import ClassVar

import numpy as np

from nymity.core import validation
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, silent
from nymity.kernels.set_partition import cheapest_partition
from nymity.partition.column_generation import ColumnGeneration
from nymity.partition.distinct import Distinct
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.method import RecordMethod
from nymity.partition.optimum import Optimum
from nymity.partition.refine import Refine
from nymity.partition.sorted_groups import SortedGroups, require_enough

#: Up to so many different records the depth-first search is tried first, with room for so many classes and steps.
FEW, ROOM, PATIENCE = 24, 30_000, 3_000_000


@dataclass(frozen=True, kw_only=True)
class ExactPartition(RecordMethod):
    """Find the cheapest partition and prove it, or stop after so many ``seconds`` with the best and a proven bound.

    Without a limit the search goes on until the proof is complete, or until too many classes are left to choose among.
    Where it stops before, the outcome says why, and whether the classes are still those of the initial solution.
    """

    seconds: float | None = None

    key: ClassVar[str] = "exact-partition"
    proves_optimum: ClassVar[bool] = True
    merges: ClassVar[bool] = False
    takes_persons: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds is not None:
            validation.number("exact-partition.seconds", self.seconds, above=0)

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Optimum:
        """Return the best partition found and what is proved of it."""
        n = require_enough(geometry, k)
        method = SortedGroups() if k == 1 or n <= FEW else Refine()
        return improve(geometry, k, method.partition(geometry, k, observe), seconds=self.seconds, observe=observe)


def improve(
    geometry: Geometry, k: int, start: Ints, *, seconds: float | None = None, observe: Observer = silent
) -> Optimum:
    """Return the cheapest partition, given one to start from (n,)."""
    until = monotonic() + seconds if seconds is not None else inf
    n = require_enough(geometry, k)
    value = geometry.total(start)
    if k == 1 or value == 0:
        return Optimum(np.arange(n) if k == 1 else start, 0.0, 0.0)
    distinct = Distinct.of(geometry, k)
    found = _search(geometry, distinct, k, Optimum(start, value, min(distinct.bound, value)))
    if not found.optimal:
        found = _prove(geometry, k, found, until, observe)
    return found if found.optimal else replace(found, stopped=_reason(found.classes, start, until))


def _reason(classes: Ints, start: Ints, until: float) -> str:
    """Return why there is no proof, and whether all that was found is what the search started from."""
    reason = "at the time limit" if monotonic() >= until else "with too many classes left to choose among"
    return f"{reason}, with the classes of the initial solution" if np.array_equal(classes, start) else reason


def _prove(geometry: Geometry, k: int, start: Optimum, until: float, observe: Observer) -> Optimum:
    """Generate columns, in a unit of cost that makes a record's about 1: solvers' tolerances are meant for that."""
    unit = start.value / len(geometry)
    scaled = replace(geometry, scales=geometry.scales / unit, set_scales=geometry.set_scales / unit)
    begin = replace(start, value=scaled.total(start.classes), bound=start.bound / unit)
    best = ColumnGeneration(scaled, Distinct.of(scaled, k), k, begin, until, observe).solve()
    value = geometry.total(best.classes)
    return replace(best, value=value, bound=value if best.optimal else min(best.bound * unit, value))


def _search(geometry: Geometry, distinct: Distinct, k: int, start: Optimum) -> Optimum:
    """Settle a few records by depth-first search; where that takes too long, return the best so far."""
    if start.optimal or len(distinct) > FEW:
        return start
    members, sizes = np.empty((ROOM, 2 * k - 1), dtype=np.int64), np.empty(ROOM, dtype=np.int64)
    chosen = np.empty(len(geometry), dtype=np.int64)
    with interruptible():
        _, n_classes, proved = cheapest_partition(
            distinct.points, distinct.codes, distinct.set_costs, distinct.set_limits, distinct.counts, distinct.prices,
            k, start.value, members, sizes, PATIENCE, chosen,
        )  # fmt: skip
    classes = distinct.classes(members[c, : sizes[c]] for c in chosen[:n_classes]) if n_classes else start.classes
    value = geometry.total(classes)
    return Optimum(classes, value, value if proved else start.bound)
