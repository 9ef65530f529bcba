"""Other settings: methods, values of k and hierarchies that were tried, and those that no other beats."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError, ParameterError
from nymity.core.plain_data import MOST_JOB_BYTES, read_content
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import badge, box, button, card, scroll_box, text, told
from nymity.workbench.project import Project
from nymity.workbench.run_panel import run_panel
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.tasks.recommend import CHOICES_NAME
from nymity.workbench.watching import look_now, watched

_TASK = "recommend"
#: What of a choice becomes part of the job.
_TAKEN = ("schema", "privacy", "method")


def settings_panel(project: Project, texts: Texts) -> None:
    """Offer to try, show how far it is, and then the front from the least risk to the most useful."""

    def begin() -> None:
        _try_settings(project)
        look_now()

    with card(texts("explore.settings_title"), texts("explore.settings_lead")):

        @watched(project, runs=True)
        def shown() -> None:
            run = project.runs.latest(_TASK)
            if run is not None:
                run_panel(run, texts)
                if run.state is RunState.DONE:
                    _front(project, run, (run.result or {})["answer"], texts)
            running = run is not None and run.state is RunState.RUNNING
            with box("div", "actions"):
                button(texts("explore.settings_begin"), begin, icon="auto_awesome").set_enabled(not running)

        shown()


def _front(project: Project, run: BackgroundRun, found: Mapping[str, Any], texts: Texts) -> None:
    def use(number: int) -> None:
        try:
            _take_settings(project, run, number, texts("explore.settings_used", choice=number))
        except NymityError as error:
            told(error, texts)
            return
        ui.navigate.to(f"{project.address}/promises")

    text("p", texts("explore.settings_tried", n=found["tried"]), "quiet")
    with scroll_box(), box("table", "list"):
        with box("thead"), box("tr"):
            for name in ("settings", "risk", "average", "suppressed"):
                text("th", texts(f"explore.word_{name}"))
            text("th", found["measure"])
            text("th", "", "row-action")
        with box("tbody"):
            for one in found["choices"]:
                with box("tr"):
                    with box("td"):
                        text("span", one["words"])
                        if one["number"] == found["knee"]:
                            badge(texts("explore.settings_knee"), "good")
                    text("td", texts.percent(one["highest"]))
                    text("td", texts.percent(one["average"]))
                    text("td", texts.percent(one["suppressed"] / max(1, found["records"])))
                    text("td", one["useful"])
                    with box("td", "row-action"):
                        button(texts("explore.settings_use"), partial(use, one["number"])).props("dense flat")
    text("p", texts("explore.settings_original", measure=found["measure"], value=found["original"]), "quiet small")
    for note in found["notes"]:
        text("p", f"{note[:1].upper()}{note[1:]}.", "quiet small")


def _try_settings(project: Project) -> BackgroundRun:
    """Begin to try settings beside those of the job."""
    project.refuse_looking("recommend")
    return project.runs.start(_TASK, job=project.job_path, version=project.state.at)


def _take_settings(project: Project, run: BackgroundRun, number: int, what: str) -> None:
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
