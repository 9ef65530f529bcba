"""``nymity compare`` measures columns that transforms changed, where rows are linked to records."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app

RNG = np.random.default_rng(6)
FRAME = pl.DataFrame({"age": RNG.integers(20, 60, 80), "income": RNG.integers(1_000, 9_000, 80)})
ROLES = {"age": "quasi", "income": "insensitive"}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    FRAME.write_csv(tmp_path / "people.csv")
    grouped = ny.Microaggregation(columns=["income"], k=4)
    ny.publish(FRAME, ROLES, k=3, transforms=[grouped], out=tmp_path / "release")
    return tmp_path


def compared(folder: Path, *more: str) -> str:
    done = CliRunner().invoke(app, ["compare", str(folder / "people.csv"), str(folder / "release"), *more])
    assert done.exit_code == 0, done.output
    return done.output


def test_changed_columns_are_measured_with_the_link_to_records(published: Path) -> None:
    found = ny.risk.changed_columns(FRAME, ny.open(published / "release"))
    told = json.loads(compared(published, "--json"))["changed_columns"]
    assert told["linked"] == found.linked
    assert told["columns"][0]["dominance"] == found["income"].dominance
    shown = compared(published)
    assert "changed column" in shown
    assert "finds its row" in shown.replace("\n", " ")


def test_without_the_link_that_is_said(published: Path) -> None:
    shutil.rmtree(published / "release-custodian")
    assert "are not measured" in compared(published).replace("\n", " ")
    assert "changed_columns" not in json.loads(compared(published, "--json"))


def test_nothing_is_said_where_nothing_was_changed(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "people.csv")
    ny.publish(FRAME, ROLES, k=3, out=tmp_path / "release")
    assert "hanged" not in compared(tmp_path)
