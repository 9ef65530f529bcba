"""CodedTable: a large table of text by the different cells of its columns (:mod:`nymity.io.coder` makes it).

A million cells of a column are mostly a few thousand different ones. What cells mean is found out from these, and each
row is a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from nymity.core.row_runs import run_starts
from nymity.table.numbered_text import with_numbers
from nymity.table.text import plainly_named


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedColumn:
    """A column: its different cells as text, missing first, then in the order in which they occur; how often; where.

    ``values`` may since have become something else than text, and then equal each other, unless they are ``as_cut``: as
    they stand in the file, or of a type in which each would be written as it stands there.
    """

    name: str
    values: pl.Series  #: (n_values,), the first is missing
    times: pl.Series  #: (n_values,), of which the first may be zero
    codes: npt.NDArray[np.uint16 | np.uint32] = field(repr=False)  #: (n_rows,), each the place of a value
    as_cut: bool = False

    @cached_property
    def keys(self) -> pl.Series:
        """A number for each row, equal where values are."""
        return pl.Series(self.codes if self._ranks is None else self._ranks[self.codes])

    def keys_at(self, rows: pl.Series) -> pl.Series:
        """Return the keys of some rows; those of all are not made for that."""
        codes = self.codes.take(rows.to_numpy())
        return pl.Series(codes if self._ranks is None else self._ranks[codes])

    @cached_property
    def _ranks(self) -> npt.NDArray[np.uint32] | None:
        """A number for each value, equal where values are; None where all differ."""
        if self._are_different:
            return None
        return self.values.rank("dense").fill_null(0).cast(pl.UInt32).to_numpy()

    @cached_property
    def _are_different(self) -> bool:
        return self.as_cut or self.values.n_unique() == len(self.values)

    def valued(self, values: pl.Series) -> CodedColumn:
        """Return the column with values in place of its own, one for one; what stays is still as it was cut."""
        same = values.dtype == self.values.dtype and values.null_count() == self.values.null_count()
        return replace(self, values=values, as_cut=self.as_cut and same)

    @property
    def rows(self) -> pl.Series:
        """The cells, one for each row."""
        return self.values.gather(pl.Series(self.codes)).alias(self.name)

    @property
    def counts(self) -> pl.DataFrame:
        """The different values and how often each occurs (``value``, ``count``); missing ones are not counted."""
        counted = pl.DataFrame([self.values.alias("value"), self.times.alias("count")])
        counted = counted.slice(1).drop_nulls("value")
        if self._are_different:
            return counted
        return counted.group_by("value", maintain_order=True).agg(pl.col("count").sum())


class CodedTable:
    """Columns by their values; rows are made of them where they are asked for."""

    def __init__(self, columns: Iterable[CodedColumn]) -> None:
        self.coded = {column.name: column for column in columns}
        self.columns = list(self.coded)
        self.width = len(self.columns)
        self.height = len(self.coded[self.columns[0]].codes) if self.columns else 0

    def __getitem__(self, name: str) -> pl.Series:
        """Return the cells of a column, one for each row."""
        return self.coded[name].rows

    def at(self, name: str, rows: pl.Series) -> pl.Series:
        """Return the cells of a column in some rows."""
        column = self.coded[name]
        return plainly_named(column.values).gather(pl.Series(column.codes.take(rows.to_numpy()))).alias(name)

    def gather_every(self, n: int) -> pl.DataFrame:
        """Return the first of each n rows."""
        rows = pl.Series(np.arange(0, self.height, n, dtype=np.uint32))
        return pl.DataFrame([self.at(name, rows) for name in self.columns])

    def frame(self, *, text_as_numbers: bool = False) -> pl.DataFrame:
        """Return all rows; the text of many may be numbers, in columns that do not have too many texts."""
        columns = list(self.coded.values())
        if text_as_numbers:
            columns = [column.valued(with_numbers(column.values, rows=self.height)) for column in columns]
        return pl.DataFrame([column.rows for column in columns])

    def equals(self, frame: pl.DataFrame) -> bool:
        """Whether its rows are those of a frame, of the same types; cells are made of the first of equal ones alone."""
        if self.columns != frame.columns or self.height != frame.height:
            return False
        return all(map(_are_rows, self.coded.values(), frame.get_columns()))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Stream all rows, so that a coded table is a frame to whoever takes frames."""
        return self.frame().__arrow_c_stream__(requested_schema)


def _are_rows(column: CodedColumn, cells: pl.Series) -> bool:
    if column.values.dtype != (pl.String if isinstance(cells.dtype, pl.Enum) else cells.dtype):
        return False
    first = run_starts([column.keys])
    if not np.array_equal(first, run_starts([cells])):
        return False
    return column.values.gather(pl.Series(column.codes[first])).equals(plainly_named(cells).gather(first))


def cells_at(table: pl.DataFrame | CodedTable, name: str, rows: pl.Series) -> pl.Series:
    """Return the cells of a column in some rows."""
    return table.at(name, rows) if isinstance(table, CodedTable) else plainly_named(table[name]).gather(rows)


def values_of(table: pl.DataFrame | CodedTable, name: str) -> pl.Series:
    """Return the values of a column, each at least once."""
    return table.coded[name].values if isinstance(table, CodedTable) else plainly_named(table[name])


def rows_where(table: pl.DataFrame | CodedTable, name: str, holds: pl.Series) -> pl.Series:
    """Return the rows with values of which something holds, given for each of :func:`values_of`."""
    if not isinstance(table, CodedTable):
        return holds.arg_true()
    column = table.coded[name]
    holds = holds.fill_null(False)
    if (holds | (column.times == 0)).all():
        return pl.Series(np.arange(table.height, dtype=np.uint32))
    return pl.Series(np.flatnonzero(holds.to_numpy()[column.codes]).astype(np.uint32))


def numbers_at(table: pl.DataFrame | CodedTable, name: str, rows: pl.Series) -> pl.Series:
    """Return numbers of a column in some rows, of which two are equal if the values are, and else hardly ever.

    A gap is a value, too.
    """
    if isinstance(table, CodedTable):
        return table.coded[name].keys_at(rows)
    column = plainly_named(table[name]).gather(rows)
    return pl.Series([str(one) for one in column]).hash() if column.dtype == pl.Object else column.hash(seed=0)
