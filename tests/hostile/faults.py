"""Runs a scenario under every fault: killed before each call that changes files, and each such call failing.

    python -m hostile.faults commit --mode crash
    python -m hostile.faults "publish again" forget --mode ENOSPC EIO --sample 40

A scenario prepares a folder, acts in it, and judges what is there after the next run: ``old``, ``new`` or what is
wrong. Every fault is tried in a process of its own, forked from one that has imported everything; ``shim.c`` makes it.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from tally import note

#: What was tried: a :class:`Point`, or a stop of a process.
_Tried = TypeVar("_Tried", bound=Any)

#: How calls fail, beside ``crash``. A disk that is full stays full; EINTR must not be noticed at all.
ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC, "EACCES": errno.EACCES, "EINTR": errno.EINTR}
MODES = ("crash", *ERRORS)

#: Exit codes: killed, refused as it should be, refused with the name of a hidden folder, anything else.
KILLED, FAILED, UNNAMED, BUG = 137, 3, 4, 70
#: A file system that is not that of temporary files, on most machines.
FAR = "/dev/shm"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """``prepare`` makes the old state, ``act`` replaces it, ``judge`` runs the next command and says what is there.

    ``always`` is the state that must be found whatever happens, where the old state is one that a dead run left. With
    ``far``, ``folder / "far"`` leads to another file system. ``forwards``: what fails after a commit elsewhere is
    finished by the next run, and not taken back.
    """

    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    judge: Callable[[Path], str]
    expected: tuple[type[Exception], ...] = ()
    always: str | None = None
    far: bool = False
    forwards: bool = False


@dataclass(frozen=True, kw_only=True)
class Point:
    """One fault and what came of it: how the process ended, and the state found afterwards."""

    scenario: str
    mode: str
    number: int
    ended: str
    state: str
    always: str | None = None
    forwards: bool = False

    @property
    def wrong(self) -> bool:
        """Whether anything but a whole state was left, or the process ended in a way it must not."""
        allowed = {"killed", "done"} if self.mode == "crash" else {"failed", "done"}
        if self.always is not None:
            return self.ended not in allowed or self.state != self.always
        if self.mode == "EINTR":
            return self.ended != "done" or self.state != "new"
        wrong_success = self.ended == "done" and self.state != "new"
        lost = self.ended == "failed" and self.state != "old" and not self.forwards
        return self.ended not in allowed or self.state not in ("old", "new") or wrong_success or lost


def compile_shim(folder: Path) -> Path | None:
    """Compile the shim; None where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    target = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", target, source, "-ldl"], check=True)
    return target


def run_faults(
    names: Iterable[str], modes: Iterable[str], *, shim: Path, sample: int | None = None, first: int = 1
) -> list[Point]:
    """Try scenarios under the faults of each mode, in a process with the shim; all of them, or a spread-out sample."""
    command = [sys.executable, "-m", "hostile.faults", *names, "--mode", *modes, "--first", str(first)]
    command += [] if sample is None else ["--sample", str(sample)]
    points = [Point(**line) for line in answers(command, {"LD_PRELOAD": str(shim)})]
    return noted(points, "faults", lambda point: point.mode)


def answers(command: list[str], variables: dict[str, str]) -> list[dict[str, Any]]:
    """Run a module of ours in a process of its own, and return the lines of JSON that it prints."""
    tests = str(Path(__file__).parents[1])
    found = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {
        **os.environ,
        "PYTHONPATH": found,
        "POLARS_MAX_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        **variables,
    }
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3000, check=False)
    if answer.returncode:
        raise RuntimeError(answer.stderr)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def noted(tried: list[_Tried], what: str, by: Callable[[_Tried], str]) -> list[_Tried]:
    """Return what was tried, after writing down how often each way was, and how often it left something wrong."""
    note(what=what, tried=dict(Counter(map(by, tried))), wrong=sum(bool(one.wrong) for one in tried))
    return tried


# -- in the process with the shim ----------------------------------------------------------------------


