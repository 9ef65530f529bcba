"""Hierarchy: what it accepts, what it says about itself, and what it answers when it does not fit."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import FileError, HierarchyError
from nymity.table.hierarchy import Hierarchy

AGES = [["1", "low", "*"], ["2", "low", "*"], ["9", "high", "*"]]


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Random rows: distinct raw values (perhaps missing), each level a random merging of the one below."""
    text = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=4)
    raw = draw(st.lists(st.none() | text, min_size=1, max_size=6, unique=True))
    levels = [raw]
    for _ in range(draw(st.integers(0, 2))):
        merged = {label: draw(text) for label in dict.fromkeys(levels[-1])}
        levels.append([merged[label] for label in levels[-1]])
    top = draw(text)
    return Hierarchy.from_rows([[*row, top] for row in zip(*levels, strict=True)])


def test_levels_and_codes() -> None:
    hierarchy = Hierarchy.from_rows(AGES)
    assert hierarchy.height == 2
    assert hierarchy.values == ("1", "2", "9")
    assert hierarchy.domain_size == 3
    assert hierarchy.labels[1] == ("low", "high")
    assert hierarchy.codes[1].tolist() == [0, 0, 1]
    assert [counts.tolist() for counts in hierarchy.leaves] == [[1, 1, 1], [2, 1], [3]]
    assert hierarchy.generalize("2", 1) == "low"
    assert hierarchy.rows() == AGES
    assert repr(hierarchy).startswith("Hierarchy(3 values, 3 levels)\n")


