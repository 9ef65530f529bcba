"""Cells read from their text, against what was written and what was meant."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import TableError
from nymity.partition.attributes import attributes_of
from nymity.partition.class_cells import CELL_FORMS, CellForm, class_cells
from nymity.partition.problem import ClassValues
from nymity.table.attribute import quasi
from nymity.table.cell_reading import read_cells
from nymity.table.cells import Cells
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.schema import Schema


def read(label: Label, values: list[Label], *, known: Cells | None = None) -> list[Label]:
    """The values a label stands for in a column without a hierarchy."""
    hierarchy = Hierarchy.flat(values)
    cells = read_cells([label], hierarchy, np.arange(len(values)), published=known)
    return [hierarchy.values[code] for code in cells.codes(0)]


AGES: list[Label] = ["9", "34", "35.5", "36", "101"]
JOBS: list[Label] = ["nurse", "pupil", "clerk"]


@pytest.mark.parametrize(
    ("label", "values", "expected"),
    [
        ("34", AGES, ["34"]),
        ("34 to 36", AGES, ["34", "35.5", "36"]),
        ("34-36", ["9", "34", "35", "36"], ["34", "35", "36"]),
        ("-5 to 3", ["-6", "-5", "3", "4"], ["-5", "3"]),
        ("2024-02-28 to 2024-03-01", ["2023-12-31", "2024-02-29", "2024-03-01"], ["2024-02-29", "2024-03-01"]),
        ("missing or 34 to 36", [*AGES, None], [None, "34", "35.5", "36"]),
        ("nurse to clerk", JOBS, JOBS),
        ("a to b to c", ["a to b", "x", "c"], ["a to b", "x", "c"]),
        ("20-24", ["20-24", "25-29"], ["20-24"]),  # a value
        ("[34, 36]", AGES, ["34", "35.5", "36"]),
        ("[9, 35.5]", AGES, ["9", "34", "35.5"]),  # by number, not by text
        ("[35, 90]", AGES, ["35.5", "36"]),  # ends that do not occur
        ("[37, 100]", AGES, []),
        ("{9, 36}", AGES, ["9", "36"]),
        ("*", AGES, AGES),
        ("[2024-02-28, 2024-03-01]", ["2023-12-31", "2024-02-29", "2024-03-01"], ["2024-02-29", "2024-03-01"]),
        ("missing or [34, 36]", [*AGES, None], [None, "34", "35.5", "36"]),
        ("missing or 9", [*AGES, None], [None, "9"]),
        (None, [*AGES, None], [None]),
        ("{missing, nurse}", [*JOBS, None], [None, "nurse"]),
        ("[nurse, clerk]", JOBS, JOBS),  # in the hierarchy's order
        ("{nurse, clerk}", JOBS, ["nurse", "clerk"]),
        ("{a, b, c}", ["a, b", "c"], ["a, b", "c"]),
        ("[a, b, c]", ["a, b", "x", "c"], ["a, b", "x", "c"]),
        ("[1, 2]", ["[1, 2]", "x"], ["[1, 2]"]),
    ],
)
def test_what_a_label_stands_for(label: Label, values: list[Label], expected: list[Label]) -> None:
    assert read(label, values) == expected


@pytest.mark.parametrize(
    "label",
    [
        "34-36",
        "36 to 34",
        "34 to",
        "34--36",
        "[36, 34]",
        "[34, 36[",
        "40",
        "{34, 40}",
        "{}",
        "{36, 34}",
        "missing or 34",
        None,
        "",
    ],
)
def test_what_stands_for_nothing_is_refused(label: Label) -> None:
    with pytest.raises(TableError, match="the unknown value"):
        read(label, AGES)


@pytest.mark.parametrize(
    ("label", "values", "meant"),
    [
        ("{a, b, c}", ["a", "b", "a, b", "c"], ["a, b", "c"]),
        ("{a, b}", ["a", "b", "{a, b}"], ["{a, b}"]),
        ("[1, 3]", ["1", "2", "3", "[1, 3]"], ["1", "2", "3"]),
        ("b to c", ["a", "b to c", "b", "c"], ["b", "c"]),
        ("{missing, a}", ["missing", "a", None], [None, "a"]),
        ("missing or b", ["a", "b", None, "missing or b"], [None, "b"]),
    ],
)
def test_ambiguous_text_needs_the_recoding(label: str, values: list[Label], meant: list[Label]) -> None:
    with pytest.raises(TableError, match="several ways") as caught:
        read(label, values)
    assert "recoding" in caught.value.hint
    codes = np.array([values.index(value) for value in meant])
    assert set(read(label, values, known=Cells.of([label], [codes]))) == set(meant)


def test_a_recoding_is_not_believed_what_the_text_does_not_say() -> None:
    """It decides between readings; it cannot give a label another meaning."""
    everything = Cells.of(["[34, 36]", "?", "{a, b}"], [np.arange(3), np.arange(3), np.array([0, 2])])
    assert read("[34, 36]", AGES, known=everything) == ["34", "35.5", "36"]
    with pytest.raises(TableError, match="unknown"):
        read("?", AGES, known=everything)
    with pytest.raises(TableError, match="several ways"):
        read("{a, b}", ["a", "b", "{a, b}"], known=everything)


def test_cells_that_are_written_alike_stand_for_all_they_mean() -> None:
    """The set of a and b, and the value {a, b}: the recoding has one cell for both, and says so."""
    assert read("{a, b}", ["a", "b", "{a, b}"], known=Cells.of(["{a, b}"], [np.arange(3)])) == ["a", "b", "{a, b}"]


def test_nodes_and_their_levels() -> None:
    rows = [["1", "low", "any", "*"], ["2", "low", "any", "*"], ["3", "high", "any", "*"], ["4", "5", "any", "*"]]
    hierarchy = Hierarchy.from_rows([*rows, ["5", "6", "any", "*"], ["6", "6", "any", "*"]])
    cells = read_cells(["low", "any", "high"], hierarchy, np.arange(6))
    assert [cells.codes(i).tolist() for i in range(3)] == [[0, 1], [0, 1, 2, 3, 4, 5], [2]]
    with pytest.raises(TableError, match="several ways"):
        read_cells(["6"], hierarchy, np.arange(6))  # a value, and the group of it and another
    assert read_cells(["6"], hierarchy, np.array([0, 5])).codes(0).tolist() == [5]  # 5 does not occur


PLAIN = ("1", "2", "7", "10", "a", "b", "c", "2024-01-01", None)
TRICKY = ("a, b", "a to b", "1-7", "missing", "[a, b]", "{a, b}", "missing or a")


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.sampled_from(PLAIN), min_size=2, max_size=9)
    | st.lists(st.sampled_from(PLAIN + TRICKY), min_size=2, max_size=9),
    form=st.sampled_from(CELL_FORMS),
    order=st.booleans(),
    data=st.data(),
)
def test_what_is_written_is_read_again(values: list[Label], form: CellForm, order: bool, data: st.DataObject) -> None:
    """From the text alone, unless values look like cells: then the recoding decides."""
    table = encode(pl.DataFrame({"q": values}, schema={"q": pl.String}), Schema({"q": quasi()}))
    (attribute,) = attributes_of(table, categorical="order" if order else "set", where="test")
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    _, classes = np.unique(drawn, return_inverse=True)
    ranks = attribute.rank[[attribute.hierarchy.index[value] for value in values]]
    written, _ = class_cells(attribute, ClassValues.of(ranks, classes, len(attribute.occurring)), form)
    known = None if set(values) <= set(PLAIN) else written
    cells = read_cells(written.labels, attribute.hierarchy, np.flatnonzero(table.frequencies[0]), published=known)
    for number in range(len(written.labels)):
        assert set(cells.codes(number)) == set(written.codes(number))
