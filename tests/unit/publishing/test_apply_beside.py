"""Further rows of releases in which a column is made of more than a row: pseudonyms, moved dates, weights."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.publishing.running.apply import applied

START = dt.date(2024, 3, 1)


def visits(first: int = 0, n: int = 40) -> pl.DataFrame:
    people = range(first, first + n)
    return pl.DataFrame(
        {
            "patient": [f"P{i:03d}" for i in people],
            "age": [20 + i % 10 for i in people],
            "visit": [START + dt.timedelta(days=i) for i in people],
            "illness": ["flu", "cold"] * (n // 2),
        }
    )


def schema(**changes: Any) -> ny.Schema:
    attributes = {
        "patient": ny.person(),
        "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=2)),
        "visit": ny.insensitive(shift="per person", shift_days=30),
        "illness": ny.sensitive(),
    }
    return ny.Schema(attributes | changes)


@pytest.mark.parametrize("method", [None, ny.OptimalLattice(), ny.Mondrian()])
def test_true_dates_are_never_published(tmp_path: Path, method: Any) -> None:
    """The release moved them; whoever applies its recoding, from wherever, must not give them away."""
    release = ny.publish(visits(), schema(), privacy=ny.KAnonymity(k=3), method=method, out=tmp_path / "r")
    assert release.frame["visit"].dtype == pl.Date
    folder = tmp_path / "r-custodian"
    for recoding in (release.recoding, folder, folder / "recoding.json"):
        made = applied(recoding, visits(100))
        assert made.table.columns == ["age", "illness"]
        assert made.left_out == {"visit": "dates are moved by days that are drawn for one release"}
    (folder / "seen.json").unlink(missing_ok=True)
    assert ny.apply(folder / "recoding.json", visits(100)).columns == ["age", "illness"]


@pytest.mark.parametrize("kind", ["random", "keyed"])
def test_further_rows_are_not_linked(tmp_path: Path, kind: Any) -> None:
    """Pseudonyms show which rows go together, and the promise is about all rows of a person."""
    linked = schema(patient=ny.person(pseudonym=kind))
    release = ny.publish(visits(), linked, privacy=ny.LinkedKAnonymity(k=3, knows=1), out=tmp_path / "r")
    for recoding in (release.recoding, tmp_path / "r-custodian", tmp_path / "r-custodian" / "recoding.json"):
        with pytest.raises(ParameterError, match="rows are linked, where a further row of a person can break"):
            ny.apply(recoding, visits(100))
    said = (tmp_path / "r-custodian" / "recoding.json").read_text()
    assert "P00" not in said
    (tmp_path / "r-custodian" / "seen.json").unlink()
    with pytest.raises(ParameterError, match="rows are linked"):
        ny.apply(tmp_path / "r-custodian", visits(100))


def test_means_of_weights_are_those_of_a_release(tmp_path: Path) -> None:
    table = visits().with_columns(w=pl.Series([1.5 + i for i in range(40)]))
    weighted = ny.Schema({**schema(visit=ny.insensitive()), "w": ny.weight()})
    ny.publish(table, weighted, privacy=ny.KAnonymity(k=3), out=tmp_path / "r")
    made = applied(tmp_path / "r-custodian", table)
    assert "w" not in made.table.columns
    assert made.left_out == {"w": "it is the mean of classes of a release"}
