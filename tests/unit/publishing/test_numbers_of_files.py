"""Numbers with fractions that a file of text holds are the numbers of the release: 20.0 beside 20.5 is 20."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny

FRAME = pl.DataFrame(
    {
        "x": [20.0, 20.0, 20.0, 20.5, 20.5, 20.5, 31.0, 31.0, 32.0, 33.0],
        "income": [10.0, 10.0, 10.0, 10.5, 10.5, 11.0, 12.0, 12.5, 12.0, 9.0],
    }
)
ROLES = {"x": "quasi", "income": "sensitive"}
METHODS = [ny.OptimalLattice(suppression=0.4), ny.GroupMeans(), ny.Mondrian(), ny.CellSuppression()]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.key)
def test_an_opened_release_is_compared_and_attacked_as_the_one_in_memory(method: Any, tmp_path: Path) -> None:
    frame = FRAME if method.key == "group-means" else FRAME.filter(pl.col("x") < 30)
    release = ny.publish(frame, ROLES, k=3, method=method, out=tmp_path / "release")
    assert "20.0" in (tmp_path / "release/release.csv").read_text(encoding="utf-8")
    opened = ny.open(tmp_path / "release")
    assert ny.check(opened).holds
    assert ny.compare(frame, opened).to_dict() == ny.compare(frame, release).to_dict()
    for attack in ("homogeneity", "skewness", "linkage"):
        told = [ny.risk.attack(one, original=frame, attacks=[attack]).to_dict() for one in (opened, release)]
        assert told[0] == told[1]


def test_text_that_looks_like_numbers_stays_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": ["1.0", "1.0", "1.5", "1.5"], "c": ["1.10", "1.1", "2.0", "2.0"]})
    release = ny.publish(frame, {"x": ny.quasi("flat"), "c": "insensitive"}, k=2, out=tmp_path / "release")
    opened = ny.open(tmp_path / "release")
    assert opened.released.frame.dtypes == [pl.String, pl.String]
    assert ny.compare(frame, opened).to_dict() == ny.compare(frame, release).to_dict()
