"""Rows in the order of their cells: as sorting all of them by all columns gives it."""

from __future__ import annotations

import sys
from datetime import date, time, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.io.compact import compact
from nymity.table.content_order import content_order, order_of_ranks, ranked_text

module = sys.modules["nymity.table.content_order"]

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


@given(
    st.lists(st.tuples(*[st.sampled_from(["a", "b", None, "c" * 9])] * 3, *[st.integers(0, 2**64 - 1)] * 3), max_size=9)
)
def test_ranks_that_one_number_does_not_hold(rows: list[tuple[object, ...]]) -> None:
    """Many columns, and so wide that ranks of all do not fit into 63 bits: fewer bits stand for these here."""
    names = [f"c{i}" for i in range(6)]
    table = pl.DataFrame(
        rows, schema=dict.fromkeys(names[:3], pl.String) | dict.fromkeys(names[3:], pl.UInt64), orient="row"
    )
    expected = table.with_row_index("row").sort([*names, "row"])["row"].to_list()
    table = table.select(pl.lit(0).alias("same"), *names)  # tables whose first column tells most rows are sorted by it
    for most in (2**63 - 1, 40, 7, 1):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(module, "_BITS", most)
            assert content_order(table).tolist() == expected


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([3, None, 1, 2**100, 1], dtype=pl.Int128),
        pl.Series(["b", None, "a", "b", ""], dtype=pl.Categorical),
        pl.Series([date(2020, 1, 2), None, date(1969, 5, 1), date(2020, 1, 2), date(1, 1, 1)]),
        pl.Series([2**63 + 1, None, 1, 2**63, 0], dtype=pl.UInt64),
        pl.Series([timedelta(1), None, timedelta(-1), timedelta(0), timedelta(1)]),
        pl.Series([time(1), None, time(0), time(23, 59), time(1)]),
        pl.Series([Decimal("1.10"), None, Decimal("-2"), Decimal("1.1"), Decimal("0")]),
    ],
    ids=lambda column: str(column.dtype),
)
def test_cells_of_every_type(column: pl.Series) -> None:
    table = pl.DataFrame({"same": [0] * 5, "a": column, "b": [1, 1, 1, 0, 0]})
    texts = column.cast(pl.String) if column.dtype == pl.Categorical else column
    expected = pl.DataFrame({"a": texts, "b": table["b"]}).with_row_index("row").sort("a", "b", "row")["row"].to_list()
    assert content_order(table).tolist() == expected


LONG = st.sampled_from([None, "", "a", "b", "ä", "a long text of more than twelve bytes", "another long text, second"])


@given(st.lists(st.tuples(LONG, LONG, st.integers(0, 2)), max_size=30), st.data())
def test_text_that_is_numbered_once_is_ordered_and_written_as_text_is(
    rows: list[tuple[str | None, str | None, int]], data: st.DataObject
) -> None:
    schema = {"^x$": pl.String, "*": pl.String, "n": pl.Int64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    ranked = pl.DataFrame([ranked_text(column) for column in table])
    order = content_order(table)
    assert content_order(ranked).tolist() == order.tolist()
    some = order[: data.draw(st.integers(0, len(order)))]
    expected = pl.DataFrame([column.alias("c").gather(some).alias(column.name) for column in table])
    for made in (compact(ranked, some), compact(table, some)):
        assert made.equals(expected)
        assert made.schema == expected.schema
    assert compact(ranked).equals(table)


def test_categories_count_by_their_text_however_they_are_listed() -> None:
    sizes = pl.Series("size", ["small", "large", None, "medium", "large"], dtype=pl.Enum(["small", "medium", "large"]))
    table = sizes.to_frame()
    assert content_order(table).tolist() == content_order(table.cast(pl.String)).tolist() == [2, 1, 4, 3, 0]


def test_values_of_rows_that_are_left_out_are_gone() -> None:
    """Of text by numbers, too: the list of values is not the release's."""
    kept, gone = "published, and longer than twelve bytes", "a secret that is longer than twelve bytes"
    ranked = pl.DataFrame([ranked_text(pl.Series("c", [gone, kept, kept, gone]))])
    made = compact(ranked, np.array([2, 1]))
    assert made["c"].to_list() == [kept, kept]
    buffers = made["c"].to_arrow(compat_level=pl.CompatLevel.newest()).buffers()
    assert not any(gone.encode() in bytes(buffer) for buffer in buffers if buffer is not None)


@pytest.mark.parametrize("places", [1, 3, 2**20, 2**53, 2**59, 2**60, 2**61, 2**62])
@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9])
def test_a_rank_and_its_row_are_one_number_where_both_fit(places: int, rows: int) -> None:
    draw = np.random.default_rng(rows)
    ranks = np.minimum(draw.integers(0, places, rows), draw.integers(0, places, rows)[0] or places - 1)
    ranks[:2] = places - 1
    expected = sorted(range(rows), key=lambda row: (ranks[row], row))
    assert order_of_ranks([(ranks, places)]).tolist() == expected
    few = draw.integers(0, 2, rows).astype(np.uint8)
    both = sorted(range(rows), key=lambda row: (few[row], ranks[row], row))
    assert order_of_ranks([(few, 2), (ranks, places)]).tolist() == both
