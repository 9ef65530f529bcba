"""Text that a spreadsheet would run as a formula, made harmless and back.

A cell that starts with ``=``, ``+``, ``-``, ``@``, a tab or a line end is taken as a formula by spreadsheet programs
when they open a CSV file ("CSV injection", OWASP; full-width variants included). An apostrophe in front makes it text.
Plain numbers such as ``-5``, ``+3.2`` and ``-inf`` are harmless and stay.

To be reversible a cell that already has apostrophes before such a character gets one more, so that

    strip(neutralize(cell)) = cell        for every cell,

because ``neutralize`` adds exactly one apostrophe to what matches ``'* start`` (but plain numbers) and ``strip`` takes
exactly one from what matches ``'+ start``; what is left alone by the first is never touched by the second.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from nymity.core.row_runs import without_repeats

_START = "[=+\\-@\t\r\n＝＋－＠]"
_RISKY = f"^'*{_START}"
_NEUTRALIZED = f"^'+{_START}"
_PLAIN_NUMBER = r"^[+-](?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf)$"


def neutralize(table: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before every text cell and column name that a spreadsheet would run."""
    return _renamed(_with_texts(table, _neutralized), neutralize_names(table.columns))


def as_meant(table: pl.DataFrame) -> pl.DataFrame | None:
    """Return a neutralized table as it was before; None where it cannot have been neutralized, for it has formulas."""
    if _is_harmless(table):
        return table
    try:
        meant = strip_neutralization(table)
    except pl.exceptions.DuplicateError:  # two columns would have one name
        return None
    return meant if neutralize(meant).equals(table) else None


def _is_harmless(table: pl.DataFrame) -> bool:
    """Whether neither text nor names have anything to neutralize or to strip: the usual case, told by one look."""
    texts = [_texts(one) for one in table.get_columns() if one.dtype in (pl.String, pl.Enum)]
    return not any(_any(one, _RISKY) for one in (pl.Series(table.columns, dtype=pl.String), *texts))


def _texts(column: pl.Series) -> pl.Series:
    """Return the texts of a column, which is text or numbers of it."""
    return column.dtype.categories if isinstance(column.dtype, pl.Enum) else column


def strip_neutralization(table: pl.DataFrame) -> pl.DataFrame:
    """Take the apostrophes away that :func:`neutralize` added, in text cells and column names."""
    names = pl.Series(table.columns, dtype=pl.String)
    stripped = names.str.replace(f"^'('*{_START})", "${1}")
    return _renamed(_with_texts(table, _stripped), stripped.to_list())


def _neutralized(texts: pl.Series) -> pl.Series:
    if not _any(texts, _RISKY):  # as in most columns
        return texts
    risky = texts.str.contains(_RISKY)
    risky &= ~texts.str.contains(_PLAIN_NUMBER)
    return pl.select(pl.when(risky).then(pl.lit("'") + texts).otherwise(texts)).to_series()


def _stripped(texts: pl.Series) -> pl.Series:
    if not _any(texts, _NEUTRALIZED):
        return texts
    added = texts.str.contains(_NEUTRALIZED)
    return pl.select(pl.when(added).then(texts.str.slice(1)).otherwise(texts)).to_series()


def _any(texts: pl.Series, pattern: str) -> bool:
    """Whether a cell has a pattern; of the sorted rows of a release few have to be looked at."""
    return bool(without_repeats(texts).str.contains(pattern).any())


def _with_texts(table: pl.DataFrame, change: Callable[[pl.Series], pl.Series]) -> pl.DataFrame:
    """Return the table with something done to its columns of text; names may be patterns to polars."""
    texts = []
    for column in table.get_columns():
        if isinstance(column.dtype, pl.Enum) and change(_texts(column)).equals(_texts(column)):
            texts.append(column)
            continue
        cells = column.cast(pl.String) if isinstance(column.dtype, pl.Enum) else column
        texts.append(change(cells.alias("cells")).alias(column.name) if cells.dtype == pl.String else cells)
    return pl.DataFrame(texts)


def neutralize_names(names: list[str]) -> list[str]:
    """Return column names with an apostrophe before those a spreadsheet would run."""
    texts = pl.Series(names, dtype=pl.String)
    risky = texts.str.contains(_RISKY) & ~texts.str.contains(_PLAIN_NUMBER)
    return [f"'{name}" if at_risk else name for name, at_risk in zip(names, risky, strict=True)]


def _renamed(table: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    return table.rename(dict(zip(table.columns, names, strict=True)))
