"""Text of a large table as numbers of its different texts: a byte or two for each cell, where text takes sixteen.

Whoever reads a cell has the same text; whoever counts, joins or orders cells has numbers at hand, and need not look at
the text of each row again.
"""

from __future__ import annotations

import polars as pl

from nymity.table.content_order import ranked_text
from nymity.table.text import by_category, plainly_named

#: Fewer rows are read so soon that nothing is won.
MANY_ROWS = 100_000
#: Columns with more different texts than this are mostly names and numbers, whose text is as long as the list of them.
_MOST_TEXTS = 2**16


def with_numbered_text(table: pl.DataFrame) -> pl.DataFrame:
    """Return a large table with its text as numbers, which have the order of the texts."""
    if table.height < MANY_ROWS:
        return table
    # By name: polars gives columns of a list a name where theirs is empty.
    return pl.DataFrame({column.name: with_numbers(column, rows=table.height) for column in table.get_columns()})


def with_plain_text(table: pl.DataFrame) -> pl.DataFrame:
    """Return the same table with its text as text."""
    if not any(isinstance(dtype, pl.Enum) for dtype in table.dtypes):
        return table
    return pl.DataFrame(
        {
            one.name: by_category(one, lambda texts: texts) if isinstance(one.dtype, pl.Enum) else one
            for one in table.get_columns()
        }
    )


def with_numbers(column: pl.Series, *, rows: int) -> pl.Series:
    """Return cells of a column of so many rows as numbers, if they are text of many rows and there are few texts."""
    if rows < MANY_ROWS or column.dtype != pl.String:
        return column
    if plainly_named(column).head(2 * _MOST_TEXTS).n_unique() > _MOST_TEXTS:
        return column
    numbered = ranked_text(column)
    return numbered if len(numbered.dtype.categories) <= _MOST_TEXTS else column  # type: ignore[attr-defined]
