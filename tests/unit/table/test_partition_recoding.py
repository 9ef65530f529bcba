"""PartitionRecoding: rows published with the cells of their class, quotas, and the same again from a file."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from drawing import Chosen
from nymity.core.draws import KeyedDraws
from nymity.core.errors import FileError, SchemaError, TableError
from nymity.partition.mondrian import Mondrian
from nymity.privacy import KAnonymity
from nymity.table.cells import Cells
from nymity.table.hierarchy import Hierarchy
from nymity.table.partition_recoding import FURTHER, PLACES, PartitionRecoding, Quotas
from nymity.table.recoding import Recoding
from strategies import Case, cases

AGES = Hierarchy.from_rows([["1", "*"], ["2", "*"], ["3", "*"], [None, "*"]])
SEXES = Hierarchy.flat(["f", "m"])


def recoding(**changes: Any) -> PartitionRecoding:
    """Class 0 is age 1 to 2 with sex f, class 1 is age 3 with any sex.

    Of the five records of (2, f, flu) the first two belong to class 0 and three to class 1.
    """
    fields: dict[str, Any] = {
        "columns": ("note", "age", "sex", "illness"),
        "hierarchies": {"age": AGES, "sex": SEXES},
        "cells": {
            "age": Cells.of(["[1, 2]", "[2, 3]"], [np.array([0, 1]), np.array([1, 2])]),
            "sex": Cells.of(["f", "{f, m}"], [np.array([0]), np.array([0, 1])]),
        },
        "cell_of": np.array([[0, 0], [1, 1]]),
        "quotas": Quotas(
            codes=np.array([[0, 0], [1, 0], [1, 0], [2, 1]]),
            sensitive=np.array([[1], [1], [1], [0]]),
            labels={"illness": (None, "flu")},
            classes=np.array([0, 0, 1, 1]),
            records=np.array([1, 2, 3, 1]),
        ),
    }
    return PartitionRecoding(**(fields | changes))


def rows(*values: tuple[int | None, str, str | None]) -> pl.DataFrame:
    table = pl.DataFrame(list(values), schema={"age": pl.Int64, "sex": pl.String, "illness": pl.String}, orient="row")
    return table.with_columns(note=pl.lit("n"), name=pl.lit("A"))


def published(table: pl.DataFrame, found: PartitionRecoding | None = None, **options: Any) -> list[tuple[Any, ...]]:
    return (found or recoding()).apply(table, **options).table.select("age", "sex").rows()


LOW, HIGH, MASKED = ("[1, 2]", "f"), ("[2, 3]", "{f, m}"), ("*", "*")


def test_rows_get_the_cells_of_their_class() -> None:
    recoded = recoding().apply(rows((1, "f", "flu"), (3, "m", None)))
    assert recoded.table.columns == ["note", "age", "sex", "illness"]
    assert recoded.table.rows() == [("n", "[1, 2]", "f", "flu"), ("n", "[2, 3]", "{f, m}", None)]
    assert (recoded.source_rows.tolist(), recoded.masked.tolist()) == ([0, 1], [False, False])


def test_rows_of_one_profile_fill_the_places_of_their_classes_as_drawn() -> None:
    """Two places are of the first class, three of the second."""
    assert sorted(published(rows(*[(2, "f", "flu")] * 5))) == [LOW] * 2 + [HIGH] * 3
    among_others = rows((2, "f", "flu"), (3, "m", None), (2, "f", "flu"), (1, "f", "flu"), (2, "f", "flu"))
    assert published(among_others, draws=Chosen()) == [LOW, HIGH, LOW, LOW, HIGH]
    assert published(among_others, draws=Chosen({PLACES: (4, 0, 3, 2, 1)})) == [HIGH, HIGH, LOW, LOW, HIGH]


def test_who_fills_a_place_depends_on_the_draw_and_not_on_the_order_of_rows() -> None:
    """Every order of five rows with different notes gives every note the same place under the same draw."""
    notes = rows(*[(2, "f", "flu")] * 5).with_columns(note=pl.Series(list("vwxyz")))
    drawn = Chosen({PLACES: (3, 0, 4, 1, 2)})
    expected = set(zip("vwxyz", [HIGH, LOW, HIGH, LOW, HIGH], strict=True))
    for order in permutations(range(5)):
        table = recoding().apply(notes[list(order)], draws=drawn).table
        assert set(zip(table["note"], table.select("age", "sex").rows(), strict=True)) == expected


def test_fewer_rows_than_places_take_any_of_them_with_the_same_chance() -> None:
    """Of two rows and five places, two of the first class: over all orders each row is in it in 2 of 5."""
    orders = list(permutations(range(5)))
    found = [published(rows(*[(2, "f", "flu")] * 2), draws=Chosen({PLACES: order})) for order in orders]
    assert [sum(pair[i] == LOW for pair in found) / len(orders) for i in (0, 1)] == [0.4, 0.4]
    assert sum(pair == [LOW, LOW] for pair in found) / len(orders) == 0.1


def test_rows_beyond_all_places_and_of_other_profiles_are_published_like_one_drawn_record() -> None:
    """Five records have (2, f), two of them in the first class: numbers 0 and 1 of 5 lead there."""
    for number, cells in enumerate([LOW, LOW, HIGH, HIGH, HIGH]):
        drawn = Chosen(numbers={FURTHER: [number, number]})
        assert published(rows((2, "f", None)), draws=drawn) == [cells]
        beyond = published(rows(*[(2, "f", "flu")] * 7), draws=drawn)
        assert Counter(beyond) == Counter([LOW] * 2 + [HIGH] * 3 + [cells] * 2)


def test_a_row_with_another_sensitive_value_joins_a_class_of_its_combination() -> None:
    assert published(rows((1, "f", "gout"), (3, "m", "flu"))) == [LOW, HIGH]
    assert published(rows(*[(1, "f", "flu")] * 3)) == [LOW] * 3  # beyond its one place
    assert published(rows((2, "f", None)))[0] in (LOW, HIGH)


def test_without_the_sensitive_column() -> None:
    found = recoding(columns=("age", "sex"))
    assert published(rows((1, "f", "flu"), (3, "m", "flu")).drop("illness"), found) == [LOW, HIGH]
    with pytest.raises(SchemaError, match="no column 'illness'"):
        recoding().apply(rows((1, "f", "flu")).drop("illness"))


def test_a_combination_that_no_class_has() -> None:
    table = rows((1, "m", "flu"), (1, "f", "flu"), (None, "f", "flu"))
    assert published(table) == [MASKED, LOW, MASKED]
    recoded = recoding().apply(table, outliers="remove")
    assert recoded.table.select("age", "sex").rows() == [LOW]
    assert (recoded.source_rows.tolist(), recoded.masked.tolist()) == ([1], [False])
    assert published(table, outliers="keep") == [MASKED, LOW, MASKED]  # there is no cell to keep them with
    assert recoding(outliers="remove").apply(table).table.height == 1


def test_a_value_that_is_not_listed() -> None:
    table = rows((9, "f", "flu"), (1, "f", "flu"))
    with pytest.raises(TableError, match="column 'age': expected values the recoding knows, got 1 it does not: '9'"):
        recoding().apply(table)
    assert published(table, unseen="mask") == [MASKED, LOW]


def test_no_rows() -> None:
    assert published(rows()) == []


def test_a_column_left_as_it_is_keeps_its_type() -> None:
    raw = Cells.of(["1", None, "2", "3"], [np.array([i]) for i in (0, 3, 1, 2)])
    found = recoding(cells={"age": raw, "sex": recoding().cells["sex"]}, cell_of=np.array([[0, 0], [3, 1]]))
    recoded = found.apply(rows((1, "f", "flu"), (3, "m", None)))
    assert recoded.table["age"].dtype == pl.Int64
    assert recoded.table["age"].to_list() == [1, 3]
    masked = found.apply(rows((1, "f", "flu"), (1, "m", "flu")))
    assert masked.table["age"].to_list() == ["1", "*"]


@pytest.mark.parametrize("names", [("*", "^x$"), ("", "a.b"), ("q0", "class")])
def test_awkward_names(names: tuple[str, str]) -> None:
    plain = recoding()
    renamed = recoding(
        columns=names,
        hierarchies=dict(zip(names, plain.hierarchies.values(), strict=True)),
        cells=dict(zip(names, plain.cells.values(), strict=True)),
    )
    table = rows((1, "f", "flu"), (2, "f", "flu"))
    table = pl.DataFrame({names[0]: table["age"], names[1]: table["sex"], "illness": table["illness"]})
    assert renamed.apply(table, draws=Chosen()).table.rows() == [LOW, LOW]
    assert renamed.apply(table).table.columns == list(names)


def test_mapping() -> None:
    assert recoding().mapping().rows() == [
        ("age", "1", "[1, 2]"),
        ("age", "2", "[1, 2]"),
        ("age", "2", "[2, 3]"),
        ("age", "3", "[2, 3]"),
        ("sex", "f", "f"),
        ("sex", "f", "{f, m}"),
        ("sex", "m", "{f, m}"),
    ]


# -- files ---------------------------------------------------------------------------------------------------------


def test_save_and_load(tmp_path: Path) -> None:
    recoding(outliers="remove").save_with_values(tmp_path / "recoding.json")
    again = Recoding.load(tmp_path / "recoding.json")
    assert isinstance(again, PartitionRecoding)
    assert again.to_dict() == recoding(outliers="remove").to_dict()
    table = rows((2, "f", "flu"), (2, "f", "flu"), (2, "f", "flu"), (1, "m", "flu"))
    assert published(table, again, draws=Chosen()) == [LOW, LOW, HIGH]


@given(case=cases(n_sensitive=1, numeric=True, weighted=False), cuts=st.sampled_from(["strict", "relaxed"]))
@settings(max_examples=40)
def test_a_recoding_from_plain_data_publishes_the_same(case: Case, cuts: Any) -> None:
    k, columns = min(2, case.frame.height), case.frame.columns
    found = Mondrian(cuts=cuts).run(case.encoded, [KAnonymity(k=k)], columns=columns).recoding
    again = Recoding.from_dict(json.loads(json.dumps(found.to_dict())))
    draws = KeyedDraws.fresh()
    assert_frame_equal(found.apply(case.frame, draws=draws).table, again.apply(case.frame, draws=draws).table)
    sizes = np.bincount(found.quotas.classes, weights=found.quotas.records)
    cells = [tuple(c.labels[n] for c, n in zip(found.cells.values(), row, strict=True)) for row in found.cell_of]
    expected: Counter[tuple[Any, ...]] = Counter()
    for cell, size in zip(cells, sizes.astype(int).tolist(), strict=True):
        expected[cell] += size
    assert Counter(found.apply(case.frame).table.select(case.schema.quasi).cast(pl.String).rows()) == expected


def test_a_recoding_without_sensitive_columns_can_be_loaded() -> None:
    quotas = recoding().quotas
    alone = Quotas(quotas.codes[[0, 3]], np.empty((2, 0), np.int64), {}, np.array([0, 1]), np.array([1, 1]))
    again = Recoding.from_dict(json.loads(json.dumps(recoding(quotas=alone, columns=("age", "sex")).to_dict())))
    assert again.apply(rows((1, "f", None), (3, "m", None))).table.rows() == [LOW, HIGH]


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("profiles", "classes"), [0, 0, 1, 2], "the number of a class that is not there"),
        (("profiles", "classes"), [0, 0, 1], "reshape"),
        (("profiles", "codes"), [[0, 0], [1, 0], [1, 0], [9, 1]], "the number of a value of 'age' that is not there"),
        (("profiles", "records"), [1, 2, 3], "reshape"),
        (("cell_of",), [[0, 0], [2, 1]], "the number of a cell of 'age' that is not there"),
        (("cells",), {"age": {"labels": [], "covered": []}}, "no field 'sex'"),
        (("kind",), "circles", "no field 'circles'"),
    ],
)
def test_broken_files(place: tuple[str, ...], value: Any, message: str) -> None:
    data = recoding().to_dict()
    *way, last = place
    inside = data
    for step in way:
        inside = inside[step]
    inside[last] = value
    with pytest.raises(FileError, match=message):
        Recoding.from_dict(data)
