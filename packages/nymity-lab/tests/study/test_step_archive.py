"""Steps kept beside outcomes: a run elsewhere goes on from them, and takes nothing that was made otherwise."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import toy_study
from test_study_runner import computed, lasting
from toy_study import TOY

from nymity.core.errors import FileError
from nymity_lab.study.runner import run_study
from nymity_lab.study.step_archive import keep_steps, read_steps
from nymity_lab.study.study import Results, Step


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in which each step notes that it was computed."""
    monkeypatch.setenv("TOY_LOG", str(tmp_path / "log.txt"))
    return tmp_path / "log.txt"


def later(results: Results) -> list[Step]:
    largest = max(row["number"] for row in results.rows("square"))
    return [Step(id="more.after", run=toy_study.square, parameters={"number": largest + 10})]


def test_a_run_elsewhere_goes_on_from_kept_steps(tmp_path: Path, log: Path) -> None:
    study = replace(TOY, later=later)
    first = run_study(study, "smoke", out=tmp_path / "here", jobs=1)
    assert computed(log) == [0, 1, 2, 3, 13]
    for gone in ("square.n=1", "more.after"):
        (tmp_path / "here" / "steps" / f"{gone}.json").unlink()
    assert keep_steps(tmp_path / "here", tmp_path / "records", study) == (study, 3)
    there = run_study(study, "smoke", out=tmp_path / "there", jobs=1, kept=tmp_path / "records")
    assert computed(log) == [1, 13]
    assert there.exhibits == first.exhibits
    assert lasting(tmp_path / "there") == lasting(tmp_path / "here")
    keep_steps(tmp_path / "there", tmp_path / "records", study)
    run_study(study, "smoke", out=tmp_path / "third", jobs=1, kept=tmp_path / "records")
    assert computed(log) == []


def test_a_part_that_is_kept_later_leaves_later_steps_of_a_whole_run(tmp_path: Path) -> None:
    study = replace(TOY, later=later)
    run_study(study, "smoke", out=tmp_path / "whole", jobs=1)
    assert keep_steps(tmp_path / "whole", tmp_path / "records", study)[1] == 5
    for gone in ("square.n=1", "more.after"):
        (tmp_path / "whole" / "steps" / f"{gone}.json").unlink()
    assert keep_steps(tmp_path / "whole", tmp_path / "records", study)[1] == 5
    newer = replace(study, version="2")
    run_study(newer, "smoke", out=tmp_path / "newer", jobs=1)
    assert keep_steps(tmp_path / "newer", tmp_path / "records", newer)[1] == 5


def test_what_was_made_otherwise_is_computed_again(tmp_path: Path, log: Path) -> None:
    run_study(TOY, "smoke", out=tmp_path / "here", jobs=1)
    keep_steps(tmp_path / "here", tmp_path / "records", TOY)
    computed(log)
    run_study(replace(TOY, version="2"), "smoke", out=tmp_path / "newer", jobs=1, kept=tmp_path / "records")
    assert computed(log) == [0, 1, 2, 3]
    (tmp_path / "own").mkdir()
    run_study(TOY, "smoke", out=tmp_path / "own", jobs=1, partial=True, kept=tmp_path / "records")
    assert computed(log) == []


def test_the_runs_own_result_is_not_replaced(tmp_path: Path) -> None:
    run_study(TOY, "smoke", out=tmp_path / "here", jobs=1)
    keep_steps(tmp_path / "here", tmp_path / "records", TOY)
    own = tmp_path / "here" / "steps" / "square.n=2.json"
    found = json.loads(own.read_text(encoding="utf-8"))
    own.write_text(json.dumps(found | {"seconds": 77.0}), encoding="utf-8")
    run_study(TOY, "smoke", out=tmp_path / "here", jobs=1, kept=tmp_path / "records")
    assert json.loads(own.read_text(encoding="utf-8"))["seconds"] == 77.0


def test_parts_of_two_machines_add_up_and_what_is_outdated_goes(tmp_path: Path) -> None:
    run_study(TOY, "smoke", out=tmp_path / "run", jobs=1)
    steps = tmp_path / "run" / "steps"
    parts = {name: (steps / f"{name}.json").read_text("utf-8") for name in ("square.n=0", "square.n=3")}
    for number, (name, text) in enumerate(parts.items()):
        part = tmp_path / f"part{number}" / "steps"
        part.mkdir(parents=True)
        (part / f"{name}.json").write_text(text, encoding="utf-8")
        (part / "square.n=1.json").write_text("{", encoding="utf-8")  # a damaged one is none
        _, kept = keep_steps(part.parent, tmp_path / "records", TOY)
        assert kept == number + 1
    assert [row["step"] for row in read_steps(tmp_path / "records", TOY)] == list(parts)
    newer = replace(TOY, version="2")
    run_study(newer, "smoke", out=tmp_path / "newer", jobs=1)
    assert keep_steps(tmp_path / "newer", tmp_path / "records", newer)[1] == 4


def test_what_is_no_run_or_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no result of a step"):
        keep_steps(tmp_path, tmp_path / "records", TOY)
    (tmp_path / "records" / "steps").mkdir(parents=True)
    (tmp_path / "records" / "steps" / "toy.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(FileError, match="steps that nymity study keep wrote"):
        run_study(TOY, "smoke", out=tmp_path / "run", jobs=1, kept=tmp_path / "records")
