"""A recoding is a function: unseen values, every kind of recoding, every builder, with and without seen values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from nymity.core.draws import KeyedDraws
from nymity.core.errors import FileError, TableError
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.optimal import OptimalLattice
from nymity.partition.k_member import KMember
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.table import value_order
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.span import CellKind, Span, spans_of

TREE = {"Europe": ["France", "Italy"], "Asia": {"East": ["Japan"], "India": None}}
SCHEMA = Schema(
    {
        "age": quasi(Hierarchy.intervals(width=5, levels=4)),
        "zip": quasi(Hierarchy.masking()),
        "born": quasi(Hierarchy.dates()),
        "land": quasi(Hierarchy.taxonomy(TREE)),
        "grade": quasi(Hierarchy.ordering()),
        "sex": quasi(),
        "illness": sensitive(),
    }
)
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "age": st.none() | st.integers(0, 99),
    "zip": st.text("012", min_size=3, max_size=3),
    "born": st.dates().map(lambda day: day.replace(year=1990 + day.year % 20, day=1 + day.day % 28)),
    "land": st.sampled_from(["France", "Italy", "Japan", "India", "East"]),
    "grade": st.integers(1, 20),
    "sex": st.sampled_from(["f", "m", "x"]),
    "illness": st.sampled_from(["flu", "cold", "gout"]),
}
NAMES = [name for name in CELLS if name != "illness"]


@st.composite
def tables(draw: st.DrawFn, names: list[str], *, least: int = 4, most: int = 20) -> pl.DataFrame:
    n = draw(st.integers(least, most))
    cells = {name: draw(st.lists(CELLS[name], min_size=n, max_size=n)) for name in [*names, "illness"]}
    types = {"age": pl.Int64, "grade": pl.Int64, "born": pl.Date}
    return pl.DataFrame(cells, schema={name: types.get(name, pl.String) for name in cells})


@st.composite
def splits(draw: st.DrawFn, *, most_columns: int = 3) -> tuple[pl.DataFrame, pl.DataFrame, Schema]:
    """A table to decide on, further rows of the same columns, and their schema."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=most_columns, unique=True))
    schema = Schema({name: SCHEMA[name] for name in [*names, "illness"]})
    return draw(tables(names)), draw(tables(names, least=1, most=12)), schema


def decided(table: pl.DataFrame, schema: Schema, method: Any, k: int = 2) -> Recoding:
    recoding: Recoding = method.run(encode(table, schema), [KAnonymity(k=k)], columns=table.columns).recoding
    return recoding


def from_file(recoding: Recoding) -> Recoding:
    """The recoding as it is saved: rules and classes alone."""
    return Recoding.from_dict(json.loads(json.dumps(recoding.as_function().to_dict())))


LATTICE = {
    "optimal": OptimalLattice(suppression=0.5),
    "removing": OptimalLattice(suppression=0.5, outliers="remove"),
    "layers": IterativeRecoding(),
}
PARTITIONS = {
    "mondrian": Mondrian(),
    "relaxed": Mondrian(cuts="relaxed"),
    "nodes": Mondrian(cells="hierarchy"),
    "sets": Mondrian(cells="set"),
    "k-member": KMember(),
}


@pytest.mark.parametrize("name", LATTICE)
@given(split=splits())
@settings(max_examples=25)
def test_levels_against_a_table_that_has_all_rows(name: str, split: tuple[pl.DataFrame, pl.DataFrame, Schema]) -> None:
    """Generalize row by row, from hierarchies built for old and new rows: published iff the class is."""
    table, new, schema = split
    recoding = decided(table, schema, LATTICE[name])
    published = {row for row in decided_rows(recoding, table) if row is not None}
    made = [one.apply(new, unseen="mask", outliers="mask") for one in (recoding, from_file(recoding))]
    assert_frame_equal(made[0].table, made[1].table)
    assert made[0].masked.tolist() == made[1].masked.tolist()
    for row, masked in zip(made[0].table.select(schema.quasi).cast(pl.String).rows(), made[0].masked, strict=True):
        assert masked or row in published
    for i, row in enumerate(new.select(schema.quasi).rows()):  # a row that falls into a published class is published
        for layer in getattr(recoding, "layers", ()):
            levels = [layer.levels[column] for column in schema.quasi]
            texts = [None if cell is None else str(cell) for cell in row]
            cells = tuple(
                recoding.hierarchies[c].row(text)[level]
                for c, text, level in zip(schema.quasi, texts, levels, strict=True)
            )
            if cells in labels_of(recoding, layer):
                assert not made[0].masked[i]


