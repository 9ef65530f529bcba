"""Runs of a house: they take turns, keep to their memory, and outlive the server; passphrases pass and are not kept."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from houses import configured

import nymity as ny
from nymity.core.errors import InputError, Interrupted
from nymity.publishing.sealing.signing import SigningKey
from nymity.workbench.house import run_queue
from nymity.workbench.house.house import House
from nymity.workbench.house.run_queue import OWNER_NAME, RunQueue
from nymity.workbench.house.weighing import weigh
from nymity.workbench.opening import open_database, open_demo, open_job, open_table, read_again, uploaded
from nymity.workbench.passphrases import PIPE_NAME, STAGE, ask_page, asks, hand_over
from nymity.workbench.project import Project
from nymity.workbench.runs import RESULT_NAME, SPEC_NAME, WAITING_NAME, BackgroundRun, RunState, launch_now, write_json


def until(done: Callable[[], bool], seconds: float = 180.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


# -- turns -----------------------------------------------------------------------------------------------------


class Processes:
    """Processes that do nothing until they are let go: what begins a run, in place of the worker."""

    def __init__(self) -> None:
        self.began: list[tuple[Path, dict[str, Any]]] = []
        self.all: list[subprocess.Popen[bytes]] = []

    def launch(self, folder: Path, **limits: Any) -> None:
        from nymity.workbench.processes import begun_at
        from nymity.workbench.runs import PROCESS_NAME

        child = subprocess.Popen(["sleep", "60"], start_new_session=True)
        self.all.append(child)
        self.began.append((folder, limits))
        write_json(folder / PROCESS_NAME, {"pid": child.pid, "begun": begun_at(child.pid)})

    def finish(self, folder: Path) -> None:
        write_json(folder / RESULT_NAME, {"state": RunState.DONE, "answer": None})


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    made = Processes()
    monkeypatch.setattr("nymity.workbench.house.run_queue.launch_now", made.launch)
    yield made
    for child in made.all:
        child.kill()
        child.wait()


def queue_of(folder: Path, **limits: int) -> RunQueue:
    return RunQueue(folder, configured(folder / "house", limits=limits).limits)


def waiting(folder: Path, number: int, user: str = "ada") -> Path:
    run = folder / user / "p" / "runs" / f"{number:04d}"
    run.mkdir(parents=True)
    write_json(run / SPEC_NAME, {"task": "publish", "version": 1, "settings": {}})
    return run


def names(processes: Processes) -> list[str]:
    return [f"{folder.parents[2].name}{int(folder.name)}" for folder, _ in processes.began]


def test_runs_take_turns_by_user_and_by_house(tmp_path: Path, processes: Processes) -> None:
    queue = queue_of(tmp_path, runs_per_user=2, runs=3, memory_mb=700, threads=1)
    runs = {(user, i): waiting(tmp_path, i, user) for user in ("ada", "ben") for i in range(1, 5)}
    for user in ("ada", "ben"):
        for i in range(1, 5):
            queue.launch(runs[user, i], user)
    assert names(processes) == ["ada1", "ada2", "ben1"]
    assert processes.began[0][1] == {"memory": 700_000_000, "threads": 1}
    assert (queue.running, queue.waiting) == (3, 5)
    third = BackgroundRun(runs["ada", 3])
    assert (third.state, third.progress) == (RunState.RUNNING, {"stage": "waiting for its turn"})
    processes.finish(runs["ada", 1])
    queue.advance()
    assert names(processes)[3:] == ["ada3"]  # whoever waited longest and may
    processes.finish(runs["ben", 1])
    processes.finish(runs["ada", 2])
    queue.advance()
    assert names(processes)[4:] == ["ada4", "ben2"]
    assert not (runs["ben", 2] / WAITING_NAME).exists()


def test_a_run_that_is_stopped_before_its_turn_never_begins(tmp_path: Path, processes: Processes) -> None:
    queue = queue_of(tmp_path, runs=1)
    first, second, third = (waiting(tmp_path, i) for i in (1, 2, 3))
    for folder in (first, second, third):
        queue.launch(folder, "ada")
    BackgroundRun(second).stop()
    BackgroundRun(third).kill()
    queue.advance()
    assert [BackgroundRun(one).state for one in (first, second, third)] == [
        RunState.RUNNING,
        RunState.STOPPED,
        RunState.STOPPED,
    ]
    assert (names(processes), queue.waiting) == (["ada1"], 0)


def test_one_user_cannot_fill_the_queue(tmp_path: Path, processes: Processes) -> None:
    queue = queue_of(tmp_path, runs=1, waiting_per_user=2)
    for i in (1, 2, 3):
        queue.admit("ada")
        queue.launch(waiting(tmp_path, i), "ada")
    with pytest.raises(InputError, match="at most 2 runs that wait"):
        queue.admit("ada")
    queue.admit("ben")


def test_a_restart_loses_no_turn_and_no_run(tmp_path: Path, processes: Processes) -> None:
    """What runs is known again, what waits keeps its turn, and what went away with its machine is begun again, once."""
    first = queue_of(tmp_path, runs=2, runs_per_user=2)
    runs = [waiting(tmp_path, i) for i in (1, 2, 3, 4)]
    for folder in runs:
        first.launch(folder, "ada")
    processes.all[1].kill()  # as with a container
    processes.all[1].wait()
    second = queue_of(tmp_path, runs=2, runs_per_user=2)
    second.begin()
    try:
        assert second.works
        until(lambda: (second.running, second.waiting) == (2, 2))
        assert names(processes) == ["ada1", "ada2", "ada2"]
        processes.finish(runs[0])
        until(lambda: names(processes)[-1] == "ada3")
    finally:
        second.end()
    processes.all[2].kill()
    processes.all[2].wait()
    third = queue_of(tmp_path, runs=2, runs_per_user=2)
    third.begin()
    third.end()
    assert BackgroundRun(runs[1]).state is RunState.LOST  # twice is not chance
    assert names(processes).count("ada2") == 2


def test_a_project_that_was_removed_is_no_hindrance(tmp_path: Path, processes: Processes) -> None:
    queue = queue_of(tmp_path, runs=1)
    first, second, third = (waiting(tmp_path, i) for i in (1, 2, 3))
    for folder in (first, second, third):
        queue.launch(folder, "ada")
    shutil.rmtree(second)
    processes.finish(first)
    queue.advance()
    assert names(processes) == ["ada1", "ada3"]


# -- real ones -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(configured(tmp_path_factory.mktemp("house"), limits={"memory_mb": 3000}))


@pytest.fixture(scope="module")
def project(house: House) -> Project:
    return open_demo(house.home_of(house.actors["ada"]), rows=400)


def start(project: Project, **settings: Any) -> BackgroundRun:
    return project.runs.start("publish", job=project.job_path, version=1, **settings)


def test_a_run_in_a_house_publishes_within_its_memory(project: Project) -> None:
    run = start(project)
    until(lambda: run.state is not RunState.RUNNING)
    assert run.state is RunState.DONE, run.errors
    assert (run.folder / OWNER_NAME).exists()


def test_a_run_that_takes_too_much_memory_ends(project: Project) -> None:
    folder = project.folder / "runs" / "0900"
    folder.mkdir()
    run = BackgroundRun(folder)
    write_json(folder / SPEC_NAME, {"task": "publish", "version": 1, "settings": {}})
    (folder / "job.toml").write_bytes(project.job_path.read_bytes())
    launch_now(folder, memory=120_000_000)
    until(lambda: run.state is not RunState.RUNNING)
    assert run.state in (RunState.FAILED, RunState.LOST)
    shutil.rmtree(folder)


def test_a_file_that_unpacks_to_more_than_the_house_has_is_refused(house: House, tmp_path: Path) -> None:
    """A few kilobytes of Parquet that are gigabytes of rows: they bring down a process of their own, not the server."""
    bomb = tmp_path / "bomb.parquet"
    long = "x" * 2000
    pl.DataFrame({f"c{i}": pl.repeat(long, 400_000, eager=True) for i in range(4)}).write_parquet(bomb)
    assert bomb.stat().st_size < 1_000_000
    home = house.home_of(house.actors["ada"])
    before = set(home.folder.glob("*/project.json"))
    tight = House(configured(tmp_path / "tight", limits={"memory_mb": 300}))
    small = tight.home_of(tight.actors["ada"])
    with pytest.raises(InputError, match=r"a table that can be read with 300 MB of memory|does not fit"):
        uploaded(small, "bomb.parquet", bomb)
    assert not list(small.folder.glob("*/project.json"))
    assert set(home.folder.glob("*/project.json")) == before


def test_what_is_no_table_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("")
    with pytest.raises(InputError) as refused:
        weigh({"path": str(tmp_path / "t.csv")}, memory=10**9)
    assert refused.value.expected
    ny.write_table(ny.datasets.hospital(100), tmp_path / "good.csv")
    weigh({"path": str(tmp_path / "good.csv")}, memory=10**9)


def test_every_table_is_weighed_as_it_will_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A light first sheet is no way round, nor is reading a table otherwise later, nor a table of a database."""
    weighed: list[dict[str, Any]] = []
    monkeypatch.setattr(run_queue, "weigh", lambda source, *, memory: weighed.append(dict(source)))
    database = f"duckdb:///{tmp_path / 'held.duckdb'}"
    house = House(configured(tmp_path / "weighing", folders={"databases": [database]}))
    home = house.home_of(house.actors["ada"])
    path = house.configuration.folders.tables[0] / "t.csv"
    ny.write_table(ny.datasets.hospital(50), path)
    project = open_table(home, path)
    read_again(project, {"delimiter": ",", "encoding": "cp1252"})
    with pytest.raises(InputError):  # it is not there; that it would be weighed is what counts
        open_database(home, url=database, table="people")
    assert [{"path": str(path)}, {"path": str(path), "delimiter": ",", "encoding": "cp1252"}] == weighed[:2]
    assert weighed[2:] == [{"url": database, "table": "people"}]
    job = path.with_name("job.toml")
    job.write_text((project.folder / "jobs" / "0001.toml").read_text())
    open_job(home, job)
    assert weighed[3]["path"] == str(path)


