"""Cells that hold several items, such as the diagnoses of a patient: how they are read and written.

A cell is a set. Text is divided at a separator; spaces around items, pieces without text and repeated items tell
nothing. A written cell has its items in the order of their text, so that the order of the source has no part in it, and
the empty set is an empty cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.table.text import as_text, plainly_named


@dataclass(frozen=True)
class ItemColumn:
    """The column whose cells are sets of items, and what stands between these in text."""

    name: str
    separator: str

    def entries(self, cells: pl.Series) -> pl.DataFrame:
        """Return one row for each item of each cell, sorted: ``row``, the number of the cell, and ``item``."""
        lists = plainly_named(cells)
        if lists.dtype.is_nested():
            found = self._of_lists(lists)
        else:
            found = _exploded(as_text(lists).str.split(self.separator))
        found = found.with_columns(pl.col("item").str.strip_chars()).filter(pl.col("item") != "")
        return found.unique().sort("row", "item")

    def written(self, entries: pl.DataFrame, height: int) -> pl.Series:
        """Return the cells of a column of so many rows that has these entries: the inverse of :meth:`entries`."""
        joined = (
            entries.select("row", "item")
            .unique()
            .sort("row", "item")
            .group_by("row", maintain_order=True)
            .agg(pl.col("item").str.join(self.separator))
        )
        rows = pl.DataFrame({"row": pl.int_range(height, dtype=pl.UInt32, eager=True)})
        return rows.join(joined, on="row", how="left", maintain_order="left")["item"].alias(self.name)

    def as_written(self, cells: pl.Series) -> pl.Series:
        """Return cells of any form as they are written."""
        return self.written(self.entries(cells), len(cells))

    def are_as_written(self, cells: pl.Series) -> bool:
        """Return whether text cells have the one form that sets are written in."""
        return bool(as_text(cells).eq_missing(plainly_named(self.as_written(cells))).all())

    def _of_lists(self, lists: pl.Series) -> pl.DataFrame:
        """Take the items of lists, none of which may hold the separator."""
        inner = getattr(lists.dtype, "inner", None)
        if not isinstance(lists.dtype, pl.List | pl.Array) or inner is None or inner.is_nested():
            raise TableError(f"column {self.name!r}", expected="lists of items, or text", got=str(lists.dtype))
        # A column of empty lists alone has no type of items.
        if inner == pl.Null:
            lists = lists.cast(pl.List(pl.String))
        found = _exploded(lists)
        found = found.with_columns(as_text(found["item"]).alias("item")).drop_nulls("item")
        holding = found["item"].filter(found["item"].str.contains(self.separator, literal=True))
        if len(holding):
            raise TableError(
                f"column {self.name!r}",
                expected=f"items without {self.separator!r}, which stands between them when they are written",
                got=quoted(holding[0]),
                hint="another separator, such as separator = '|'",
            )
        return found


def _exploded(lists: pl.Series) -> pl.DataFrame:
    """Return the elements of lists under each other, and the rows that they are of; none of a missing list."""
    rows = pl.DataFrame({"item": lists}).with_row_index("row")
    return rows.explode("item", empty_as_null=True, keep_nulls=True).drop_nulls("item")
