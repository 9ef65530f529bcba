"""Cells that list many values: what to do about columns that are published so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polars import Series

    from nymity.publishing.preparing.inspect import Inspection

#: Values of one cell that somebody may still read.
MOST_LISTED = 200
_REMEDY = (
    'give it a hierarchy, such as { type = "ordering", group = 10 } for values that stand in order, and '
    'cells = "hierarchy" in [method]'
)


def values_listed(cells: Series) -> int:
    """Return how many values the longest set among published cells lists, for people: a value may have commas, too."""
    import polars as pl

    if isinstance(cells.dtype, pl.Enum):  # of the different cells of a release
        cells = cells.dtype.categories
    if cells.dtype != pl.String:
        return 1
    from nymity.core.row_runs import without_repeats

    cells = without_repeats(cells)
    sets = cells.filter(cells.str.starts_with("{").fill_null(False))
    return int(sets.str.count_matches(", ", literal=True).max()) + 1 if len(sets) else 1  # type: ignore[arg-type]


def long_cells(levels: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what to do about columns of a release whose cells list more values than anybody reads."""
    for row in levels:
        if row["listed"] > MOST_LISTED:
            yield f"Cells of {row['attribute']!r} list up to {row['listed']:,} values: {_REMEDY}."


def long_cells_foreseen(inspection: Inspection) -> Iterator[str]:
    """Yield what to do about quasi-identifiers that would be published in such cells."""
    for name in inspection.quasi:
        column = inspection[name]
        if column.type != "text" or column.distinct <= MOST_LISTED:
            continue
        remedy = _REMEDY if column.hierarchy is None else 'cells = "hierarchy" in [method] publishes its groups instead'
        yield (
            f"{name!r} has {column.distinct:,} values, which methods that divide the records list in cells: {remedy}"
        )
