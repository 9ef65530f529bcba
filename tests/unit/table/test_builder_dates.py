"""Dates: levels, weeks that nest, forms of text."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import HierarchyError, ParameterError
from nymity.table.builders import Dates
from nymity.table.builders.dates import LABELS

NO_WEEK = ("day", "month", "quarter", "year", "decade")


def rows(builder: Dates, values: object) -> list[list[str | None]]:
    return builder.build(pl.Series(values)).rows()


def test_the_whole_chain() -> None:
    assert rows(Dates(levels=tuple(LABELS)), [date(2024, 2, 13), None]) == [
        ["2024-02-13", "2024-W07", "2024-02", "2024-Q1", "2024", "2020s", "*"],
        [None, None, None, None, None, None, "*"],
    ]


def test_weeks_are_left_out_unless_asked_for() -> None:
    assert rows(Dates(), [date(2023, 1, 1)]) == [["2023-01-01", "2023-01", "2023-Q1", "2023", "2020s", "*"]]


def test_months_above_weeks_are_those_of_the_thursday() -> None:
    with_weeks = rows(Dates(levels=tuple(LABELS)), [date(2023, 1, 1), date(2024, 12, 30), date(2024, 12, 29)])
    assert [row[1:5] for row in with_weeks] == [
        ["2022-W52", "2022-12", "2022-Q4", "2022"],
        ["2024-W52", "2024-12", "2024-Q4", "2024"],
        ["2025-W01", "2025-01", "2025-Q1", "2025"],
    ]
    without = rows(Dates(levels=NO_WEEK), [date(2023, 1, 1), date(2024, 12, 30)])
    assert [row[1:4] for row in without] == [["2023-01", "2023-Q1", "2023"], ["2024-12", "2024-Q4", "2024"]]


def test_parts_of_the_chain() -> None:
    assert rows(Dates(levels=["year", "decade"]), ["1969-07-20"]) == [["1969-07-20", "1969", "1960s", "*"]]
    assert Dates(levels=["year"]).levels == ("year",)
    assert rows(Dates(levels=("day",)), ["1969-07-20"]) == [["1969-07-20", "*"]]


def test_a_time_of_day_makes_the_day_a_level() -> None:
    noon = datetime(2024, 2, 13, 12)
    assert rows(Dates(levels=("day", "year")), [noon]) == [["2024-02-13 12:00:00.000000", "2024-02-13", "2024", "*"]]
    assert rows(Dates(levels=("day", "year")), ["2024-02-13T12:00", "2024-02-13"]) == [
        ["2024-02-13", "2024-02-13", "2024", "*"],
        ["2024-02-13T12:00", "2024-02-13", "2024", "*"],
    ]
    assert rows(Dates(levels=("day",), format="%d.%m.%Y %H:%M"), ["13.02.2024 12:00"])[0][1] == "2024-02-13"


def test_time_zones_count_by_their_own_clock() -> None:
    east = timezone(timedelta(hours=9))
    zoned = pl.Series([datetime(2024, 1, 1, 0, 30, tzinfo=UTC)]).dt.convert_time_zone("Asia/Tokyo")
    assert rows(Dates(levels=("day",)), zoned)[0][1] == "2024-01-01"
    late = pl.Series([datetime(2024, 1, 1, 20, 30, tzinfo=UTC)]).dt.convert_time_zone("Asia/Tokyo")
    assert rows(Dates(levels=("day",)), late)[0][1] == "2024-01-02"
    assert rows(Dates(levels=("day",)), [datetime(2024, 1, 1, 0, 30, tzinfo=east).isoformat()])[0][1] == "2024-01-01"


def test_text_in_another_form_is_sorted_by_day() -> None:
    assert rows(Dates(levels=("day", "month"), format="%d.%m.%Y"), ["01.03.2024", "02.01.2024", None]) == [
        ["02.01.2024", "2024-01", "*"],
        ["01.03.2024", "2024-03", "*"],
        [None, None, "*"],
    ]


def test_a_form_that_no_text_can_have_is_refused_as_one_that_none_has() -> None:
    with pytest.raises(HierarchyError, match="dates in the form '%Y%Y'"):
        rows(Dates(format="%Y%Y"), ["20242024"])


def test_what_is_no_date_is_named_and_counted() -> None:
    with pytest.raises(HierarchyError) as caught:
        Dates().build(pl.Series(["2024-02-13", "2024-02-30", "x", "13.02.2024", "2024", "y", "z"]), where="born")
    assert str(caught.value).startswith(
        "born: expected dates in ISO form (2024-02-13), got 6 other values on level 0: "
    )
    assert "'13.02.2024', '2024', '2024-02-30', 'x', 'y' and 1 more" in str(caught.value)
    with pytest.raises(HierarchyError, match=r"in the form '%d\.%m\.%Y', got 1 other value"):
        Dates(format="%d.%m.%Y").build(pl.Series(["2024-02-13"]))
    with pytest.raises(HierarchyError, match="dates in ISO form"):
        Dates().build(pl.Series([1.5]))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"levels": ()}, "dates.levels: expected a list of day, week"),
        ({"levels": "year"}, "dates.levels: expected a list"),
        ({"levels": ["years"]}, "did you mean 'year'"),
        (
            {"levels": ["year", "month"]},
            r"finer levels first, each once, got \['year', 'month'\]\. Try: \['month', 'year'\]",
        ),
        ({"levels": ["year", "year"]}, "each once"),
        ({"format": "ISO"}, "dates.format"),
        ({"format": 1}, "dates.format"),
        ({"format": "%d.%m."}, "a form with a year"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Dates(**parameters)  # type: ignore[arg-type]


@given(
    days=st.lists(st.dates(), min_size=1, max_size=20, unique=True),
    levels=st.sets(st.sampled_from(list(LABELS)), min_size=1),
)
def test_levels_nest_whatever_the_days(days: list[date], levels: set[str]) -> None:
    chain = tuple(level for level in LABELS if level in levels)
    hierarchy = Dates(levels=chain).build(pl.Series(days))
    assert hierarchy.values == tuple(day.isoformat() for day in sorted(days))
    above = [level for level in chain if level != "day"]
    assert hierarchy.height == len(above) + 1
    # Dates as text give the same hierarchy.
    assert Dates(levels=chain).build(pl.Series([day.isoformat() for day in days])) == hierarchy
    if "week" not in levels:
        for row, day in zip(hierarchy.rows(), sorted(days), strict=True):
            assert row[1:-1] == [LABELS[level](day) for level in above]


@given(st.dates(min_value=date(1, 2, 1), max_value=date(9999, 11, 30)))
def test_no_more_than_three_days_change_sides(day: date) -> None:
    row = rows(Dates(levels=("week", "month")), [day])[0]
    near = {LABELS["month"](day + timedelta(days=shift)) for shift in range(-3, 4)}
    assert row[2] in near
