"""What a job says of its source's cells: applied, counted for the custodian, and told to others without figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.publishing.jobs.job import Job
from nymity.report import render_report

ROWS = 400


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Ages of which two are codes, one of them in a record that no class takes."""
    ages = ["-9", *["34", "35"] * (ROWS // 2 - 1), "NA"]
    lines = [f"{age};{i % 2};1.0{i % 10}0,50;0{1 + i % 9}.02.2020" for i, age in enumerate(ages)]
    (tmp_path / "t.csv").write_text("age;ill;cost;day\n" + "\n".join(lines) + "\n")
    return tmp_path / "t.csv"


STATED: dict[str, Any] = {
    "delimiter": ";",
    "encoding": "utf-8",
    "header": True,
    "missing": ["NA", -9],
    "decimal": ",",
    "thousands": ".",
    "dates_in": {"day": "%d.%m.%Y"},
}


def source_table(source: Path) -> pl.DataFrame:
    return ny.read_table(source, job(source).source.options)


def job(source: Path) -> Job:
    return Job.from_dict(
        {
            "source": {"path": str(source), **STATED},
            "schema": {
                "age": {"role": "quasi", "hierarchy": {"type": "intervals", "width": 10}},
                "ill": {"role": "sensitive"},
                "cost": {"role": "insensitive"},
                "day": {"role": "insensitive"},
            },
            "privacy": [{"model": "k-anonymity", "k": 5}],
            "method": {"name": "optimal-lattice", "suppression": 0.01},
        }
    )


def test_the_release_has_values(source: Path) -> None:
    frame = ny.publish(job(source)).frame
    assert frame["cost"].dtype == pl.Float64
    assert frame["day"].dtype == pl.Date
    assert set(frame["age"]) == {34, 35}


def test_a_hierarchy_may_write_numbers_as_the_file_does(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("dose,x\n" + "1.50,a\n2.00,b\n" * 5)
    rows = [["1.50", "low", "*"], ["2.00", "low", "*"], ["2.5", "high", "*"]]
    schema = ny.Schema({"dose": ny.quasi(ny.Hierarchy.from_rows(rows)), "x": ny.insensitive()})
    release = ny.publish(tmp_path / "t.csv", schema, privacy=ny.KAnonymity(k=6))
    assert set(release.frame["dose"]) == {"low"}


def test_counts_are_the_custodians_and_rules_are_public(source: Path, tmp_path: Path) -> None:
    release = ny.publish(job(source), out=tmp_path / "r")
    opened = ny.open(tmp_path / "r")
    assert opened.log is not None
    assert json.loads((opened.log.folder / "log.json").read_text())["taken_as_missing"] == {"age": {"NA": 1, "-9": 1}}
    public = json.loads((tmp_path / "r" / "certificate.json").read_text())
    assert public["job"]["reading"] == {
        "missing": ["NA", "-9"],
        "decimal": ",",
        "thousands": ".",
        "dates_in": {"day": "%d.%m.%Y"},
    }
    assert "taken" not in json.dumps(public)
    assert ny.check(tmp_path / "r", job=release.job).holds
    page = render_report(tmp_path / "r", source_table(source))
    assert "Taken as missing in the source: &#39;age&#39; 1 × &#39;NA&#39;, 1 × &#39;-9&#39;" in page


def test_gaps_of_suppressed_records_are_told_by_no_public_file(source: Path, tmp_path: Path) -> None:
    """Nobody with an age of 34 lacks it: the gaps are those of records that are not published."""
    release = ny.publish(job(source), out=tmp_path / "r")
    assert release.frame["age"].null_count() == 0
    without = source.read_text().replace("-9;", "61;").replace("NA;", "62;")
    source.write_text(without)
    again = ny.publish(job(source), out=tmp_path / "s")
    assert again.frame.equals(release.frame)
    one, other = (
        json.loads((tmp_path / place / "certificate.json").read_text())
        for place in "rs"
    )  # fmt: skip
    for drawn in ("input", "columns", "loss"):  # salted hashes; how many levels ages have
        one.pop(drawn)
        other.pop(drawn)
    assert one == other


def test_a_private_job_counts_nothing(source: Path, tmp_path: Path) -> None:
    rows = [["34", "30s", "*"], ["35", "30s", "*"], ["", "", "*"]]
    schema = ny.Schema(
        {"age": ny.quasi(ny.Hierarchy.from_rows(rows)), **dict.fromkeys(("ill", "cost", "day"), ny.identifying())}
    )
    stated = {**STATED, "missing": ("NA", -9)}
    release = ny.publish(
        ny.Source(path=str(source), **stated),
        schema,
        privacy=ny.DifferentialPrivacy(epsilon=2, delta=1e-3, public_records=ROWS),
        method=ny.SafePub(),
        out=tmp_path / "r",
    )
    assert release.log.taken_as_missing == {}
    assert "taken" not in "".join(path.read_text() for path in (tmp_path / "r").glob("*.json"))
    kept = [path.read_text() for path in tmp_path.rglob("log.json")]
    assert all("taken_as_missing" not in text for text in kept)
