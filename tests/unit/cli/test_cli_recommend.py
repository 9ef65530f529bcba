"""``nymity recommend``: what it prints and writes, and that what it writes can be published."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import Result

Run = Callable[..., Result]
QUICK = ("--classifier", "decision-tree", "--seconds", "300", "--trials", "4", "--no-page")


@pytest.fixture
def table(folder: Path) -> Path:
    """The shared people, and enough of them to learn from."""
    rng = np.random.default_rng(3)
    age = 10 * rng.integers(2, 8, 120)
    ill = np.where(rng.random(120) < np.where(age > 40, 0.9, 0.1), "flu", "none")
    sex = np.array(["female", "male"])[rng.integers(0, 2, 120)]
    people = pl.DataFrame({"name": [f"P {i}" for i in range(120)], "age": age, "sex": sex, "illness": ill})
    people.write_csv(folder / "people.csv")
    people.write_csv(folder / "people2.csv", separator=";")
    return folder


def test_choices_are_printed_and_can_be_published(table: Path, nymity: Run) -> None:
    done = nymity("recommend", "people.csv", "--target", "illness", "--job", "job.toml", "--out", "found", *QUICK)
    assert done.exit_code == 0, done.output
    printed = " ".join(done.stdout.split())
    for words in ("Accuracy for illness (2 classes)", "kept apart", "not for release", "choice-01.toml"):
        assert words in printed
    lines = [line for line in done.stdout.splitlines() if not line.startswith("Wrote ")]
    assert max(map(len, lines)) <= 80
    files = sorted(path.name for path in (table / "found").iterdir())
    assert "recommendation.json" in files
    for name in files[:-1]:
        again = nymity("publish", f"found/{name}", "--out", f"released/{name}", "--no-report", "--quiet")
        assert again.exit_code == 0, again.output
        assert nymity("check", f"released/{name}/release.csv", "--job", f"found/{name}").exit_code == 0
        assert "distinct-l-diversity" in (table / "found" / name).read_text(encoding="utf-8")  # the job's other promise


def test_without_a_job(table: Path, nymity: Run) -> None:
    options = ("--quasi", "age,sex", "--delimiter", ";", "--k", "3, 6", "--json")
    done = nymity("recommend", "people2.csv", "--target", "illness", *options, *QUICK)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["roles"] == {"name": "identifying", "age": "quasi", "sex": "quasi", "illness": "sensitive"}
    assert found["folder"] == "recommendation"
    assert any("roles were suggested" in note for note in found["notes"])
    assert {trial["privacy"][0].split("-")[0] for trial in found["trials"]} <= {"3", "6"}
    job = (table / "recommendation" / found["choices"][0]["job"]).read_text(encoding="utf-8")
    assert 'path = "../people2.csv"\ndelimiter = ";"' in job
    again = nymity("recommend", "people2.csv", "--target", "illness", *options, *QUICK)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert nymity("recommend", "people2.csv", "--target", "illness", "--force", *options, *QUICK).exit_code == 0


def test_the_page_is_written(table: Path, nymity: Run) -> None:
    done = nymity(
        *("recommend", "people.csv", "--job", "job.toml", "--target", "illness", "--trials", "1"),
        *("--classifier", "decision-tree", "--quiet"),
    )
    assert (done.exit_code, done.stdout) == (0, "")
    assert "recommendation for the data custodian" in (table / "recommendation/recommendation.html").read_text("utf-8")


def test_ctrl_c_keeps_what_was_found(table: Path, nymity: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from nymity.recommending.trial import TrialRunner

    made, tried = TrialRunner.release, 0

    def stop_at_second(*arguments: object) -> object:
        nonlocal tried
        tried += 1
        if tried == 2:
            raise KeyboardInterrupt
        return made(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TrialRunner, "release", stop_at_second)
    done = nymity("recommend", "people.csv", "--target", "illness", "--job", "job.toml", *QUICK)
    assert done.exit_code == 0, done.output
    assert "interrupted; what was found is kept" in done.stdout
    assert (table / "recommendation/choice-01.toml").is_file()


def test_without_a_target(table: Path, nymity: Run) -> None:
    done = nymity("recommend", "people.csv", "--job", "job.toml", "--k", "3,30", "--trials", "6", "--no-page")
    assert done.exit_code == 0, done.output
    printed = " ".join(done.stdout.split())
    assert "Answered, of count queries, on 512 queries drawn apart: 100%" in printed
    assert "distance: mean total variation distance" in printed


def test_the_knee_is_next_and_marked(table: Path, nymity: Run) -> None:
    done = nymity("recommend", "people.csv", "--target", "illness", "--job", "job.toml", "--json", *QUICK)
    knee = json.loads(done.stdout)["knee"]
    shown = nymity("recommend", "people.csv", "--target", "illness", "--job", "job.toml", "--force", *QUICK).stdout
    assert f"Next: nymity publish recommendation/choice-{knee:02d}.toml --out release" in shown
    assert f"* Begin with choice {knee}" in " ".join(shown.split())


def test_it_stops_with_a_sentence_where_nothing_can_be_learned(table: Path, nymity: Run) -> None:
    random = np.random.default_rng(1).integers(0, 20, 800)
    coins = {"age": list(range(20, 60)) * 20, "ill": np.where(random == 0, "yes", "no")}
    pl.DataFrame(coins).write_csv(table / "coins.csv")
    done = nymity("recommend", "coins.csv", "--target", "ill", "--quasi", "age", *QUICK)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "nothing that can be told from chance" in " ".join(done.stderr.split())
    assert not (table / "recommendation").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--job", "job.toml", "--target", "ilness"), 2, "did you mean 'illness'"),
        (("--job", "job.toml", "--target", "age"), 2, "a quasi-identifier"),
        (("--job", "job.toml", "--quasi", "age", "--target", "illness"), 2, "either --job or --quasi"),
        (("--quasi", "age", "--target", "illness", "--k", "two"), 2, "whole numbers"),
        (("--quasi", "age", "--target", "illness", "--k", "90"), 2, "at most 60"),
        (("--quasi", "", "--target", "illness"), 2, "at least one quasi-identifier"),
        (("--quasi", "age", "--target", "illness", "--risk", "least"), 2, "'highest', 'average'"),
    ],
)
def test_bad_input(table: Path, nymity: Run, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = nymity("recommend", "people.csv", *arguments)
    assert done.exit_code == code
    assert words in done.stderr
    assert not (table / "recommendation").exists()
