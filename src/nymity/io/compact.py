"""Tables that hold nothing but their cells.

A frame in memory can carry more than it shows: categories of rows that are gone, text of rows that were left out in a
buffer that the others share, numbers below a gap. Whoever is given the frame, or a file of it, can read all of that.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray


def compact(table: pl.DataFrame, rows: NDArray[np.int64] | None = None) -> pl.DataFrame:
    """Return the same cells in new buffers, in one piece, categories as the text they stand for.

    ``rows`` are those to take, in this order; column by column, so that they lie in memory once.
    """
    named = {column.name: column.alias("cells") for column in table.get_columns()}  # names may be patterns
    return pl.DataFrame({n: _column(c if rows is None else c.gather(rows)).alias(n) for n, c in named.items()})


def _column(column: pl.Series) -> pl.Series:
    if column.dtype == pl.Object:  # Python's own values share nothing
        return column
    cells = column.alias("cells").cast(_plain(column.dtype))
    present = cells.is_not_null()
    # Gathering the values alone leaves zeros below the gaps.
    place = pl.select(pl.when(present).then(present.cum_sum().cast(pl.UInt32) - 1)).to_series()
    values = cells.drop_nulls().gather(place)
    if values.dtype == pl.String:  # polars shares the buffers of long text
        values = _text_anew(values)
    elif values.dtype.is_nested() or values.dtype == pl.Binary:
        # Arrow's plain layout has buffers of its own for each column.
        values = pl.Series(values.to_arrow(), dtype=values.dtype)
    return values.rechunk().alias(column.name)


def _text_anew(values: pl.Series) -> pl.Series:
    """Return the same text with a buffer that has been made of nothing but its different values."""
    different = values.drop_nulls().unique()
    anew = pl.Series(different.to_list(), dtype=pl.String)
    if not len(anew):
        return pl.Series([None] * len(values), dtype=pl.String)
    return anew.gather(values.cast(pl.Enum(anew)).to_physical().cast(pl.UInt32))


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
