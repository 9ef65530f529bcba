"""nymity study: what there is, a run and its summary, and what is refused."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import Result

from nymity.core.progress import Progress
from nymity_lab.study import GROUP, studies

Run = Callable[..., Result]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the study of squares."""
    toy = EntryPoint("toy", "toy_study:STUDY", GROUP)
    with_toy = {**studies(), "toy": toy}
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parents[1] / "study"), *sys.path])
    monkeypatch.setattr("nymity_lab.study.studies", lambda: with_toy)


def test_list_names_scales_time_and_data(folder: Path, nymity: Run) -> None:
    done = nymity("study", "list")
    assert done.exit_code == 0, done.output
    for words in ("local-recoding", "smoke", "quick", "full", "minutes", "acs, fars, diabetes130", "generated data"):
        assert words in " ".join(done.stdout.split())
    listed = json.loads(nymity("study", "list", "--json").stdout)
    assert listed["local-recoding"]["scales"]["quick"]["needs"] == ["acs", "fars", "diabetes130"]


@pytest.mark.usefixtures("toy")
def test_run_leaves_results_and_shows_the_findings(folder: Path, nymity: Run) -> None:
    done = nymity("study", "run", "toy", "--scale", "smoke", "--jobs", "1")
    assert done.exit_code == 0, done.output
    for words in (
        "4 steps, 4 computed now",
        "Table 1",
        "Squares grow.",
        "holds",
        "up to 9",
        "studies/toy-smoke/study.html",
    ):
        assert words in " ".join(done.stdout.split())
    left = {path.name for path in (folder / "studies" / "toy-smoke").iterdir()}
    assert left == {"steps", "study.json", "study.html"}
    again = json.loads(nymity("study", "run", "toy", "--scale", "smoke", "--json").stdout)
    written = json.loads((folder / "studies" / "toy-smoke" / "study.json").read_text(encoding="utf-8"))
    assert again == written | {"folder": "studies/toy-smoke"}


@pytest.mark.usefixtures("toy")
def test_kept_steps_are_taken_up_elsewhere(folder: Path, nymity: Run) -> None:
    assert nymity("study", "run", "toy", "--scale", "smoke", "--jobs", "1").exit_code == 0
    kept = json.loads(nymity("study", "keep-steps", "studies/toy-smoke", "--records", "records", "--json").stdout)
    assert kept == {"study": "toy", "steps": 4}
    again = nymity("study", "run", "toy", "--scale", "smoke", "--jobs", "1", "--out", "there", "--kept", "records")
    assert "4 steps, 0 computed now" in " ".join(again.stdout.split())
    whole = nymity("study", "keep", "there", "--commit", "0" * 40, "--records", "records")
    assert "toy: 1 exhibit and 4 steps kept in records" in " ".join(whole.stdout.split())


@pytest.mark.usefixtures("toy")
def test_what_is_refused(folder: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NYMITY_DATA", "elsewhere")
    unknown = nymity("study", "run", "local-recording")
    assert unknown.exit_code == 2
    assert "did you mean 'local-recoding'?" in unknown.stderr
    missing = nymity("study", "run", "local-recoding", "--data", str(folder))
    assert missing.exit_code == 2
    assert "census_acs_665800.parquet" in missing.stderr
    assert f"in the folder {folder / 'acs_census'}" in missing.stderr
    monkeypatch.setenv("TOY_FAILS", "1")
    failed = nymity("study", "run", "toy", "--scale", "smoke", "--out", "here", "--jobs", "1")
    assert failed.exit_code == 2
    assert "1 of 4 steps failed: square.n=1: ValueError: no square of 1 today" in failed.stderr
    assert ".error.txt files in here/steps" in failed.stderr


def test_help_has_examples(nymity: Run) -> None:
    for command in ("list", "run"):
        done = nymity("study", command, "--help")
        assert done.exit_code == 0
        assert f"nymity study {command}" in done.stdout


@pytest.mark.parametrize(("seconds", "words"), [(40, "40 s"), (600, "10 min"), (12_600, "3.5 h")])
def test_the_time_left_is_told(seconds: float, words: str) -> None:
    from nymity.core.progress import describe

    told = describe(Progress(stage="computing steps", done=3, total=12, seconds_left=seconds))
    assert told == f"computing steps: 3 of 12 done, about {words} left"
