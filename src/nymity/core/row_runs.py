"""Runs: equal cells that follow each other. Released rows are sorted, so few runs tell all that many rows would."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray


def without_repeats(cells: pl.Series) -> pl.Series:
    """Return cells without those that are equal to the one before; gaps are equal to each other."""
    cells = cells.alias("cells")
    later = cells.slice(1)
    return pl.concat([cells.head(1), later.filter(later.ne_missing(cells.head(-1)))])


def run_starts(columns: Sequence[pl.Series]) -> NDArray[np.int64]:
    """Return the rows that differ from the one before in some column, the first row among them."""
    n = len(columns[0]) if columns else 0
    changed = np.zeros(n, dtype=np.bool_)
    changed[:1] = True
    for cells in (column.alias("cells") for column in columns):  # names may be patterns
        changed[1:] |= cells.slice(1).ne_missing(cells.head(-1)).to_numpy()
    return np.flatnonzero(changed)


def different_cells(cells: pl.Series) -> pl.Series:
    """Return the different cells of a column, in any order."""
    return without_repeats(cells).unique()


def counted(cells: pl.Series) -> pl.DataFrame:
    """Count the different cells of a column, a gap being one: ``cell`` and ``rows``, in any order."""
    runs = cells.alias("cells").rle().struct.unnest()
    return runs.group_by(pl.col("value").alias("cell")).agg(pl.col("len").cast(pl.Int64).sum().alias("rows"))
