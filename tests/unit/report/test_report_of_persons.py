"""The custodian's report of a release whose promises count persons; so do the commands on its table."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import nymity as ny
from cli_fixtures import Run
from nymity.report import render_report

JOB = """
[source]
path = "visits.csv"
[schema.patient]
role = "person"
[schema.age]
role = "quasi"
[[privacy]]
model = "k-anonymity"
k = 2
"""


def test_risks_are_those_of_persons() -> None:
    """Ann has nine of ten visits of a class: one over its size says 10% where a guess is right nine times in ten."""
    table = pl.DataFrame({"patient": ["Ann"] * 9 + ["Bob"], "age": [30] * 10})
    release = ny.publish(table, {"patient": ny.person(), "age": ny.quasi()}, privacy=ny.KAnonymity(k=2))
    page = render_report(release, table)
    assert ">90%" in page
    assert "Smallest class, in persons" in page
    assert ">10%" not in page
    assert "Every class was large enough already" not in page


@pytest.mark.parametrize("command", ["measure", "risk"])
def test_commands_say_that_they_count_records(command: str, tmp_path: Path, nymity: Run) -> None:
    (tmp_path / "visits.csv").write_text("patient,age\n" + "Ann,30\n" * 9 + "Bob,30\n", encoding="utf-8")
    (tmp_path / "job.toml").write_text(JOB, encoding="utf-8")
    job = str(tmp_path / "job.toml")
    assert nymity("publish", job, "--out", str(tmp_path / "out"), "--no-report").exit_code == 0
    released = str(next((tmp_path / "out").rglob("release.csv")))
    told = nymity(command, released, "--job", job)
    assert "records are counted here, not persons" in " ".join((told.stdout + told.stderr).split())
    answer = json.loads(nymity(command, released, "--job", job, "--json").stdout)
    assert answer["counts"] == "records"
    raw = json.loads(nymity(command, str(tmp_path / "visits.csv"), "--job", job, "--json").stdout)
    assert raw["counts"] == "persons"
