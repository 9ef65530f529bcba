"""The order of rows by their content: the same rows in whatever order come out the same.

What is drawn about rows is drawn in this order, so that the order of the source has no part in a release.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.table.text import as_text


def content_order(
    table: pl.DataFrame, columns: Sequence[str] | None = None, rows: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the rows, or the places of those that are named, in the order of their cells.

    Cells of the first column count first; all columns count unless some are named. Only rows that are equal in all of
    these keep the order they have.
    """
    named = [table[name] for name in (table.columns if columns is None else columns)]
    chosen = named if rows is None else [series.gather(rows) for series in named]
    cells = {f"c{i}": _by_text(series.alias("c")) for i, series in enumerate(chosen)}  # names may be patterns
    safe = pl.DataFrame(cells).with_row_index("row")
    if not cells or any(not _is_hashed(column.dtype) for column in safe):
        return safe.sort([*cells, "row"])["row"].to_numpy().astype(np.int64)
    # Different rows are sorted alone; those of published classes are far fewer. Rows of a group keep their order.
    different = safe.group_by(list(cells)).agg("row").sort(list(cells))
    return different["row"].explode().to_numpy().astype(np.int64)


def is_sorted(table: pl.DataFrame) -> bool:
    """Return whether rows are in the order of their cells, gaps first.

    A text file does not tell numbers from text, so each column may be in either order, all of it in the same.
    """
    if table[content_order(table)].equals(table):
        return True
    alike = pl.repeat(True, max(0, table.height - 1), eager=True)  # as the row before, in all columns so far
    for column in table:
        if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object, pl.Duration):
            return True  # no text tells how such cells were compared
        text = as_text(column)
        number = text.cast(pl.Float64, strict=False)
        forms = [text, number] if number.null_count() == text.null_count() else [text]
        if not any((_rises(form) | ~alike).all() for form in forms):
            return False
        alike &= text.head(-1).eq_missing(text.tail(-1)) if table.height else alike
    return True


def _rises(cells: pl.Series) -> pl.Series:
    before, after = cells.head(-1), cells.tail(-1)
    return before.is_null() | (before <= after).fill_null(False)


def _is_hashed(dtype: pl.DataType) -> bool:
    """Whether rows can be grouped by cells of a type just as they are sorted."""
    return dtype.is_integer() or dtype.is_float() or dtype.is_temporal() or dtype in (pl.String, pl.Boolean)


def _by_text(cells: pl.Series) -> pl.Series:
    """Categories are numbered as they came up: their text alone is content."""
    return cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum) else cells