def labels_of(recoding: Recoding, layer: Any) -> list[tuple[Any, ...]]:
    names = list(recoding.hierarchies)
    return [
        tuple(recoding.hierarchies[n].labels[layer.levels[n]][code] for n, code in zip(names, row, strict=True))
        for row in layer.classes.tolist()
    ]


def decided_rows(recoding: Recoding, table: pl.DataFrame) -> list[tuple[Any, ...] | None]:
    made = recoding.apply(table, outliers="mask")
    rows = made.table.select(list(recoding.hierarchies)).cast(pl.String).rows()
    return [None if masked else row for row, masked in zip(rows, made.masked, strict=True)]


@pytest.mark.parametrize("name", LATTICE)
@given(split=splits())
@settings(max_examples=20)
def test_the_rows_it_was_decided_on_are_published_as_they_were(
    name: str, split: tuple[pl.DataFrame, pl.DataFrame, Schema]
) -> None:
    table, _, schema = split
    recoding = decided(table, schema, LATTICE[name])
    assert_frame_equal(recoding.apply(table).table, from_file(recoding).apply(table, unseen="mask").table)


@pytest.mark.parametrize("name", PARTITIONS)
@given(split=splits())
@settings(max_examples=20)
def test_classes_span_what_is_put_into_them(name: str, split: tuple[pl.DataFrame, pl.DataFrame, Schema]) -> None:
    """Each row is published with the cells of a class that spans all its values; masked only if there is none."""
    table, new, schema = split
    recoding = decided(table, schema, PARTITIONS[name])
    assert isinstance(recoding, PartitionRecoding)
    for one in (recoding.for_further_rows(), from_file(recoding)):
        made = one.apply(new, unseen="mask", outliers="mask")
        cells = made.table.select(schema.quasi).cast(pl.String).rows()
        for row, published, masked in zip(new.select(schema.quasi).rows(), cells, made.masked, strict=True):
            fitting = [
                labels
                for labels in class_labels(recoding)
                if all(
                    within(recoding, column, value, label)
                    for column, value, label in zip(schema.quasi, row, labels, strict=True)
                )
            ]
            assert masked == (not fitting)
            assert masked or published in fitting


def class_labels(recoding: PartitionRecoding) -> set[tuple[Any, ...]]:
    cells = list(recoding.cells.values())
    return {tuple(c.labels[n] for c, n in zip(cells, row, strict=True)) for row in recoding.cell_of.tolist()}


def within(recoding: PartitionRecoding, column: str, value: Any, label: str | None) -> bool:
    """Whether a value lies in a cell, told from what the cell covers among the values of the table."""
    hierarchy, cells = recoding.hierarchies[column], recoding.cells[column]
    covered = [hierarchy.values[code] for code in cells.by_label()[label].tolist()]
    text = None if value is None else str(value)
    if text in covered:
        return True
    if cells.kind == "nodes":
        return label in hierarchy.row(text)
    known = [one for one in covered if one is not None]
    if cells.kind != "intervals" or text is None or not known or column not in ("age", "grade", "born"):
        return False
    if column == "born":
        return min(known) <= text <= max(known)
    return min(map(Fraction, known)) <= Fraction(text) <= max(map(Fraction, known))


@given(split=splits(), shuffle=st.randoms())
@settings(max_examples=20)
def test_the_class_of_a_row_is_drawn_by_its_values(
    split: tuple[pl.DataFrame, pl.DataFrame, Schema], shuffle: Any
) -> None:
    """The same key puts the same values into the same class, whatever else is in the table, and in whatever order."""
    table, new, schema = split
    function = from_file(decided(table, schema, KMember()))
    draws = KeyedDraws.seeded(5)
    order = list(range(new.height))
    shuffle.shuffle(order)
    whole = function.apply(new, unseen="mask", draws=draws).table.select(schema.quasi)
    other = new.with_columns(illness=pl.lit("gout"))[order]
    assert_frame_equal(function.apply(other, unseen="mask", draws=draws).table.select(schema.quasi), whole[order])
    alone = [function.apply(new[[i]], unseen="mask", draws=draws).table.select(schema.quasi) for i in range(new.height)]
    assert [frame.cast(pl.String).row(0) for frame in alone] == whole.cast(pl.String).rows()


