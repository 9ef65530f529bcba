"""Rows as lines of CSV, equal ones that follow each other written once: released rows are sorted."""

from __future__ import annotations

from collections.abc import Iterator
from operator import mul

import numpy as np
import polars as pl

from nymity.core.row_runs import run_starts

_ROWS_AT_A_TIME = 100_000


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
