"""Recommendations: settings that were tried on the table, and one of them as the next version of the job."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from nymity.core.errors import ParameterError
from nymity.core.plain_data import MOST_JOB_BYTES, read_content
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun
from nymity.workbench.tasks.recommend import CHOICES_NAME

TASK = "recommend"
#: What of a choice becomes part of the job.
_TAKEN = ("schema", "privacy", "method")


def begin(project: Project) -> BackgroundRun:
    """Begin to try settings beside those of the job."""
    project.refuse_looking("recommend")
    return project.runs.start(TASK, job=project.job_path, version=project.state.at)


def use(project: Project, run: BackgroundRun, number: int, what: str) -> None:
    """Make the settings of a choice a version of the job: hierarchies, promises and method."""
    project.refuse_looking("recommend")
    choices: list[Mapping[str, Any]] = ((run.result or {}).get("answer") or {}).get("choices", [])
    file = next((one["file"] for one in choices if one["number"] == number), None)
    if file is None:
        raise ParameterError("choice", expected="the number of a choice", got=str(number))
    content = read_content(run.folder / CHOICES_NAME / file, most=MOST_JOB_BYTES, expected="the job of a choice")
    made = tomllib.loads(content.decode("utf-8"))

    def edit(data: dict[str, Any]) -> None:
        data.update({name: made[name] for name in _TAKEN if name in made})

    project.change_job(what, edit)
