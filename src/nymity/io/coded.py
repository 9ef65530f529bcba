"""CodedTable: a large table of text by the different cells of its columns, made in one pass over the file.

A million cells of a column are mostly a few thousand different ones. What cells mean is found out from these, and each
row is a number. Text that is not plainly regular (stray quotes, rows of different lengths, empty lines) is left to the
reader of :mod:`nymity.io.delimited`, which knows what to make of it, or how to explain it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from nymity.io.limits import MAX_CELL_BYTES
from nymity.kernels.cells import cut_cells, find_ends, find_ends_outside_quotes, number_again, number_cells

#: Text that is cut into cells at once: so many rows of a column are numbered together that its table stays in reach.
_BLOCK = 2**23
#: Zeros after a block, for whole words are read.
_PADDING = 16
#: Bytes of the different cells of a column, at most; polars has no longer text to cut them from.
_LONGEST = 2**31


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedColumn:
    """A column: its different cells as text, missing first, then in the order in which they occur; how often; where.

    ``values`` may since have become something else than text, and then equal each other, unless they are ``as_cut``: as
    they stand in the file, or of a type in which each would be written as it stands there.
    """

    name: str
    values: pl.Series  #: (n_values,), the first is missing
    times: pl.Series  #: (n_values,), of which the first may be zero
    codes: npt.NDArray[np.uint32] = field(repr=False)  #: (n_rows,), each the place of a value
    as_cut: bool = False

    @cached_property
    def keys(self) -> pl.Series:
        """A number for each row, equal where values are."""
        if self._are_different:
            return pl.Series(self.codes)
        numbers = self.values.rank("dense").fill_null(0).cast(pl.UInt32)
        return numbers.gather(pl.Series(self.codes))

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
        counted = counted.filter(pl.col("count") > 0).drop_nulls("value")
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
        return column.values.gather(pl.Series(column.codes[rows.to_numpy()])).alias(name)

    def gather_every(self, n: int) -> pl.DataFrame:
        """Return the first of each n rows."""
        rows = pl.Series(np.arange(0, self.height, n, dtype=np.uint32))
        return pl.DataFrame([self.at(name, rows) for name in self.columns])

    def frame(self) -> pl.DataFrame:
        """Return all rows."""
        return pl.DataFrame([column.rows for column in self.coded.values()])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Stream all rows, so that a coded table is a frame to whoever takes frames."""
        return self.frame().__arrow_c_stream__(requested_schema)


def cells_at(table: pl.DataFrame | CodedTable, name: str, rows: pl.Series) -> pl.Series:
    """Return the cells of a column in some rows."""
    return table.at(name, rows) if isinstance(table, CodedTable) else table[name].gather(rows)


def values_of(table: pl.DataFrame | CodedTable, name: str) -> pl.Series:
    """Return the values of a column, each at least once."""
    return table.coded[name].values if isinstance(table, CodedTable) else table[name]


def at_rows(table: pl.DataFrame | CodedTable, name: str, values: pl.Series) -> pl.Series:
    """Return what was made of each of :func:`values_of` for the rows that have it."""
    return values.gather(pl.Series(table.coded[name].codes)) if isinstance(table, CodedTable) else values


def numbers_at(table: pl.DataFrame | CodedTable, name: str, rows: pl.Series) -> pl.Series:
    """Return numbers of a column in some rows, of which two are equal if the values are, and else hardly ever.

    A gap is a value, too.
    """
    if isinstance(table, CodedTable):
        return table.coded[name].keys.gather(rows)
    column = table[name].gather(rows)
    return pl.Series([str(one) for one in column]).hash() if column.dtype == pl.Object else column.hash(seed=0)


