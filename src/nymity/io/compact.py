"""Tables that hold nothing but their cells.

A frame in memory can carry more than it shows: categories of rows that are gone, text of rows that were left out in a
buffer that the others share, numbers below a gap. Whoever is given the frame, or a file of it, can read all of that.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray


def compact(table: pl.DataFrame, rows: NDArray[np.int64] | None = None, *, as_numbers: bool = False) -> pl.DataFrame:
    """Return the same cells in new buffers, in one piece, categories as the text they stand for, or ``as_numbers``.

    ``rows`` are those to take, in this order; column by column, so that they lie in memory once.
    """
    named = {column.name: column.alias("cells") for column in table.get_columns()}  # names may be patterns
    return pl.DataFrame({n: _column(c, rows, as_numbers).alias(n) for n, c in named.items()})


def _column(column: pl.Series, rows: NDArray[np.int64] | None, as_numbers: bool) -> pl.Series:
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return _text(column, rows, as_numbers and isinstance(column.dtype, pl.Enum))
    cells = column if rows is None else column.gather(rows)
    if column.dtype == pl.Object:  # Python's own values share nothing
        return cells
    cells = cells.cast(_plain(column.dtype))
    present = cells.is_not_null()
    # Gathering the values alone leaves zeros below the gaps.
    place = pl.select(pl.when(present).then(present.cum_sum().cast(pl.UInt32) - 1)).to_series()
    values = cells.drop_nulls().gather(place)
    if values.dtype.is_nested() or values.dtype == pl.Binary:
        # Arrow's plain layout has buffers of its own for each column.
        values = pl.Series(values.to_arrow(), dtype=values.dtype)
    return values.rechunk()


def _text(cells: pl.Series, rows: NDArray[np.int64] | None, as_numbers: bool) -> pl.Series:
    """Return text with a buffer that has been made of nothing but its different values; polars shares long text."""
    if isinstance(cells.dtype, pl.Enum):
        listed = cells.dtype.categories
    else:
        listed = cells.cast(pl.String).drop_nulls().unique()
        cells = cells.cast(pl.String).cast(pl.Enum(listed))
    places = (cells if rows is None else cells.gather(rows)).to_physical()
    used = np.bincount(places.drop_nulls().to_numpy(), minlength=len(listed)) > 0
    anew = pl.Series(listed.filter(pl.Series(used)).to_list(), dtype=pl.String)
    if len(anew) < len(listed):  # a value that no row has must not be there
        places = pl.Series(np.cumsum(used, dtype=np.uint32) - np.uint32(1)).gather(places)
    if as_numbers:
        return anew.cast(pl.Enum(anew)).gather(places).rechunk()
    return anew.gather(places).rechunk() if len(anew) else pl.Series([None] * len(places), dtype=pl.String)


def _plain(dtype: pl.DataType) -> pl.DataType:
    """Return a type without lists of values, also inside of lists and records."""
    if dtype in (pl.Categorical, pl.Enum):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_plain(dtype.inner))  # type: ignore[arg-type]
    if isinstance(dtype, pl.Array):
        return pl.Array(_plain(dtype.inner), dtype.size)  # type: ignore[arg-type]
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _plain(field.dtype) for field in dtype.fields})  # type: ignore[arg-type]
    return dtype
