"""The forms of cells: what means the same is one cell in every engine, and has one text.

The two zeros are one number; null, not-a-number and empty text are one gap. The text of a cell depends on its value
alone, never on how an engine writes it: times are whole microseconds in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from nymity.core.errors import TableError
from nymity.table.text import as_text

#: Between the cells of a row, after its count, and what stands for these and for itself inside of cells.
SEPARATOR, END, ESCAPE = "\x1f", "\n", "\\"


def one_form(cell: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Return a column with one form for each value, a gap being null."""
    if dtype.is_float():
        nothing = pl.lit(None, dtype)
        return pl.when(cell.is_nan()).then(nothing).when(cell == 0).then(pl.lit(0.0, dtype)).otherwise(cell)
    if dtype in (pl.Categorical, pl.Enum):
        cell = cell.cast(pl.String)
    return pl.when(cell != "").then(cell) if dtype in (pl.String, pl.Categorical, pl.Enum) else cell


def is_gap(cell: pl.Expr, dtype: pl.DataType, texts: Sequence[str] = ()) -> pl.Expr:
    """Return where a cell is missing: null, not-a-number, empty text or one of these."""
    if dtype.is_float():
        return cell.is_null() | cell.is_nan().fill_null(True)
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return cell.is_null() | cell.cast(pl.String).is_in(["", *texts]).fill_null(True)
    return cell.is_null()


def check_types(columns: Mapping[str, pl.DataType], published: Iterable[str]) -> None:
    """Refuse cells that engines do not hold alike."""
    for name in published:
        dtype = columns[name]
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Duration, pl.Null):
            raise TableError(
                f"column {name!r}",
                expected="one number, truth value, date, time or text per cell, as every engine has them",
                got=str(dtype),
                hint="leave the column out of the release as identifying, or publish with engine 'memory'",
            )


def canonical(cells: pl.Series) -> pl.Series:
    """Return the text of each cell that hashes are made of; gaps are empty."""
    cells = cells.alias("cell")
    dtype = cells.dtype
    if isinstance(dtype, pl.Datetime):
        text = _micros(cells.cast(pl.Int64), {"ms": 1_000_000, "us": 1_000, "ns": 1}[dtype.time_unit])
    elif dtype == pl.Time:
        text = _micros(cells.cast(pl.Int64), 1)
    else:
        text = as_text(cells)
    return text.fill_null("")


def canonical_rows(table: pl.DataFrame) -> pl.Series:
    """Return each row as one text: its cells in order, with what separates them escaped inside of them."""
    texts = [canonical_cells(column).alias(f"c{i}") for i, column in enumerate(table)]
    return pl.DataFrame(texts).select(pl.concat_str(pl.all(), separator=SEPARATOR)).to_series().alias("row")


def canonical_cells(cells: pl.Series) -> pl.Series:
    """Return the text of each cell, with what separates cells and rows escaped inside of it."""
    texts = canonical(cells)
    if not texts.str.contains(r"[\\\x1f\n]").any():
        return texts
    for character, instead in ((ESCAPE, "\\\\"), (SEPARATOR, "\\s"), (END, "\\n")):
        texts = texts.str.replace_all(character, instead, literal=True)
    return texts


def _micros(numbers: pl.Series, nanoseconds: int) -> pl.Series:
    """Return times as whole microseconds, and what is finer behind a point."""
    if nanoseconds >= 1_000:
        return (numbers * (nanoseconds // 1_000)).cast(pl.String)
    whole, rest = numbers // 1_000, numbers % 1_000
    fine = "." + rest.cast(pl.String).str.zfill(3)
    return pl.select(pl.when(rest == 0).then(whole.cast(pl.String)).otherwise(whole.cast(pl.String) + fine)).to_series()
