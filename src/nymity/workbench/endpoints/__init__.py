"""Endpoints: data that a page fetches by itself, such as the rows of a grid. One file each, which is all it takes.

``GET /api/p/<project>/<name>`` answers with JSON, or with Arrow where an endpoint returns a frame. Columns are ``c0``,
``c1`` … in their order: their names are somebody's data, and some widgets run what is called ``:x``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from nymity.core.errors import NymityError, ParameterError
from nymity.workbench.home import Homes
from nymity.workbench.house.rights import Actor
from nymity.workbench.project import Project
from nymity.workbench.worker import error_data

#: Digits of a number in an address.
_DIGITS = 12

ADDRESS = "/api/p/{project_id}/{name}"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """What answers under a name; ``looks``: it is computed from records, so that private projects do not have it."""

    name: str
    answer: Callable[[Project, Mapping[str, str]], Any]
    looks: bool = True


@cache
def endpoints() -> dict[str, Endpoint]:
    """Return all endpoints by name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {one.name: one for module in modules for one in module.ENDPOINTS}


def address(project: Project, name: str) -> str:
    """Return where a page fetches something."""
    return ADDRESS.format(project_id=project.id, name=name)


def answering(home: Homes) -> Callable[[Request], Any]:
    """Return what answers requests to :data:`ADDRESS`."""

    async def answer(request: Request) -> Response:
        endpoint = endpoints().get(request.path_params["name"])
        project = home.of(request).find(request.path_params["project_id"])
        if endpoint is None or project is None or not project.actor.gets(endpoint.name):
            return JSONResponse({"error": {"message": "there is nothing here"}}, status_code=404)
        try:
            if endpoint.looks and not project.may_look:
                refused = {"message": "a private project shows nothing of records"}
                return JSONResponse({"error": refused}, status_code=403)
            found = await run_in_threadpool(_asked, endpoint, project, dict(request.query_params))
        except NymityError as error:
            return JSONResponse({"error": told_in(error, project.folder, project.actor)}, status_code=400)
        return found if isinstance(found, Response) else _written(found)

    return answer


def _asked(endpoint: Endpoint, project: Project, query: Mapping[str, str]) -> Any:
    """Return the answer of an endpoint; where files of the project are damaged, that is the error."""
    try:
        return endpoint.answer(project, query)
    except (AttributeError, LookupError, TypeError, ValueError):
        project.check_folder()
        raise


def told_in(error: NymityError, folder: Path, actor: Actor) -> dict[str, str]:
    """Return an error as plain data; where a house keeps its projects is nobody's business."""
    told = error_data(error)
    if not actor.in_house:
        return told
    return {part: words.replace(f"{folder}/", "").replace(str(folder), "") for part, words in told.items()}


def whole(query: Mapping[str, str], name: str, default: int) -> int:
    """Return a whole number, not below 0, out of what was asked."""
    given = query.get(name, str(default))
    if not given.isdecimal() or not given.isascii() or len(given) > _DIGITS:
        raise ParameterError(name, expected="a whole number, not below 0", got=repr(given)[:80])
    return int(given)


def neutral(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table with columns that are called by their place."""
    return table.rename(dict(zip(table.columns, neutral_names(table.width), strict=True)))


def neutral_names(width: int) -> list[str]:
    """Return what columns are called towards a browser."""
    return [f"c{place}" for place in range(width)]


def _written(found: Any) -> Response:
    if isinstance(found, pl.DataFrame):
        stream = BytesIO()
        found.write_ipc_stream(stream)
        return Response(stream.getvalue(), media_type="application/vnd.apache.arrow.stream")
    return JSONResponse(found)
