"""Patients and visits on the command line: from two files to two files, and back to one answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]

JOB = """
source = "patients.csv"

[children]
path = "visits.csv"
key = "of"

[schema]
patient = { role = "person", pseudonym = "random" }
born = { role = "quasi", hierarchy = { type = "intervals", width = 10, levels = 2 } }
ward = { role = "quasi" }
days = { role = "insensitive" }

[[privacy]]
model = "linked-k-anonymity"
k = 3
knows = "all"

[method]
name = "optimal-lattice"
suppression = 0.2
"""


@pytest.fixture
def hospital(folder: Path) -> Path:
    """Thirty patients: ten without visits, ten with one, ten with two."""
    names = [f"Zebediah {i:02}" for i in range(30)]
    pl.DataFrame({"patient": names, "born": [1950 + i % 3 for i in range(30)]}).write_csv(folder / "patients.csv")
    of = [name for i, name in enumerate(names) for _ in range(i % 3)]
    visits = {"of": of, "ward": ["heart", "lung"] * (len(of) // 2), "days": list(range(len(of)))}
    pl.DataFrame(visits).write_csv(folder / "visits.csv")
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    return folder


def words(done: Result, code: int = 0) -> str:
    assert done.exit_code == code, done.output
    return " ".join(done.output.split())


def test_a_journey(hospital: Path, nymity: Run) -> None:
    done = words(nymity("publish", "job.toml", "--out", "out"))
    assert "children out/release-children.csv" in done
    parents, children = (pl.read_csv(hospital / "out" / f"release{name}.csv") for name in ("", "-children"))
    assert (parents.columns, children.columns) == (["patient", "born"], ["patient", "ward", "days"])
    assert parents.height == 30
    assert "Everything holds" in words(nymity("check", "out"))
    assert "Everything holds" in words(nymity("check", "out/release.csv", "--job", "job.toml"))
    about = " ".join((hospital / "out/about.html").read_text(encoding="utf-8").split())
    assert "<code>release-children.csv</code> the rows that belong to them (ward and days)" in about
    assert "rows with the same one are of one person; it joins the two tables" in about
    assert "Zebediah" not in about
    shown = str(children["patient"][0])
    assert "Zebediah" in words(nymity("identify", "out", "--pseudonym", shown, "--reason", "a test"))
    answer = json.loads(nymity("publish", "job.toml", "--out", "again", "--json").stdout)
    assert answer["files"]["children"] == "again/release-children.csv"
    assert "linked" in words(nymity("measure", "out/release.csv", "--job", "job.toml"))


def test_a_visit_that_changes_hands_is_seen(hospital: Path, nymity: Run) -> None:
    words(nymity("publish", "job.toml", "--out", "out"))
    path = hospital / "out/release-children.csv"
    children = pl.read_csv(path)
    one, other = children["patient"].unique().sort().to_list()[:2]
    children.with_columns(pl.col("patient").replace(one, other)).write_csv(path)
    assert "does not hold" in words(nymity("check", "out"), code=1)


@pytest.mark.parametrize(
    ("file", "row", "told"),
    [
        ("visits.csv", "Nobody,heart,1", "1 record without a parent: 'Nobody'"),
        ("visits.csv", ",heart,1", "children, column 'of': expected a key in every record, got 1 gap"),
        ("patients.csv", "Zebediah 07,1950", "several for 1 key: 'Zebediah 07'"),
    ],
)
def test_keys_that_do_not_fit(hospital: Path, nymity: Run, file: str, row: str, told: str) -> None:
    with (hospital / file).open("a", encoding="utf-8") as table:
        table.write(f"{row}\n")
    assert told in words(nymity("publish", "job.toml", "--out", "out"), code=2)
    assert not (hospital / "out").exists()


@pytest.mark.parametrize(
    "ask",
    [
        ("recommend", "patients.csv", "--job", "job.toml", "--target", "days"),
        ("compare", "patients.csv", "out"),
        ("query", "patients.csv", "out"),
        ("attack", "out", "--original", "patients.csv"),
        ("risk", "patients.csv", "--job", "job.toml"),
        ("measure", "patients.csv", "--job", "job.toml"),
    ],
    ids=lambda ask: ask[0],
)
def test_commands_for_one_table_refuse_two(hospital: Path, nymity: Run, ask: tuple[str, ...]) -> None:
    words(nymity("publish", "job.toml", "--out", "out", "--no-report"))
    assert "expected one table: of two tables of the same people this is not built" in words(nymity(*ask), code=2)


def test_a_source_is_not_written_over(hospital: Path, nymity: Run) -> None:
    (hospital / "visits.csv").rename(hospital / "release-children.csv")
    (hospital / "job.toml").write_text(JOB.replace("visits.csv", "release-children.csv"), encoding="utf-8")
    assert "does not replace its source" in words(nymity("publish", "job.toml", "--out", "."), code=2)


def test_the_job_stands_for_both_tables_in_an_attack(hospital: Path, nymity: Run) -> None:
    words(nymity("publish", "job.toml", "--out", "out", "--no-report"))
    answer = json.loads(nymity("attack", "out", "--original", "job.toml", "--json").stdout)
    assert answer["records"] > answer["persons"] > 0
    assert {one["counts"] for one in answer["attacks"]} == {"persons"}
