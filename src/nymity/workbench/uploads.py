"""Uploads: a file that comes from the browser, straight to the disk and into a project of its own."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from nymity.core.disk import make_folder
from nymity.core.errors import NymityError
from nymity.workbench.home import Homes
from nymity.workbench.house.rights import Right
from nymity.workbench.opening import uploaded
from nymity.workbench.worker import error_data

#: Characters of a file's name.
_LONGEST = 200


def receiving(home: Homes) -> Callable[[Request], Any]:
    """Return what answers an upload: the body is the file, ``?name=`` is what it is called."""

    async def receive(request: Request) -> Response:
        own = home.of(request)
        if not own.actor.may(Right.BEGIN):
            return JSONResponse({"error": {"message": "there is nothing here"}}, status_code=404)
        name = request.query_params.get("name", "")[-_LONGEST:]
        private = request.query_params.get("private") == "1"
        make_folder(own.folder, [], private=True)
        # Beside the projects, so that it can be moved into one without being copied.
        with tempfile.TemporaryDirectory(dir=own.folder, prefix=".upload-") as folder:
            staged = Path(folder) / "content"
            await _write(request, staged)
            try:
                project = await run_in_threadpool(uploaded, own, name, staged, private=private)
            except NymityError as error:
                return JSONResponse({"error": error_data(error)}, status_code=400)
        return JSONResponse({"project": project.id})

    return receive


async def _write(request: Request, to: Path) -> None:
    with to.open("wb") as stream:
        async for piece in request.stream():
            await asyncio.to_thread(stream.write, piece)
