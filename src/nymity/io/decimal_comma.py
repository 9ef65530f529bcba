"""Numbers of a text file with a comma before their decimals, in a way that can be undone exactly.

A text file does not tell numbers from texts. So what is written is decided by the cells of a column alone, and alike by
who reads them: if all are numbers, ranges of numbers or ``*``, points and commas change places. Doing it twice changes
nothing, and whether it is done is the same before and after.
"""

from __future__ import annotations

import polars as pl

#: A number as floats are written shortest; codes such as 250.10 are not.
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:[.,](?:0|[0-9]*[1-9]))?"
_CELL = rf"^(?:\*|{_NUMBER}\+?|{_NUMBER}(?:-| to | to under ){_NUMBER})$"


def swap_marks(table: pl.DataFrame) -> pl.DataFrame:
    """Let points and commas change places in columns of numbers; floats become text, and whole numbers have neither."""
    return pl.DataFrame([_swapped(column.alias("cells")).alias(column.name) for column in table.get_columns()])


def _swapped(cells: pl.Series) -> pl.Series:
    texts = cells.cast(pl.String) if cells.dtype.is_float() else cells
    if texts.dtype != pl.String or not texts.str.contains(_CELL).all():
        return texts
    between = "\x00"
    points = texts.str.replace_all(",", between, literal=True).str.replace_all(".", ",", literal=True)
    return points.str.replace_all(between, ".", literal=True)
