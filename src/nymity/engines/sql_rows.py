"""SqlRows: what engines share that speak SQL: the same statements, each over its own source."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import polars as pl

from nymity.engines.engine_rows import RECORDS, Rows
from nymity.engines.merged_cells import UNMERGED, Merged, MergedCells
from nymity.engines.numbering import changed
from nymity.engines.recoding_plan import NOTHING, Dropping, RecodingPlan
from nymity.engines.sql_plan import (
    CLASSES,
    code_of,
    dictionaries,
    dictionary_name,
    form_of,
    grouped,
    is_gap,
    statement,
)


class SqlRows(Rows):
    """Rows that statements are about. Subclasses run them, and put small tables where they can be joined."""

    #: What the engine calls numbers of 32 and of 64 bits.
    floats: ClassVar[tuple[str, str]]
    #: Columns by the safe name that they have in the source, and what the source is called in statements.
    _names: dict[str, str]
    _place: str = "source"

    @abstractmethod
    def _fetched(self, query: str, stage: str) -> pl.DataFrame:
        """Run a query and return its rows."""

    @abstractmethod
    def _parts(self, query: str, stage: str) -> Iterator[pl.DataFrame]:
        """Run a query and return its rows some at a time, at least once, maybe none."""

    @abstractmethod
    def _load(self, name: str, table: pl.DataFrame) -> None:
        """Put a small table where queries find it under a name."""

    def head(self, columns: Sequence[str], rows: int) -> pl.DataFrame:
        """Some rows."""
        listed = ", ".join(f"{self._cell(name)} AS c{i}" for i, name in enumerate(columns))
        found = self._fetched(f"SELECT {listed} FROM {self._place} LIMIT {rows}", "read")
        return pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(columns)})

    def gaps(self, columns: Sequence[str]) -> dict[str, int]:
        """Count them in one pass."""
        if not columns:
            return {}
        counts = ", ".join(f"count(CASE WHEN {self._gap(name)} THEN 1 END) AS c{i}" for i, name in enumerate(columns))
        found = self._fetched(f"SELECT {counts} FROM {self._place}", "read")
        return {name: int(found[f"c{i}"][0]) for i, name in enumerate(columns)}

    def counted(
        self, columns: Sequence[str], dropping: Dropping = NOTHING, merged: Merged = UNMERGED
    ) -> Iterator[pl.DataFrame]:
        """Group by all of them; cells have the types that polars reads in the source."""
        source, cells = self._kept(dropping), [self._cell(name) for name in columns]
        for i, name in enumerate(columns):
            if name in merged:
                self._load(dictionary_name(i), merged[name].dictionary)
                source += f" LEFT JOIN {dictionary_name(i)} m{i} ON m{i}.v = {cells[i]}"
                cells[i] = code_of(i, cells[i], merged[name].of_gap)
        for part in self._parts(grouped(cells, source), "count"):
            typed = [
                _unmerged(part[f"c{i}"], merged[name], name) if name in merged else part[f"c{i}"].cast(self._type(name))
                for i, name in enumerate(columns)
            ]
            yield pl.DataFrame([*typed, part[RECORDS].cast(pl.Int64)])

    def _loaded(self, plan: RecodingPlan) -> str:
        """Load what a plan joins, and return the query that publishes rows, without order."""
        for i, table in enumerate(dictionaries(plan)):
            self._load(dictionary_name(i), table)
        self._load(CLASSES, plan.classes)
        return statement(plan, self._cell, self._kept(plan.dropping))

    def _types(self, plan: RecodingPlan) -> dict[str, pl.DataType]:
        """Return the types of the published columns."""
        return {
            name: plan.classes[plan.cells[name]].dtype if name in plan.cells else self._type(name)
            for name in plan.columns
        }

    def _type(self, name: str) -> pl.DataType:
        kind = self.columns[name]
        return pl.String() if kind in (pl.Categorical, pl.Enum) else kind

    def _cell(self, name: str) -> str:
        dtype = self.columns[name]
        return form_of(self._names[name], dtype, self._float(dtype))

    def _gap(self, name: str, texts: Sequence[str] = ()) -> str:
        dtype = self.columns[name]
        return is_gap(self._names[name], dtype, self._float(dtype), texts)

    def _float(self, dtype: pl.DataType) -> str:
        return self.floats[0] if dtype == pl.Float32 else self.floats[1]

    def _kept(self, dropping: Dropping) -> str:
        where = " AND ".join(f"NOT {self._gap(name, texts)}" for name, texts in dropping.items())
        return f"(SELECT * FROM {self._place} WHERE {where}) kept" if where else self._place


def _unmerged(places: pl.Series, cells: MergedCells, name: str) -> pl.Series:
    if places.null_count():
        raise changed(name)
    return cells.values.gather(places).alias(places.name)