def test_classes_are_drawn_in_proportion_to_their_size() -> None:
    table = pl.DataFrame({"a": [1, 1, 9, 9, 9, 9, 9, 9, 2, 10], "illness": ["x"] * 10})
    schema = Schema({"a": quasi(), "illness": sensitive()})
    recoding = decided(table, schema, Mondrian(cuts="relaxed"))
    function = from_file(recoding)
    new = pl.DataFrame({"a": [9], "illness": ["x"]})
    found = [str(function.apply(new, draws=KeyedDraws.seeded(seed)).table["a"][0]) for seed in range(60)]
    fitting = {labels[0] for labels in class_labels(recoding) if within(recoding, "a", 9, labels[0])}
    assert set(found) == fitting


@given(split=splits(most_columns=2), k=st.integers(2, 4))
@settings(max_examples=30)
def test_a_file_names_no_value_that_is_not_out(split: tuple[pl.DataFrame, pl.DataFrame, Schema], k: int) -> None:
    """A value of removed records alone stands nowhere in the file, unless the job itself says it, as a tree does."""
    table, _, schema = split
    recoding = decided(table, schema, OptimalLattice(suppression=1.0, outliers="remove"), k=k)
    said = set(texts_of(recoding.as_function().to_dict()))
    made = recoding.apply(table, outliers="mask")
    shown = {str(cell) for row in made.table.rows() for cell in row}
    for name in schema.quasi:
        for value in table[name].filter(pl.Series(made.masked)).drop_nulls().cast(pl.String).to_list():
            named = any(value in label for label in shown)  # 1 is named by 1 - 2
            assert named or name == "land" or value not in said


