"""Types for columns of text, given only where no value is lost."""

from __future__ import annotations

from collections.abc import Callable, Collection

import polars as pl

from nymity.io.calendar import in_calendar

_Conversion = Callable[[pl.Series], pl.Series | None]
#: Rows on which a type is tried before the whole column is converted.
_TRIAL_ROWS = 256
#: How numbers are written: no leading zeros, no plus, no more digits than a float holds; 1e-05 as pandas and R have it.
_NUMBER = r"^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,17})?(?:[eE][+-][0-9]{1,3})?$"
#: The same as they are written shortest, and shortest with a point: of up to fifteen digits, no two are one number.
_SHORTEST = r"^(?:0|-?[1-9][0-9]{0,14}(?:\.[0-9]{0,16}[1-9])?|-?0\.[0-9]{0,16}[1-9])$"
_POINTED = r"^(?:-?[1-9][0-9]{0,14}\.(?:0|[0-9]{0,16}[1-9])|-?0\.[0-9]{0,16}[1-9]|0\.0)$"
_SURE_BYTES = 16  # with a point
#: A fraction with zeros after its last digit, and what a whole number has in place of one.
_PADDED, _NO_FRACTION = r"\.[0-9]*[1-9]0+$", r"\.0+$"


def typed(
    table: pl.DataFrame, *, exactly: bool = False, point: bool = True, only: Collection[str] | None = None
) -> pl.DataFrame:
    """Turn columns of text into whole numbers, numbers or dates where no value is lost.

    A column becomes Int64 or Date only when writing the converted cells returns every cell exactly, so "007", "+5" and
    "1e3" keep their column text, and so do "NaN" and "inf". A column of numbers with fractions becomes Float64, or
    Int64 where all fractions are zero: 67.0 is the number that a frame has. Cells that differ and are the same number,
    but for ``67`` and ``67.0``, are codes: "1.1" and "1.10" stay text. So does a column without values. Usual readers
    guess from the first rows and drop leading zeros, which turns postal codes into others.

    ``exactly``, of what nymity wrote itself: no cell may be written differently, so "67.0" and "1.50" stay text.
    Without ``point``, where decimals have a comma, 1.234 is no number yet. ``only`` are the columns to look at.
    """
    wanted = {name for name, kind in table.schema.items() if kind == pl.String and (only is None or name in only)}
    return pl.DataFrame(
        [
            typed_column(column, exactly=exactly, point=point).alias(column.name) if column.name in wanted else column
            for column in table.get_columns()
        ]
    )


def typed_column(column: pl.Series, *, exactly: bool = False, point: bool = True) -> pl.Series:
    """Return one column of text with the type that it can have."""
    return typed_and_told(column, exactly=exactly, point=point)[0]


def typed_and_told(column: pl.Series, *, exactly: bool = False, point: bool = True) -> tuple[pl.Series, bool]:
    """Do the same, and tell whether values are sure to differ wherever texts do."""
    texts = column.alias("cells")  # polars would read a name like ^x$ as a pattern when asked for .str
    trial = texts.drop_nulls().head(_TRIAL_ROWS) if texts.null_count() else texts.head(_TRIAL_ROWS)
    if not len(trial):
        return texts, True
    fractions: tuple[_Conversion, ...] = (
        ((_fractions,) if exactly else (_pointed, _shortest, _numbers)) if point else ()
    )
    for convert in (_whole, *fractions, _days):
        if convert(trial) is not None and (values := convert(texts)) is not None:
            told = convert in (_whole, _days) or (convert in (_pointed, _shortest) and _are_short(texts))
            return values, told
    return texts, True


def _are_short(texts: pl.Series) -> bool:
    return int(texts.str.len_bytes().max() or 0) <= _SURE_BYTES  # type: ignore[arg-type]


def _whole(texts: pl.Series) -> pl.Series | None:
    return _same(texts, texts.cast(pl.Int64, strict=False))


def days_of(column: pl.Series) -> pl.Series:
    """Return a column of ISO dates as dates, any other as it is."""
    if column.dtype != pl.String or column.null_count() == len(column):
        return column
    days = _days(column.alias("cells"))
    return column if days is None else days


def _days(texts: pl.Series) -> pl.Series | None:
    days = texts.str.to_date("%Y-%m-%d", strict=False)
    if days.null_count() != texts.null_count():
        return None
    return _same(texts, days) if in_calendar(days).all() else None


def _same(texts: pl.Series, values: pl.Series) -> pl.Series | None:
    """Return converted cells, or None when one would be written differently."""
    if values.null_count() != texts.null_count():
        return None
    return values if bool((values.cast(pl.String) == texts).all()) else None


def _fractions(texts: pl.Series) -> pl.Series | None:
    numbers = texts.cast(pl.Float64, strict=False)
    # a whole number among fractions would lose its ".0" where values are compared
    told = numbers.is_finite() & (numbers != numbers.round())
    return _same(texts, numbers) if told.all() else None


def _pointed(texts: pl.Series) -> pl.Series | None:
    return _of_form(texts, _POINTED)


def _shortest(texts: pl.Series) -> pl.Series | None:
    return _of_form(texts, _SHORTEST)


def _of_form(texts: pl.Series, form: str) -> pl.Series | None:
    """Convert as :func:`_numbers` does, by one look at numbers of which none has more zeros than it needs."""
    if not texts.str.contains(form).all():
        return None
    numbers = texts.cast(pl.Float64, strict=False)
    return whole_again(numbers) if numbers.null_count() == texts.null_count() else None


def _numbers(texts: pl.Series) -> pl.Series | None:
    if not texts.str.contains(_NUMBER).all():
        return None
    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() != texts.null_count() or not numbers.is_finite().all():
        return None
    return whole_again(numbers) if _tells_apart(texts, numbers) else None


def _tells_apart(texts: pl.Series, numbers: pl.Series) -> bool:
    """Return whether texts that differ are different numbers, but for whole ones with and without a point."""
    decimals = len(str(texts.drop_nulls()[0]).partition(".")[2])
    if decimals and texts.str.contains(rf"\.[0-9]{{{decimals}}}$").all():  # all of one form
        return True
    if not texts.str.contains(_PADDED).any():
        return True
    return texts.str.replace(_NO_FRACTION, "").n_unique() == numbers.n_unique()


def whole_again(numbers: pl.Series) -> pl.Series:
    """Return a column of floats that are all whole numbers as integers: 67.0 and 67 are one number."""
    if not numbers.dtype.is_float() or numbers.null_count() == len(numbers):
        return numbers
    cells = numbers.alias("cells")
    for some in (cells.head(_TRIAL_ROWS), cells):
        if not ((some.abs() < 2**53) & (some == some.round())).all():
            return numbers
    return numbers.cast(pl.Int64)
