"""Rows with equal cells, against a dictionary."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from nymity.privacy.groups import first_equal

CELLS = {
    "text": (st.none() | st.sampled_from(["", "a", "b", "*", "a long text beyond twelve bytes"]), pl.String),
    "number": (st.none() | st.integers(-1, 1), pl.Int64),
    "float": (st.none() | st.sampled_from([0.0, -0.0, 1.5]), pl.Float64),
    "answer": (st.none() | st.booleans(), pl.Boolean),
}
TABLES = st.lists(st.tuples(*(cells for cells, _ in CELLS.values())), max_size=30)
SCHEMA: dict[str, Any] = {name: dtype for name, (_, dtype) in CELLS.items()}


@given(TABLES, st.booleans(), st.integers(1, len(CELLS)))
def test_each_row_has_the_number_of_the_first_that_is_equal(
    rows: list[tuple[Any, ...]], is_sorted: bool, width: int
) -> None:
    names = list(CELLS)[:width]
    table = pl.DataFrame([row[:width] for row in rows], schema={name: SCHEMA[name] for name in names}, orient="row")
    if is_sorted:
        table = table.sort(names)
    first: dict[tuple[Any, ...], int] = {}
    expected = [first.setdefault(row, number) for number, row in enumerate(table.rows())]
    assert first_equal(table).to_list() == expected
