"""Freeform releases on the command line: a promise that only the original shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def freeform(folder: Path, nymity: Run) -> Path:
    job = (folder / "job.toml").read_text(encoding="utf-8")
    promise = '[[privacy]]\nmodel = "k-matching"\nk = 4\n\n[method]\nname = "freeform-sort-greedy"\n'
    (folder / "job.toml").write_text(job[: job.index("[[privacy]]")] + promise, encoding="utf-8")
    done = nymity("publish", "job.toml", "--out", "release")
    assert done.exit_code == 0, done.output
    assert "4-matching" in done.stdout
    assert "-anonymity" not in done.stdout.partition("guarantee")[2]  # a warning says that it does not hold
    return folder


def test_check_with_and_without_the_original(freeform: Path, nymity: Run) -> None:
    alone = nymity("check", "release/release.csv")
    assert alone.exit_code == 4
    said = " ".join(alone.stdout.split())
    assert "cannot be seen: 4-matching: it is about matching rows with the original" in said
    assert "Nothing is broken, but not every promise can be seen from what was given." in said
    arguments = ("check", "release/release.csv", "--job", "job.toml", "--certificate", "release/certificate.json")
    done = nymity(*arguments, "--original", "people.csv", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["holds"], found["unchecked"]) == (True, [])
    assert found["findings"][0]["measured"]["k"] >= 4
    assert "Everything holds, with 2 warnings." in nymity(*arguments, "--original", "people.csv").stdout


def test_a_narrowed_cell_is_caught(freeform: Path, nymity: Run) -> None:
    released = pl.read_csv(freeform / "release/release.csv", infer_schema=False)
    cell = next(age for age in released["age"] if "-" in age)
    low = cell.split("-")[0]
    released.with_columns(pl.col("age").replace({cell: low})).write_csv(freeform / "narrow.csv")
    done = nymity("check", "narrow.csv", "--job", "job.toml", "--original", "people.csv")
    assert done.exit_code == 1
    assert "A promise is broken." in done.stdout
    without_job = nymity("check", "release/release.csv", "--original", "people.csv")
    assert without_job.exit_code == 2
    assert "the job as well as the original" in " ".join(without_job.output.split())


def test_other_promises_are_refused(freeform: Path, nymity: Run) -> None:
    job = (freeform / "job.toml").read_text(encoding="utf-8")
    (freeform / "other.toml").write_text(job.replace("k-matching", "k-anonymity"), encoding="utf-8")
    done = nymity("publish", "other.toml", "--out", "other")
    assert done.exit_code == 2
    assert "promise 'k-matching'" in " ".join(done.output.split())
    assert not (freeform / "other").exists()
