"""Columns that a job declares constant: records of one person that contradict each other are counted and named."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import SchemaError, TableError

VISITS = pl.DataFrame(
    {"who": ["Ann", "Ann ", "Ben", "Ben", "Cleo"], "sex": ["f", "f", "m", None, "f"], "ward": ["1", "2", "1", "1", "2"]}
)


def published(table: pl.DataFrame, **roles: Any) -> Any:
    schema = ny.Schema({"who": ny.person(), "sex": ny.quasi(constant=True), "ward": ny.quasi(), **roles})
    return ny.publish(table, schema, privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice(suppression=0.5))


def test_gaps_contradict_nothing() -> None:
    assert published(VISITS).certificate["measured"]["holds"]


def test_contradictions_are_counted_and_named() -> None:
    table = VISITS.with_columns(pl.Series("sex", ["f", "m", "m", "f", "f"]))
    with pytest.raises(TableError, match=r"column 'sex'.*several for 2 people: 'Ann', 'Ben'"):
        published(table)
    with pytest.raises(TableError, match=r"column 'ward'.*several for 1 person: 'Ann'"):
        published(VISITS, ward=ny.insensitive(constant=True))
    with pytest.raises(TableError, match=r"column 'ward'.*several for 1 person: 'Ann'"):
        published(VISITS, ward=ny.sensitive(constant=True))


@pytest.mark.parametrize("nobody", [None, "", "  "])
def test_records_of_nobody_contradict_nothing(nobody: str | None) -> None:
    table = pl.DataFrame({"who": ["a", "a", "b", nobody, nobody], "sex": ["f", "f", "m", "f", "m"], "ward": ["1"] * 5})
    release = published(table, who=ny.person(missing="drop"))
    assert (release.certificate["unit"]["persons"], release.certificate["output"]["records"]) == (2, 3)


def test_it_needs_persons() -> None:
    with pytest.raises(SchemaError, match="person column"):
        ny.Schema({"sex": ny.quasi(constant=True)})


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_it_is_true_or_false(value: Any) -> None:
    with pytest.raises(SchemaError, match="true or false"):
        ny.quasi(constant=value)
