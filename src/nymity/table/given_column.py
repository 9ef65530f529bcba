"""A column as callers have it: a Polars series, one of pandas, numpy or Arrow, or a list of values.

pandas is recognized by the name of its types' module: it is never imported unless the caller already did.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.table.text import as_text, plainly_named

#: How polars fails; a panic is no Exception.
OF_POLARS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def to_series(values: Any, name: str | None = None) -> pl.Series:
    """Return a column of any kind as a Polars series, under its own name unless another is given."""
    if isinstance(values, pl.Series):
        return values
    is_frame = hasattr(values, "columns")  # df.name is a column of it
    called = getattr(values, "name", None) if name is None and not is_frame else name
    called = "" if called is None or type(values).__name__ == "Expr" else str(called)  # an Expr's name is no text
    if not is_frame and type(values).__module__.partition(".")[0] == "pandas" and hasattr(values, "dtype"):
        column = pandas_column(called, values)
        return days_alone(column) if isinstance(column, pl.Series) else listed_column(called, column)
    if is_frame or isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TableError(
            f"column {called!r}" if called else "values",
            expected="one column: a series of polars or pandas, an array, or a list of values",
            got=type(values).__name__,
            hint=_column_hint(values),
        )
    return listed_column(called, values)


def _column_hint(values: object) -> str:
    """Columns of Spark and expressions of polars have no values without their frame."""
    kind = type(values).__module__.partition(".")[0]
    return 'frame.select("age").toPandas()["age"]' if kind == "pyspark" else 'frame["age"]'


def pandas_column(name: str, values: Any) -> pl.Series | list[object]:
    """Return one column; of Python objects as a list of them."""
    if type(values.dtype).__name__ == "SparseDtype":
        values = values.sparse.to_dense()
    if str(values.dtype) == "object":
        return _without_missing(values)
    listed = values.cat.categories.dtype if hasattr(values, "cat") else values.dtype
    if type(listed).__name__ in ("IntervalDtype", "PeriodDtype"):  # not Arrow's: their text is what pandas shows
        return [None if cell is None else str(cell) for cell in _without_missing(values)]
    check_width(name, values.dtype)
    try:
        column: pl.Series = pl.from_pandas(values.reset_index(drop=True), nan_to_null=True)
    except (ValueError, TypeError, NotImplementedError, *OF_POLARS) as error:
        raise TableError(
            f"column {name!r}",
            expected="one number, date or text per cell",
            got=f"pandas' {values.dtype}",
            hint=f"give it as text: frame[{name!r}].astype(str)",
        ) from error
    return column.alias(name)


def days_alone(column: pl.Series) -> pl.Series:
    """Return dates as such: pandas keeps them as time stamps of midnight.

    It looks at all cells together, which a differentially private release must not.
    """
    is_dated = isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is None and column.count() > 0
    cells = plainly_named(column)
    return cells.cast(pl.Date).alias(column.name) if is_dated and (cells.dt.truncate("1d") == cells).all() else column


def check_width(name: str, dtype: object) -> None:
    """Refuse numbers that polars has no room for; it would panic."""
    if str(dtype).startswith("decimal256"):
        raise TableError(
            f"column {name!r}",
            expected="numbers of at most 38 digits",
            got=str(dtype),
            hint="cast the column to decimal128 or text",
        )


def _without_missing(values: Any) -> list[object]:
    """Return a pandas column of Python objects with None for each of pandas' kinds of missing."""
    missing = sys.modules["pandas"].isna(values)
    return [None if gone else value for value, gone in zip(values, missing, strict=True)]


def listed_column(name: str, values: Any) -> pl.Series:
    """Return one column; values of several kinds become text, numbers of several kinds floats."""
    if isinstance(values, Mapping | str | bytes) or not isinstance(values, Iterable):
        hint = "frame.to_dict('list') of pandas, or the frame itself" if isinstance(values, Mapping) else ""
        raise TableError(f"column {name!r}", expected="a list of values", got=type(values).__name__, hint=hint)
    try:
        if hasattr(values, "dtype"):  # numpy arrays and series have one type already
            return pl.Series(values).alias(name)
        cells = list(values)
        kinds = {type(cell) for cell in cells if cell is not None}
        if len(kinds) < 2:
            return pl.Series("", cells).alias(name)  # polars reads names like "^x$" as patterns
        if kinds <= {int, float}:
            return pl.Series(name, cells, dtype=pl.Float64, strict=False)
        return pl.Series(name, [None if cell is None else written(cell) for cell in cells], dtype=pl.String)
    except (ValueError, TypeError, OverflowError, *OF_POLARS) as error:
        raise TableError(
            f"column {name!r}",
            expected="one number, date or text per cell",
            got=str(error).splitlines()[0],
            hint="give it as text",
        ) from error


def written(cell: object) -> str:
    """Return one Python value in the text form columns of its kind have."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool | int | float | Decimal):
        return as_text(pl.Series([cell]))[0] or ""
    return str(cell)
