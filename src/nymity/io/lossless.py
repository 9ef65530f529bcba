"""Types for columns of text, given only where nothing is lost."""

from __future__ import annotations

import polars as pl

from nymity.io.calendar import in_calendar

#: Rows on which a type is tried before the whole column is converted.
_TRIAL_ROWS = 256


def typed(table: pl.DataFrame) -> pl.DataFrame:
    """Turn columns of text into whole numbers, numbers or dates where the way back gives the same text.

    A column becomes Int64, Float64 or Date only when writing the converted cells returns every cell exactly, so
    "007", "1.0", "1.50", "+5" and "1e3" keep their column text, and so do "NaN" and "inf". A column without values
    stays text. Usual readers guess from the first rows and drop leading zeros, which turns postal codes into others.
    """
    return pl.DataFrame(
        {
            # polars would read a name like ^x$ as a pattern when asked for .str
            column.name: _choose(column.alias("cells")) if column.dtype == pl.String else column
            for column in table.get_columns()
        }
    )


def _choose(texts: pl.Series) -> pl.Series:
    trial = texts.drop_nulls().head(_TRIAL_ROWS) if texts.null_count() else texts.head(_TRIAL_ROWS)
    if not len(trial):
        return texts
    for dtype in (pl.Int64, pl.Float64, pl.Date):
        if _converted(trial, dtype) is not None and (values := _converted(texts, dtype)) is not None:
            return values
    return texts


def _converted(texts: pl.Series, dtype: type[pl.DataType]) -> pl.Series | None:
    """Return the column in another type, or None when a cell would be written differently."""
    values = texts.str.to_date("%Y-%m-%d", strict=False) if dtype == pl.Date else texts.cast(dtype, strict=False)
    if values.null_count() != texts.null_count() or (dtype == pl.Date and not in_calendar(values).all()):
        return None
    if dtype == pl.Float64 and not (values.is_finite() & (values != values.round())).all():
        return None  # a whole number among fractions would lose its ".0" where values are compared
    return values if bool((values.cast(pl.String) == texts).all()) else None
