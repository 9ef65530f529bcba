"""Rows in the order of their cells: as sorting all of them by all columns gives it."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from nymity.table.content_order import content_order

ROW = st.tuples(
    st.sampled_from(["", "a", "B", "é", None]),
    st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf"), None]),
    st.sampled_from([True, False, None]),
    st.integers(-2, 2),
)
SCHEMA = {"^text$": pl.String, "float": pl.Float64, "flag": pl.Boolean, "*": pl.Int64}


@given(st.lists(ROW, max_size=12))
def test_rows_are_in_the_order_of_all_their_cells(rows: list[tuple[object, ...]]) -> None:
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row")

    def key(row: int) -> list[tuple[object, ...]]:
        """Gaps first, NaN last, equal rows as they come; the two zeros are equal."""
        cells = []
        for cell in rows[row]:
            nan = isinstance(cell, float) and cell != cell
            text = cell.encode() if isinstance(cell, str) else 0 if nan or cell is None else cell
            cells.append((cell is not None, nan, text))
        return [*cells, (row,)]

    assert content_order(table).tolist() == sorted(range(len(rows)), key=key)


def test_cells_that_cannot_be_grouped_are_sorted_too() -> None:
    table = pl.DataFrame({"list": [[2], [1], [2], [1]], "n": [1, 1, 1, 0]})
    assert content_order(table).tolist() == [3, 1, 0, 2]
