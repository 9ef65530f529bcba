"""Bars of a column: every record is in one, in what is left over, or missing."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.publishing import column_shape


@given(
    st.one_of(
        st.lists(st.one_of(st.none(), st.integers(-(10**15), 10**15)), min_size=1, max_size=60),
        st.lists(st.one_of(st.none(), st.floats()), min_size=1, max_size=60),
        st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=60),
        st.lists(st.one_of(st.none(), st.dates()), min_size=1, max_size=60),
    ),
    st.integers(2, 20),
)
def test_every_record_is_somewhere_once(cells: list[Any], bars: int) -> None:
    shape = column_shape(pl.DataFrame({"x": cells}, strict=False), "x", bars=bars)
    assert sum(shape.counts) + shape.others + shape.missing == len(cells)
    assert len(shape.counts) == len(shape.labels) <= bars
    assert bool(shape.others) <= (not shape.ordered)


def test_few_values_have_a_bar_each_and_many_numbers_intervals() -> None:
    assert column_shape(pl.DataFrame({"x": ["b", "a", "b", None]}), "x").labels == ("b", "a")
    days = column_shape(pl.DataFrame({"x": [date(2024, 1, 2), date(2024, 1, 1)]}), "x")
    assert days.labels == ("2024-01-01", "2024-01-02")
    shape = column_shape(pl.DataFrame({"x": list(range(100))}), "x", bars=4)
    assert (shape.labels[0], shape.counts) == ("0 – 24", (25, 25, 25, 25))
    most = column_shape(pl.DataFrame({"x": ["a"] * 3 + ["b"] * 2 + ["c"]}), "x", bars=2)
    assert (most.labels, most.counts, most.others) == (("a", "b"), (3, 2), 1)


@pytest.mark.parametrize("cells", [[1.7e308, -1.7e308, *range(30)], [float("nan"), float("inf"), *range(30)]])
def test_numbers_at_the_end_of_what_there_is(cells: list[float]) -> None:
    assert sum(column_shape(pl.DataFrame({"x": cells}, strict=False), "x").counts) >= 30
