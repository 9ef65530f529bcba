"""Stray texts: a few words in a column of numbers, for which it is read as text.

Ages of which three are ``unbek.`` have no ranges and no order any more: whoever reads them that way should know why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.publishing.preparing.column_bars import value_counts

#: Share of the cells that are numbers, and different texts that are told at most.
_NUMBERS, _MOST = 0.9, 5
#: Values by which a column is tried before all of it is.
_TRIAL = 1000
_NUMBER = r"^\s*[-+]?[0-9]+(?:[.,][0-9]+)*\s*$"


@dataclass(frozen=True, kw_only=True)
class StrayTexts:
    """Texts among the numbers of a column, most frequent first, and how many cells they are of all."""

    texts: tuple[str, ...]
    cells: int
    of: int


def stray_texts(table: Any, name: str) -> StrayTexts | None:
    """Return the few different texts of a column whose other cells, at least nine of ten, are numbers; else None."""
    counts, _ = value_counts(table, name)
    values = counts["value"]
    if values.dtype != pl.String or not values.head(_TRIAL).str.contains(_NUMBER).any():
        return None
    others = counts.filter(~values.str.contains(_NUMBER))
    cells, of = int(others["count"].sum()), int(counts["count"].sum())
    if not others.height or others.height > _MOST or cells > (1 - _NUMBERS) * of:
        return None
    ordered = others.sort(["count", "value"], descending=[True, False])
    return StrayTexts(texts=tuple(ordered["value"].to_list()), cells=cells, of=of)
