"""Ordering: neighbours, named groups."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import HierarchyError, ParameterError
from nymity.table.builders import Ordering


def rows(builder: Ordering, values: object) -> list[list[str | None]]:
    return builder.build(pl.Series(values)).rows()


def test_natural_order_is_by_number_if_all_are() -> None:
    assert rows(Ordering(), ["10", "9", "1", "2", "3"]) == [
        ["1", "1 - 2", "1 - 9", "*"],
        ["2", "1 - 2", "1 - 9", "*"],
        ["3", "3 - 9", "1 - 9", "*"],
        ["9", "3 - 9", "1 - 9", "*"],
        ["10", "10", "10", "*"],
    ]
    assert [row[0] for row in rows(Ordering(), ["10", "9", "x"])] == ["10", "9", "x"]
    assert [row[0] for row in rows(Ordering(), [10, 9, None])] == ["9", "10", None]


def test_order_lists_values_that_do_not_occur() -> None:
    builder = Ordering(order=["low", "mid", "high"])
    assert builder.order == ("low", "mid", "high")
    assert rows(builder, ["mid"]) == [
        ["low", "low - mid", "*"],
        ["mid", "low - mid", "*"],
        ["high", "high", "*"],
    ]
    assert rows(Ordering(order=[2, 1], levels=1), [1]) == [["2", "*"], ["1", "*"]]
    assert Ordering(order=[1, 2.5]).order == ("1", "2.5")
    assert Ordering(order=[1.0, 2.0]).order == ("1", "2")


def test_group_levels_and_labels() -> None:
    assert rows(Ordering(group=3, levels=3), list("abcd")) == [
        ["a", "a - c", "a - d", "*"],
        ["b", "a - c", "a - d", "*"],
        ["c", "a - c", "a - d", "*"],
        ["d", "d", "a - d", "*"],
    ]
    assert rows(Ordering(group=2, labels="set"), list("abc"))[0] == ["a", "{a, b}", "*"]
    assert rows(Ordering(), list("ab")) == [["a", "*"], ["b", "*"]]


def test_named_groups() -> None:
    builder = Ordering(groups={"weekend": ["sat", "sun"], "week": ["mon", "tue"]})
    assert rows(builder, ["tue", None]) == [
        ["sat", "weekend", "*"],
        ["sun", "weekend", "*"],
        ["mon", "week", "*"],
        ["tue", "week", "*"],
        [None, None, "*"],
    ]
    assert hash(builder) == hash(Ordering(groups={"weekend": ["sat", "sun"], "week": ["mon", "tue"]}))
    assert builder != Ordering(groups={"weekend": ["sat"]})


def test_values_without_a_place_are_named_and_counted() -> None:
    with pytest.raises(HierarchyError, match=r"got 6 other values on level 0: 'b', 'c', 'd', 'e', 'f' and 1 more"):
        Ordering(order=["a"]).build(pl.Series(list("abcdefg")))
    with pytest.raises(HierarchyError, match=r"got 1 other value on level 0: 'b'"):
        Ordering(groups={"x": ["a"]}).build(pl.Series(["b"]))


def test_groups_that_would_share_a_name_are_refused() -> None:
    order = ["a", "b", "a - b", "c", "d"]
    with pytest.raises(
        HierarchyError, match="different names for the groups of level 1, got two groups called 'a - b'"
    ):
        Ordering(order=["a", "b", "c", "d", "a - b"]).build(pl.Series(order))
    assert Ordering(order=order).build(pl.Series(order)).height == 3


@given(
    st.lists(st.integers(-99, 99), min_size=1, max_size=30, unique=True),
    st.integers(2, 4),
    st.none() | st.integers(1, 5),
)
def test_groups_hold_neighbours_and_no_more_than_they_should(values: list[int], group: int, levels: int | None) -> None:
    hierarchy = Ordering(group=group, levels=levels).build(pl.Series(values))
    assert hierarchy.values == tuple(str(value) for value in sorted(values))
    for level in range(1, hierarchy.height):
        assert sorted(hierarchy.codes[level]) == hierarchy.codes[level].tolist()
        assert hierarchy.leaves[level][:-1].tolist() == [group**level] * (len(hierarchy.leaves[level]) - 1)
        assert 1 <= hierarchy.leaves[level][-1] <= group**level
    if levels is None:
        assert hierarchy.height == 1 or len(hierarchy.labels[-2]) >= 2
    else:
        assert hierarchy.height == levels


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"group": 1}, "ordering.group"),
        ({"levels": 0}, "ordering.levels"),
        ({"labels": "rang"}, "did you mean 'range'"),
        ({"order": "abc"}, "ordering.order: expected a list of values"),
        ({"order": []}, "ordering.order: expected at least one value"),
        ({"order": ["a", None]}, "ordering.order: expected text or a number, got None"),
        ({"order": ["a", "a"]}, "ordering.order: expected each value once, got 'a' again"),
        ({"groups": ["a"]}, "ordering.groups: expected a list of values for each label"),
        ({"groups": {"x": "a"}}, "ordering.groups.x"),
        ({"groups": {"x": ["a"], "y": ["a"]}}, "got 'a' again"),
        ({"groups": {}}, "ordering.groups: expected at least one value"),
        ({"groups": {"x": ["a"]}, "order": ["a"]}, "ordering.order: expected none with groups"),
        ({"groups": {"x": ["a"]}, "levels": 2}, "ordering.levels: expected none with groups"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Ordering(**parameters)  # type: ignore[arg-type]
