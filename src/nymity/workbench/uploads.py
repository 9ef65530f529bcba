"""Uploads: a file that comes from the browser, straight to the disk and into a project of its own."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from nymity.core.disk import make_folder
from nymity.core.errors import NymityError, ParameterError
from nymity.core.system_errors import explained
from nymity.workbench.endpoints import told_in
from nymity.workbench.home import Home, Homes
from nymity.workbench.house.rights import Right
from nymity.workbench.opening import uploaded
from nymity.workbench.worker import error_data

#: Characters of a file's name, and files that one user uploads at once.
_LONGEST, _MOST = 200, 4


def receiving(home: Homes) -> Callable[[Request], Any]:
    """Return what answers an upload: the body is the file, ``?name=`` is what it is called."""

    under_way: Counter[str] = Counter()

    async def receive(request: Request) -> Response:
        own = home.of(request)
        if not own.actor.may(Right.BEGIN):
            return JSONResponse({"error": {"message": "there is nothing here"}}, status_code=404)
        who = own.actor.name
        if under_way[who] >= _MOST:
            refused = ParameterError("upload", expected=f"at most {_MOST} files at once", got="one more")
            return JSONResponse({"error": error_data(refused)}, status_code=429)
        under_way[who] += 1
        try:
            return await take(own, request)
        except NymityError as error:
            return JSONResponse({"error": told_in(error, own.folder, own.actor)}, status_code=400)
        finally:
            under_way[who] -= 1

    async def take(own: Home, request: Request) -> Response:
        name = request.query_params.get("name", "")[-_LONGEST:]
        private = request.query_params.get("private") == "1"
        await run_in_threadpool(own.check_room)  # before anything of it is on the disk
        # A disk may be full before any of it is written, or in its midst.
        with explained([own.folder], at=own.folder):
            make_folder(own.folder, [], private=True)
            # Beside the projects, so that it can be moved into one without being copied.
            with tempfile.TemporaryDirectory(dir=own.folder, prefix=".upload-") as folder:
                staged = Path(folder) / "content"
                await _write(request, staged)
                project = await run_in_threadpool(uploaded, own, name, staged, private=private)
        return JSONResponse({"project": project.id})

    return receive


async def _write(request: Request, to: Path) -> None:
    with to.open("wb") as stream:
        async for piece in request.stream():
            await asyncio.to_thread(stream.write, piece)
