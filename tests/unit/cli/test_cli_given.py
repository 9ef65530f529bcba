"""A job, the folder of a release, or a table: every command takes them the same way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]
QUICK = ("--classifier", "decision-tree", "--trials", "1", "--no-page", "--force")


def answer(nymity: Run, *arguments: str) -> dict[str, Any]:
    done = nymity(*arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    found.pop("seconds", None)
    return found


@pytest.mark.parametrize(
    ("by_job", "by_table"),
    [
        (("risk", "job.toml"), ("risk", "people.csv", "--job", "job.toml")),
        (("measure", "job.toml"), ("measure", "people.csv", "--job", "job.toml")),
        (("explore", "job.toml"), ("explore", "people.csv", "--job", "job.toml")),
        (("compare", "job.toml", "release"), ("compare", "people.csv", "release")),
        (("query", "job.toml", "release", "--n", "50"), ("query", "people.csv", "release", "--n", "50")),
    ],
)
def test_a_job_stands_for_its_table(published: Path, nymity: Run, by_job: Any, by_table: Any) -> None:
    assert answer(nymity, *by_job) == answer(nymity, *by_table)


@pytest.mark.parametrize("command", ["risk", "measure"])
def test_a_release_stands_for_its_table_and_its_roles(published: Path, nymity: Run, command: str) -> None:
    by_folder = answer(nymity, command, "release")
    assert by_folder == answer(nymity, command, "release/release.csv")  # its certificate lies beside it
    assert by_folder == answer(nymity, command, "release/release.csv", "--job", "job.toml")


def test_a_table_is_published_by_the_roles_of_a_job(folder: Path, nymity: Run, people: pl.DataFrame) -> None:
    people.head(40).write_csv(folder / "others.csv", separator=";")
    arguments = ("publish", "others.csv", "--job", "job.toml", "--delimiter", ";", "--out", "others", "--no-report")
    assert answer(nymity, *arguments)["records"]["in"] == 40


def test_a_table_is_published_by_names_of_quasi_identifiers(folder: Path, nymity: Run) -> None:
    """Five look alike; what else looks identifying is left out; a setting changes k."""
    call = ("publish", "people.csv", "--quasi", "age,sex", "--no-report")
    done = nymity(*call, "--out", "five")
    assert done.exit_code == 0, done.output
    assert "roles were suggested" in " ".join(done.output.split())
    table = pl.read_csv(folder / "five/release.csv", infer_schema=False)
    assert "name" not in table.columns
    assert table.group_by("age", "sex").len()["len"].min() >= 5  # type: ignore[operator]
    found = answer(nymity, *call, "--out", "ten", "--set", "privacy[0].k=10")
    assert found["guarantees"][0]["promised"] == {"k": 10}


def test_settings_are_recommended_for_a_job(folder: Path, nymity: Run, people: pl.DataFrame) -> None:
    pl.concat([people] * 3).write_csv(folder / "people.csv")
    assert answer(nymity, "recommend", "job.toml", *QUICK)["roles"]["name"] == "identifying"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("publish", "people.csv", "--out", "new"), "either --job or --quasi with a table, got neither"),
        (("explore", "people.csv"), "either --job or --quasi with a table, got neither"),
        (("publish", "people.csv", "--job", "job.toml", "--quasi", "age", "--out", "new"), "either --job or --quasi"),
        (("publish", "job.toml", "--quasi", "age", "--out", "new"), "only a job, which names the roles"),
        (("explore", "job.toml", "--job", "job.toml"), "only a job, which names the roles"),
        (("risk", "job.toml", "--quasi", "age"), "only a job, which names the roles"),
        (("risk", "release", "--quasi", "age"), "only a release, which names the roles"),
        (("publish", "release", "--out", "new"), "which is a release"),
        (("explore", "release"), "which is a release"),
        (("recommend", "release"), "which is a release"),
        (("compare", "release", "release"), "which is a release"),
        (("compare", "release", "people.csv"), "and then the release"),
        (("query", "release", "release"), "which is a release"),
        (("publish", "people.csv", "--quasi", "agee", "--out", "new"), "did you mean 'age'"),
    ],
)
def test_what_has_no_meaning_says_what_has(published: Path, nymity: Run, arguments: Any, words: str) -> None:
    done = nymity(*arguments)
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.stderr.split())
    assert not (published / "new").exists()


def test_a_query_of_several_sensitive_columns_says_how_to_name_one(folder: Path, nymity: Run) -> None:
    job = (
        (folder / "job.toml")
        .read_text(encoding="utf-8")
        .replace('name = { role = "identifying" }', 'name = { role = "sensitive" }')
    )
    (folder / "job.toml").write_text(job, encoding="utf-8")
    assert nymity("publish", "job.toml", "--out", "release", "--no-report").exit_code == 0
    done = nymity("query", "people.csv", "release")
    assert done.exit_code == 2
    assert "--attribute name" in done.stderr
    assert nymity("query", "people.csv", "release", "--attribute", "illness", "--n", "20").exit_code == 0
