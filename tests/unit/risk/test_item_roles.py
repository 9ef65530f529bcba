"""Columns of sets are told by their separators and by items that occur again and again; other columns are not."""

from __future__ import annotations

import random

import polars as pl
import pytest

import nymity as ny
from nymity.risk.column_facts import separator_of

DRAW = random.Random(8)
CODES = [f"E{number}" for number in range(10, 30)]
SETS = [DRAW.sample(CODES, DRAW.randint(1, 4)) for _ in range(80)]
FIRST, LAST = ["Ann", "Bob", "Cleo", "Dan", "Eve"], ["Ash", "Birch", "Cedar", "Elm", "Fir"]


@pytest.mark.parametrize("separator", [";", "|", ",", "; "])
def test_sets_are_recognised(separator: str) -> None:
    cells = pl.Series([separator.join(one) for one in SETS]).unique()
    assert separator_of(cells) == separator.strip()


@pytest.mark.parametrize(
    "cells",
    [
        [f"{last}, {first}" for first in FIRST for last in LAST],  # always two pieces
        [f"{number},{number % 10}" for number in range(60)],  # decimals
        [f"visit {number}; room {number + 7}; bed {number * 3}{'; late' * (number % 2)}" for number in range(60)],
        [f"E{number}" for number in range(60)],
        ["a;b", "a", "b"],  # too few to tell
    ],
)
def test_other_text_is_not(cells: list[str]) -> None:
    assert separator_of(pl.Series(cells)) is None


def test_a_table_has_one_column_of_sets() -> None:
    table = pl.DataFrame(
        {
            "age": list(range(80)),
            "ills": [";".join(one) for one in SETS],
            "bought": SETS,
        }
    )
    found = ny.inspect(table)
    assert [column.role.value for column in found.columns if column.name != "age"] == ["items", "identifying"]
    assert "one column can be published" in found["bought"].reason
    assert found.schema()["ills"].separator == ";"
    lists = ny.inspect(table.drop("ills"))
    assert lists["bought"].role.value == "items"


SURNAMES = "Ostvik Brunsell Tarquay Melbo Hollund Friskerud Undstad Wergedal Askim Rudi Kvam Sletten".split()
FREQUENT = "Weber Koch Becker Wagner Schulz Hoffmann Neumann Zimmermann Hartmann Krause".split()


@pytest.mark.parametrize("separator", [None, "; ", "|", ", "])
@pytest.mark.parametrize(
    "items",
    [
        SURNAMES,
        FREQUENT,
        [f"{one.lower()}@clinic.example" for one in SURNAMES],
        [f"P{7100 + 13 * i}" for i in range(40)],
    ],
    ids=["surnames", "frequent names", "e-mail", "staff numbers"],
)
def test_sets_of_people_are_left_out(items: list[str], separator: str | None) -> None:
    """A cell may list who took part; several names in a cell are names."""
    draw = random.Random(9)
    sets = [draw.sample(items, draw.randint(1, 3)) for _ in range(300)]
    cells = sets if separator is None else [separator.join(one) for one in sets]
    found = ny.inspect(pl.DataFrame({"age": [draw.randrange(90) for _ in sets], "x7": cells}))["x7"]
    assert not found.role.is_published, found.reason


@pytest.mark.parametrize("items", [CODES, [f"item {i}" for i in range(40)], ["milk", "bread", "tea", "rice"] * 4])
def test_sets_of_other_things_stay_sets(items: list[str]) -> None:
    draw = random.Random(10)
    sets = [sorted(set(draw.sample(items, draw.randint(1, 3)))) for _ in range(300)]
    found = ny.inspect(pl.DataFrame({"age": [draw.randrange(90) for _ in sets], "x7": sets}))["x7"]
    assert (found.role.value, found.is_question) == ("items", False), found.reason
