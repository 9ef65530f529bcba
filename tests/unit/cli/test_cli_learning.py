"""``nymity compare --target``, and a job with a target."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
LEARN = ("compare", "people.csv", "release/release.csv", "--job", "job.toml", "--target", "illness")
TREE = ("--classifier", "decision-tree", "--folds", "3")


def test_it_shows_both_tables_by_the_links_of_the_log(published: Path, nymity: Run) -> None:
    done = nymity(*LEARN, *TREE, "--classifier", "nearest-neighbours")
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "Learning illness (4 classes) from 2 columns, tested on 3 folds of 60 original records." in text
    for words in ("classifier", "original", "release", "relative", "lost", "decision-tree", "nearest-neighbours"):
        assert words in text


def test_it_answers_in_json(published: Path, nymity: Run) -> None:
    (answer,) = {nymity(*LEARN, *TREE, "--json", *links).stdout for links in ((), LINKS)}
    found = json.loads(answer)["learning"]
    assert found["protocol"] == "cross-validation"
    assert [result["classifier"] for result in found["results"]] == ["decision-tree"]
    assert "learning" not in json.loads(nymity(*LEARN[:-2], "--json").stdout)


LINKS = ("--links", "release-custodian/mapping.parquet")


def test_a_holdout_in_place_of_links(published: Path, nymity: Run) -> None:
    (published / "release-custodian/mapping.parquet").unlink()
    done = nymity(*LEARN, *TREE)
    assert done.exit_code == 2
    assert "nobody is tested by what was learned from them" in done.output
    done = nymity(*LEARN, *TREE, "--test", "people.csv", "--json")
    assert json.loads(done.stdout)["learning"]["protocol"] == "holdout"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [(("--target", "sick"), "target"), (("--classifier", "decision-tre"), "did you mean 'decision-tree'")],
)
def test_what_is_wrong_is_said(published: Path, nymity: Run, wrong: tuple[str, str], told: str) -> None:
    done = nymity(*LEARN, *wrong)
    assert done.exit_code == 2
    assert told in done.output


def test_a_job_with_a_target_has_a_section_in_the_report(
    folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nymity.utility.learning.DEFAULT", ("decision-tree",))
    done = nymity("publish", "job.toml", "--out", "release", "--set", "target=illness")
    assert done.exit_code == 0, done.output
    assert 'id="learning"' in (folder / "release-custodian/report.html").read_text(encoding="utf-8")
    assert "target" not in (folder / "release/certificate.json").read_text(encoding="utf-8")
    done = nymity("publish", "job.toml", "--out", "release", "--set", "target=name")
    assert done.exit_code == 2
    assert "a column that is published" in done.output
