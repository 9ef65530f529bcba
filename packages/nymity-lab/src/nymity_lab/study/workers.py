"""Workers: processes that compute steps side by side, one thread each, so that a step's CPU time is its own.

Each worker has one step at a time. Should one die, it is known which step it had; another takes its place. However the
work ends, no worker is left behind: leaving the block ends them, and one whose parent was killed ends by itself.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from nymity_lab.study.study import Rows, Step

#: Seconds between two calls of ``tick`` while steps run.
PAUSE = 0.2
#: What has threads of its own is told to use one; read when those packages are imported, which comes later.
_ONE_THREAD = ("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, kw_only=True)
class Computed:
    """The rows of a step, or the error that ended it, and the seconds it took."""

    step: Step
    rows: Rows
    seconds: float
    error: str | None = None


def compute(
    steps: Sequence[Step], jobs: int, folder: Path, tick: Callable[[], None]
) -> Generator[Computed, None, None]:
    """Yield each step's result as soon as it is there; ``tick`` is called again and again, and may raise to stop.

    In ``folder`` are those of steps that keep a state.
    """
    waiting, idle, busy = list(reversed(steps)), list[_Worker](), list[_Worker]()
    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                busy.append(idle.pop() if idle else _Worker())
                busy[-1].begin(waiting.pop(), folder)
            ready = wait([worker.pipe for worker in busy], timeout=PAUSE)
            tick()
            for worker in [worker for worker in busy if worker.pipe in ready]:
                result = worker.result()
                busy.remove(worker)
                idle += [worker] if worker.process.is_alive() else []
                yield result
    finally:
        for worker in (*busy, *idle):
            worker.end()


class _Worker:
    """A process and the pipe to it."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,))
        self.process.start()
        theirs.close()  # so that reading fails once the process is gone

    def begin(self, step: Step, folder: Path) -> None:
        self.step, self.began = step, time.monotonic()
        own = {"folder": str(folder / step.id)} if step.keeps_state else {}
        try:
            self.pipe.send((step.run, {**step.parameters, **own}))
        except BrokenPipeError:  # died already: reading the result will say so
            return

    def result(self) -> Computed:
        try:
            rows, error = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self.end()
            rows, error = [], f"its process ended with exit code {self.process.exitcode} (killed, or out of memory?)"
        return Computed(step=self.step, rows=rows, seconds=time.monotonic() - self.began, error=error)

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


# -- in the worker ---------------------------------------------------------------------------------------------


def _serve(pipe: Connection) -> None:
    """Compute what comes through the pipe until it closes."""
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with closing(pipe):
        while True:
            try:
                run, parameters = pipe.recv()
            except EOFError:
                return
            except Exception:  # noqa: BLE001 -- the function's module cannot be imported: told to the parent
                pipe.send(([], traceback.format_exc()))
                continue
            pipe.send(_answer(run, parameters))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _answer(run: Callable[..., Any], parameters: Mapping[str, Any]) -> tuple[Rows, str | None]:
    try:
        return plain_rows(run(**parameters)), None
    except Exception:  # noqa: BLE001 -- told in full to the parent
        return [], traceback.format_exc()


def plain_rows(found: Any) -> Rows:
    """Return rows, or a polars frame, as what JSON gives back; not-a-number and infinity are refused."""
    rows = found if isinstance(found, list) else found.to_dicts()
    text = json.dumps(rows, allow_nan=False, default=lambda value: value.item())  # numpy's numbers have item()
    plain: Rows = json.loads(text)
    return plain
