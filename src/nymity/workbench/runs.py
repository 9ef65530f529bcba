"""Runs: what takes longer than a page may wait, each a process of its own with a folder of its own.

    spec.json      what to do: the task, its settings, the version of the job
    job.toml       the job as it was when the run began
    process.json   the process and when it began, by which it is known again after the server was restarted
    log.jsonl      what the process tells: a line of JSON for each report
    stop           a file that asks it to end; the process looks for it at each report
    result.json    how it ended; written last, so that whoever finds it finds all the rest
    errors.txt     what the process wrote to stderr
    waiting.json   since when it waits for its turn, and whose it is; its process has not begun
    passphrase     a pipe, while the process asks for one (:mod:`nymity.workbench.passphrases`)
    foretold.json  what the result will be once all that the process is about to write is in its place

The process is in a session of its own: it outlives a page, a browser and the server.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from nymity.core.commit import replace_file
from nymity.core.errors import FileError
from nymity.core.plain_data import parse_json, read_json
from nymity.core.system_errors import explained
from nymity.workbench.kept_reads import read_once
from nymity.workbench.processes import begun_at, is_alive

SPEC_NAME, JOB_NAME, PROCESS_NAME, LOG_NAME = "spec.json", "job.toml", "process.json", "log.jsonl"
STOP_NAME, RESULT_NAME, ERRORS_NAME, WAITING_NAME = "stop", "result.json", "errors.txt", "waiting.json"
FORETOLD_NAME = "foretold.json"
CLAIM_NAME = "claim.lock"  #: locked while a process does what the folder says: never two of them
#: Seconds that a process may take to go when it has left its result.
_LAST_WORDS = 5.0
#: Bytes of a log that are read from its end.
_TAIL = 2**20

#: Tells the process of a run to look whether it was done, and to do nothing else.
FINISH = "--finish"
#: Processes that this server began: kept so that their end is noticed.
_children: list[subprocess.Popen[bytes]] = []
#: Runs that were lost and that this server has looked after.
_looked_after: set[Path] = set()


class RunState(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"  #: somebody asked it to
    FAILED = "failed"  #: with an error that says what to try
    LOST = "lost"  #: its process ended without a word: it was killed


@dataclass(frozen=True)
class BackgroundRun:
    """One run, by its folder."""

    folder: Path

    @property
    def number(self) -> int:
        """Its number in the project."""
        return int(self.folder.name)

    @property
    def spec(self) -> dict[str, Any]:
        """What it does: ``task``, ``version`` of the job, ``settings``."""
        return read_once(self.folder / SPEC_NAME, _read_spec)

    @property
    def task(self) -> str:
        """What kind of work it is."""
        return str(self.spec["task"])

    @property
    def state(self) -> RunState:
        """How it stands."""
        if self.result is not None:
            return RunState(self.result["state"])
        # The result first: a process that ended left one, and its number may be of another process by now.
        return RunState.RUNNING if self.is_waiting or self.is_alive else self._ended_meanwhile()

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for its turn."""
        return (self.folder / WAITING_NAME).exists()

    def _ended_meanwhile(self) -> RunState:
        """Look once more: a process may have written its result and ended after the first look."""
        return RunState.LOST if self.result is None else RunState(self.result["state"])

    @property
    def result(self) -> dict[str, Any] | None:
        """What it ended with: ``state``, ``answer`` of the task, or ``error``; None while it has not."""
        if not (self.folder / RESULT_NAME).exists():
            return None
        return read_once(self.folder / RESULT_NAME, _read_result)

    def log(self) -> list[dict[str, Any]]:
        """Return what the process told last, oldest first."""
        path = self.folder / LOG_NAME
        if not path.exists():
            return []
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _TAIL))
            lines = stream.read().split(b"\n")
        # The tail begins within a line, and the last line ends with a line break.
        whole = lines[1:-1] if path.stat().st_size > _TAIL else lines[:-1]
        return [parse_json(line, where=str(path), expected="a report of a run") for line in whole]

    @property
    def progress(self) -> dict[str, Any]:
        """The last report: ``stage``, ``done``, ``total``, ``best``, ``seconds``; empty before the first."""
        if self.is_waiting:
            return {"stage": "waiting for its turn"}
        return next((line for line in reversed(self.log()) if "stage" in line), {})

    @property
    def errors(self) -> str:
        """What the process wrote to stderr, for whoever reports a bug."""
        path = self.folder / ERRORS_NAME
        return path.read_text(encoding="utf-8", errors="replace")[-20_000:] if path.exists() else ""

    def stop(self) -> None:
        """Ask it to end at its next report; what it has found by then is kept where the method can."""
        (self.folder / STOP_NAME).touch(mode=0o600)

    def kill(self) -> None:
        """End it now, with all that it started; one that waits ends when its turn comes."""
        if self.is_waiting:
            self.stop()
        if self.result is None and self.is_alive:
            with suppress(ProcessLookupError):
                os.killpg(self._process()["pid"], signal.SIGKILL)

    def remove(self) -> None:
        """Remove a run that has ended, with all that it made."""
        if self.state is RunState.RUNNING:
            raise FileError(
                str(self.folder), expected="a run that has ended", got="one under way", hint="stop it first"
            )
        end = time.monotonic() + _LAST_WORDS
        while self.is_alive and time.monotonic() < end:  # its result is there, and it is about to go
            time.sleep(0.01)
        shutil.rmtree(self.folder)

    def _process(self) -> dict[str, Any]:
        return read_json(self.folder / PROCESS_NAME, expected="the process of a run", most=2**20)

    @property
    def is_alive(self) -> bool:
        """Whether its process is there."""
        for child in list(_children):
            if child.poll() is not None:
                _children.remove(child)
        try:
            process = self._process()
        except FileError:
            return False
        return is_alive(process["pid"], process["begun"])


