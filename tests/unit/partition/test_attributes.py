"""Attributes: what stands on an axis and in which order, what is a set, and between which bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from nymity.core.errors import ParameterError, SchemaError
from nymity.partition.attributes import AttributeLayout, attributes_of, geometry_of
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.table.attribute import quasi
from nymity.table.builders import Flat
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema


def attribute(values: list[Any], hierarchy: Any = None, **options: Any) -> AttributeLayout:
    """The only quasi-identifier of a table."""
    table = encode(pl.DataFrame({"x": values}), Schema({"x": quasi(hierarchy)}))
    return attributes_of(table, where="test", **options)[0]


def order(found: AttributeLayout) -> list[str | None]:
    return [found.hierarchy.values[code] for code in found.occurring]


@pytest.mark.parametrize(
    ("values", "expected", "positions"),
    [
        ([10, 9, -3, 9], ["-3", "9", "10"], [-3, 9, 10]),
        ([0.5, 2.0, 1e3], ["0.5", "2", "1000"], [0.5, 2, 1000]),
        (["7", "10", "9"], ["7", "9", "10"], [7, 9, 10]),
        ([5, None, 9], [None, "5", "9"], [1, 5, 9]),
        ([5, None], [None, "5"], [4, 5]),
    ],
    ids=["integers", "floats", "numbers as text", "missing", "missing beside one number"],
)
def test_numbers_by_size(values: list[Any], expected: list[str | None], positions: list[float]) -> None:
    """A missing one lies as far below the least as the greatest lies above it."""
    found = attribute(values)
    assert (order(found), found.position.tolist(), found.numeric, found.is_set) == (expected, positions, True, False)
    assert found.scale == 1 / (max(positions) - min(positions))


def test_numbers_that_floats_cannot_tell_apart_stay_in_order() -> None:
    rows = [[str(2**62 + i), "*"] for i in (2, 0, 1)]
    found = attribute([2**62 + 1, 2**62 + 2, 2**62], Hierarchy.from_rows(rows))
    assert order(found) == [str(2**62), str(2**62 + 1), str(2**62 + 2)]
    assert found.scale == 0


@pytest.mark.parametrize("values", [["0214", "0215"], ["1e999", "1"], ["1e999999999", "2"], ["1", "x"], ["½", "1"]])
def test_what_is_no_number_is_a_set(values: list[str]) -> None:
    found = attribute(values)
    assert (found.numeric, found.is_set, found.scale) == (False, True, 0.5)


def test_other_values_as_their_hierarchy_groups_them() -> None:
    """Siblings stand together, whatever the order of the rows; values that do not occur have no place."""
    groups = {"a": "x1", "b": "y2", "c": "x1", "d": "z1", "e": "y2"}
    hierarchy = Hierarchy.from_rows([[value, *group, "*"] for value, group in groups.items()])
    assert order(attribute(["e", "d", "c", "b", "a"], hierarchy)) == ["a", "c", "d", "b", "e"]
    assert order(attribute(["e", None, "c"], hierarchy)) == [None, "c", "e"]
    found = attribute(["e", "c", "a"], hierarchy, categorical="order")
    assert (order(found), found.position.tolist()) == (["a", "c", "e"], [0, 1, 2])
    assert (found.is_set, found.numeric, found.scale) == (False, False, 0.5)
    assert found.rank[found.occurring].tolist() == [0, 1, 2]


def test_dates_stand_on_an_axis_of_days() -> None:
    found = attribute(["2024-03-01", "2024-02-28", None])
    assert (order(found)[1:], np.ptp(found.position[1:]), found.is_set) == (["2024-02-28", "2024-03-01"], 2, False)


def test_a_constant_column_costs_nothing() -> None:
    assert attribute([7, 7]).scale == 0
    geometry = geometry_of([attribute(["a", "a"])], np.zeros((2, 1), dtype=np.int64))
    assert geometry.cost(np.array([0, 1])) == 0


# -- weights -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "expected"),
    [((1, 1), (1, 1)), ((2, 2), (1, 1)), ((0.1, 0.1), (1, 1)), ((3, 1), (1.5, 0.5)), ((0, 5), (0, 2))],
)
def test_weights_are_multiples_of_their_mean(weights: tuple[float, ...], expected: tuple[float, ...]) -> None:
    table = pl.DataFrame({"x": [1, 2], "y": [3, 5]})
    encoded = encode(table, Schema({n: quasi(weight=w) for n, w in zip("xy", weights, strict=True)}))
    assert tuple(a.weight for a in attributes_of(encoded, where="test")) == expected


def test_no_weight_at_all() -> None:
    encoded = encode(pl.DataFrame({"x": [1, 2]}), Schema({"x": quasi(weight=0)}))
    with pytest.raises(ParameterError, match="a quasi-identifier with a weight above 0"):
        attributes_of(encoded, where="test")


# -- bounds --------------------------------------------------------------------------------------------------------


def test_bounds() -> None:
    found = attribute([20, 60], bounds={"x": [0, 100]})
    assert (found.low, found.high, found.scale) == (0, 100, 0.01)


def test_bounds_say_nothing_of_missing_values() -> None:
    found = attribute([20, 60, None], bounds={"x": [0, 100]})
    assert (found.position.tolist(), found.low, found.high) == ([-20, 20, 60], -20, 100)


@pytest.mark.parametrize(
    ("values", "bounds", "message"),
    [
        ([20, 60], {"x": [30, 100]}, r"test.bounds, x: expected bounds that include 20 to 60.*got \[30, 100\]"),
        ([20, 60], {"x": [0, 59.5]}, "bounds that include 20 to 60"),
        (["a", "b"], {"x": [0, 1]}, "test.bounds, x: expected bounds only for attributes of numbers"),
        ([20, 60], {"y": [0, 100]}, "test.bounds: expected names of quasi-identifiers, got 'y'"),
    ],
)
def test_bounds_that_do_not_fit_the_table(values: list[Any], bounds: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        attribute(values, bounds=bounds)


@pytest.mark.parametrize("bounds", [5, {"x": 5}, {"x": [1]}, {"x": [1, 2, 3]}, {"x": ["a", "b"]}, {"x": "12"}])
def test_bounds_of_another_form(bounds: Any) -> None:
    with pytest.raises(ParameterError, match=r"mondrian\.bounds.*expected .*number"):
        Mondrian(bounds=bounds)


def test_bounds_scale_the_loss() -> None:
    table = pl.DataFrame({"x": [0, 10]})
    encoded = encode(table, Schema({"x": quasi()}))
    assert Mondrian().run(encoded, [KAnonymity(k=2)]).loss == 2
    assert Mondrian(bounds={"x": [0, 40]}).run(encoded, [KAnonymity(k=2)]).loss == 0.5


@pytest.mark.parametrize("fixed", [{"min_level": 1}, {"max_level": 0}, {"level": 1}])
def test_levels_cannot_be_asked_for(fixed: dict[str, int]) -> None:
    """Publishing finer cells than the schema allows would be worse than an error."""
    encoded = encode(pl.DataFrame({"x": [0, 10]}), Schema({"x": quasi(**fixed)}))
    with pytest.raises(SchemaError, match=r"schema\.x: expected no min_level or max_level for the method 'mondrian'"):
        Mondrian().run(encoded, [KAnonymity(k=2)])


@pytest.mark.parametrize(
    "hierarchy", [Flat(of_codes=True), Hierarchy.isco_08(digits=4), Hierarchy.masking(), Hierarchy.us_zip()]
)
def test_codes_that_are_digits_are_sets(hierarchy: Any) -> None:
    """A range of codes means nothing: 2211 is no number between 1111 and 5120."""
    codes = [1111, 2211, 5120]
    assert attribute(codes).numeric
    found = attribute(codes, hierarchy)
    assert found.is_set
    assert not found.numeric
    encoded = encode(pl.DataFrame({"x": codes}), Schema({"x": quasi(hierarchy)}))
    cells = Mondrian().run(encoded, [KAnonymity(k=3)]).recoding.cells["x"]
    assert cells.labels == ("{1111, 2211, 5120}",)
