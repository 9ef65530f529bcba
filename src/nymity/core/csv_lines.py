"""Lines of CSV: rows as lines, equal ones that follow each other written once; and the line ``sep=;`` at the top."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import mul

import numpy as np
import polars as pl

from nymity.core.row_runs import run_starts

_ROWS_AT_A_TIME = 100_000
#: Quoted or not; a program that saved the file again may have filled the line up with delimiters.
_SEPARATOR = re.compile(r'\A(?i:"?sep=)([,;:|~^\t ])"?\1*(\r\n|\r|\n|\Z)')


def csv_rows(table: pl.DataFrame, *, separator: str = ",") -> Iterator[bytes]:
    """Yield the lines of all rows in UTF-8, without a header, just as polars writes them."""
    for start in range(0, table.height, _ROWS_AT_A_TIME):
        yield _lines(table[start : start + _ROWS_AT_A_TIME], separator)


def _lines(rows: pl.DataFrame, separator: str) -> bytes:
    columns = rows.get_columns()
    if not any(column.dtype.is_float() or column.dtype.is_nested() or column.dtype == pl.Object for column in columns):
        first = run_starts(columns)  # floats may be equal and written in two ways: 0.0 and -0.0
        if 2 * len(first) < rows.height:
            lines = _text(rows[first], separator).splitlines(keepends=True)
            if len(lines) == len(first):  # else a cell has a line end
                return b"".join(map(mul, lines, np.diff(first, append=rows.height).tolist()))
    return _text(rows, separator)


def _text(rows: pl.DataFrame, separator: str) -> bytes:
    return rows.write_csv(include_header=False, separator=separator).encode()


def separator_line(text: str) -> tuple[str, int] | None:
    """Return the delimiter that the first line of a text names to spreadsheets, and the length of that line.

    None where the first line is another.
    """
    found = _SEPARATOR.match(text)
    return None if found is None else (found[1], found.end())
