"""Running studies: resumed after a real interruption, recomputed after a change, failing by name, in two processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import toy_study
from toy_study import TOY

from nymity.core.errors import FileError, Interrupted, ParameterError, StepError
from nymity.core.progress import Progress
from nymity_lab.study.runner import StudyRun, run_study
from nymity_lab.study.study import Results, Step, Study


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in which each step notes that it was computed."""
    monkeypatch.setenv("TOY_LOG", str(tmp_path / "log.txt"))
    return tmp_path / "log.txt"


def computed(log: Path) -> list[int]:
    numbers = sorted(map(int, log.read_text(encoding="utf-8").split())) if log.exists() else []
    log.unlink(missing_ok=True)
    return numbers


def lasting(out: Path) -> dict[str, Any]:
    """What study.json says, but for how long it took."""
    found: dict[str, Any] = json.loads((out / "study.json").read_text(encoding="utf-8"))
    return {name: value for name, value in found.items() if name != "seconds"}


def run(out: Path, study: Study = TOY, jobs: int = 1) -> StudyRun:
    return run_study(study, "smoke", out=out, jobs=jobs)


def test_two_workers_find_what_one_finds(tmp_path: Path) -> None:
    further = [
        Step(id="cubes", run=toy_study.cubes, parameters={"numbers": [1, 2]}),
        Step(id="threads", run=toy_study.threads),
    ]
    study = replace(TOY, steps=lambda scale: [*TOY.steps(scale), *further])
    one, two = run(tmp_path / "one", study), run(tmp_path / "two", study, jobs=2)
    assert one.exhibits == two.exhibits
    assert lasting(tmp_path / "one") == lasting(tmp_path / "two")
    assert (one.steps, one.computed) == (6, 6)
    written = {path.stem: json.loads(path.read_text("utf-8")) for path in (tmp_path / "two" / "steps").iterdir()}
    assert written["square.n=3"]["rows"] == [{"number": 3, "square": 9, "root": 3**0.5}]
    assert written["square.n=3"]["parameters"] == {"number": 3}
    assert written["cubes"]["rows"] == [{"number": 1, "cube": 1}, {"number": 2, "cube": 8}]
    assert written["threads"]["rows"] == [{"numba": 1, "polars": 1}]
    machine = written["threads"]["machine"]
    assert machine["cores"] == os.cpu_count()
    assert machine["versions"].keys() >= {"python", "nymity", "numpy", "numba", "polars"}


def test_finished_steps_are_not_repeated(tmp_path: Path, log: Path) -> None:
    first = run(tmp_path)
    assert computed(log) == [0, 1, 2, 3]
    (tmp_path / "steps" / "square.n=2.json").unlink()
    (tmp_path / "steps" / "square.n=1.json").write_text("{", encoding="utf-8")  # not ours, or damaged
    again = run(tmp_path)
    assert computed(log) == [1, 2]
    assert again.computed == 2
    assert again.exhibits == first.exhibits


def test_what_there_is_can_be_put_together(tmp_path: Path, log: Path) -> None:
    run(tmp_path)
    computed(log)
    (tmp_path / "steps" / "square.n=3.json").unlink()
    known: list[Results] = []
    watched = replace(TOY, exhibits=lambda results: known.append(results) or TOY.exhibits(results))
    some = run_study(watched, "smoke", out=tmp_path, jobs=1, partial=True)
    assert known[0].missing == ("square.n=3",)
    assert computed(log) == []
    assert (some.steps, some.planned) == (3, 4)
    assert some.exhibits[0].findings[0].ours == "up to 4"
    assert "only 3 of 4 steps" in (tmp_path / "study.html").read_text(encoding="utf-8")
    whole = run(tmp_path)
    assert (whole.steps, whole.planned, computed(log)) == (4, 4, [3])


def test_one_worker_keeps_the_order_of_steps(tmp_path: Path, log: Path) -> None:
    """So that a run that is stopped has the first parts of everything."""
    study = replace(TOY, steps=lambda scale: [replace(step, seconds=n) for n, step in enumerate(TOY.steps(scale))])
    run(tmp_path, study)
    assert log.read_text(encoding="utf-8").split() == ["0", "1", "2", "3"]


