"""Sorted groups: the initial feasible solution of Liang (2020, section 3.2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nymity.core.errors import NoSolutionError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.method import RecordMethod
from nymity.partition.sorted_order import sorted_order


@dataclass(frozen=True, kw_only=True)
class SortedGroups(RecordMethod):
    """Groups of k consecutive records in sorted order; the last one absorbs the n mod k that are left."""

    key: ClassVar[str] = "sorted-groups"

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Ints:
        """Return the class of each record (n,), numbered in sorted order."""
        n = require_enough(geometry, k)
        classes = np.empty(n, dtype=np.int64)
        classes[sorted_order(geometry)] = np.minimum(np.arange(n) // k, n // k - 1)
        report(observe, Progress(stage="grouping sorted records", done=n, total=n))
        return classes


def require_enough(geometry: Geometry, k: int) -> int:
    """Return the number of records, or refuse a table from which not even one class can be made."""
    n = len(geometry)
    if n < k:
        raise NoSolutionError(f"no class has {k:,} records: the table has {n:,} in all; lower k to at most {n:,}")
    return n