@dataclass(frozen=True)
class Runs:
    """The runs of a project."""

    folder: Path
    on_start: Callable[[int, str], None]
    may_start: Callable[[str, Mapping[str, Any], Path | None], None] = lambda *_: None  #: refuses by an error
    launch: Callable[[Path, str | None], None] = lambda folder, secret: launch_now(folder, secret=secret)

    def all(self) -> list[BackgroundRun]:
        """Return all runs, the newest first."""
        there = [path for path in self.folder.glob("[0-9]*") if path.name.isdecimal() and (path / SPEC_NAME).exists()]
        return [BackgroundRun(path) for path in sorted(there, key=lambda path: int(path.name), reverse=True)]

    def get(self, number: int) -> BackgroundRun:
        """Return a run by its number."""
        run = BackgroundRun(self.folder / f"{number:04d}")
        if not (run.folder / SPEC_NAME).exists():
            raise FileError(str(run.folder), expected="a run of this project", got=f"none of number {number}")
        return run

    def latest(self, task: str, state: RunState | None = None) -> BackgroundRun | None:
        """Return the newest run of a task, in a state if one is named."""
        return next((run for run in self.all() if run.task == task and state in (None, run.state)), None)

    @property
    def stamp(self) -> tuple[object, ...]:
        """Something that changes with every report of the newest run, and when its process is gone without one."""
        newest = self._newest()
        if newest is None:
            return ()
        told = tuple(_seen(newest.folder / name) for name in (LOG_NAME, RESULT_NAME))
        return (newest.number, *told, told[-1] is None and newest.state is RunState.RUNNING)

    def _newest(self) -> BackgroundRun | None:
        """Return the newest run, as fast as can be: every page asks each second."""
        try:
            named = os.listdir(self.folder)  # noqa: PTH208 -- names alone
        except FileNotFoundError:  # the project was removed
            return None
        names = sorted((one for one in named if one.isascii() and one.isdecimal()), key=int, reverse=True)
        found = (self.folder / name for name in names)
        return next((BackgroundRun(path) for path in found if (path / SPEC_NAME).exists()), None)

    def finish_lost(self) -> None:
        """Let a process look after each run that was killed when what it wrote may have been whole; once for each."""
        for run in self.all():
            if (run.folder / FORETOLD_NAME).exists() and run.folder not in _looked_after and run.state is RunState.LOST:
                _looked_after.add(run.folder)
                launch_now(run.folder, only_finish=True)

    def start(
        self, task: str, *, job: Path | None, version: int = 0, secret: str | None = None, **settings: Any
    ) -> BackgroundRun:
        """Begin a run of the job in a file, in a process of its own.

        A ``secret`` goes to the process by a pipe (:func:`told_secret`), and is written nowhere. In a house, where
        it may have to wait, it is not handed on: its process asks when it needs it.
        """
        from nymity.workbench.tasks import task_named

        task_named(task)  # an unknown one is refused here
        self.may_start(task, settings, job)
        with explained([self.folder], at=self.folder):
            folder = self._new_folder()
            if job is not None:
                shutil.copyfile(job, folder / JOB_NAME)
                (folder / JOB_NAME).chmod(0o600)
            write_json(folder / SPEC_NAME, {"task": task, "version": version, "settings": settings})
            self.launch(folder, secret)
        run = BackgroundRun(folder)
        self.on_start(run.number, task)
        return run

    def _new_folder(self) -> Path:
        number = max((int(path.name) for path in self.folder.glob("[0-9]*") if path.name.isdecimal()), default=0)
        while True:
            number += 1
            # Two pages may begin runs at once: whoever makes the folder has the number.
            with suppress(FileExistsError):
                (self.folder / f"{number:04d}").mkdir(mode=0o700)
                return self.folder / f"{number:04d}"


