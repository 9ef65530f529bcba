"""Builders: ways to make a hierarchy for a column, one per file.

Each is a frozen dataclass with ``build(values, where=...)`` and the ``key`` that names it in job files. A new
builder is one file and one line in ``BUILDERS``.
"""

from __future__ import annotations

from typing import Any

from nymity.table.builders.dates import Dates
from nymity.table.builders.file import HierarchyFile
from nymity.table.builders.flat import Flat
from nymity.table.builders.intervals import Intervals
from nymity.table.builders.masking import Masking
from nymity.table.builders.ordering import Ordering
from nymity.table.builders.random_tree import RandomTree
from nymity.table.builders.rows import HierarchyRows
from nymity.table.builders.shuffled import Shuffled
from nymity.table.builders.suggest import suggest
from nymity.table.builders.taxonomy import Taxonomy

#: The ``type`` of a hierarchy in a job file → its builder.
BUILDERS: dict[str, type[Any]] = {
    builder.key: builder
    for builder in (
        Intervals,
        Masking,
        Ordering,
        Taxonomy,
        Dates,
        HierarchyFile,
        HierarchyRows,
        Flat,
        RandomTree,
        Shuffled,
    )
}

__all__ = [
    "BUILDERS",
    "Dates",
    "Flat",
    "HierarchyFile",
    "HierarchyRows",
    "Intervals",
    "Masking",
    "Ordering",
    "RandomTree",
    "Shuffled",
    "Taxonomy",
    "suggest",
]
