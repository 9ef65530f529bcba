"""Runs: processes of their own that are stopped, killed, found again and never lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import nymity as ny
from nymity.core.errors import FileError, ParameterError
from nymity.workbench.home import Home
from nymity.workbench.opening import open_demo
from nymity.workbench.processes import begun_at, is_alive
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState, write_json


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return open_demo(Home(tmp_path_factory.mktemp("home")), rows=400)


def waited(run: BackgroundRun, until: Callable[[], bool] | None = None, seconds: float = 60) -> RunState:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until() if until is not None else run.state is not RunState.RUNNING:
            return run.state
        time.sleep(0.05)
    raise AssertionError(f"still {run.state} after {seconds} s: {run.log()} {run.errors}")


def start(project: Project, task: str, **settings: object) -> BackgroundRun:
    return project.runs.start(task, job=project.job_path, version=project.state.at, **settings)


def test_a_run_publishes_and_tells(project: Project) -> None:
    run = start(project, "publish")
    assert run.state is RunState.RUNNING
    assert waited(run) is RunState.DONE, run.errors
    release = ny.open(Path(run.result["answer"]["files"]["certificate"]).parent)
    assert release.table.height > 0
    stages = [line["stage"] for line in run.log()]
    assert "writing and verifying" in stages
    assert run.progress["seconds"] > 0
    assert project.audit.entries()[-1].details == {"run": run.number, "task": "publish", "version": 1}


def test_a_run_that_cannot_be_says_why(project: Project) -> None:
    def edit(data: dict) -> None:
        data["source"]["path"] = "/nowhere.csv"

    project.change_job("lost", edit)
    run = start(project, "publish")
    project.undo()
    assert waited(run) is RunState.FAILED
    assert run.result["error"]["where"] == "/nowhere.csv"
    assert run.result["error"]["expected"]


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[BackgroundRun]:
    """Begin a run of a task that reports until it is stopped."""
    folder = tmp_path / "0001"
    folder.mkdir()
    (folder / "spec.json").write_text(json.dumps({"task": "waits", "settings": {}}))
    code = (
        "import sys, time, pathlib, nymity.workbench.tasks as tasks\n"
        "from nymity.core.progress import Progress, report\n"
        "def waits(folder, settings, observe):\n"
        "    for done in range(10_000):\n"
        "        report(observe, Progress(stage='waiting', done=done))\n"
        "        time.sleep(0.02)\n"
        "tasks.task_named = lambda name: waits\n"
        "from nymity.workbench.worker import main\n"
        "sys.exit(main(pathlib.Path(sys.argv[1])))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(folder)], start_new_session=True)
    write_json(folder / "process.json", {"pid": child.pid, "begun": begun_at(child.pid)})
    run = BackgroundRun(folder)
    try:
        waited(run, lambda: bool(run.log()))
        yield run
    finally:
        child.kill()
        child.wait()


def test_a_run_is_stopped_by_a_file(waiting: BackgroundRun) -> None:
    run = waiting
    assert BackgroundRun(run.folder).state is RunState.RUNNING  # whoever looks next finds it again
    with pytest.raises(FileError, match="one under way"):
        run.remove()
    run.stop()
    assert waited(run, seconds=10) is RunState.STOPPED
    run.remove()
    assert not run.folder.exists()


def test_a_run_that_was_killed_is_lost_and_says_so(waiting: BackgroundRun) -> None:
    run = waiting
    run.kill()
    assert waited(run, seconds=10) is RunState.LOST
    assert run.result is None
    run.kill()  # nobody is left to be killed


def test_a_process_that_has_the_number_of_another_is_not_it() -> None:
    assert is_alive(os.getpid(), begun_at(os.getpid()))
    assert not is_alive(os.getpid(), "1")
    assert not is_alive(os.getpid(), None)
    child = subprocess.Popen([sys.executable, "-c", ""])
    begun = begun_at(child.pid)
    while begun_at(child.pid) is not None:  # it has ended; nobody has asked how
        time.sleep(0.01)
    assert not is_alive(child.pid, begun)
    child.wait()


def test_the_ten_thousandth_run_is_the_newest(project: Project) -> None:
    for number in (9, 9999, 10_000):
        folder = project.runs.folder / f"{number:04d}"
        folder.mkdir()
        write_json(folder / "spec.json", {"task": "publish", "version": 1, "settings": {}})
    assert [run.number for run in project.runs.all()][:3] == [10_000, 9999, 9]
    for number in (9, 9999, 10_000):
        shutil.rmtree(project.runs.folder / f"{number:04d}")


def test_numbers_of_runs_lead_nowhere_else(project: Project) -> None:
    with pytest.raises(ParameterError, match="task"):
        start(project, "../../evil")
    with pytest.raises(FileError, match="none of number 999"):
        project.runs.get(999)
    count = len(project.runs.all())
    (project.folder / "runs" / "0000x").mkdir()
    assert len(project.runs.all()) == count
