"""RunQueue: runs take turns. So many at once of one user, so many of all, the rest wait; each with a bound on memory.

What waits is a file in the run's folder, so that a restart of the server loses no turn; and the queue knows runs that
an earlier server began by their processes. A run whose process went away with the machine or the container is begun
again, once: what it would have written is whole or not there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nymity.core.errors import NymityError, ParameterError
from nymity.core.plain_data import read_json
from nymity.workbench.house.configuration import Limits
from nymity.workbench.house.weighing import weigh
from nymity.workbench.runs import (
    PROCESS_NAME,
    RESULT_NAME,
    SPEC_NAME,
    STOP_NAME,
    WAITING_NAME,
    BackgroundRun,
    RunState,
    launch_now,
    write_json,
)

log = logging.getLogger("nymity.house")
#: Seconds between looks at what has ended.
_PAUSE = 0.5


@dataclass(eq=False)
class RunQueue:
    """The runs of all users whose projects lie in a folder."""

    projects: Path
    limits: Limits
    _waiting: list[tuple[Path, str]] = field(default_factory=list, repr=False)  #: the first one first
    _running: dict[Path, str] = field(default_factory=dict, repr=False)
    _weighing: Counter[str] = field(default_factory=Counter, repr=False)  #: tables that are weighed, by user
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)
    _thread: threading.Thread | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Find what an earlier server left, and go on from there."""
        with self._lock:
            found = sorted(self._left(), key=lambda one: one[2])
            self._waiting = [(folder, who) for folder, who, _ in found if (folder / WAITING_NAME).exists()]
            self._running = {folder: who for folder, who, _ in found if not (folder / WAITING_NAME).exists()}
        self._thread = threading.Thread(target=self._turn, name="nymity-runs", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Begin no more; what runs goes on."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(5)

    @property
    def works(self) -> bool:
        """Whether turns are given."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def running(self) -> int:
        """Runs under way."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Runs that wait."""
        return len(self._waiting)

    def admit(self, who: str) -> None:
        """Refuse one more where a user has too many that wait."""
        with self._lock:
            theirs = sum(user == who for _, user in self._waiting)
        if theirs >= self.limits.waiting_per_user:
            raise ParameterError(
                "run",
                expected=f"at most {self.limits.waiting_per_user} runs that wait",
                got="one more",
                hint="stop one",
            )

    def launch(self, folder: Path, who: str, secret: str | None = None) -> None:
        """Let a run wait for its turn, which may be now; a secret is not kept until then, its process asks for it."""
        with self._lock:
            write_json(folder / WAITING_NAME, {"who": who, "since": time.time(), "again": False})
            self._waiting.append((folder, who))
            self.advance()

    def weigh(self, source: Mapping[str, Any], who: str) -> None:
        """Refuse a table that takes more memory than a run may; a few are weighed at once."""
        own, all_ = self.limits.runs_per_user, self.limits.openings
        with self._lock:
            if self._weighing[who] >= own or self._weighing.total() >= all_:
                raise ParameterError(
                    "table",
                    expected=f"at most {own} tables that you open at once, {all_} of all",
                    got="one more",
                    hint="try again when they are open",
                )
            self._weighing[who] += 1
        try:
            weigh(source, memory=self.limits.memory)
        finally:
            with self._lock:
                self._weighing[who] -= 1

    def advance(self) -> None:
        """Forget what has ended, and begin what may."""
        with self._lock:
            for folder in [one for one in self._running if BackgroundRun(one).state is not RunState.RUNNING]:
                del self._running[folder]
            of_users = Counter(self._running.values())
            for folder, who in list(self._waiting):
                if not folder.exists():  # its project was removed
                    self._waiting.remove((folder, who))
                elif (folder / STOP_NAME).exists():
                    self._waiting.remove((folder, who))
                    _stopped(folder)
                elif len(self._running) < self.limits.runs and of_users[who] < self.limits.runs_per_user:
                    self._waiting.remove((folder, who))
                    self._begin(folder, who)
                    of_users[who] += 1

    def _begin(self, folder: Path, who: str) -> None:
        # The process is known before the run stops waiting: at no moment does it look lost.
        launch_now(folder, memory=self.limits.memory, threads=self.limits.threads)
        write_json(folder / OWNER_NAME, {"who": who, "again": _again(folder)})
        (folder / WAITING_NAME).unlink(missing_ok=True)
        self._running[folder] = who

    def _turn(self) -> None:
        while not self._ended.wait(_PAUSE):
            try:
                self.advance()
            except (OSError, NymityError) as error:  # such as a full disk: the next turn may come
                log.error("the queue of runs: %s", type(error).__name__)

    def _left(self) -> Iterator[tuple[Path, str, float]]:
        """Yield the runs that an earlier server left: those that wait, run, or were lost with it."""
        for spec in self.projects.glob(f"*/*/runs/[0-9]*/{SPEC_NAME}"):
            folder = spec.parent
            if (folder / RESULT_NAME).exists():
                continue
            with suppress(NymityError):
                if (folder / WAITING_NAME).exists():
                    held = read_json(folder / WAITING_NAME, expected="a run that waits", most=2**16)
                    if BackgroundRun(folder).is_alive:  # the server was killed just when it had begun this one
                        write_json(folder / OWNER_NAME, {"who": held["who"], "again": held["again"]})
                        (folder / WAITING_NAME).unlink()
                    yield folder, str(held["who"]), float(held["since"])
                elif (folder / OWNER_NAME).exists():
                    held = read_json(folder / OWNER_NAME, expected="whose run it is", most=2**16)
                    if BackgroundRun(folder).state is RunState.LOST and not held["again"]:
                        write_json(folder / WAITING_NAME, {"who": held["who"], "since": 0.0, "again": True})
                        (folder / PROCESS_NAME).unlink(missing_ok=True)
                        log.warning("a run whose process was lost is begun again")
                    if BackgroundRun(folder).state is RunState.RUNNING:
                        yield folder, str(held["who"]), spec.stat().st_mtime


#: Whose a run is that has begun, and whether it was begun again.
OWNER_NAME = "owner.json"


def _again(folder: Path) -> bool:
    return bool(read_json(folder / WAITING_NAME, expected="a run that waits", most=2**16)["again"])


def _stopped(folder: Path) -> None:
    message = {"message": "stopped before its turn", "kind": "Interrupted"}
    write_json(folder / RESULT_NAME, {"state": RunState.STOPPED, "error": message})
    (folder / WAITING_NAME).unlink(missing_ok=True)
