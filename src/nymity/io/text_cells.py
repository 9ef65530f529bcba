"""Tables of text cells: what differentially private releases are made from.

Two tables are neighbours if one has a record that the other lacks. A reader that finds types from the values lets one
record change the cells of all others, and then no two tables are neighbours. So every cell becomes text by itself, by
a rule that looks at this cell alone, and a column whose type was made from all its values together is refused. How the
caller's frame came to be is beyond what can be seen here; what :func:`nymity.io.read_table` gives has the cells of the
file, whatever types it found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import date, datetime
from functools import cache
from math import isnan
from typing import Any

import numpy as np
import polars as pl

from nymity.core.errors import TableError
from nymity.io.frame import named_columns, to_polars
from nymity.table.text import BEYOND, as_text, is_missing

#: From here on whole numbers are not told apart, nor are their texts: a column that holds a fraction or a gap, too, is
#: one of floats in some frames, and these would write them otherwise than integers and text do.
_LARGEST = 10**15
_LONG = r"^-?[1-9][0-9]{15,}$"


def text_cells(frame: object, columns: Collection[str] | None = None) -> pl.DataFrame:
    """Return a frame of any kind as text; a gap, NaN and empty text are missing.

    Numbers are written as short as can be (``1`` for 1.0, ``0.5``), truth values ``true`` and ``false``, days
    ``2024-05-31``. Python values in lists and in pandas columns of objects are written one by one; cells of any other
    kind are refused. Where ``columns``
    are named, all that is told of the others is which cells are missing; they may have any type.
    """
    found = named_columns(frame)
    if found is None:
        found = {column.name: column for column in to_polars(frame).get_columns()}
    read = found if columns is None else columns
    return pl.DataFrame({name: _text(name, values, read=name in read) for name, values in found.items()})


def _text(name: str, values: Any, *, read: bool) -> pl.Series:
    if isinstance(values, pl.Series):
        return _of_column(values.alias(name)) if read else _present(values).alias(name)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TableError(f"column {name!r}", expected="a list of values", got=type(values).__name__)
    return pl.Series(name, [_of_cell(name, cell) if read else _given(cell) for cell in values], dtype=pl.String)


def _present(values: pl.Series) -> pl.Series:
    return pl.select(pl.when(~is_missing(values)).then(pl.lit("given"))).to_series()


def _given(cell: Any) -> str | None:
    missing = cell is None or (isinstance(cell, str) and not cell) or (isinstance(cell, float) and isnan(cell))
    return None if missing else "given"


def _of_cell(name: str, cell: Any) -> str | None:
    """Write one Python value, as a column of its kind would be written.

    Equal values can be written in several ways (``Decimal("1")`` and ``Decimal("1.0")``), and a frame makes a type of
    its own of a column that holds nothing else; so kinds other than those of :func:`_of_column` are refused here, too.
    """
    # The same value in numpy's type and in Python's must be written alike, else one record could change a whole column.
    if isinstance(cell, np.bool_ | np.integer | np.float64 | np.str_):
        cell = cell.item()
    if cell is None or isinstance(cell, str):
        return BEYOND if cell and re.match(_LONG, cell) else cell or None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return BEYOND if abs(cell) >= _LARGEST else str(cell)
    if isinstance(cell, float):
        return _of_float(cell)
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return cell.isoformat()
    raise _refused(name, type(cell).__name__)


@cache
def _of_float(cell: float) -> str | None:
    text: str | None = _of_number(pl.Series([cell], dtype=pl.Float64))[0]
    return text


def _refused(name: str, got: str) -> TableError:
    return TableError(
        f"column {name!r}",
        expected="text, whole numbers, 64-bit numbers, truth values or days, each of which can be recognized by itself",
        got=got,
        hint="give the column as text: a cell's text must not depend on other records",
    )


def _of_column(column: pl.Series) -> pl.Series:
    """Write a column by its type."""
    name, dtype, cells = column.name, column.dtype, column.alias("cells")
    if dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    elif dtype.is_integer() or dtype == pl.Float64:
        cells = _of_number(cells)
    elif dtype not in (pl.String, pl.Boolean, pl.Date, pl.Null):
        raise _refused(name, str(dtype))
    text = as_text(cells)
    if dtype == pl.String and (text.str.len_bytes() > 15).any():
        text = text.set(text.str.contains(_LONG).fill_null(False), BEYOND)
    return text.alias(name)


def _of_number(cells: pl.Series) -> pl.Series:
    text = as_text(cells)
    if cells.dtype.is_integer():
        cells = cells.cast(pl.Int128)  # narrow types cannot be compared with large numbers
    beyond = (cells >= _LARGEST) | (cells <= -_LARGEST)
    if cells.dtype.is_float():  # a fraction can be told
        beyond &= (cells == cells.round()) | cells.is_infinite()
    return text.set(beyond.fill_null(False) & text.is_not_null(), BEYOND)
