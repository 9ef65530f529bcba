"""Estimates about the population, by original and by published weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.publishing.comparing.estimates import MOST_VALUES, Estimate, estimates_of

SAMPLE = pl.DataFrame(
    {
        "age": [20, 21, 30, 31],
        "w": [1.0, 3.0, 2.0, 4.0],
        "income": ["10", "20", None, "40.0"],
        "ill": ["no", "yes", "no", None],
        "id": [[1], [2], [3], [4]],
    }
)


def schema(**weight: Any) -> ny.Schema:
    return ny.Schema(
        {
            "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2)),
            "w": ny.weight(**weight),
            "income": ny.insensitive(),
            "ill": ny.sensitive(),
            "id": ny.identifying(),
        }
    )


def told(found: tuple[Estimate, ...]) -> dict[tuple[str | None, ...], tuple[Any, Any]]:
    return {(one.figure, one.column, one.value): (one.original, one.published) for one in found}


def test_figures_by_hand() -> None:
    """Means of classes: (1 + 3) / 2 twice, (2 + 4) / 2 twice."""
    release = ny.publish(SAMPLE, schema(), privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice())
    assert release.frame["w"].to_list() == [2, 2, 3, 3]
    found = told(ny.compare(SAMPLE, release).estimates)
    assert found == {
        ("people", None, None): (10, 10),
        ("mean", "income", None): (pytest.approx(230 / 8), pytest.approx(180 / 7)),
        ("share", "ill", "missing"): (pytest.approx(0.4), pytest.approx(0.3)),
        ("share", "ill", "no"): (pytest.approx(0.3), pytest.approx(0.5)),
        ("share", "ill", "yes"): (pytest.approx(0.3), pytest.approx(0.2)),
    }


def test_dropped_weights_leave_records_and_no_people() -> None:
    release = ny.publish(SAMPLE, schema(publish="dropped"), privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice())
    found = told(ny.compare(SAMPLE, release).estimates)
    assert found["people", None, None] == (10, None)
    assert found["share", "ill", "no"] == (pytest.approx(0.3), 0.5)


def test_weights_as_they_are_change_nothing() -> None:
    release = ny.publish(SAMPLE, schema(publish="as it is"), privacy=[ny.KAnonymity(k=2)], method=ny.OptimalLattice())
    assert [one.change for one in ny.compare(SAMPLE, release).estimates] == [pytest.approx(0)] * 5


def test_shares_by_published_quasi_identifiers_stay() -> None:
    rng = np.random.default_rng(3)
    table = pl.DataFrame({"age": rng.integers(0, 40, 300), "w": rng.lognormal(3, 1, 300)})
    roles = ny.Schema({"age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2)), "w": ny.weight()})
    frame = ny.publish(table, roles, privacy=[ny.KAnonymity(k=30)], method=ny.OptimalLattice()).frame
    for low in (0, 10, 20, 30):
        inside = frame.filter(pl.col("age").cast(pl.String).str.starts_with(f"{low}-"))["w"].sum()
        assert inside == pytest.approx(table.filter(pl.col("age").is_between(low, low + 9))["w"].sum(), rel=1e-12)


def test_nothing_is_estimated_without_weights_or_of_many_values() -> None:
    without = ny.Schema({name: one for name, one in schema().items() if name != "w"})
    assert estimates_of(SAMPLE, SAMPLE, without) == ()
    many = pl.DataFrame({"w": [1.0] * 30, "ill": [f"v{i}" for i in range(30)]})
    assert len(many) > MOST_VALUES
    assert [one.figure for one in estimates_of(many, many, schema())] == ["people"]


def test_people_have_one_weight_each_however_often_they_came() -> None:
    """Ann stands for 10 people and came nine times, Bob for 20: 30 people, and 110 visits."""
    visits = pl.DataFrame({"who": ["Ann"] * 9 + ["Bob"], "age": [30] * 10, "w": [10.0] * 9 + [20.0], "ill": ["x"] * 10})
    roles = {"who": ny.person(), "age": ny.quasi(), "w": ny.weight(), "ill": ny.insensitive()}
    release = ny.publish(visits, roles, privacy=[ny.KAnonymity(k=2)])
    found = told(ny.compare(visits, release).estimates)
    assert found["people", None, None] == (30, None)  # rows do not show whose they are
    assert found["records", None, None] == (110, pytest.approx(110))
    known = ny.measure_risk(visits, ny.Schema(roles)).individual
    assert known is not None
    assert known.population == 30


def test_pseudonyms_tell_people_apart() -> None:
    visits = pl.DataFrame({"who": ["Ann", "Ann", "Bob", "Bob"], "age": [30] * 4, "w": [10.0, 10.0, 20.0, 20.0]})
    roles = {"who": ny.person(pseudonym="random"), "age": ny.quasi(), "w": ny.weight()}
    release = ny.publish(visits, roles, privacy=[ny.LinkedKAnonymity(k=2, knows="all")])
    assert told(ny.compare(visits, release).estimates)["people", None, None] == (30, 30)
