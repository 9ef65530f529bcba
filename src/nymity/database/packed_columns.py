"""Columns packed by the server: all cells of one in a single value, so that a table is compared without its rows.

To read a table back that was just written costs as much as to write it. A server that puts the cells of each column one
after another, in the form in which it sends them, takes half of that, and equal bytes are equal cells:

- fixed widths: the bytes of all cells. One that is missing adds none, so that the length tells how many there are;
- text: the cells with a mark between, and another in place of one that is missing. None of our texts has these marks:
  then none of theirs has, for there would be more of the first in as many rows. How many cells are missing is asked of
  columns with gaps, for a text may be the second mark;
- truth values: digits, which take a server half of what bytes do;
- other columns with gaps: besides, which cells are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.core.extras import require
from nymity.database.database_kind import quoted

#: Between texts, and in place of one that is missing; no cell that is compared this way has them.
_MARK, _MISSING = "\x01", "\x02"
#: Bytes that texts of a row may have: beyond some 2,000 the server compresses, and a part could be of any size.
_LONGEST_ROW = 1_500
#: Microseconds and days from 1970 to 2000, where PostgreSQL's times begin.
_MICROSECONDS, _DAYS = 946_684_800_000_000, 10_957


def _numbers(dtype: str, minus: int = 0) -> Callable[[pl.Series], bytes]:
    def packed(cells: pl.Series) -> bytes:
        return (cells.to_numpy() - minus).astype(dtype).tobytes()

    return packed


#: By type: the function that sends a cell, and how many cells are packed here; values are those of ``to_physical``.
_SENT: Mapping[Any, tuple[str, Callable[[pl.Series], bytes]]] = {
    pl.Int64: ("int8send", _numbers(">i8")),
    pl.Float64: ("float8send", _numbers(">f8")),
    pl.Float32: ("float4send", _numbers(">f4")),
    pl.Date: ("date_send", _numbers(">i4", _DAYS)),
}
_TIMES = {False: "timestamp_send", True: "timestamptz_send"}


@dataclass(frozen=True)
class PackedColumns:
    """A table of ours in the form in which a server packs one; None of :meth:`of` where it cannot be."""

    cells: pl.DataFrame

    @staticmethod
    def of(cells: pl.DataFrame) -> PackedColumns | None:
        """Take a table whose columns can be packed, and whose rows are short."""
        texts = [column.alias("c") for column in cells if column.dtype == pl.String]
        lengths = pl.DataFrame({f"c{i}": text.str.len_bytes() for i, text in enumerate(texts)}).max()
        if sum(length or 0 for row in lengths.rows() for length in row) > _LONGEST_ROW:
            return None
        known = all(column.dtype in (pl.String, pl.Boolean) or _sent(column) is not None for column in cells)
        return PackedColumns(cells) if known and cells.height else None

    @property
    def selected(self) -> str:
        """What a server is asked for: how many rows there are, then what :meth:`expected` returns of them."""
        asked = ["count(*)"]
        for column in self.cells:
            name, sent = quoted(column.name), _sent(column)
            if column.dtype == pl.Boolean:
                asked.append(f"string_agg(CASE WHEN {name} THEN '1' WHEN NOT {name} THEN '0' END, '')")
            elif sent is None:
                asked += [f"count({name})"] if column.null_count() else []
                asked.append(f"string_agg(coalesce({name}, E'\\x02'), E'\\x01')")
            else:
                asked.append(f"string_agg(pg_catalog.{sent[0]}({name}), ''::bytea)")
            if column.null_count() and column.dtype != pl.String:
                asked.append(f"string_agg(CASE WHEN {name} IS NULL THEN '1' ELSE '0' END, '')")
        return ", ".join(f"{one} AS c{number}" for number, one in enumerate(asked))

    def are(self, found: Any, start: int) -> bool:
        """Return whether a server's answer is of these rows: those from ``start`` on, as many as it counts."""
        arrow = require("pyarrow", extra="database", purpose="a database")
        rows, *answers = (column[0] for column in found.columns)
        for answer, own in zip(answers, self._expected(start, rows.as_py()), strict=True):
            if own is None or isinstance(own, int):
                if answer.as_py() != own:
                    return False
            elif not answer.is_valid or not answer.as_buffer().equals(arrow.py_buffer(own)):
                return False
        return True

    def _expected(self, start: int, rows: int) -> Iterator[bytes | int | None]:
        """Return what a server must answer that holds these rows of the table, one column after another."""
        for column in self.cells:
            cells, sent = column.alias("c")[start : start + rows], _sent(column)
            there = cells.drop_nulls()
            if column.dtype == pl.Boolean:
                yield (there.cast(pl.UInt8) + 48).to_numpy().tobytes() if len(there) else None
            elif sent is None:
                joined = cells.fill_null(_MISSING).str.join(_MARK).cast(pl.Binary).item()
                # A cell of ours that has a mark itself is one of which nobody can tell.
                marks = joined.count(_MARK.encode()), joined.count(_MISSING.encode())
                told = marks == (len(cells) - 1, cells.null_count())
                if column.null_count():
                    yield len(there)
                yield (joined if told else -1) if len(cells) else None
            else:
                yield sent[1](there.to_physical()) if len(there) else None
            if column.null_count() and column.dtype != pl.String:
                yield (cells.is_null().cast(pl.UInt8) + 48).to_numpy().tobytes()


def _sent(column: pl.Series) -> tuple[str, Callable[[pl.Series], bytes]] | None:
    dtype = column.dtype
    if isinstance(dtype, pl.Datetime):
        if dtype.time_unit != "us":
            return None
        return _TIMES[dtype.time_zone is not None], _numbers(">i8", _MICROSECONDS)
    return _SENT.get(dtype.base_type())