def test_a_result_of_other_parameters_or_another_version_is_computed_again(tmp_path: Path, log: Path) -> None:
    run(tmp_path)
    computed(log)

    def changed(scale: str) -> list[Step]:
        return [
            replace(step, parameters={"number": 7}) if step.id == "square.n=3" else step for step in TOY.steps(scale)
        ]

    other = run(tmp_path, replace(TOY, steps=changed))
    assert computed(log) == [7]
    assert other.exhibits[0].panels[0].values[-1].ours == 49
    run(tmp_path, replace(TOY, version="2"))
    assert computed(log) == [0, 1, 2, 3]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_an_interrupted_run_goes_on_where_it_was(
    sent: signal.Signals, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, steps = tmp_path / "out", tmp_path / "out" / "steps"
    environment = os.environ | {"TOY_SECONDS": "0.4"}
    process = subprocess.Popen(
        [sys.executable, toy_study.__file__, str(out)], env=environment, stderr=subprocess.PIPE, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while len(list(steps.glob("*.json"))) < 2:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, sent) if sent == signal.SIGINT else process.kill()
    process.communicate(timeout=60)
    assert process.returncode != 0
    finished = {path.stem for path in steps.glob("*.json")}
    assert 1 <= len(finished) < 4  # a file that was just being put in place is taken back
    assert not (out / "study.json").exists()
    computed(log)
    resumed = run(out)
    assert {f"square.n={n}" for n in computed(log)} == {f"square.n={n}" for n in range(4)} - finished
    assert resumed.computed == 4 - len(finished)
    monkeypatch.delenv("TOY_LOG")
    run(tmp_path / "whole")
    assert lasting(out) == lasting(tmp_path / "whole")


def test_a_failing_step_is_named_and_the_others_are_kept(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_FAILS", "2")
    with pytest.raises(StepError, match=r"1 of 4 steps failed: square\.n=2: ValueError: no square of 2 today\. Try: "):
        run(tmp_path, jobs=2)
    trace = (tmp_path / "steps" / "square.n=2.error.txt").read_text(encoding="utf-8")
    assert "Traceback" in trace
    assert "toy_study.py" in trace
    assert not (tmp_path / "study.json").exists()
    assert computed(log) == [0, 1, 2, 3]
    monkeypatch.delenv("TOY_FAILS")
    run(tmp_path)
    assert computed(log) == [2]
    assert not list((tmp_path / "steps").glob("*.error.txt"))


def test_a_step_whose_process_dies_is_named(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_DIES", "1")
    with pytest.raises(StepError, match=r"1 of 4 steps failed: square\.n=1: its process ended with exit code 7"):
        run(tmp_path)
    assert len(list((tmp_path / "steps").glob("*.json"))) == 3


def test_a_function_that_other_processes_do_not_find_is_an_error_of_the_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_here() -> list[dict[str, int]]:
        return []

    only_here.__module__, only_here.__qualname__ = "__main__", "only_here"  # as if typed into a console
    monkeypatch.setattr(sys.modules["__main__"], "only_here", only_here, raising=False)
    study = replace(TOY, steps=lambda scale: [Step(id="typed", run=only_here), *TOY.steps(scale)])
    with pytest.raises(StepError, match=r"1 of 5 steps failed: typed: AttributeError: .*only_here"):
        run(tmp_path, study)


def test_rows_that_json_cannot_hold_are_an_error_of_the_step(tmp_path: Path) -> None:
    study = replace(TOY, steps=lambda _: [Step(id="infinite", run=toy_study.infinite)])
    with pytest.raises(StepError, match="infinite: ValueError"):
        run(tmp_path, study)


def test_progress_is_reported_with_the_time_left_and_may_stop_the_run(tmp_path: Path) -> None:
    seen: list[Progress] = []

    def stop_after_two(progress: Progress) -> bool | None:
        seen.append(progress)
        return False if progress.done == 2 else None

    with pytest.raises(Interrupted, match="computing steps after 2 steps"):
        run_study(TOY, "smoke", out=tmp_path, jobs=1, observe=stop_after_two)
    assert [progress.total for progress in seen] == [4] * len(seen)
    assert seen[0].seconds_left == 4  # what the steps say themselves
    assert seen[-1].seconds_left is not None
    assert len(list((tmp_path / "steps").glob("*.json"))) == 2


def test_what_cannot_be_run_is_refused_before_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NYMITY_DATA", raising=False)
    with pytest.raises(FileError, match=r"adult\.csv in the folder adult_arx.*NYMITY_DATA"):
        run_study(TOY, "quick", out=tmp_path)
    with pytest.raises(ParameterError, match=r"study toy: scale: .*did you mean 'smoke'"):
        run_study(TOY, "smok", out=tmp_path)
    with pytest.raises(ParameterError, match="study: jobs"):
        run_study(TOY, "smoke", out=tmp_path, jobs=0)
    twice = replace(TOY, steps=lambda _: [Step(id="threads", run=toy_study.threads)] * 2)
    with pytest.raises(ParameterError, match="'threads' twice"):
        run(tmp_path, twice)
    with pytest.raises(ParameterError, match=r"step\.id"):
        Step(id="../up", run=toy_study.threads)
    assert not list(tmp_path.iterdir())


def test_rows_by_prefix() -> None:
    results = Results(scale="smoke", by_step={"a.x": [{"v": 1}], "ab": [{"v": 2}], "a": [{"v": 3}]})
    assert results.rows("a") == [{"v": 1}, {"v": 3}]
