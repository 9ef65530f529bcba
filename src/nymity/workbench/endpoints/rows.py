"""rows: a part of the table, in the order of a column, of the records that have some text in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.io import values_of
from nymity.table import as_text
from nymity.workbench.endpoints import Endpoint, neutral_names, whole
from nymity.workbench.project import Project
from nymity.workbench.tables import LookedTable, look_at
from nymity.workbench.unturned import unturned_cells

#: Rows of one answer, characters of a cell, and orders that are kept.
_MOST_ROWS, _LONGEST, _KEPT = 1000, 300, 4

Numbers = NDArray[np.int64]


def rows(project: Project, query: Mapping[str, str]) -> dict[str, Any]:
    """Return rows ``start`` to ``end``, by the column ``sort`` (``c3``, or ``-c3``), of those with ``text`` in them."""
    looked = look_at(project)
    order = _order(looked, query.get("sort", ""), query.get("text", "").strip().casefold())
    start = whole(query, "start", 0)
    chosen = order[start : min(whole(query, "end", 100), start + _MOST_ROWS)]
    cells = shown_cells(looked.rows(pl.Series(chosen)))
    numbered = cells.insert_column(0, pl.Series("n", chosen + 1, dtype=pl.Int64))
    return {"rows": numbered.to_dicts(), "total": len(order)}


def shown_cells(table: pl.DataFrame) -> pl.DataFrame:
    """Return cells as text that a page can show, in columns that are called by their place."""
    texts = [unturned_cells(_text(column).str.slice(0, _LONGEST)) for column in table.get_columns()]
    return pl.DataFrame([one.alias(name) for one, name in zip(texts, neutral_names(table.width), strict=True)])


def _text(column: pl.Series) -> pl.Series:
    if column.dtype.is_nested() or column.dtype == pl.Object:
        return pl.Series([None if one is None else str(one) for one in column], dtype=pl.String)
    texts: pl.Series = as_text(column.alias("cells"))
    return texts


def _order(looked: LookedTable, sort: str, text: str) -> Numbers:
    """Return the numbers of the rows that are asked for; the last orders are kept, for a page asks again and again."""
    kept: dict[tuple[str, str], Numbers] = looked.memory.setdefault("orders", {})
    chosen = kept.get((sort, text))
    if chosen is None:
        chosen = np.arange(looked.height) if not text else np.flatnonzero(_having(looked, text))
        if sort:
            chosen = chosen[_sorted(looked, sort, chosen)]
        while len(kept) >= _KEPT:
            kept.pop(next(iter(list(kept))), None)  # another page may have come before
        kept[sort, text] = chosen
    return chosen


def _sorted(looked: LookedTable, sort: str, chosen: Numbers) -> Numbers:
    """Order some rows by a column, missing values last; rows that are alike stay in their order."""
    names = dict(zip(neutral_names(len(looked.columns)), looked.columns, strict=True))
    validation.one_of("sort", sort.removeprefix("-"), names)
    name = names[sort.removeprefix("-")]
    values = values_of(looked.cells, name)
    ranks = values.rank("dense", descending=sort.startswith("-")).fill_null(len(values) + 1)
    return np.argsort(looked.spread(name, ranks).to_numpy()[chosen], kind="stable")


def _having(looked: LookedTable, text: str) -> NDArray[np.bool_]:
    """Tell which rows have the text in some cell, whatever its case."""
    found = np.zeros(looked.height, np.bool_)
    for name in looked.columns:
        values = _text(values_of(looked.cells, name)).str.to_lowercase()
        there = values.str.contains(text, literal=True).fill_null(False)
        found |= looked.spread(name, there).to_numpy()
    return found


ENDPOINTS = (Endpoint(name="rows", answer=rows),)
