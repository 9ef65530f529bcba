"""Runs tell what all rows would, whatever their order."""

from __future__ import annotations

from collections import Counter

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.row_runs import counted, different_cells, run_starts, without_repeats

CELLS = st.lists(st.sampled_from([None, "", "a", "b", "*"]))


@given(CELLS)
def test_runs_of_a_column(cells: list[str | None]) -> None:
    column = pl.Series("^x$", cells, dtype=pl.String)
    kept = [cell for i, cell in enumerate(cells) if i == 0 or cell != cells[i - 1]]
    assert without_repeats(column).to_list() == kept
    assert sorted(map(repr, different_cells(column).to_list())) == sorted(map(repr, set(cells)))
    assert dict(counted(column).iter_rows()) == Counter(cells)


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from([None, 1, 2]))))
def test_rows_that_differ_from_the_one_before(rows: list[tuple[str | None, int | None]]) -> None:
    columns = [
        pl.Series("x", [row[0] for row in rows], dtype=pl.String),
        pl.Series("x", [row[1] for row in rows], dtype=pl.Int64),
    ]
    assert run_starts(columns).tolist() == [i for i, row in enumerate(rows) if i == 0 or row != rows[i - 1]]