def test_codes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Hierarchy.from_rows(AGES).codes[1][0] = 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one value, got an empty hierarchy"),
        ([[]], "at least one level, got an empty row 1"),
        ([["a", "*"], ["b"]], r"2 levels for every value, as in row 1, got 1 levels for 'b' in row 2"),
        ([["a", "*"], []], r"got 0 levels for \(missing\) in row 2"),
        ([["a", "*"], ["a", "*"]], r"each value once, got 'a' again in row 2"),
        ([["", "*"], [None, "*"]], r"each value once, got \(missing\) again in row 2"),
        (
            [["a", "x", "1", "*"], ["b", "x", "2", "*"]],
            r"got 'x' of level 1 becomes '1' and '2' on level 2\. Try: give",
        ),
        ([["a", "1"], ["b", "2"]], r"one value on the top level, got 2 values on level 1: '1', '2' …"),
        ([["a", ""], ["b", ""]], r"a value on the top level, normally '\*', got an empty cell on level 1"),
        ([["a", 3, "*"]], r"got 3 on level 1 in row 1\. Try: write '3'"),
        ([[["a"], "*"]], r"got \['a'\] on level 0 in row 1"),
    ],
)
def test_faulty_rows_are_named(rows: list[list[str | None]], message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as caught:
        Hierarchy.from_rows(rows, where="hierarchy of 'age'")
    assert str(caught.value).startswith("hierarchy of 'age': expected ")


def test_generalize_names_unknown_values_and_levels() -> None:
    hierarchy = Hierarchy.from_rows(AGES)
    with pytest.raises(HierarchyError, match="'7'"):
        hierarchy.generalize("7", 1)
    for level in (-1, 3):
        with pytest.raises(HierarchyError, match=f"a level from 0 to 2, got {level}"):
            hierarchy.generalize("1", level)


def test_flat() -> None:
    assert Hierarchy.flat(["a"]).rows() == [["a", "*"]]
    assert Hierarchy.flat(["a", None]).rows() == [["a", "*"], [None, "*"]]


def test_empty_text_is_missing() -> None:
    hierarchy = Hierarchy.from_rows([["a", "x", "*"], ["", "", "*"]])
    assert hierarchy.values == ("a", None)
    assert hierarchy.generalize(None, 1) is None
    assert hierarchy.generalize(None, 2) == "*"


def test_with_missing_adds_one_row_once() -> None:
    hierarchy = Hierarchy.from_rows(AGES).with_missing()
    assert hierarchy.rows() == [*AGES, [None, None, "*"]]
    assert hierarchy.with_missing() is hierarchy


def test_with_missing_needs_a_level_above_the_values() -> None:
    with pytest.raises(HierarchyError, match="one level with the value 'a'"):
        Hierarchy.from_rows([["a"]]).with_missing()


@pytest.mark.parametrize(
    "values",
    [pl.Series(["1", None]), pl.Series(["1", ""]), pl.Series([1, None]), pl.Series([1.0, float("nan")])],
    ids=["null", "empty", "integer", "nan"],
)
def test_build_gives_gaps_of_every_kind_a_row(values: pl.Series) -> None:
    assert Hierarchy.from_rows(AGES).build(values).generalize(None, 1) is None


def test_build_without_gaps_is_the_hierarchy_itself() -> None:
    hierarchy = Hierarchy.from_rows(AGES)
    assert hierarchy.build(pl.Series([9, 1])) is hierarchy


def test_build_names_five_unknown_values_and_counts_the_rest() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.from_rows(AGES).build(pl.Series(["1", "k", "j", "i", "h", "g", "f", "e", None]), where="age")
    message = str(caught.value)
    assert message.startswith("age: expected a hierarchy that lists every value of the column, got 7 unknown values: ")
    assert "'e', 'f', 'g', 'h', 'i' and 2 more" in message
    with pytest.raises(HierarchyError, match="got 1 unknown value: '3'"):
        Hierarchy.from_rows(AGES).build(pl.Series([1, 3]))


def test_tree() -> None:
    assert Hierarchy.from_rows(AGES).tree() == "'*'\n  'low'\n    '1'\n    '2'\n  'high'\n    '9'"
    wide = Hierarchy.flat([str(n) for n in range(5)]).tree(max_children=2)
    assert wide == "'*'\n  '0'\n  '1'\n  … 3 more"
    assert "(missing)" in Hierarchy.from_rows(AGES).with_missing().tree()


def test_equality_and_fingerprint_follow_the_rows() -> None:
    same, other = Hierarchy.from_rows(AGES), Hierarchy.from_rows([AGES[0], AGES[1], ["9", "top", "*"]])
    assert Hierarchy.from_rows(AGES) == same
    assert hash(Hierarchy.from_rows(AGES)) == hash(same)
    assert Hierarchy.from_rows(AGES).fingerprint() == same.fingerprint()
    assert other != same
    assert other.fingerprint() != same.fingerprint()
    assert same != AGES
    # The text "None" is not a missing value.
    assert Hierarchy.flat([None]).fingerprint() != Hierarchy.flat(["None"]).fingerprint()


@given(hierarchies())
def test_rows_make_the_same_hierarchy_again(hierarchy: Hierarchy) -> None:
    assert Hierarchy.from_rows(hierarchy.rows()) == hierarchy
    for level, counts in enumerate(hierarchy.leaves):
        assert counts.sum() == hierarchy.domain_size
        assert counts.min() >= 1
        for value, code in hierarchy.index.items():
            assert hierarchy.generalize(value, level) == hierarchy.labels[level][hierarchy.codes[level][code]]


@given(hierarchy=hierarchies(), delimiter=st.sampled_from(";,\t|"))
def test_saved_and_read_again(tmp_path_factory: pytest.TempPathFactory, hierarchy: Hierarchy, delimiter: str) -> None:
    path = tmp_path_factory.mktemp("hierarchy") / "values.csv"
    hierarchy.save(path, delimiter=delimiter)
    assert Hierarchy.read(path, delimiter=delimiter) == hierarchy


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_read_finds_the_delimiter(tmp_path: Path, delimiter: str) -> None:
    hierarchy = Hierarchy.from_rows([["a;b,c", "x", "*"], ["d|\te", "y", "*"], [None, None, "*"]])
    hierarchy.save(tmp_path / "values.csv", delimiter=delimiter)
    assert Hierarchy.read(tmp_path / "values.csv") == hierarchy


def test_save_makes_the_folder_it_needs(tmp_path: Path) -> None:
    Hierarchy.flat(["a"]).save(tmp_path / "new" / "values.csv")
    assert Hierarchy.read(tmp_path / "new" / "values.csv") == Hierarchy.flat(["a"])


def test_save_below_a_file_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileError, match="a file in the way"):
        Hierarchy.flat(["a"]).save(tmp_path / "file" / "values.csv")


def test_save_is_plain_csv(tmp_path: Path) -> None:
    Hierarchy.from_rows(AGES).save(tmp_path / "values.csv")
    with (tmp_path / "values.csv").open(newline="") as stream:
        assert list(csv.reader(stream, delimiter=";")) == AGES


def test_many_values_are_fast_enough_to_build() -> None:
    rows = [[str(n), str(n // 10), "*"] for n in range(20_000)]
    hierarchy = Hierarchy.from_rows(rows)
    assert np.array_equal(np.unique(hierarchy.leaves[1]), [10])


def test_shortcuts_return_their_builders() -> None:
    keys = [
        Hierarchy.intervals(width=5),
        Hierarchy.masking(),
        Hierarchy.ordering(),
        Hierarchy.taxonomy({"a": ["b"]}),
        Hierarchy.taxonomy(parents={"b": "a"}),
        Hierarchy.dates(),
        Hierarchy.suggest(pl.Series(["a"])),
    ]
    assert [builder.key for builder in keys] == [  # type: ignore[attr-defined]
        "intervals",
        "masking",
        "ordering",
        "taxonomy",
        "taxonomy",
        "dates",
        "flat",
    ]
