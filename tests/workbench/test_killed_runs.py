"""Runs that are killed while they write a release: what is whole is found, and what is not is not claimed."""

from __future__ import annotations

import dataclasses
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import nymity as ny
from nymity.workbench.home import Home
from nymity.workbench.opening import open_demo
from nymity.workbench.processes import begun_at
from nymity.workbench.project import Project
from nymity.workbench.runs import FORETOLD_NAME, PROCESS_NAME, BackgroundRun, RunState, launch_now, write_json
from nymity.workbench.trials import TriedRelease

#: The worker, killed when it calls something for the n-th time: before that is done.
WORKER = """
import os, signal, sys
from importlib import import_module
from pathlib import Path
from nymity.core.journal import Move
where, name, left, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
owner = Move if where == "Move" else import_module(where)
real = getattr(owner, name)
def counted(*given, **named):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **named)
setattr(owner, name, counted)
from nymity.workbench.worker import main
sys.exit(main(folder))
"""

#: Before the account is written, before there is a journal, ...: nothing is published then.
TOO_EARLY = {
    "the account": ("nymity.workbench.tasks.publish", "write_json", 1),
    "the journal": ("nymity.core.commit", "write_journal", 1),
    "the journal is in its place": ("nymity.core.commit", "write_journal", 2),
}
#: From the journal on the release is whole, or will be.
WHOLE = {
    "the first move": ("Move", "make", 1),
    "the second move": ("Move", "make", 2),
    "the last move": ("Move", "make", 6),
    "the journal is removed": ("nymity.core.commit", "end_journal", 1),
    "the findings": ("nymity.cli.release_pages", "keep", 1),
    "the report": ("nymity.cli.release_pages", "keep", 2),
    "the result": ("nymity.workbench.worker", "write_json", 2),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return open_demo(Home(tmp_path_factory.mktemp("home")), rows=300)


def killed(project: Project, at: tuple[str, str, int], **settings: Any) -> BackgroundRun:
    """Begin a run, and wait until it was killed."""

    def launch(folder: Path, secret: str | None) -> None:
        command = [sys.executable, "-c", WORKER, *map(str, at), str(folder)]
        child = subprocess.Popen(command, start_new_session=True)
        write_json(folder / PROCESS_NAME, {"pid": child.pid, "begun": begun_at(child.pid)})
        assert child.wait(120) == -signal.SIGKILL

    runs = dataclasses.replace(project.runs, launch=launch)
    run = runs.start("publish", job=project.job_path, version=project.state.at, **settings)
    assert run.state is RunState.LOST
    return run


def ended(run: BackgroundRun) -> RunState:
    until = time.monotonic() + 120
    while run.state is RunState.RUNNING and time.monotonic() < until:
        time.sleep(0.05)
    return run.state


def finished(project: Project, run: BackgroundRun) -> RunState:
    project.runs.finish_lost()
    return ended(run)


@pytest.mark.parametrize("at", WHOLE)
def test_a_release_that_is_whole_is_found_though_its_run_was_killed(project: Project, tmp_path: Path, at: str) -> None:
    run = killed(project, WHOLE[at], out=str(tmp_path / "release"))
    assert finished(project, run) is RunState.DONE, run.errors
    found = TriedRelease(run)
    assert found.is_done
    assert found.folder == tmp_path / "release"
    assert ny.check(tmp_path / "release").holds
    account = found.account
    assert account["holds"]
    assert account["records"]["out"] == ny.open(tmp_path / "release").table.height
    report = account["files"]["report"]
    assert (report is not None) == (at == "the result")
    assert report is None or Path(report).is_file()
    assert not (run.folder / FORETOLD_NAME).exists()


@pytest.mark.parametrize("at", TOO_EARLY)
def test_nothing_is_claimed_of_a_run_that_was_killed_before(project: Project, tmp_path: Path, at: str) -> None:
    run = killed(project, TOO_EARLY[at], out=str(tmp_path / "release"))
    assert finished(project, run) is RunState.LOST
    assert not (tmp_path / "release" / "certificate.json").exists()
    assert not TriedRelease(run).is_done


@pytest.mark.parametrize("at", ["the first move", "the result"])
def test_a_run_that_is_begun_again_does_not_stumble_over_its_own_release(
    project: Project, tmp_path: Path, at: str
) -> None:
    """As a house does with what went away with its machine."""
    run = killed(project, WHOLE[at], out=str(tmp_path / "release"))
    written = (tmp_path / "release" / "certificate.json").exists()
    launch_now(run.folder)
    assert ended(run) is RunState.DONE, (run.result, run.errors)
    assert ny.check(tmp_path / "release").holds
    assert written == (at == "the result")


def test_a_run_that_is_begun_again_publishes_what_it_had_not(project: Project, tmp_path: Path) -> None:
    run = killed(project, TOO_EARLY["the journal"], out=str(tmp_path / "release"))
    launch_now(run.folder)
    assert ended(run) is RunState.DONE, (run.result, run.errors)
    assert ny.check(tmp_path / "release").holds


def test_a_trial_is_found_as_well(project: Project) -> None:
    run = killed(project, WHOLE["the second move"])
    assert finished(project, run) is RunState.DONE, run.errors
    assert ny.open(TriedRelease(run).folder).holds


def test_a_table_of_a_database_is_there_once(project: Project, tmp_path: Path) -> None:
    """Killed between the commit there and the files: the table is committed, and its certificate follows."""
    there = {"url": f"sqlite:///{tmp_path / 'held.sqlite'}", "table": "released"}
    run = killed(project, WHOLE["the first move"], out=str(tmp_path / "release"), database=there)
    assert finished(project, run) is RunState.DONE, run.errors
    with closing(sqlite3.connect(tmp_path / "held.sqlite")) as held:
        (rows,) = held.execute("SELECT count(*) FROM released").fetchone()
    assert rows == TriedRelease(run).account["records"]["out"]


def test_another_release_in_its_place_is_not_its_own(project: Project, tmp_path: Path) -> None:
    run = killed(project, WHOLE["the result"], out=str(tmp_path / "release"))
    ny.publish(ny.datasets.hospital(200).select("age", "sex"), ["age", "sex"], k=2).save(
        tmp_path / "release", force=True
    )
    assert finished(project, run) is RunState.LOST


def test_an_open_page_hears_of_a_process_that_is_gone(project: Project, tmp_path: Path) -> None:
    """The stamp that pages look at changes when the newest run is lost."""
    seen: list[object] = []

    def launch(folder: Path, secret: str | None) -> None:
        child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        write_json(folder / PROCESS_NAME, {"pid": child.pid, "begun": begun_at(child.pid)})
        seen.append(project.runs.stamp)
        child.kill()
        child.wait()

    dataclasses.replace(project.runs, launch=launch).start("publish", job=project.job_path, version=1)
    assert project.runs.stamp != seen[0]