class Coder:
    """Takes the rows of a regular text in pieces, and gives their columns; None where the text is not regular."""

    def __init__(self, names: Sequence[str], delimiter: str, size: int = 0) -> None:
        self._names, self._delimiter, self._expected = names, ord(delimiter), size
        self._columns = [_Values() for _ in names]
        self._codes = np.empty((len(names), 0), np.uint32)  # of the first rows those that were numbered
        self._rows = 0
        self._buffer = np.zeros(_BLOCK + _PADDING, np.uint8)
        self._size = 0
        # Kept from block to block, for memory that is new costs as much as what is done with it.
        self._ends, self._words = np.empty(0, np.int32), np.empty((2, 0), np.uint64)
        self._quoted = self._returns = False

    def coded(self, pieces: Iterable[bytes]) -> tuple[CodedColumn, ...] | None:
        """Take all pieces."""
        if sys.byteorder != "little":
            return None  # words would have their first byte on top
        for piece in pieces:
            self._append(piece)
            if self._size >= _BLOCK // 2 and not self._cut():
                return None
        rest = self._buffer[: self._size]
        if self._size and rest[-1] != 10:
            self._append(b"\n")
        if not self._cut() or self._buffer[: self._size].tobytes().strip(b"\r\n"):
            return None
        return self._finished()

    def _append(self, piece: bytes) -> None:
        self._quoted = self._quoted or b'"' in piece
        self._returns = self._returns or b"\r" in piece
        size = self._size + len(piece)
        if size + _PADDING > len(self._buffer):
            larger = np.zeros((2 * size + _PADDING) // 8 * 8, np.uint8)
            larger[: self._size] = self._buffer[: self._size]
            self._buffer = larger
        self._buffer[self._size : size] = np.frombuffer(piece, np.uint8)
        self._size = size

    def _cut(self) -> bool:
        """Number the cells of all whole rows, and keep the rest; tell whether they are regular."""
        block, fields = self._buffer, len(self._names)
        block[self._size : self._size + _PADDING] = 0
        if len(self._ends) <= self._size:
            self._ends = np.empty(len(block), np.int32)
        ends = self._ends
        find = find_ends_outside_quotes if self._quoted else find_ends
        rows = find(block, self._size, self._delimiter, ends) // fields
        if not rows:
            return self._size < 2 * MAX_CELL_BYTES
        if self._words.shape[1] < fields * rows:
            self._words = np.empty((2, fields * rows * 5 // 4), np.uint64)
        low, high = (words[: fields * rows].reshape(fields, rows) for words in self._words)
        if not cut_cells(block, block.view(np.uint64), ends, low, high):
            return False
        cut = int(ends[rows * fields - 1]) + 1
        codes = self._room(rows, cut)
        for place, column in enumerate(self._columns):
            column.number(low[place], high[place], block, codes[place])
        self._rows += rows
        rest = block[cut : self._size].copy()
        block[: len(rest)] = rest
        self._size = len(rest)
        return True

    def _room(self, rows: int, size: int) -> npt.NDArray[np.uint32]:
        """Return room for the codes of further rows: at first for all of a text, if these are like the rest of it."""
        needed = self._rows + rows
        if needed > self._codes.shape[1]:
            whole = rows * self._expected // size if not self._rows else needed
            larger = np.empty((len(self._names), max(needed, whole) * 17 // 16), np.uint32)
            larger[:, : self._rows] = self._codes[:, : self._rows]
            self._codes = larger
        return self._codes[:, self._rows : needed]

    def _finished(self) -> tuple[CodedColumn, ...] | None:
        columns = []
        for place, name in enumerate(self._names):
            column, self._columns[place] = self._columns[place], _Values()
            texts = column.texts()
            if texts is None or (self._returns and _has_returns(texts)):
                return None
            times = column.times()
            codes = self._codes[place, : self._rows]
            if self._quoted and texts.str.contains('"', literal=True).any():
                if not texts.str.contains(_WELL_QUOTED).all():
                    return None
                texts, times, codes = _unquoted(texts, times, codes)
            columns.append(CodedColumn(name=name, values=texts, times=pl.Series(times), codes=codes, as_cut=True))
        return tuple(columns)


#: Cells without quotes, and those in quotes, in which quotes are doubled.
_WELL_QUOTED = r'(?s)^(?:[^"]*|"(?:[^"]|"")*")$'


def _has_returns(texts: pl.Series) -> bool:
    """Whether a cell that is not quoted holds what might end a line."""
    return bool(texts.filter(~texts.str.starts_with('"').fill_null(False)).str.contains("\r", literal=True).any())


def _unquoted(texts: pl.Series, times: Any, codes: Any) -> tuple[pl.Series, Any, Any]:
    """Take cells out of their quotes, and number those alike that are the same then."""
    inner = texts.str.slice(1, texts.str.len_chars() - 2).str.replace_all('""', '"', literal=True)
    plain = pl.select(pl.when(texts.str.starts_with('"')).then(inner).otherwise(texts)).to_series()
    plain = pl.select(pl.when(plain != "").then(plain)).to_series()
    different = plain.unique(maintain_order=True)  # missing is the first of all, and so it stays
    if len(different) == len(plain):
        return plain, times, codes
    numbers = pl.DataFrame([different.alias("value"), pl.Series("number", np.arange(len(different), dtype=np.uint32))])
    place = pl.DataFrame([plain.alias("value")]).join(
        numbers, on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    again = place["number"].to_numpy()
    return different, np.bincount(again, weights=times, minlength=len(different)).astype(np.int64), again[codes]


class _Values:
    """The different cells of one column, kept in a hash table that grows (:mod:`nymity.kernels.cells`)."""

    def __init__(self) -> None:
        self._bits = 6
        self._table = np.zeros(2 << self._bits, np.uint64)
        self._pairs = np.empty(((1 << self._bits) // 2 + 2, 2), np.uint64)
        self._starts = np.empty(len(self._pairs), np.int64)
        self._arena = np.empty(1024, np.uint8)
        self._state = np.zeros(4, np.int64)

    def number(self, low: Any, high: Any, block: Any, codes: Any) -> None:
        """Write the number of each cell to ``codes``."""
        row = 0
        while True:
            row = number_cells(
                low,
                high,
                row,
                block.view(np.uint64),
                self._table,
                self._bits,
                self._pairs,
                self._starts,
                self._arena.view(np.uint64),
                self._arena,
                self._state,
                codes,
            )
            if row == len(low):
                return
            length = int(high[row] & np.uint64(0xFFFFFFFF)) if low[row] >= np.uint64(0xFF << 56) else 16
            self._grow(length)

    def _grow(self, length: int) -> None:
        values, used = int(self._state[0]), int(self._state[1])
        if values >= len(self._table) >> 2:
            self._bits += 2 if self._bits < 16 else 1
            larger = np.zeros(2 << self._bits, np.uint64)
            number_again(self._table, larger, self._bits)
            self._table = larger
            room = (1 << self._bits) // 2 + 2
            self._pairs = _longer(self._pairs, values + 1, (room, 2))
            self._starts = _longer(self._starts, values + 1, (room,))
        if used + length + 1 + _PADDING > len(self._arena):
            self._arena = _longer(self._arena, used, ((2 * len(self._arena) + length + _PADDING) // 8 * 8 + 8,))

    def texts(self) -> pl.Series | None:
        """Return the different cells as text, missing first."""
        used = int(self._state[1])
        missing = pl.Series("cells", [None], dtype=pl.String)
        if not used:
            return missing
        if used >= _LONGEST:
            return None
        lengths = np.diff(self._starts[1 : int(self._state[0]) + 1], append=used)
        if int(lengths.max()) > MAX_CELL_BYTES:
            return None
        whole = pl.Series("cells", [self._arena[: used - 1].tobytes()], dtype=pl.Binary).cast(pl.String)
        return pl.concat([missing, whole.str.split("\0").explode()])

    def times(self) -> npt.NDArray[np.int64]:
        """Return how often each occurs, missing first."""
        packed = self._table[1::2]
        packed = packed[packed != 0]
        times = np.empty(int(self._state[0]) + 1, np.int64)
        times[0] = self._state[2]
        times[packed >> np.uint64(32)] = packed & np.uint64(0xFFFFFFFF)
        return times


def _longer(array: Any, kept: int, shape: tuple[int, ...]) -> Any:
    longer = np.empty(shape, array.dtype)
    longer[:kept] = array[:kept]
    return longer
