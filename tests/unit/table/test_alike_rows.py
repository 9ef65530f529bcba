"""Rows that are alike are recoded once: every row is published as if it had been recoded by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nymity as ny
from nymity.engines import RECORDS, counted_hash
from nymity.table.encoding import counted_cells, encode_counted
from nymity.table.numbered_text import with_plain_text

SCHEMA = ny.Schema(
    {
        "^age$": ny.quasi(ny.Hierarchy.intervals(width=2, levels=3)),
        "*": ny.quasi(),
        "s": ny.sensitive(),
        "id": ny.identifying(),
    }
)
ROWS = st.lists(
    st.tuples(st.integers(0, 7) | st.none(), st.sampled_from(["a", "b", "", None]), st.sampled_from("pq")), min_size=3
)


METHODS = [
    ny.OptimalLattice(suppression=0.5),
    ny.OptimalLattice(suppression=0.5, outliers="remove"),
    ny.IterativeRecoding(),
]


@pytest.mark.parametrize("method", METHODS)
@given(rows=ROWS)
def test_rows_are_published_as_by_themselves(rows: list[tuple[Any, ...]], method: Any) -> None:
    assume(any(age is not None for age, _, _ in rows))  # else the column has no numbers
    kinds = {"^age$": pl.Int64, "*": pl.String, "s": pl.String}
    table = pl.DataFrame(rows * 3, schema=kinds, orient="row").with_columns(id=pl.int_range(3 * len(rows)))
    cells, records, alike = counted_cells(table, SCHEMA)
    assert alike is not None
    given_ = pl.DataFrame([table[name] for name in alike.names])
    assert given_[alike.first][alike.kind].equals(given_)
    assert records.tolist() == np.bincount(alike.kind).tolist()
    made = method.run(encode_counted(cells, records, SCHEMA), (ny.KAnonymity(k=4),), columns=["^age$", "*", "s"])
    by_row = made.recoding.apply_coded(table, None)
    found = made.recoding.apply_coded(table, None, alike)
    assert found.table.schema == by_row.table.schema
    assert with_plain_text(found.table).equals(with_plain_text(by_row.table))
    assert found.source_rows.tolist() == by_row.source_rows.tolist()
    assert found.masked.tolist() == by_row.masked.tolist()


def test_a_published_column_that_nobody_counted_is_published_row_by_row() -> None:
    schema = ny.Schema({**SCHEMA, "id": ny.insensitive()})
    table = pl.DataFrame({"^age$": [1] * 6, "*": ["a"] * 6, "s": ["p"] * 6, "id": range(6)})
    cells, records, alike = counted_cells(table, schema)
    made = ny.OptimalLattice().run(encode_counted(cells, records, schema), (ny.KAnonymity(k=2),), columns=table.columns)
    assert made.recoding.apply_coded(table, None, alike).table["id"].to_list() == list(range(6))


def test_rows_of_which_most_are_like_no_other_are_not_told() -> None:
    table = pl.DataFrame({"^age$": range(5), "*": ["a"] * 5, "s": ["p"] * 5, "id": range(5)})
    assert counted_cells(table, SCHEMA)[2] is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), min_size=1), st.integers(1, 4))
def test_equal_rows_of_several_parts_are_hashed_as_one(rows: list[tuple[str, int]], size: int) -> None:
    counted = pl.DataFrame(rows, schema={"c0": pl.String, RECORDS: pl.Int64}, orient="row")
    whole = counted.group_by("c0").agg(pl.col(RECORDS).sum())
    assert counted_hash(["x"], counted.iter_slices(size)) == counted_hash(["x"], [whole])
