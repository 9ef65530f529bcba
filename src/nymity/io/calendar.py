"""Days that Python has: what lies outside of the years 1 to 9999 has no text, or one that nobody reads again."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR

import polars as pl

from nymity.core.errors import TableError


def refuse_other_years(table: pl.DataFrame, where: str = "") -> None:
    """Refuse a table with days or moments outside of the calendar."""
    for column in table.get_columns():
        if column.dtype not in (pl.Date, pl.Datetime):
            continue
        outside = int((~in_calendar(column)).sum())
        if outside:
            raise TableError(
                f"{where}, column {column.name!r}" if where else f"column {column.name!r}",
                expected=f"dates of the years {MINYEAR} to {MAXYEAR}",
                got=f"{outside:,} of other years",
                hint="correct them, make them missing, or give the column as text",
            )


def in_calendar(days: pl.Series) -> pl.Series:
    """Return which days have a year that there is; missing ones have, too."""
    named = days.alias("cells")
    return named.dt.year().is_between(MINYEAR, MAXYEAR).fill_null(False) | named.is_null()
