"""Suggest: sensible, and always buildable."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.table.builders import Dates, Flat, Intervals, Masking, suggest


@pytest.mark.parametrize(
    ("values", "width"),
    [
        (range(17, 91), 5),
        (range(12), 2),
        (range(0, 40, 4), 2),
        (range(0, 250, 3), 25),
        (range(0, 100_000, 1000), 5000),
        (range(0, 401, 40), 25),
        ([n / 8 for n in range(9)], 0.05),
        ([n / 100 for n in range(9)], 0.005),
        ([str(n) for n in range(9, 30)], 2),
        ([-0.5, *range(9)], 0.5),
    ],
)
def test_numbers_get_round_widths(values: Any, width: float) -> None:
    suggested = suggest(pl.Series(values))
    assert suggested == Intervals(width=width, levels=4)
    numbers = [float(value) for value in values]
    assert (max(numbers) - min(numbers)) / width <= 20


def test_few_numbers_words_and_free_text_stay_as_they_are() -> None:
    assert suggest(pl.Series(range(8))) == Flat()
    assert suggest(pl.Series([True, False])) == Flat()
    assert suggest(pl.Series(["female", "male", None])) == Flat()
    assert suggest(pl.Series([f"{'very ' * n}free text" for n in range(30)])) == Flat()
    assert suggest(pl.Series([None], dtype=pl.String)) == Flat()
    assert suggest(pl.Series([float("inf"), *range(20)])) == Flat()


def test_codes_are_masked_from_the_right() -> None:
    assert suggest(pl.Series([f"{n:05d}" for n in range(20)])) == Masking()
    assert suggest(pl.Series([f"{n:05d}" for n in range(10_000, 10_020)])) == Masking()
    assert suggest(pl.Series([f"{n:05d}-{n:04d}" for n in range(20)])) == Masking(steps=(2, 4, 6, 8))
    assert suggest(pl.Series([f"M{n} {n}AE" for n in range(5, 25)])) == Masking(steps=(2, 4, 6))
    assert suggest(pl.Series(range(81_000, 81_100))) == Intervals(width=5, levels=4)


@pytest.mark.parametrize(
    ("days", "levels"),
    [
        (20, ("day", "week")),
        (300, ("day", "month", "quarter")),
        (900, ("day", "month", "quarter", "year")),
        (4 * 365, ("day", "month", "year")),
        (30 * 365, ("day", "month", "year", "decade")),
    ],
)
def test_dates_get_the_levels_that_divide_their_span(days: int, levels: tuple[str, ...]) -> None:
    start = date(2021, 1, 4)
    span = pl.Series([start + timedelta(days=day) for day in range(0, days, 5)])
    assert suggest(span) == Dates(levels=levels)
    assert suggest(span.cast(pl.String)) == Dates(levels=levels)
    assert suggest(span.cast(pl.Datetime)) == Dates(levels=levels)


columns = st.one_of(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)).map(lambda v: pl.Series(v, dtype=pl.Int64)),
    st.lists(st.none() | st.floats()).map(lambda v: pl.Series(v, dtype=pl.Float64)),
    st.lists(st.none() | st.floats(width=32)).map(lambda v: pl.Series(v, dtype=pl.Float32)),
    st.lists(st.none() | st.booleans()).map(lambda v: pl.Series(v, dtype=pl.Boolean)),
    st.lists(st.none() | st.dates()).map(lambda v: pl.Series(v, dtype=pl.Date)),
    st.lists(st.none() | st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2200, 1, 1))).map(
        lambda v: pl.Series(v, dtype=pl.Datetime("ns"))
    ),
    st.lists(st.none() | st.times()).map(lambda v: pl.Series(v, dtype=pl.Time)),
    st.lists(st.none() | st.text(max_size=8)).map(lambda v: pl.Series(v, dtype=pl.String)),
    st.lists(st.from_regex(r"[A-Z]{1,2}[0-9]{2,4}", fullmatch=True), min_size=9, max_size=20).map(pl.Series),
    st.lists(
        st.from_regex(r"-?[0-9]{1,5}(\.[0-9]{1,3})?(e-?[0-9]{1,3})?", fullmatch=True), min_size=9, max_size=20
    ).map(pl.Series),
    st.lists(st.dates().map(date.isoformat) | st.datetimes().map(datetime.isoformat), min_size=1).map(pl.Series),
)


@settings(max_examples=250)
@given(columns)
def test_whatever_is_suggested_builds(values: pl.Series) -> None:
    values = values.unique()
    if not len(values):
        return
    hierarchy = suggest(values).build(values)
    assert hierarchy.build(values) is hierarchy  # it covers every value, gaps included
    assert hierarchy.labels[-1] == ("*",)
    assert hierarchy.height <= 6