def _points(name: str, scenario: Scenario, modes: list[str], sample: int | None, first: int) -> Iterator[Point]:
    with Template(scenario) as template:
        total = _count(scenario, template)
        step = 1 if sample is None else max(1, total // sample)
        for turn, mode in enumerate(modes):
            for number in range(1, total + 1)[(first - 1 + turn) % step :: step]:
                yield _try(name, scenario, template, mode, number)


class Template:
    """The old state, prepared once; every trial gets a copy."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario

    def __enter__(self) -> Template:
        self._held = ExitStack()
        self._folder = self._held.enter_context(self._place())
        if forked(lambda: self._scenario.prepare(self._folder)):
            raise RuntimeError("the scenario cannot be prepared")
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """Give a folder in the old state."""
        with self._place() as folder:
            shutil.copytree(self._folder, folder, symlinks=True, dirs_exist_ok=True, ignore=lambda *_: {"far"})
            if self._scenario.far:
                shutil.copytree(self._folder / "far", folder / "far", dirs_exist_ok=True)
            yield folder

    @contextmanager
    def _place(self) -> Iterator[Path]:
        with ExitStack() as held:
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))).resolve()
            if self._scenario.far:
                far = held.enter_context(tempfile.TemporaryDirectory(dir=FAR, ignore_cleanup_errors=True))
                (folder / "far").symlink_to(far)
            yield folder


def _count(scenario: Scenario, template: Template) -> int:
    """Return how many calls change files when nothing fails."""
    read, write = os.pipe()
    with template.copied() as folder:

        def counted() -> None:
            _arm(folder, 0, 0, lasting=False)
            scenario.act(folder)
            os.write(write, str(_shim().hostile_count()).encode())

        if forked(counted):
            raise RuntimeError("the scenario fails without any fault")
    return int(os.read(read, 100))


def _try(name: str, scenario: Scenario, template: Template, mode: str, number: int) -> Point:
    with template.copied() as folder:

        def acted() -> None:
            _arm(folder, number, ERRORS.get(mode, 0), lasting=mode == "ENOSPC")
            scenario.act(folder)

        code = forked(acted, scenario.expected)
        ended = {0: "done", KILLED: "killed", FAILED: "failed", UNNAMED: "failed in a hidden folder"}.get(
            code, f"exit code {code}"
        )
        state = judged(scenario, folder)
    return Point(
        scenario=name,
        mode=mode,
        number=number,
        ended=ended,
        state=state,
        always=scenario.always,
        forwards=scenario.forwards,
    )


def judged(scenario: Scenario, folder: Path) -> str:
    """Let a process of its own say what is there."""
    read, write = os.pipe()
    code = forked(lambda: os.write(write, scenario.judge(folder).encode()[:4000]) and None)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        state = answer.read().decode()
    return state if code == 0 else f"judging ended with {code}"


def forked(work: Callable[[], None], expected: tuple[type[Exception], ...] = ()) -> int:
    """Run something in a process of its own and return its exit code."""
    child = os.fork()
    if child == 0:
        code = BUG
        try:
            work()
            code = 0
        except expected as error:
            code = FAILED if ".nymity-" not in str(error) else UNNAMED
        except BaseException:  # noqa: BLE001 -- whatever it is, the process ends and says so
            _disarm()
            traceback.print_exc()
        finally:
            _disarm()
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _shim() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _disarm() -> None:
    with suppress(AttributeError):  # no shim where processes are killed from outside
        _shim().hostile_disarm()


def _arm(folder: Path, at: int, error: int, *, lasting: bool) -> None:
    watched = [folder, *([(folder / "far").resolve()] if (folder / "far").exists() else [])]
    where = "\n".join(map(str, watched)).encode()
    _shim().hostile_arm(ctypes.c_char_p(where), ctypes.c_long(at), error, int(lasting))


def main() -> None:
    """Print one line of JSON for each fault."""
    from hostile.scenarios import SCENARIOS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="+", choices=SCENARIOS)
    parser.add_argument("--mode", nargs="+", choices=MODES, default=["crash"])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    for name in given.scenarios:
        found: Counter[str] = Counter()
        for point in _points(name, SCENARIOS[name], given.mode, given.sample, given.first):
            found[f"{point.mode}, {'wrong' if point.wrong else point.state}"] += 1
            sys.stdout.write(json.dumps(asdict(point)) + "\n")
            sys.stdout.flush()
        sys.stderr.write(f"{name}: {dict(found)}\n")


if __name__ == "__main__":
    main()
