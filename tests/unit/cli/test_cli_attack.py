"""nymity risk --attack, on what nymity publish wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

from nymity.cli.attack import attack_release
from nymity.cli.console import Screen
from nymity.core.errors import InputError
from nymity.publish.job import Job
from nymity.publish.release import read_release
from nymity.risk import attack

Run = Callable[..., Result]
ASK = ("risk", "release/release.csv", "--job", "job.toml", "--attack", "--original", "people.csv")


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
    table = read_release(published / "release/release.csv", job.output)
    found = attack(
        table,
        job.schema,
        original=people,
        recoding=published / "release-custodian/recoding.json",
        privacy=job.privacy,
        method=job.method,
        control=pl.read_csv(published / "others.csv"),
        earlier=table,
        targets=50,
        seed=3,
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(found.to_dict()))
    assert found["intersection"].rate <= 1 / 4


def test_an_exceeded_promise_ends_with_1(published: Path, nymity: Run) -> None:
    job = (published / "job.toml").read_text(encoding="utf-8")
    (published / "strict.toml").write_text(job.replace("k = 4", "k = 50"), encoding="utf-8")
    done = nymity("risk", "release/release.csv", "--job", "strict.toml", "--attack", "--original", "people.csv")
    assert done.exit_code == 1
    assert "linkage exceeds what was promised" in done.stderr


def test_it_needs_the_job_and_the_right_original(published: Path, people: pl.DataFrame, nymity: Run) -> None:
    with pytest.raises(InputError, match="the job it was released by"):
        attack_release(Screen(), Path("release/release.csv"), None, {})
    done = nymity("risk", "people.csv", "--quasi", "age", "--original", "people.csv")
    assert done.exit_code == 2
    assert "--attack" in done.stderr
    people.with_columns(age=pl.lit(20)).write_csv(published / "people.csv")
    done = nymity(*ASK)
    assert done.exit_code == 2
    assert "released rows that no source row can explain" in done.stderr or "unknown value" in done.stderr
