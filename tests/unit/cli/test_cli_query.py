"""``nymity query`` on releases of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
ASK = ("query", "people.csv", "release/release.csv", "--job", "job.toml", "--n", "200")


def test_it_shows_the_errors(published: Path, nymity: Run) -> None:
    done = nymity(*ASK, "--dimensions", "1", "--seed", "5")
    assert done.exit_code == 0, done.output
    for words in ("200 queries on 60 records: 1 quasi-identifiers", "seed 5", "mean relative error", "normalized"):
        assert words in " ".join(done.stdout.split())


def test_it_answers_in_json_and_the_same_again(published: Path, nymity: Run) -> None:
    found = [json.loads(nymity(*ASK, "--json", "--seed", seed).stdout) for seed in ("1", "1", "2")]
    assert found[0] == found[1]
    assert found[0]["mean"] != found[2]["mean"]
    assert (found[0]["n"], found[0]["records"], found[0]["selectivity"]) == (200, 60, 0.01)


def test_local_recoding_with_and_without_the_recoding(folder: Path, nymity: Run) -> None:
    job = (folder / "job.toml").read_text(encoding="utf-8")
    (folder / "job.toml").write_text(job[: job.index("[method]")] + '[method]\nname = "mondrian"\n', encoding="utf-8")
    assert nymity("publish", "job.toml", "--out", "release", "--no-report").exit_code == 0
    by_text = nymity(*ASK, "--json")
    by_recoding = nymity(*ASK, "--json", "--recoding", "release-custodian/recoding.json")
    assert by_text.exit_code == by_recoding.exit_code == 0, by_text.output
    assert json.loads(by_text.stdout) == json.loads(by_recoding.stdout)


def test_buckets_find_their_second_table(folder: Path, nymity: Run) -> None:
    job = (folder / "job.toml").read_text(encoding="utf-8")
    model = '[[privacy]]\nmodel = "frequency-l-diversity"\nl = 3\nattribute = "illness"\n\n'
    method = '[method]\nname = "buckets"\n'
    (folder / "job.toml").write_text(job[: job.index("[[privacy]]")] + model + method, encoding="utf-8")
    done = nymity("publish", "job.toml", "--out", "release", "--no-report")
    assert done.exit_code == 0, done.output
    beside = nymity(*ASK, "--json")
    assert beside.exit_code == 0, beside.output
    named = nymity(*ASK, "--json", "--sensitive", "release/release-sensitive.csv")
    assert json.loads(named.stdout) == json.loads(beside.stdout)
    assert 0 < json.loads(beside.stdout)["mean"] < 2


@pytest.mark.parametrize("wrong", [("--dimensions", "3"), ("--selectivity", "2"), ("--attribute", "age")])
def test_what_is_wrong_is_said(published: Path, nymity: Run, wrong: tuple[str, str]) -> None:
    done = nymity(*ASK, *wrong)
    assert done.exit_code == 2
    assert wrong[0].removeprefix("--").replace("attribute", "sensitive") in done.output
