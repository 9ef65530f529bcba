"""Rows of a large table whose text is numbers as lines of CSV: each of its different cells is written once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.kernels.lines import STEP, write_lines
from nymity.table.encoding import numbered_cells

#: The most different cells of a column, and bytes of a line.
_MOST_CELLS, _LONGEST = 2**16, 2**12
_ROWS_AT_A_TIME = 2**14

#: The number of each cell, the place of each number among those that occur, and how each of these is written.
_Numbered = tuple[NDArray[Any], NDArray[np.int64], list[bytes]]


def numbered_lines(table: pl.DataFrame, written: Callable[[pl.Series], pl.Series]) -> Iterator[bytes] | None:
    """Return the lines of all rows as :func:`nymity.core.csv_lines.csv_rows` gives them, None of other tables.

    ``written`` turns the different cells of a column, which are as good as all of it, into what is written of them.
    """
    if table.width < 2 or table.is_empty() or not any(isinstance(dtype, pl.Enum) for dtype in table.dtypes):
        return None  # polars writes numbers as fast
    columns: list[_Numbered] = []
    for series in table:
        if (numbered := numbered_cells(series, most=_MOST_CELLS)) is None:
            return None
        numbers, values = numbered
        occurs = np.bincount(numbers, minlength=len(values)) > 0
        texts = _texts(written(values.filter(pl.Series(occurs))), b"\n" if len(columns) == table.width - 1 else b",")
        if texts is None:
            return None
        columns.append((numbers, np.cumsum(occurs) - 1, texts))
    if sum(max(map(len, texts)) for *_, texts in columns) > _LONGEST:
        return None
    return _lines(columns)


def _texts(cells: pl.Series, end: bytes) -> list[bytes] | None:
    """Return how each cell is written among others, with what follows it; None where a cell has a line end."""
    # A cell of the only column is written differently where it is missing.
    lines = pl.DataFrame([cells.alias("cell"), pl.repeat(0, len(cells), eager=True).alias("other")])
    texts = lines.write_csv(include_header=False).encode().split(b",0\n")
    whole = len(texts) == len(cells) + 1 and not any(b"\n" in text for text in texts)
    return [text + end for text in texts[:-1]] if whole else None


def _lines(columns: list[_Numbered]) -> Iterator[bytes]:
    texts = [text for *_, own in columns for text in own]
    begins = np.append(0, np.cumsum([len(text) for text in texts]))
    # Where the cells of each column begin among those of all.
    first = np.append(0, np.cumsum([len(own) for *_, own in columns])).tolist()
    places = [(places + first[i]).astype(np.int32) for i, (_, places, _) in enumerate(columns)]
    joined = np.frombuffer(b"".join(texts) + bytes(STEP), np.uint8)
    longest = sum(max(map(len, own)) for *_, own in columns)
    rows = len(columns[0][0])
    cells = np.empty((len(columns), _ROWS_AT_A_TIME), np.int32)
    lines = np.empty(longest * _ROWS_AT_A_TIME + STEP, np.uint8)
    for start in range(0, rows, _ROWS_AT_A_TIME):
        here = min(_ROWS_AT_A_TIME, rows - start)
        for field, (numbers, *_) in enumerate(columns):
            np.take(places[field], numbers[start : start + here], out=cells[field, :here], mode="clip")
        yield lines[: write_lines(cells[:, :here], begins, joined, lines)].tobytes()
