"""How cells become values: codes for *missing*, decimal commas, thousands and dates, as they are stated.

A file says nothing about what its cells mean. What ``ReadOptions`` state is applied here, after the file was read, and
alike for every format and for frames. Two ways lead there. Columns of a table are read as a whole: they are numbers or
dates if all their cells are. For private methods each cell is read by itself (:func:`valued_cells`), whatever others
hold, because one record must not change how another is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import time
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.core.quoting import as_given, quoted
from nymity.core.validation import nearest
from nymity.io.coded import CodedColumn
from nymity.io.dictionary import Dictionary
from nymity.io.lossless import typed_column
from nymity.io.options import Forms, ReadOptions
from nymity.table.text import as_text

#: Cells that were taken as missing: how many, by column and code.
Taken = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Valued:
    """A table with values in place of cells, and what was taken as missing in it."""

    table: pl.DataFrame
    taken: Taken = field(default_factory=dict)
    dictionary: Dictionary = field(default_factory=Dictionary)  #: what the file says of its columns
    found: ReadOptions = field(default_factory=ReadOptions)  #: the options, with what was found out about the file


def valued(table: pl.DataFrame, options: ReadOptions, where: str = "table") -> Valued:
    """Apply what is stated about cells to the columns of a table."""
    if not options.of_values:
        return Valued(table=table)
    _check_named(table.columns, options, where)
    columns, taken = [], {}
    for column in table.get_columns():
        values, counts = _column(column.alias("cells"), column.name, options, where)
        columns.append(values.alias(column.name))
        if counts:
            taken[column.name] = counts
    return Valued(table=pl.DataFrame(columns), taken=taken)


def valued_columns(
    columns: Sequence[CodedColumn], options: ReadOptions, where: str
) -> tuple[tuple[CodedColumn, ...], Taken]:
    """Apply what is stated about cells to the different values of columns: what is true of them is true of all rows."""
    if not options.of_values:
        return tuple(columns), {}
    _check_named([column.name for column in columns], options, where)
    found, taken = [], {}
    for column in columns:
        cells = column.values.alias("cells")
        values, counts = _column(cells, column.name, options, where, column.times)
        found.append(replace(column, values=values, as_cut=column.as_cut and values is cells))
        if counts:
            taken[column.name] = counts
    return tuple(found), taken


def taken_in_words(taken: Taken, most: int = 10) -> str:
    """Say how many cells were taken as missing, of so many columns."""
    words = [
        f"{name!r} {', '.join(f'{cells:,} × {code!r}' for code, cells in counts.items())}"
        for name, counts in list(taken.items())[:most]
    ]
    more = [f"{len(taken) - most} more columns"] if len(taken) > most else []
    return "; ".join([*words, *more])


def valued_cells(texts: pl.DataFrame, options: ReadOptions) -> pl.DataFrame:
    """Apply what is stated to text cells, each by itself: there is no error, and no cell depends on another."""
    if not options.of_values:
        return texts
    return pl.DataFrame(
        {column.name: _cells(column.alias("cells"), column.name, options) for column in texts.get_columns()}
    )


def _check_named(columns: Sequence[str], options: ReadOptions, where: str) -> None:
    for field_name in ("missing_in", "dates_in"):
        for name in getattr(options, field_name):
            if name not in columns:
                raise TableError(
                    f"{where}, {field_name}",
                    expected="columns of the table",
                    got=as_given(name),
                    hint=nearest(name, columns),
                )


# -- a column as a whole -------------------------------------------------------------------------------------


def _column(
    cells: pl.Series, name: str, options: ReadOptions, where: str, times: pl.Series | None = None
) -> tuple[pl.Series, dict[str, int]]:
    """Read the cells of a column, or its different ones with how often each stands there."""
    codes = options.codes_of(name)
    cells, counts = _without_codes(cells, codes, times) if codes else (cells, {})
    if name in options.dates_in:
        return _as_dates(cells, name, options.dates_in[name], where, times), counts
    if cells.dtype != pl.String:
        return cells, counts
    if options.dates is not None and (days := _dates(cells, options.dates)) is not None:
        return days, counts
    plain = _plain_numbers(cells, options)
    if plain is not cells:
        return typed_column(plain), counts
    # What no cell writes with the stated marks may have points: a frame has these numbers already.
    return (cells if options.has_point and not counts else typed_column(cells)), counts


def _without_codes(
    cells: pl.Series, codes: tuple[str, ...], times: pl.Series | None
) -> tuple[pl.Series, dict[str, int]]:
    """Make cells missing that hold a code; a code that is a number stands for that number, however it is written."""
    by_value: dict[Any, str]
    if cells.dtype.is_numeric():
        by_value = {number: code for code in codes if (number := _number(code)) is not None}
        written = cells.cast(pl.Float64)
    elif cells.dtype == pl.String:
        by_value, written = {code: code for code in codes}, cells.str.strip_chars()
    elif cells.dtype in (pl.Boolean, pl.Date, pl.Datetime, pl.Categorical, pl.Enum):
        by_value, written = {code: code for code in codes}, as_text(cells)
    else:
        return cells, {}
    hidden = written.is_in(list(by_value)).fill_null(False) if by_value else None
    if hidden is None or not hidden.any():
        return cells, {}
    gone = written.filter(hidden)
    if times is None:
        counts = dict(gone.value_counts().rows())
    else:
        counts = Counter[Any]()
        for value, often in zip(gone.to_list(), times.filter(hidden).to_list(), strict=True):
            counts[value] += often
    kept = pl.select(pl.when(~hidden).then(cells)).to_series().alias("cells")
    return kept, {code: counts[value] for value, code in by_value.items() if value in counts}


def _number(code: str) -> float | None:
    try:
        return float(code)
    except ValueError:
        return None


def _as_dates(cells: pl.Series, name: str, form: Forms, where: str, times: pl.Series | None = None) -> pl.Series:
    """Read a column of which it is stated that it holds dates."""
    if cells.dtype.is_temporal() or cells.dtype == pl.Null:
        return cells
    texts = as_text(cells)
    days = _dates(texts, form)
    if days is None:
        is_unread = texts.is_not_null() & parsed(texts, form).is_null()
        unread = texts.filter(is_unread)
        number = len(unread) if times is None else int(times.filter(is_unread).sum())
        raise TableError(
            f"{where}, column {name!r}",
            expected=f"dates in the form {form!r}",
            got=f"{number:,} other cells, such as {quoted(unread[0])}" if len(unread) else "dates of other years",
            hint="correct the form, name the other cells in missing_in, or leave the column out of dates_in",
        )
    return days


def _dates(texts: pl.Series, form: Forms) -> pl.Series | None:
    """Return days, or moments where the form has a time, if every cell is one; None otherwise."""
    if texts.null_count() == len(texts):
        return None
    values = parsed(texts, form)
    if values.null_count() != texts.null_count() or not values.dt.year().is_between(1, 9999).all():
        return None
    midnight = values.dtype == pl.Datetime and bool((values.dt.time() == time(0)).all())
    return values.cast(pl.Date) if midnight else values


def parsed(texts: pl.Series, forms: Forms) -> pl.Series:
    """Return the days or moments that cells of a form are, or of one of several; null where they are none."""
    trimmed = texts.str.strip_chars()
    if isinstance(forms, str):
        return _parsed(trimmed, forms)
    read = [_parsed(trimmed, form) for form in forms]
    if any(one.dtype == pl.Datetime for one in read):
        read = [one.cast(pl.Datetime("us")) for one in read]
    return pl.select(pl.coalesce(read)).to_series().alias("cells")


def _parsed(texts: pl.Series, form: str) -> pl.Series:
    form = form.replace(".%f", "%.f")  # fractions of a second, as Polars calls them
    if has_time(form):
        return texts.str.to_datetime(form, strict=False, time_unit="us")
    return texts.str.to_date(form, strict=False)


def has_time(form: str) -> bool:
    """Return whether a form of dates has a time of day."""
    return any(f"%{letter}" in form for letter in "HIMSfpTRXcs")


def _plain_numbers(cells: pl.Series, options: ReadOptions) -> pl.Series:
    """Write the numbers of a column with a point and without thousands, if all its cells are numbers."""
    pattern = options.number_pattern
    if pattern is None or cells.null_count() == len(cells):
        return cells
    if not cells.str.contains(pattern).all():
        return cells
    return _rewritten(cells, options)


def _rewritten(cells: pl.Series, options: ReadOptions) -> pl.Series:
    plain = cells.str.strip_chars()
    for mark in options.thousands_marks:
        plain = plain.str.replace_all(mark, "", literal=True)
    return plain if options.has_point else plain.str.replace(",", ".", literal=True)


# -- each cell by itself -------------------------------------------------------------------------------------


def _cells(texts: pl.Series, name: str, options: ReadOptions) -> pl.Series:
    codes = options.codes_of(name)
    if codes:
        gone = texts.str.strip_chars().is_in(list(codes)).fill_null(False)
        texts = pl.select(pl.when(~gone).then(texts)).to_series().alias("cells")
    form = options.dates_in.get(name, options.dates)
    if form is not None:
        days = parsed(texts, form)
        days = days.set(~days.dt.year().is_between(1, 9999).fill_null(True), None)
        texts = pl.select(pl.coalesce(as_text(days), texts)).to_series().alias("cells")
    if options.number_pattern is None:
        return texts
    plain = _rewritten(texts, options)
    shortest = as_text(plain.cast(pl.Float64, strict=False))
    is_number = texts.str.contains(options.number_pattern).fill_null(False)
    return pl.select(pl.when(is_number).then(pl.coalesce(shortest, texts)).otherwise(texts)).to_series()
