"""Pages of a release that was written, as they lie in its folders: the recipients', and the custodian's report.

They are shown without being part of the workbench: a page of a folder that somebody else can write to must not be able
to ask the workbench for anything. So they are kept in a sandbox, which makes them a site of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starlette.responses import Response

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.plain_data import read_content
from nymity.workbench.endpoints import Endpoint, whole
from nymity.workbench.guard import SANDBOX
from nymity.workbench.project import Project
from nymity.workbench.trials import TASK, TriedRelease

PAGES = ("about", "report")
_LARGEST = 64 * 2**20


def page(project: Project, query: Mapping[str, str]) -> Response:
    """Return a page of the release of a ``run``; the report tells of records, so that private projects hide it."""
    name = query.get("page", "")
    validation.one_of("page", name, PAGES)
    if name == "report":
        project.refuse_looking("the report")
    written = TriedRelease(project.runs.get(whole(query, "run", 0)))
    path = written.account.get("files", {}).get(name) if written.run.task == TASK else None
    if path is None:
        raise ParameterError("page", expected="a page that this run wrote", got=name)
    content = read_content(Path(path), most=_LARGEST, expected="a page of a release")
    return Response(content, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": SANDBOX})


ENDPOINTS = (Endpoint(name="release-page", answer=page, looks=False),)
