"""What the command line and the report say about a search that stopped before the proof."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.wording import percent
from nymity.report.search import _proof
from nymity.report.subject import Subject

JOB = """
source = "stays.csv"
[schema]
age = { role = "quasi", hierarchy = { type = "intervals", width = 5, levels = 4 } }
sex = { role = "quasi" }
postcode = { role = "quasi", hierarchy = { type = "masking" } }
occupation = { role = "quasi" }
[[privacy]]
model = "k-anonymity"
k = 5
[method]
name = "anytime-lattice"
suppression = 0.05
checks = %d
loss = "%s"
"""


def published(folder: Path, checks: int, loss: str = "loss") -> tuple[str, dict[str, object]]:
    stays = ny.datasets.hospital(rows=500).select("age", "sex", "postcode", "occupation")
    stays.write_csv(folder / "stays.csv")
    (folder / "job.toml").write_text(JOB % (checks, loss), encoding="utf-8")
    done = CliRunner().invoke(app, ["publish", str(folder / "job.toml"), "--out", str(folder / "out")])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split()), json.loads((folder / "out" / "certificate.json").read_text())["loss"]


def test_the_gap_is_told(tmp_path: Path) -> None:
    said, loss = published(tmp_path, 30)
    assert loss["proven_optimal"] is False
    assert 0 < loss["proven_bound"] < loss["value"]  # type: ignore[operator]
    gap = 1 - loss["proven_bound"] / loss["value"]  # type: ignore[operator]
    assert f"best found, another can lose {percent(gap)} less at most (30 of" in said


def test_a_bound_of_nothing_is_not_told(tmp_path: Path) -> None:
    said, loss = published(tmp_path, 1)
    assert loss["proven_bound"] == 0
    assert "best found (1 of" in said


def test_without_a_bound_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.quality.class_size.PreparedAverageClassSizeLoss.floor", lambda *_: None)
    said, loss = published(tmp_path, 10, "average-class-size")
    assert loss["proven_bound"] is None
    assert "best found (10 of" in said


def test_a_proof_is_told(tmp_path: Path) -> None:
    said, loss = published(tmp_path, 10_000)
    assert loss["proven_bound"] == loss["value"]
    assert "no choice of levels loses less" in said


def test_the_report_tells_the_same() -> None:
    frame, schema = ny.datasets.hospital(rows=500), ny.datasets.hospital_schema()
    method = ny.AnytimeLattice(suppression=0.05, checks=80)
    release = ny.publish(frame, schema, privacy=ny.KAnonymity(k=5), method=method)
    assert release.outcome.gap is not None
    told = f"is not ruled out, but it is proved that none loses more than {percent(release.outcome.gap)} less."
    proof = _proof(Subject.of(release, frame))
    assert proof.endswith(told)
    assert proof.startswith("80 of 3,600 nodes were checked; a better one")
