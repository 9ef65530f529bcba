"""Coder: the columns of a large text by their different cells, in one pass over it.

Text that is not plainly regular (stray quotes, rows of different lengths, empty lines) is left to the reader of
:mod:`nymity.io.delimited`, which knows what to make of it, or how to explain it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from nymity.io.coded import CodedColumn
from nymity.io.limits import MAX_CELL_BYTES
from nymity.kernels.cells import (
    FEW,
    FEW_BITS,
    counted,
    counted_few,
    cut_cells,
    find_ends,
    find_ends_outside_quotes,
    number_again,
    number_cells,
    number_short,
    write_texts,
)
from nymity.kernels.instructions import ARE_THERE

#: Twice the text that is cut into cells at once: so many rows of a column are numbered together that its table stays
#: in reach. A quarter of it takes a third more time, and 60 MB less.
_BLOCK = 2**26
#: Zeros after a block, for 64 bytes are compared at once.
_PADDING = 64
#: Bytes of the different cells of a column, at most; polars has no longer text to cut them from.
_LONGEST = 2**31
#: A table of so many bits doubles when it is full, a smaller one grows faster, and so does one of a column in which
#: nearly each row so far had a value of its own.
_LARGE_BITS, _NEARLY_EACH = 16, 0.9
#: The byte that marks hashes.
_MARK = np.uint64(0xFF << 56)


class Coder:
    """Takes the rows of a regular text in pieces, and gives their columns; None where the text is not regular."""

    def __init__(self, names: Sequence[str], delimiter: str, size: int = 0) -> None:
        self._names, self._delimiter, self._expected = names, np.uint8(ord(delimiter)), size
        self._few = _FewValues(len(names))
        self._columns: list[_Values | None] = [None] * len(names)  # those with more than few values
        self._codes = np.empty((len(names), 0), np.uint16)  # of the rows so far, where there are few values
        self._rows = self._all_rows = 0  # so far, and as many as there seem to be
        self._buffer = np.zeros(_BLOCK + _PADDING, np.uint8)
        self._size = 0
        # Kept from block to block, for memory that is new costs as much as what is done with it.
        self._ends, self._words = np.empty(0, np.int32), np.empty((2, 0), np.uint64)
        self._quoted = self._returns = False

    def coded(self, pieces: Iterable[bytes]) -> tuple[CodedColumn, ...] | None:
        """Take all pieces."""
        if sys.byteorder != "little" or not ARE_THERE:
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
            larger = np.zeros(2 * size + _PADDING, np.uint8)
            larger[: self._size] = self._buffer[: self._size]
            self._buffer = larger
        self._buffer[self._size : size] = np.frombuffer(piece, np.uint8)
        self._size = size

    def _cut(self) -> bool:
        """Number the cells of all whole rows, and keep the rest; tell whether they are regular."""
        block, fields, few = self._buffer, len(self._names), self._few
        # The kernel looks at 64 bytes at a time, also at those behind the text.
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
        cut = int(ends[rows * fields - 1]) + 1
        codes = self._room(rows, cut)
        since = np.array([rows if column is None else 0 for column in self._columns])
        if not cut_cells(block, ends, few.slots, few.words, few.counts, since, few.wide, low, high, codes):
            return False
        # Columns with too many values for the small table: from that row on they are numbered in one of their own.
        for place in np.flatnonzero(since < rows).tolist():
            column, row = self._columns[place], int(since[place])
            if column is None:
                self._columns[place] = column = few.values(place, self._codes[place, : self._rows + row])
            column.number(low[place], high[place] if few.wide[place] else None, row, block, self._rows, self._all_rows)
        self._rows += rows
        # The row that is cut off by the end of the block comes first in the next one.
        rest = block[cut : self._size].copy()
        block[: len(rest)] = rest
        self._size = len(rest)
        return True

    def _room(self, rows: int, size: int) -> npt.NDArray[np.uint16]:
        """Return room for the codes of further rows: at first for all of a text, if these are like the rest of it."""
        needed = self._rows + rows
        if needed > self._codes.shape[1]:
            self._all_rows = max(needed, rows * self._expected // size if not self._rows else needed)
            larger = np.empty((len(self._names), _room_for(self._all_rows)), np.uint16)
            larger[:, : self._rows] = self._codes[:, : self._rows]
            self._codes = larger
        return self._codes[:, self._rows : needed]

    def _finished(self) -> tuple[CodedColumn, ...] | None:
        columns = []
        for place, name in enumerate(self._names):
            few = self._codes[place, : self._rows]
            column, self._columns[place] = self._columns[place] or self._few.values(place, few), None
            texts = column.texts()
            if texts is None or (self._returns and _has_returns(texts)):
                return None
            codes = few if column.is_few else column.codes[: self._rows]
            times = self._few.times(place) if column.is_few else column.times(codes)
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


class _FewValues:
    """The different cells of all columns that have few and short ones (:func:`nymity.kernels.cells.cut_cells`)."""

    def __init__(self, fields: int) -> None:
        self.slots = np.zeros((fields, 1 << FEW_BITS, 2), np.uint64)
        self.words = np.zeros((fields, FEW + 1), np.uint64)
        self.counts = np.zeros((fields, 2), np.int64)
        self.wide = np.zeros(fields, np.bool_)

    def values(self, place: int, codes: npt.NDArray[np.uint16]) -> _Values:
        """Return those of one column so far, to which more may come."""
        return _Values(self.words[place], int(self.counts[place, 0]), codes)

    def times(self, place: int) -> npt.NDArray[np.int64]:
        """Return how often each of one column occurs, missing first."""
        values, missing = self.counts[place]
        times = np.empty(values + 1, np.int64)
        counted_few(self.slots[place], times)
        times[0] = missing
        return times


class _Values:
    """The different cells of one column, kept in a hash table that grows (:mod:`nymity.kernels.cells`)."""

    def __init__(self, words: Any, values: int, codes: npt.NDArray[np.uint16]) -> None:
        self.codes: npt.NDArray[Any] = codes
        self._bits, self._low = 0, words
        self._table = np.zeros(0, np.uint32)
        self._high = np.zeros(0, np.uint64)  # grows where a cell is long
        self._arena = np.empty(1024, np.uint8)
        self._state = np.array([values, 0, 0])

    def number(self, low: Any, high: Any, row: int, block: Any, before: int, all_rows: int) -> None:
        """Number the cells of a block from a row on; without ``high`` all are short."""
        if self.is_few:
            self._larger(FEW_BITS + 2)
        if before + len(low) > len(self.codes):
            self.codes = _longer(self.codes, before + row, _room_for(all_rows), np.uint32)
        codes = self.codes[before : before + len(low)]
        while True:
            if high is None:
                row = number_short(low, row, self._table, self._bits, self._low, self._state, codes)
            else:
                kept = self._table, self._bits, self._low, self._highs(), self._arena, self._state
                row = number_cells(low, high, row, block, *kept, codes)
            if row == len(low):
                return
            is_long = high is not None and low[row] >= _MARK
            self._grow(int(high[row] & np.uint64(0xFFFFFFFF)) if is_long else 0, before + row, all_rows)

    @property
    def is_few(self) -> bool:
        """Whether all were numbered as they were cut."""
        return not self._bits

    def _grow(self, length: int, rows: int, all_rows: int) -> None:
        values, used = int(self._state[0]), int(self._state[1])
        if values >= len(self._table) >> 1:
            each = values > _NEARLY_EACH * rows
            enough = max(self._bits + 1, all_rows.bit_length() + 1) if each else self._bits + 1
            self._larger(self._bits + 2 if self._bits < _LARGE_BITS else min(self._bits + 3, enough))
        if used + length + 16 > len(self._arena):
            self._arena = _longer(self._arena, used, 2 * len(self._arena) + length)

    def _larger(self, bits: int) -> None:
        values = int(self._state[0])
        self._bits, self._table = bits, np.zeros(1 << bits, np.uint32)
        self._low = _longer(self._low, values + 1, (1 << bits) // 2 + 1)
        number_again(self._low, self._high, values, self._table, bits)

    def _highs(self) -> npt.NDArray[np.uint64]:
        """Return the second number of each value, with room for as many as there is for the first."""
        if len(self._high) < len(self._low):
            larger = np.zeros(len(self._low), np.uint64)
            larger[: len(self._high)] = self._high
            self._high = larger
        return self._high

    def texts(self) -> pl.Series | None:
        """Return the different cells as text, missing first."""
        values, used = int(self._state[0]), int(self._state[1])
        missing = pl.Series("cells", [None], dtype=pl.String)
        if not values:
            return missing
        # A value takes 16 bytes and a zero at most, or what it has in the arena and a zero.
        if used + 17 * values >= _LONGEST:
            return None
        texts = np.empty(used + 17 * values, np.uint8)
        size, longest = write_texts(self._low, self._highs(), values, self._arena, texts)
        if longest > MAX_CELL_BYTES:
            return None
        whole = pl.Series("cells", [texts[: size - 1].tobytes()], dtype=pl.Binary).cast(pl.String)
        return pl.concat([missing, whole.str.split("\0").explode()])

    def times(self, codes: Any) -> npt.NDArray[np.int64]:
        """Return how often each occurs, missing first."""
        times = np.zeros(int(self._state[0]) + 1, np.int64)
        counted(codes, times)
        return times


def _room_for(rows: int) -> int:
    """Return a little more than rows seem to be."""
    return rows * 17 // 16


def _longer(array: Any, kept: int, length: int, dtype: Any = None) -> Any:
    longer = np.empty(length, dtype or array.dtype)
    longer[:kept] = array[:kept]
    return longer
