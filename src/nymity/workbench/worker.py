"""The process of a run: ``python -m nymity.workbench.worker RUNFOLDER``. It tells what it does in lines of JSON.

A run that was killed may have written all it was to write. Whatever begins its process again looks for that first;
``--finish`` does nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from nymity.core.errors import FileError, InputError, Interrupted, NymityError
from nymity.core.locks import locked
from nymity.core.progress import Progress
from nymity.workbench.processes import begun_at
from nymity.workbench.runs import (
    CLAIM_NAME,
    FINISH,
    FORETOLD_NAME,
    LOG_NAME,
    PROCESS_NAME,
    RESULT_NAME,
    SPEC_NAME,
    STOP_NAME,
    RunState,
    write_json,
)

#: Seconds between reports of the same stage.
_PAUSE = 0.1
#: Seconds to wait for another process of the same run.
_PATIENCE = 1.0
#: How far runs stand back: whoever clicks comes before whatever is computed.
NICE = 10


class Teller:
    """Writes reports into the log of a run, and looks whether somebody asked it to stop."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._begun = folder, time.monotonic()
        self._stage, self._last = "", 0.0
        self._asked = False
        # One write for each line: a reader sees it whole or not at all.
        self._log = os.open(folder / LOG_NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __call__(self, progress: Progress) -> bool | None:
        """Observe: the answer False asks the algorithm to stop."""
        now = time.monotonic()
        if progress.stage != self._stage or now - self._last >= _PAUSE:
            self._stage, self._last = progress.stage, now
            told = {name: value for name, value in vars(progress).items() if value is not None}
            self.tell(**told, seconds=round(now - self._begun, 3))
            if not self._asked and (self._folder / STOP_NAME).exists():
                self._asked = True  # once: a search that ends with the best so far is still verified and written
                return False
        return None

    def tell(self, **fields: Any) -> None:
        """Write one line."""
        os.write(self._log, json.dumps(fields, ensure_ascii=False).encode() + b"\n")


def work(folder: Path) -> dict[str, Any]:
    """Do what the folder describes, and return how it ended."""
    from nymity.workbench.tasks import task_named

    spec = json.loads((folder / SPEC_NAME).read_text(encoding="utf-8"))
    tell = Teller(folder)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answer = task_named(spec["task"])(folder, spec["settings"], tell)
        return {"state": RunState.DONE, "answer": answer, "warnings": [str(one.message) for one in caught]}
    except Interrupted as error:
        return {"state": RunState.STOPPED, "error": error_data(error)}
    except NymityError as error:
        return {"state": RunState.FAILED, "error": error_data(error)}


def error_data(error: BaseException) -> dict[str, str]:
    """Return an error as plain data: its message, and its parts where it has our one form."""
    parts = ("where", "expected", "got", "hint") if isinstance(error, InputError) else ()
    return {"message": str(error), "kind": type(error).__name__, **{name: getattr(error, name) for name in parts}}


def main(folder: Path, memory: int | None = None, *, only_finish: bool = False) -> int:
    """Run, and leave the result; what nobody foresaw goes to stderr, too."""
    os.umask(0o077)
    if hasattr(os, "nice"):  # Windows has none
        os.nice(NICE)
    if memory is not None:
        import polars as pl

        pl.thread_pool_size()  # its threads wait for ever for one another if one of them has no memory to begin with
        limit_memory(memory)
    try:
        with locked(folder / CLAIM_NAME, what=str(folder), wait=_PATIENCE):
            return _run(folder, only_finish=only_finish)
    except FileError:  # a server that was killed had begun it already, and the next one did not know
        return 0


def _run(folder: Path, *, only_finish: bool) -> int:
    # Begun twice, by servers that did not know of each other: the other process has done it.
    if (folder / RESULT_NAME).exists():
        return 0
    write_json(folder / PROCESS_NAME, {"pid": os.getpid(), "begun": begun_at(os.getpid())})
    try:
        result = _finished(folder)
        if result is None and only_finish:
            return 1
        result = work(folder) if result is None else result
    except BaseException as bug:  # noqa: BLE001 -- told, and the process ends; a panic of polars is no Exception
        traceback.print_exc()
        if only_finish:
            return 1  # what it wrote may be whole all the same: the next server looks again
        result = {"state": RunState.FAILED, "error": {"message": f"{type(bug).__name__}: {bug}", "kind": "bug"}}
    write_json(folder / RESULT_NAME, result)
    (folder / FORETOLD_NAME).unlink(missing_ok=True)
    return 0 if result["state"] == RunState.DONE else 1


def _finished(folder: Path) -> dict[str, Any] | None:
    """Return how a run ended whose process was killed when all was written; None where there is work to do."""
    from nymity.workbench.tasks import finished_by

    if not (folder / FORETOLD_NAME).exists():
        return None
    spec = json.loads((folder / SPEC_NAME).read_text(encoding="utf-8"))
    answer = finished_by(spec["task"], folder, spec["settings"])
    if answer is None:
        (folder / FORETOLD_NAME).unlink()
        return None
    return {"state": RunState.DONE, "answer": answer, "warnings": []}


def limit_memory(size: int) -> None:
    """Let this process, and each that it begins, take so many bytes at most; what it had is never left on the disk."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    told, *further = sys.argv[1:]
    numbers = [int(one) for one in further if one != FINISH]
    sys.exit(main(Path(told), *numbers, only_finish=FINISH in further))
