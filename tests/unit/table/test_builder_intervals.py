"""Intervals: widths, cuts, coded ends, exact bounds."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import HierarchyError, ParameterError
from nymity.table.builders import Intervals
from nymity.table.builders.number import read_number, write_number


def rows(builder: Intervals, values: object) -> list[list[str | None]]:
    return builder.build(pl.Series(values)).rows()


def test_levels_count_from_the_raw_values_to_below_the_top() -> None:
    hierarchy = Intervals(width=5, levels=4).build(pl.Series([17, 23, 24, 61]))
    assert hierarchy.height == 4
    assert hierarchy.rows() == [
        ["17", "15-19", "10-19", "0-19", "*"],
        ["23", "20-24", "20-29", "20-39", "*"],
        ["24", "20-24", "20-29", "20-39", "*"],
        ["61", "60-64", "60-69", "60-79", "*"],
    ]
    assert rows(Intervals(width=5, levels=1), [1]) == [["1", "*"]]


def test_without_levels_the_coarsest_has_two_intervals_left() -> None:
    hierarchy = Intervals(width=5).build(pl.Series(range(80)))
    assert [len(labels) for labels in hierarchy.labels] == [80, 16, 8, 4, 2, 1]
    assert Intervals(width=100).build(pl.Series([1, 2])).height == 2
    # Intervals that meet at the origin never merge; that must not go on for ever.
    assert [len(labels) for labels in Intervals(width=1).build(pl.Series([-4, -3, 0, 3])).labels] == [4, 4, 3, 2, 1]


def test_factor_and_origin() -> None:
    assert rows(Intervals(width=2, factor=3, levels=3, origin=1), [1, 2, 3, 7]) == [
        ["1", "1-2", "1-6", "*"],
        ["2", "1-2", "1-6", "*"],
        ["3", "3-4", "1-6", "*"],
        ["7", "7-8", "7-12", "*"],
    ]


def test_ends_are_coded_on_every_level_and_neighbours_named_by_what_is_left() -> None:
    assert rows(Intervals(width=5, levels=4, bottom=18, top=90), [3, 18, 20, 84, 89, 90, 101]) == [
        ["3", "under 18", "under 18", "under 18", "*"],
        ["18", "18-19", "18-19", "18-19", "*"],
        ["20", "20-24", "20-29", "20-39", "*"],
        ["84", "80-84", "80-89", "80-89", "*"],
        ["89", "85-89", "80-89", "80-89", "*"],
        ["90", "90+", "90+", "90+", "*"],
        ["101", "90+", "90+", "90+", "*"],
    ]
    assert rows(Intervals(width=5, levels=2, top=21), [20, 21]) == [["20", "20", "*"], ["21", "21+", "*"]]
    assert rows(Intervals(width=5, bottom=0, top=1), [-1, 1]) == [["-1", "under 0", "*"], ["1", "1+", "*"]]


def test_cuts() -> None:
    builder = Intervals(cuts=[[10, 20, 30], [20]])
    assert builder.cuts == ((10, 20, 30), (20,))
    assert rows(builder, [9, 10, 29, 30]) == [
        ["9", "under 10", "under 20", "*"],
        ["10", "10-19", "under 20", "*"],
        ["29", "20-29", "20+", "*"],
        ["30", "30+", "20+", "*"],
    ]
    assert rows(Intervals(cuts=[18, 65]), [17, 18, 65]) == [
        ["17", "under 18", "*"],
        ["18", "18-64", "*"],
        ["65", "65+", "*"],
    ]
    assert rows(Intervals(cuts=[[2.5]], bottom=0, top=5), [1, 3, 7]) == [
        ["1", "0 to under 2.5", "*"],
        ["3", "2.5 to under 5", "*"],
        ["7", "5+", "*"],
    ]


def test_decimals_are_exact() -> None:
    hierarchy = Intervals(width=0.1, levels=3).build(pl.Series([0.3, 0.7, 1.1]))
    assert hierarchy.rows() == [
        ["0.3", "0.3 to under 0.4", "0.2 to under 0.4", "*"],
        ["0.7", "0.7 to under 0.8", "0.6 to under 0.8", "*"],
        ["1.1", "1.1 to under 1.2", "1 to under 1.2", "*"],
    ]


def test_whole_numbers_in_intervals_that_are_not_whole_and_the_other_way_round() -> None:
    assert rows(Intervals(width=2.5, levels=2), [1, 3])[1] == ["3", "2.5 to under 5", "*"]
    assert rows(Intervals(width=5, levels=2), [1.5, 7.0]) == [["1.5", "0 to under 5", "*"], ["7", "5 to under 10", "*"]]
    assert rows(Intervals(width=5, levels=2), [1.0, 7.0]) == [["1", "0-4", "*"], ["7", "5-9", "*"]]
    assert rows(Intervals(width=1, levels=2), [4]) == [["4", "4", "*"]]
    assert rows(Intervals(width=5, levels=2), [-7, -1]) == [["-7", "-10 to -6", "*"], ["-1", "-5 to -1", "*"]]


def test_text_that_reads_as_numbers_is_sorted_by_number() -> None:
    assert rows(Intervals(width=10, levels=2), ["9", "10", "1e1", " 2", "", None]) == [
        [" 2", "0-9", "*"],
        ["9", "0-9", "*"],
        ["10", "10-19", "*"],
        ["1e1", "10-19", "*"],
        [None, None, "*"],
    ]


def test_nan_is_missing() -> None:
    assert rows(Intervals(width=10, levels=2), [1.0, float("nan")]) == [["1", "0-9", "*"], [None, None, "*"]]
    assert rows(Intervals(width=10, levels=2), ["1", "NaN"]) == [["1", "0-9", "*"], ["NaN", None, "*"]]
    assert rows(Intervals(width=10, levels=3), pl.Series([None], dtype=pl.Int64)) == [[None, None, None, "*"]]


def test_words_are_named_and_counted() -> None:
    with pytest.raises(HierarchyError) as caught:
        Intervals(width=5).build(pl.Series(["1", "a", "b", "c", "d", "e", "1,5", "inf"]), where="hierarchy of 'age'")
    message = str(caught.value)
    assert message.startswith(
        "hierarchy of 'age': expected numbers, to group them into intervals, got 7 other values on level 0: "
    )
    assert "'1,5', 'a', 'b', 'c', 'd' and 2 more" in message
    with pytest.raises(HierarchyError, match="got 1 other value on level 0: 'inf'"):
        Intervals(width=5).build(pl.Series([1.0, float("inf")]))
    with pytest.raises(HierarchyError, match="an empty hierarchy"):
        Intervals(width=5).build(pl.Series([], dtype=pl.Int64))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "either a width or cuts, got neither"),
        ({"width": 5, "cuts": [[1]]}, "got both"),
        ({"width": 0}, "intervals.width: expected a number above 0"),
        ({"width": float("inf")}, "intervals.width"),
        ({"width": "5"}, "intervals.width"),
        ({"width": 5, "factor": 1}, "intervals.factor"),
        ({"width": 5, "levels": 0}, "intervals.levels"),
        ({"width": 5, "origin": None}, "intervals.origin"),
        ({"width": 5, "bottom": 9, "top": 9}, "intervals.top: expected more than bottom, 9, got 9"),
        ({"width": 5, "top": "x"}, "intervals.top"),
        ({"cuts": [[1]], "levels": 3}, "intervals.levels"),
        ({"cuts": []}, "intervals.cuts"),
        ({"cuts": 5}, "intervals.cuts"),
        ({"cuts": [[]]}, "intervals.cuts, level 1"),
        ({"cuts": ["ab"]}, "intervals.cuts, level 1"),
        ({"cuts": [[1, "b"]]}, "intervals.cuts, level 1"),
        ({"cuts": [[2, 1]]}, "rising order"),
        ({"cuts": [[1, 2], [3]]}, r"level 2: expected cut points of level 1 \(1, 2\), got 3, which would split"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Intervals(**parameters)  # type: ignore[arg-type]


decimals = st.decimals(-1000, 1000, places=2, allow_nan=False)


@given(
    values=st.lists(st.integers(-300, 300) | decimals.map(float), min_size=1, max_size=12),
    width=st.sampled_from([1, 3, 5, 0.1, 0.25, 2.5]),
    origin=st.sampled_from([0, -7, 0.3]),
    levels=st.none() | st.integers(1, 5),
    factor=st.integers(2, 4),
    ends=st.none() | st.tuples(st.integers(-50, 0), st.integers(1, 50)),
)
def test_every_value_lies_in_the_interval_it_is_published_as(values, width, origin, levels, factor, ends) -> None:  # type: ignore[no-untyped-def]
    bottom, top = ends or (None, None)
    builder = Intervals(width=width, origin=origin, levels=levels, factor=factor, bottom=bottom, top=top)
    hierarchy = builder.build(pl.Series([str(value) for value in values]))
    assert set(hierarchy.values) == {str(value) for value in values}
    assert hierarchy.height == levels if levels is not None else hierarchy.height >= 2
    for value, *labels in hierarchy.rows():
        number = read_number(str(value))
        assert number is not None
        for label in labels[:-1]:
            assert _holds(str(label), number)
            coded = str(label).startswith("under ") or str(label).endswith(("+", " or more"))
            assert coded == (ends is not None and not ends[0] <= number < ends[1])


def _holds(label: str, number: Fraction) -> bool:
    """Read a label independently of how it was written."""
    if label.endswith(("+", " or more")):
        return number >= Fraction(label.removesuffix("+").removesuffix(" or more"))
    if label.startswith("under "):
        return number < Fraction(label.removeprefix("under "))
    if " to under " in label:
        low, high = label.split(" to under ")
        return Fraction(low) <= number < Fraction(high)
    for separator in (" to ", "-"):
        low, found, high = label.partition(separator)
        if found and low:
            return Fraction(low) <= number <= Fraction(high)
    return Fraction(label) == number


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9))
def test_numbers_are_written_as_they_are_read(number) -> None:  # type: ignore[no-untyped-def]
    read = read_number(str(number))
    assert read == Fraction(number)
    assert read is not None
    assert Fraction(write_number(read)) == read


@pytest.mark.parametrize(
    "text", ["", "x", "1_000", "1,5", "nan", "inf", "--1", "1e", "٣", "1e401", "1e-401", "9" * 500, "1e" + "9" * 30]
)
def test_what_is_no_number(text: str) -> None:
    assert read_number(text) is None


@pytest.mark.parametrize(
    ("text", "written"), [("+1.50", "1.5"), ("-.05", "-0.05"), ("1e3", "1000"), ("5.", "5"), ("-0", "0")]
)
def test_how_numbers_are_written(text: str, written: str) -> None:
    number = read_number(text)
    assert number is not None
    assert write_number(number) == written
