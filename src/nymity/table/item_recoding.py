"""ItemRecoding: what each item of a column of sets is published as, and which items are left out of which classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.table.hierarchy import Hierarchy, some_of
from nymity.table.item_cells import ItemColumn
from nymity.table.text import as_text

#: The items that are left out of a class: the published cells of its quasi-identifiers, and their labels.
LeftOut = tuple[tuple[str | None, ...], tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class ItemRecoding:
    """The column, its hierarchy, the level that each item is published on, and what is left out of which classes."""

    column: ItemColumn
    hierarchy: Hierarchy
    levels: Mapping[str, int]
    left_out: tuple[LeftOut, ...] = field(default=(), repr=False)

    @cached_property
    def published(self) -> dict[str, str]:
        """The label that each item becomes."""
        return {item: str(self.hierarchy.generalize(item, level)) for item, level in self.levels.items()}

    def recode(self, cells: pl.Series, quasi: Sequence[pl.Series]) -> pl.Series:
        """Return the published sets of rows with these cells; ``quasi`` are their published quasi-identifiers."""
        entries = self.column.entries(cells)
        if unknown := sorted(set(entries["item"].unique().to_list()) - self.levels.keys()):
            raise TableError(
                f"column {self.column.name!r}",
                expected="items the recoding knows",
                got=f"{len(unknown)} it does not: {some_of(unknown)}",
                hint="publish again with a wider hierarchy",
            )
        made = self.published
        entries = entries.with_columns(
            pl.col("item").replace_strict(list(made), list(made.values()), return_dtype=pl.String)
        )
        if self.left_out:
            keys = [f"q{i}" for i in range(len(quasi))]
            classes = pl.DataFrame({key: as_text(one) for key, one in zip(keys, quasi, strict=True)})
            of_rows = classes.with_row_index("row")
            entries = entries.join(of_rows, on="row").join(
                self._gone(keys), on=[*keys, "item"], how="anti", nulls_equal=True
            )
        return self.column.written(entries, len(cells))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            "column": self.column.name,
            "separator": self.column.separator,
            "hierarchy": self.hierarchy.rows(),
            "levels": dict(self.levels),
            "left_out": [{"class": list(cells), "items": list(items)} for cells, items in self.left_out],
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ItemRecoding:
        """Rebuild from :meth:`to_dict`."""
        name, separator, levels = data["column"], data["separator"], dict(data["levels"])
        hierarchy = Hierarchy.from_rows(data["hierarchy"], where=f"hierarchy of {name!r}")
        if not isinstance(name, str) or not isinstance(separator, str) or not separator:
            raise ValueError("items without a column or a separator")
        for item, level in levels.items():
            if item not in hierarchy.index or isinstance(level, bool) or level not in range(hierarchy.height + 1):
                raise ValueError("an item, or a level of one, that is not there")
        left_out = tuple((tuple(one["class"]), tuple(one["items"])) for one in data["left_out"])
        for cells, items in left_out:
            if not all(cell is None or isinstance(cell, str) for cell in cells) or not all(
                isinstance(item, str) for item in items
            ):
                raise ValueError("items to leave out that are not text")
        return ItemRecoding(ItemColumn(name, separator), hierarchy, levels, left_out)

    def _gone(self, keys: Sequence[str]) -> pl.DataFrame:
        """Return what is left out, a row for each class and item."""
        rows = [[*cells, item] for cells, items in self.left_out for item in items]
        return pl.DataFrame(rows, schema=dict.fromkeys([*keys, "item"], pl.String), orient="row")
