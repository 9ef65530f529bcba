"""Runs cases in forked processes, watches their time and memory, and tells what became of each."""

from __future__ import annotations

import json
import os
import random
import resource
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .case import Case, Kind, draw_of
from .outcome import Outcome, Verdict

#: Seconds of processor time, of waiting for nothing, and altogether, that a case may take; bytes of memory.
PROCESSOR, IDLE, ALTOGETHER, MEMORY = 20.0, 20.0, 240.0, 3 * 2**30
#: Cases that one process runs before the next begins.
BATCH = 150
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of a case."""

    number: int
    kind: str
    outcome: str
    said: str
    seconds: float


def kind_of(seed: int, number: int, kinds: dict[str, Kind]) -> tuple[str, random.Random]:
    """Return the kind of a case, and what draws the rest of it."""
    draw = draw_of(seed, number)
    return draw.choices(list(kinds), [kind.share for kind in kinds.values()])[0], draw


def results(numbers: list[int], seed: int, kinds: dict[str, Kind], base: Path, processes: int) -> Iterator[Result]:
    """Run cases and give their results as they come."""
    chosen = {number: kind_of(seed, number, kinds)[0] for number in numbers}
    together = [number for number in numbers if not kinds[chosen[number]].alone]
    batches = [together[at : at + BATCH] for at in range(0, len(together), BATCH)]
    batches += [[number] for number in numbers if kinds[chosen[number]].alone]
    running: list[_Worker] = []
    while batches or running:
        while batches and len(running) < processes:
            running.append(_Worker.start(batches.pop(0), seed, kinds, base, [worker.pipe for worker in running]))
        select.select([worker.pipe for worker in running], [], [], 0.5)
        for worker in list(running):
            yield from worker.news(chosen)
            if worker.ended:
                running.remove(worker)
                if worker.left:
                    batches.insert(0, worker.left)


@dataclass(kw_only=True)
class _Worker:
    """A process with a list of cases; it says when it begins and ends each."""

    process: int
    pipe: int
    left: list[int]
    #: Waits for processes of its own, whose time is seen only when they have ended.
    alone: bool
    now: int | None = None
    since: float = 0.0
    spent: float = 0.0
    idle_since: tuple[float, float] = (0.0, 0.0)
    ended: bool = False
    _rest: bytes = field(default=b"", repr=False)

    @staticmethod
    def start(numbers: list[int], seed: int, kinds: dict[str, Kind], base: Path, others: list[int]) -> _Worker:
        read, write = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                os.setsid()
                for pipe in (read, *others):
                    os.close(pipe)
                _work(numbers, seed, kinds, base, write)
            except BaseException:  # noqa: BLE001 -- it ends here, whatever it is
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(write)
        alone = kinds[kind_of(seed, numbers[0], kinds)[0]].alone
        return _Worker(process=process, pipe=read, left=list(numbers), alone=alone)

    def news(self, chosen: dict[int, str]) -> Iterator[Result]:
        """Read what the process said; end it where a case takes too much."""
        while select.select([self.pipe], [], [], 0)[0]:
            data = os.read(self.pipe, 2**16)
            if not data:
                yield from self._over(chosen)
                return
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "begins" in told:
                    self.now, self.since = told["begins"], time.monotonic()
                    self.spent = _processor(self.process)
                    self.idle_since = self.since, self.spent
                else:
                    self.left.remove(told["number"])
                    self.now = None
                    yield Result(**told)
        if self.now is not None and (why := self._too_much()):
            os.killpg(self.process, signal.SIGKILL)
            yield from self._over(chosen, why)

    def _too_much(self) -> str:
        now, spent = time.monotonic(), _processor(self.process)
        if spent - self.spent > PROCESSOR:
            return f"more than {PROCESSOR:.0f} s of processor time"
        if now - self.since > ALTOGETHER:
            return f"more than {ALTOGETHER:.0f} s"
        if spent - self.idle_since[1] > 0.02 or self.alone:
            self.idle_since = now, spent
        elif now - self.idle_since[0] > IDLE:
            return f"nothing happened for {IDLE:.0f} s"
        if _memory(self.process) > MEMORY:
            return f"more than {MEMORY >> 30} GiB of memory"
        return ""

    def _over(self, chosen: dict[int, str], why: str = "") -> Iterator[Result]:
        self.ended = True
        os.close(self.pipe)
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        if self.now is not None:
            number, self.now = self.now, None
            self.left.remove(number)
            outcome = Outcome.HANG if why else Outcome.TRACEBACK
            said = why or f"the process died with {status}"
            yield Result(number=number, kind=chosen[number], outcome=outcome, said=said, seconds=0.0)


def _work(numbers: list[int], seed: int, kinds: dict[str, Kind], base: Path, pipe: int) -> None:
    """Run cases one after another, in this process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # panics of Rust are told there, whoever catches them
    for number in numbers:
        os.write(pipe, json.dumps({"begins": number}).encode() + b"\n")
        spent = _spent()
        kind, verdict = run_case(number, seed, kinds, base)
        result = Result(
            number=number, kind=kind, outcome=verdict.outcome, said=verdict.said[:6000], seconds=_spent() - spent
        )
        data = json.dumps(asdict(result)).encode() + b"\n"
        while data:
            data = data[os.write(pipe, data) :]


def run_case(number: int, seed: int, kinds: dict[str, Kind], base: Path) -> tuple[str, Verdict]:
    """Run one case in a folder of its own; nothing may be left in the folder for temporary files."""
    from nymity.core import randomness

    name, draw = kind_of(seed, number, kinds)
    randomness.secure_bytes = random.Random(f"secure:{seed}:{number}").randbytes
    folder = base / f"case-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    kept = dict(os.environ)
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    os.environ["USER"] = os.environ["LOGNAME"] = "zquser"
    os.chdir(folder)
    mask = os.umask(draw.choice([0o022, 0o022, 0o000, 0o077]))
    try:
        case = Case(seed=seed, number=number, kind=name, draw=draw, folder=folder, stock=base / "stock")
        verdict = kinds[name].run(case)
        left = sorted(path.name for path in temporary.iterdir()) if temporary.is_dir() else []
        if left and not verdict.outcome.is_defect and "died" not in verdict.said:
            verdict = Verdict(outcome=Outcome.LEAK, said=f"left among temporary files: {left}\n{verdict.said}")
    except Exception:  # noqa: BLE001 -- the campaign's own mistake, to be seen
        verdict = Verdict(outcome=Outcome.TRACEBACK, said=f"in the campaign itself\n{traceback.format_exc(limit=-6)}")
    finally:
        os.umask(mask)
        os.chdir(base)
        os.environ.clear()
        os.environ.update(kept)
        tempfile.tempdir = None
        shutil.rmtree(folder, ignore_errors=True)
    return name, verdict


def _spent() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _processor(process: int) -> float:
    fields = _stat(process)
    return sum(map(int, fields[11:15])) / _TICK if fields else 0.0


def _memory(process: int) -> int:
    fields = _stat(process)
    return int(fields[21]) * resource.getpagesize() if fields else 0


def _stat(process: int) -> list[Any]:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return []
