"""Runs: equal cells that follow each other. Released rows are sorted, so few runs tell all that many rows would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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


def are_numbers(text: pl.Series) -> bool:
    """Whether a column of text is numbers of its texts, none of them empty: then equal ones are equal cells."""
    return isinstance(text.dtype, pl.Enum) and not (text.dtype.categories == "").any()


def counted_runs(table: pl.DataFrame, columns: Iterable[str]) -> tuple[pl.DataFrame, pl.Series | None]:
    """Return equal rows of some columns that follow each other as one, and how many each stands for.

    The whole table, and None, where cells may be equal that are written in two ways, such as 0.0 and -0.0.
    """
    cells = {name: table[name] for name in columns if name in table.columns}
    if not cells or any(_has_forms(one.dtype) for one in cells.values()):
        return table, None
    first = run_starts(list(cells.values()))
    rows = {name: column.alias("cells").gather(first).alias(name) for name, column in cells.items()}
    return pl.DataFrame(rows), pl.Series(np.diff(first, append=table.height), dtype=pl.Int64)


def _has_forms(dtype: pl.DataType) -> bool:
    return dtype.is_float() or dtype.is_nested() or dtype == pl.Object


def different_cells(cells: pl.Series) -> pl.Series:
    """Return the different cells of a column, in any order."""
    return without_repeats(cells).unique()


def counted(cells: pl.Series, written: Callable[[pl.Series], pl.Series] = pl.Series.rechunk) -> pl.DataFrame:
    """Count the cells of a column by how they are ``written``, a gap being one: ``cell`` and ``rows``, in any order."""
    runs = cells.alias("cells").rle().struct.unnest()
    runs = runs.with_columns(written(runs["value"]).alias("cell"))
    return runs.group_by("cell").agg(pl.col("len").cast(pl.Int64).sum().alias("rows"))