def test_one_user_opens_so_many_tables_at_once_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may take the memory of a run: without a bound, a few uploads at once would take all there is."""
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def slow(source: object, *, memory: int) -> None:
        begun.release()
        go_on.wait(20)

    monkeypatch.setattr(run_queue, "weigh", slow)
    house = House(configured(tmp_path / "opening", limits={"runs_per_user": 2, "openings": 3}))
    ada, ben = house.actors["ada"], house.actors["ben"]
    threads = [threading.Thread(target=one.weigh, args=({},)) for one in (ada, ada, ben)]
    try:
        for number, thread in enumerate(threads):
            if number == 2:
                with pytest.raises(InputError, match="at most 2 tables that you open at once"):
                    ada.weigh({})
            thread.start()
            assert begun.acquire(timeout=20)
        with pytest.raises(InputError, match="3 of all"):
            ben.weigh({})
    finally:
        go_on.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join(20)
    ada.weigh({})  # those before have ended


# -- passphrases -----------------------------------------------------------------------------------------------

PASSPHRASE = "quite a long passphrase"


@pytest.fixture(scope="module")
def key(house: House) -> Path:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    path = house.configuration.folders.keys / "ada" / "key"
    closed = serialization.BestAvailableEncryption(PASSPHRASE.encode())
    form = serialization.PrivateFormat.PKCS8
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes(serialization.Encoding.PEM, form, closed))
    path.chmod(0o600)
    return path


def everything_in(folder: Path) -> Iterator[bytes]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()


def test_a_release_is_signed_with_a_passphrase_that_nothing_keeps(house: House, project: Project, key: Path) -> None:
    out = house.configuration.folders.releases / "ada" / "signed"
    out.parent.mkdir(parents=True, exist_ok=True)
    run = start(project, out=str(out), key=str(key))
    until(lambda: asks(run) or run.state is not RunState.RUNNING)
    assert run.progress["stage"] == STAGE, run.errors
    assert stat.S_IMODE((run.folder / PIPE_NAME).stat().st_mode) == 0o600
    process = Path(f"/proc/{run._process()['pid']}")
    assert PASSPHRASE.encode() not in (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
    assert hand_over(run, PASSPHRASE.encode())
    until(lambda: run.state is not RunState.RUNNING)
    assert run.state is RunState.DONE, (run.result, run.errors)
    opened = ny.check(out, key=SigningKey.load(key, ask=lambda _: PASSPHRASE).public)
    assert opened.holds
    assert not (run.folder / PIPE_NAME).exists()
    assert not [1 for content in everything_in(house.configuration.projects.parent) if PASSPHRASE.encode() in content]


def test_a_wrong_passphrase_ends_the_run_and_writes_nothing(house: House, project: Project, key: Path) -> None:
    out = house.configuration.folders.releases / "ada" / "refused"
    run = start(project, out=str(out), key=str(key))
    until(lambda: asks(run) or run.state is not RunState.RUNNING)
    assert hand_over(run, b"wrong")
    until(lambda: run.state is not RunState.RUNNING)
    assert run.state is RunState.FAILED
    assert "another passphrase" in run.result["error"]["message"]
    assert not out.exists()


def test_a_run_that_waits_for_a_passphrase_can_be_stopped(tmp_path: Path) -> None:
    asked: list[Any] = []

    def ask() -> None:
        try:
            ask_page(tmp_path, lambda progress: asked.append(progress.stage))("")
        except Interrupted:
            asked.append("stopped")

    thread = threading.Thread(target=ask)
    thread.start()
    until(lambda: asks(BackgroundRun(tmp_path)))
    BackgroundRun(tmp_path).stop()
    thread.join(10)
    assert asked == [STAGE, "stopped"]
    assert not asks(BackgroundRun(tmp_path))


def test_a_passphrase_that_nobody_waits_for_is_left_nowhere(tmp_path: Path) -> None:
    run = BackgroundRun(tmp_path)
    assert not hand_over(run, b"secret")
    os.mkfifo(tmp_path / PIPE_NAME)  # left by a process that was killed
    assert not hand_over(run, b"secret")
    (tmp_path / PIPE_NAME).unlink()
    (tmp_path / PIPE_NAME).write_text("")  # a file is no pipe: it would keep it
    assert not hand_over(run, b"secret")
    assert (tmp_path / PIPE_NAME).read_text() == ""
    reading: list[str] = []
    (tmp_path / PIPE_NAME).unlink()
    thread = threading.Thread(target=lambda: reading.append(ask_page(tmp_path, lambda _: None)("")))
    thread.start()
    until(lambda: asks(run))
    assert not hand_over(run, b"two\nlines")
    assert not hand_over(run, b"x" * 2000)
    assert hand_over(run, "gr\u00fcn".encode())
    thread.join(10)
    assert reading == ["gr\u00fcn"]


def test_two_processes_never_do_the_same_run(project: Project) -> None:
    """A server was killed when it had begun a run and not yet written that down; the next one begins it again."""
    folder = project.runs._new_folder()
    run = BackgroundRun(folder)
    write_json(folder / SPEC_NAME, {"task": "publish", "version": 1, "settings": {"out": str(folder / "out")}})
    (folder / "job.toml").write_bytes(project.job_path.read_bytes())
    for _ in range(2):
        launch_now(folder)
    until(lambda: run.result is not None)
    assert run.state is RunState.DONE, run.result
    assert run.errors.count("Traceback") == 0


def test_what_was_begun_and_still_waits_is_known_again(tmp_path: Path, processes: Processes) -> None:
    folder = waiting(tmp_path, 1)
    write_json(folder / WAITING_NAME, {"who": "ada", "since": 1.0, "again": False})
    processes.launch(folder)
    queue = queue_of(tmp_path)
    queue.begin()
    queue.end()
    assert (queue.running, queue.waiting, names(processes)) == (1, 0, ["ada1"])
