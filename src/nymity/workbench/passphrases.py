"""Passphrases: the process of a run asks for one, a page hands it over, and nothing keeps it.

The process makes a pipe in its folder and reads from it; what is written there goes from the server's memory to that
process and nowhere else. It is a request of its own that brings it, not a field that the page's state would have.
"""

from __future__ import annotations

import os
import select
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from nymity.core.errors import Interrupted, NymityError
from nymity.core.progress import Observer, Progress, report
from nymity.workbench.home import Homes
from nymity.workbench.runs import STOP_NAME, BackgroundRun

PIPE_NAME = "passphrase"
PASSPHRASE = "/api/p/{project_id}/passphrase/{run}"
STAGE = "waiting for the passphrase of the key"
#: Bytes of a passphrase, and seconds for which a run waits for one.
_LONGEST, _PATIENCE = 1024, 600.0


def ask_page(folder: Path, observe: Observer) -> Callable[[str], str]:
    """Return what a run asks by: it waits until a page hands a passphrase over, or somebody stops it."""

    def ask(_: str) -> str:
        pipe = folder / PIPE_NAME
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe, 0o600)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            report(observe, Progress(stage=STAGE))
            return _read(folder, reading)
        finally:
            os.close(reading)
            pipe.unlink(missing_ok=True)

    return ask


def _read(folder: Path, reading: int) -> str:
    given, end = b"", time.monotonic() + _PATIENCE
    while not given.endswith(b"\n") and len(given) <= _LONGEST:
        if (folder / STOP_NAME).exists():
            raise Interrupted("stopped while it waited for a passphrase")
        if time.monotonic() > end:
            return ""  # which the key refuses
        if select.select([reading], [], [], 0.2)[0]:
            piece = os.read(reading, _LONGEST)
            given += piece
            if not piece:  # nobody writes
                time.sleep(0.05)
    return given.rstrip(b"\n").decode("utf-8", "replace")


def asks(run: BackgroundRun) -> bool:
    """Return whether the process of a run waits for a passphrase."""
    try:
        return stat.S_ISFIFO((run.folder / PIPE_NAME).lstat().st_mode)
    except OSError:
        return False


def hand_over(run: BackgroundRun, passphrase: bytes) -> bool:
    """Give a passphrase to the process that waits for it; say whether one did."""
    if not asks(run) or b"\n" in passphrase or len(passphrase) >= _LONGEST:
        return False
    try:
        writing = os.open(run.folder / PIPE_NAME, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:  # its process is gone
        return False
    try:
        os.write(writing, passphrase + b"\n")
    finally:
        os.close(writing)
    return True


def taking(home: Homes) -> Callable[[Request], Any]:
    """Return what answers requests to :data:`PASSPHRASE`: the body is the passphrase."""

    async def take(request: Request) -> Response:
        project = home.of(request).find(request.path_params["project_id"])
        number = request.path_params["run"]
        if project is None or not project.actor.gets("passphrase") or not (number.isdecimal() and len(number) < 9):
            return JSONResponse({"error": {"message": "there is nothing here"}}, status_code=404)
        try:
            run = project.runs.get(int(number))
        except NymityError:
            return JSONResponse({"error": {"message": "there is nothing here"}}, status_code=404)
        body = await request.body()
        taken = await run_in_threadpool(hand_over, run, body)
        return JSONResponse({"taken": taken}, status_code=200 if taken else 409)

    return take