def texts_of(data: Any) -> Iterator[str]:
    """Every text in plain data but the names of fields."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for item in data.values() if isinstance(data, dict) else data:
            yield from texts_of(item)


def test_the_file_has_no_list_of_values(tmp_path: Path) -> None:
    ages = pl.DataFrame({"age": [*range(20, 60), 93], "illness": ["flu"] * 41})
    schema = Schema({"age": quasi(Hierarchy.intervals(width=10, levels=3)), "illness": sensitive()})
    recoding = decided(ages, schema, OptimalLattice(suppression=0.1, outliers="remove"), k=5)
    recoding.save_with_values(tmp_path / "recoding.json")
    said = (tmp_path / "recoding.json").read_text()
    assert '"37"' not in said
    assert "90" not in said
    assert not Recoding.load(tmp_path / "recoding.json").is_partial
    (tmp_path / "seen.json").unlink()
    alone = Recoding.load(tmp_path / "recoding.json")
    assert alone.is_partial
    new = pl.DataFrame({"age": [37, 93], "illness": ["x", "y"]})
    assert alone.apply(new, unseen="mask").table["age"].to_list() == ["30-39"]
    with pytest.raises(FileError, match=r"seen\.json next to it"):
        alone.with_values()


@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy.random_tree(seed=3),
        Hierarchy.shuffled(Hierarchy.intervals(width=5, levels=3), seed=7),
        Hierarchy.ordering(labels="set"),
        Hierarchy.ordering(),
        Hierarchy.intervals(width=5, levels=3),
    ],
    ids=lambda one: one.key,
)
@pytest.mark.parametrize("method", [OptimalLattice(suppression=0.05, outliers="remove"), Mondrian()])
def test_a_list_of_the_values_there_were_names_those_that_are_out(hierarchy: Any, method: Any, tmp_path: Path) -> None:
    """Groups that are drawn over a column say which values it has, also those of records that were removed."""
    numbers = [*(20 + i % 20 for i in range(300)), 7777]
    table = pl.DataFrame({"x": numbers, "y": ["ab"[i % 2] for i in range(301)], "illness": ["flu"] * 301})
    schema = Schema({"x": quasi(hierarchy), "y": quasi(), "illness": sensitive()})
    recoding = decided(table, schema, method, k=5)
    out = recoding.apply(table).table
    recoding.save_with_values(tmp_path / "recoding.json")
    said = (tmp_path / "recoding.json").read_text()
    named = any("7777" in str(cell) for cell in out["x"])
    assert ("7777" in said) == named
    (tmp_path / "seen.json").unlink()
    alone = Recoding.load(tmp_path / "recoding.json")
    rows = [i for i in range(300) if i % 7 == 0]
    again = alone.apply(table[rows], unseen="mask", outliers="mask", draws=KeyedDraws.seeded(1)).table
    if isinstance(method, OptimalLattice):
        assert_frame_equal(again, recoding.apply(table[rows], unseen="mask", outliers="mask").table)
    assert set(again["x"].cast(pl.String)) <= {*out["x"].cast(pl.String), "*"}


def test_values_of_another_recoding_are_left_alone(tmp_path: Path) -> None:
    schema = Schema({"age": quasi(Hierarchy.intervals(width=10, levels=3)), "illness": sensitive()})
    for n, name in ((1, "a.json"), (2, "b.json")):
        table = pl.DataFrame({"age": [20 * n, 20 * n + 1], "illness": ["flu"] * 2})
        decided(table, schema, OptimalLattice()).save_with_values(tmp_path / name)
    assert Recoding.load(tmp_path / "a.json").is_partial
    assert not Recoding.load(tmp_path / "b.json").is_partial


@pytest.mark.parametrize("method", [OptimalLattice(suppression=0.5), Mondrian()])
def test_what_falls_into_no_cell_is_counted_or_refused(method: Any) -> None:
    table = pl.DataFrame({"age": [20, 21, 34, 39], "illness": ["flu"] * 4})
    schema = Schema({"age": quasi(Hierarchy.intervals(width=10, levels=3)), "illness": sensitive()})
    recoding = decided(table, schema, method)
    new = pl.DataFrame({"age": [35, 35, 80, 81, 81], "illness": ["flu"] * 5})
    for one in (recoding, from_file(recoding)):
        made = one.apply(new, unseen="mask")
        assert dict(made.unplaced) == {"age": 3}
        assert made.masked.tolist() == [False, False, True, True, True]
        with pytest.raises(TableError, match="2 it does not: '80', '81'"):
            one.apply(new)


def told(kind: CellKind, *cells: list[Label]) -> tuple[Span, ...]:
    """Spans of cells by the values that each covers."""
    values = sorted({value for cell in cells for value in cell}, key=lambda value: (value is not None, value))
    return spans_of(kind, values, [np.array([values.index(value) for value in cell], dtype=np.int64) for cell in cells])


def test_intervals_of_words_span_what_they_name() -> None:
    assert told("intervals", ["a", "c"])[0].values == ("a", "c")
    assert told("intervals", ["3", None, "5"])[0].ends == ("3", "5")
    assert told("intervals", ["3", None], ["a"])[0].ends is None  # one word, and nothing of the column is a number
    assert told("values", ["3", "5"])[0].ends is None


NUMBERS = st.sets(
    st.one_of(st.none(), st.integers(-30, 30).map(str), st.sampled_from(["2.5", "-0.25", "1e3"])), min_size=1
)
DAYS = st.sets(st.one_of(st.none(), st.dates().map(str)), min_size=1)


def cells_of(values: set[Label]) -> st.SearchStrategy[list[set[Label]]]:
    return st.lists(st.sets(st.sampled_from(sorted(values, key=str)), min_size=1), min_size=1)


@given(st.one_of(NUMBERS, DAYS).flatmap(cells_of))
def test_intervals_span_from_the_least_to_the_largest(cells: list[set[Label]]) -> None:
    def place(value: str) -> Fraction:
        return Fraction(date.fromisoformat(value).toordinal()) if value.count("-") > 1 else Fraction(value)

    covered = [sorted(cell, key=str) for cell in cells]
    for span, cell in zip(told("intervals", *covered), covered, strict=True):
        known = sorted((value for value in cell if value is not None), key=place)
        assert span.values == ((None,) if None in cell else ())
        assert span.ends == ((known[0], known[-1]) if known else None)


def test_cells_of_a_thousand_days_are_told_quickly() -> None:
    """Each value is read once: the first job of the sample data took ten times as long to write as to make."""
    values = [str(date(1950, 1, 1) + timedelta(days=n)) for n in range(1000)]
    with patch.object(value_order, "_day", wraps=value_order._day) as read:
        spans_of("intervals", values, [np.arange(1000, dtype=np.int64)] * 50)
    assert read.call_count == len(values)
