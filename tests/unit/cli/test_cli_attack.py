"""nymity attack, on what nymity publish wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
from typer.testing import Result

from nymity.publishing.jobs.job import Job
from nymity.publishing.releases.opened import open as open_release
from nymity.risk import attack

Run = Callable[..., Result]
ASK = ("attack", "release/release.csv", "--job", "job.toml", "--original", "people.csv")


def test_attacks_are_shown_beside_what_was_promised(published: Path, nymity: Run) -> None:
    done = nymity(*ASK)
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    for words in ("linkage", "homogeneity illness", "25%", "│", "Not run: membership", "seed 1"):
        assert words in shown
    assert nymity(*ASK, "--quiet").output == ""


def test_json_is_what_python_finds(published: Path, people: pl.DataFrame, nymity: Run) -> None:
    (published / "others.csv").write_text("age,sex,illness\n25,male,flu\n99,female,none\n", encoding="utf-8")
    more = ("--control", "others.csv", "--earlier", "release/release.csv", "--targets", "50", "--seed", "3")
    done = nymity(*ASK, *more, "--recoding", "release-custodian/recoding.json", "--json")
    assert done.exit_code == 0, done.output
    job = Job.load(published / "job.toml")
    found = attack(
        open_release(published / "release/release.csv", job=job),
        original=people,
        control=pl.read_csv(published / "others.csv"),
        earlier=open_release(published / "release", job=job),
        targets=50,
        seed=3,
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(found.to_dict()))
    assert found["intersection"].rate <= 1 / 4


def test_an_exceeded_promise_ends_with_1(published: Path, nymity: Run) -> None:
    job = (published / "job.toml").read_text(encoding="utf-8")
    (published / "strict.toml").write_text(job.replace("k = 4", "k = 50"), encoding="utf-8")
    done = nymity("attack", "release/release.csv", "--job", "strict.toml", "--original", "people.csv")
    assert done.exit_code == 1
    assert "linkage exceeds what was promised" in done.stderr


def test_it_needs_the_right_original(published: Path, people: pl.DataFrame, nymity: Run) -> None:
    bare = nymity("attack", "people.csv")
    assert bare.exit_code == 2
    assert "the schema the table was released by" in bare.stderr
    people.with_columns(age=pl.lit(20)).write_csv(published / "people.csv")
    done = nymity(*ASK)
    assert done.exit_code == 2
    assert "released rows that no source row can explain" in done.stderr or "unknown value" in done.stderr