def launch_now(
    folder: Path,
    *,
    secret: str | None = None,
    memory: int | None = None,
    threads: int | None = None,
    only_finish: bool = False,
) -> None:
    """Begin the process of the run in a folder; ``memory`` is how many bytes it may take."""
    command = [sys.executable, "-m", "nymity.workbench.worker", str(folder), *([FINISH] if only_finish else [])]
    settings = {} if threads is None else {"POLARS_MAX_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads)}
    with (folder / ERRORS_NAME).open("ab") as errors:
        (folder / ERRORS_NAME).chmod(0o600)
        child = subprocess.Popen(
            command if memory is None else [*command, str(memory)],
            stdin=subprocess.DEVNULL if secret is None else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            # A group of its own, which kill ends with all that the run started; it outlives the server.
            start_new_session=True,
            cwd=folder,
            env={**os.environ, **settings},
        )
    if child.stdin is not None and secret is not None:
        with suppress(BrokenPipeError), child.stdin:
            child.stdin.write(secret.encode())
    _children.append(child)
    # With when it began: numbers of processes are used again.
    write_json(folder / PROCESS_NAME, {"pid": child.pid, "begun": begun_at(child.pid)})


def _read_spec(path: Path) -> dict[str, Any]:
    return read_json(path, expected="the description of a run", most=2**26)


def _read_result(path: Path) -> dict[str, Any]:
    return read_json(path, expected="the result of a run", most=2**28)


def _seen(path: Path) -> tuple[int, int] | None:
    """Return size and time of a file; None where there is none."""
    try:
        seen = path.stat()
    except FileNotFoundError:
        return None
    return seen.st_size, seen.st_mtime_ns


def told_secret() -> str | None:
    """Return, in the process of a run, the secret that it was begun with; None where it had none."""
    return sys.stdin.read() if stat.S_ISFIFO(os.fstat(0).st_mode) else None


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write plain data, whole or not at all, for its owner alone."""
    write_text(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all, for its owner alone."""
    replace_file(path, lambda staged: staged.write_text(text, encoding="utf-8", newline="\n"), private=True)
