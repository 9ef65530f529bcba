"""Published cells: the smallest that cover a class, in each form, and what they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.partition.attributes import attributes_of
from nymity.partition.class_cells import CELL_FORMS, class_cells
from nymity.partition.mondrian import Mondrian
from nymity.partition.problem import ClassValues
from nymity.privacy import KAnonymity
from nymity.table.attribute import quasi
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity.table.value_order import numbers
from strategies import Case, cases

Label = str | None


def published(classes: list[list[Any]], form: Any, hierarchy: Any = None, **options: Any) -> list[Label]:
    """The label of each class, given the values of its records."""
    values = [value for members in classes for value in members]
    table = encode(pl.DataFrame({"x": values}), Schema({"x": quasi(hierarchy)}))
    attribute = attributes_of(table, where="test", **options)[0]
    ranks = attribute.rank[[attribute.hierarchy.index[None if v is None else str(v)] for v in values]]
    of = np.repeat(np.arange(len(classes)), [len(members) for members in classes])
    cells, numbers = class_cells(attribute, ClassValues.of(ranks, of, len(attribute.occurring)), form)
    for number, members in zip(numbers, classes, strict=True):
        covered = {attribute.hierarchy.values[code] for code in cells.codes(number)}
        assert covered >= {None if v is None else str(v) for v in members}
    assert len(set(cells.labels)) == len(cells.labels)
    return [cells.labels[number] for number in numbers]


TREE = Hierarchy.from_rows([["a", "1", "*"], ["b", "1", "*"], ["c", "2", "*"], ["d", "2", "*"], [None, None, "*"]])


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("tight", ["2-10", "5", None, "missing or 2-5", "missing or 10"]),
        ("set", ["{2, 5, 10}", "5", None, "{missing, 2, 5}", "{missing, 10}"]),
        ("hierarchy", ["*", "5", None, "*", "*"]),
    ],
)
def test_numbers(form: str, expected: list[Label]) -> None:
    classes = [[10, 2, 5, 2], [5, 5], [None, None], [None, 5, 2], [10, None]]
    assert published(classes, form) == expected


def test_a_gap_does_not_hide_where_an_interval_begins() -> None:
    """Classes with a missing value and the same greatest one are different where their least numbers are."""
    classes = [[None, 5, 9], [None, 3, 9], [None, 9], [3, 9], [None, 3, 5, 9]]
    expected = ["missing or 5-9", "missing or 3-9", "missing or 9", "3-9", "missing or 3-9"]
    assert published(classes, "tight") == expected


@pytest.mark.parametrize(
    ("form", "options", "expected"),
    [
        ("tight", {}, ["{a, b}", "{a, d}", "c", "{missing, d}", None]),
        ("tight", {"categorical": "order"}, ["a to b", "a to d", "c", "missing or d", None]),
        ("set", {"categorical": "order"}, ["{a, b}", "{a, d}", "c", "{missing, d}", None]),
        ("hierarchy", {}, ["1", "*", "c", "*", None]),
    ],
)
def test_other_values(form: str, options: dict[str, Any], expected: list[Label]) -> None:
    classes = [["b", "a"], ["d", "a"], ["c"], ["d", None], [None]]
    assert published(classes, form, TREE, **options) == expected


@pytest.mark.parametrize(
    ("classes", "form", "expected"),
    [
        ([["{a, b}"], ["a", "b"]], "set", ["{a, b}", "{a, b}"]),
        ([["a, b", "c"], ["a", "b, c"], ["c"]], "set", ["{a, b, c}", "{a, b, c}", "c"]),
        ([["missing", "x"], [None, "x"]], "set", ["{missing, x}", "{missing, x}"]),
        ([["a to b"], ["a", "b"]], "tight", ["a to b", "a to b"]),
    ],
    ids=["a raw set", "values with commas", "a value called missing", "a raw interval"],
)
def test_cells_that_look_alike_are_one(classes: list[list[Any]], form: str, expected: list[str]) -> None:
    """Readers cannot tell them apart, so what they stand for is what either does."""
    values = sorted({v for members in classes for v in members if v is not None})
    hierarchy = Hierarchy.from_rows([*([value, "*"] for value in values), [None, "*"]])
    assert published(classes, form, hierarchy, categorical="order" if form == "tight" else "set") == expected


def test_an_interval_is_the_same_whichever_values_within_occur() -> None:
    assert published([[1, 9], [1, 5, 9], [9, 1]], "tight") == ["1-9"] * 3


@given(case=cases(numeric=True, weighted=False), k=st.integers(1, 4), form=st.sampled_from(CELL_FORMS))
@settings(max_examples=80)
def test_cells_are_the_smallest_of_their_form(case: Case, k: int, form: Any) -> None:
    """Checked against the records of each published class, from the table alone."""
    if case.frame.height < k:
        return
    outcome = Mondrian(cells=form).run(case.encoded, [KAnonymity(k=k)])
    table = pl.concat(
        [case.frame, outcome.recoding.apply(case.frame).table.rename(lambda name: f"out {name}")], how="horizontal"
    )
    for rows in table.partition_by([f"out {name}" for name in case.schema.quasi]):
        for name, hierarchy in zip(case.schema.quasi, case.encoded.hierarchies, strict=True):
            smallest = _smallest(set(rows[name].to_list()), case.frame[name].to_list(), hierarchy, form)
            assert set(_values(rows[f"out {name}"])) == {smallest}


def _values(cells: pl.Series) -> list[Label]:
    """Sets without an order."""
    return [
        cell if cell is None or cell[0] != "{" else "{" + ", ".join(sorted(cell[1:-1].split(", "))) + "}"
        for cell in cells.to_list()
    ]


def _smallest(values: set[Label], column: list[Label], hierarchy: Hierarchy, form: str) -> Label:
    """Written from the definition of each form."""
    if len(values) == 1:
        return next(iter(values))
    if form == "hierarchy":
        rows = [row for row in hierarchy.rows() if row[0] in values]
        return next(level[0] for level in zip(*rows, strict=True) if len(set(level)) == 1)
    known = numbers(column)
    present = sorted((v for v in values if v is not None), key=lambda v: (known or {}).get(v, v))
    if form == "tight" and known is not None:
        span = present[0] if len(present) == 1 else _span(present[0], present[-1], hierarchy)
        return span if None not in values else f"missing or {span}"
    return "{" + ", ".join(sorted("missing" if v is None else v for v in values)) + "}"


def _span(low: str, high: str, hierarchy: Hierarchy) -> str:
    """With a dash where every value is a whole number, and none of the two is below zero."""
    whole = all(value is None or value.lstrip("-").isdecimal() for value in hierarchy.values)
    return f"{low}-{high}" if whole and not low.startswith("-") else f"{low} to {high}"
