"""Text that a spreadsheet would run as a formula, made harmless and back.

A cell that starts with ``=``, ``+``, ``-``, ``@``, a tab or a line end is taken as a formula by spreadsheet programs
when they open a CSV file ("CSV injection", OWASP; full-width variants included). An apostrophe in front makes it text.
Plain numbers such as ``-5`` and ``+3.2`` are harmless and stay.

To be reversible a cell that already has apostrophes before such a character gets one more, so that

    strip(neutralize(cell)) = cell        for every cell,

because ``neutralize`` adds exactly one apostrophe to what matches ``'* start`` (but plain numbers) and ``strip`` takes
exactly one from what matches ``'+ start``; what is left alone by the first is never touched by the second.
"""

from __future__ import annotations

import polars as pl

_START = "[=+\\-@\t\r\n＝＋－＠]"
_RISKY = f"^'*{_START}"
_NEUTRALIZED = f"^'+{_START}"
_PLAIN_NUMBER = r"^[+-](?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"


def neutralize(table: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before every text cell and column name that a spreadsheet would run."""
    risky = pl.col(pl.String).str.contains(_RISKY) & ~pl.col(pl.String).str.contains(_PLAIN_NUMBER)
    cells = table.with_columns(
        pl.when(risky).then(pl.lit("'") + pl.col(pl.String)).otherwise(pl.col(pl.String)).name.keep()
    )
    return _renamed(cells, neutralize_names(table.columns))


def strip_neutralization(table: pl.DataFrame) -> pl.DataFrame:
    """Take the apostrophes away that :func:`neutralize` added, in text cells and column names."""
    added = pl.col(pl.String).str.contains(_NEUTRALIZED)
    cells = table.with_columns(
        pl.when(added).then(pl.col(pl.String).str.slice(1)).otherwise(pl.col(pl.String)).name.keep()
    )
    names = pl.Series(table.columns, dtype=pl.String)
    stripped = names.str.replace(f"^'('*{_START})", "${1}")
    return _renamed(cells, stripped.to_list())


def neutralize_names(names: list[str]) -> list[str]:
    """Return column names with an apostrophe before those a spreadsheet would run."""
    texts = pl.Series(names, dtype=pl.String)
    risky = texts.str.contains(_RISKY) & ~texts.str.contains(_PLAIN_NUMBER)
    return [f"'{name}" if at_risk else name for name, at_risk in zip(names, risky, strict=True)]


def _renamed(table: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    return table.rename(dict(zip(table.columns, names, strict=True)))
