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
