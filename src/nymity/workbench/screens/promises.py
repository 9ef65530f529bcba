"""Promises: sentences about an attacker with their numbers inside, how the release is made, and what that costs."""

from __future__ import annotations

from nymity.workbench.catalogue import Texts
from nymity.workbench.consequences_panel import ConsequencesPanel
from nymity.workbench.forecast_panel import forecast_panel, ledger_panel
from nymity.workbench.method_panel import importance_panel, method_panel
from nymity.workbench.parts import box, heading
from nymity.workbench.project import Project
from nymity.workbench.promise_panel import promise_panel
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.transform_panel import transform_panel


def render(project: Project, texts: Texts) -> None:
    """Fill the page; a private project has the forecast in place of what is counted on records."""
    heading(texts("promises.title"), texts("promises.lead"))
    costs: ConsequencesPanel | None = None
    with box("div", "two-columns promises"):
        with box("div") as setting:
            promise_panel(project, texts)
            method_panel(project, texts, lambda share: costs.slide(share) if costs is not None else None)
            if project.may_look:
                importance_panel(project, texts)
                transform_panel(project, texts)
        with box("div", "beside"):
            if project.may_look:
                costs = ConsequencesPanel(project, texts, setting)
            else:
                forecast_panel(project, texts)
                ledger_panel(project, texts)


def _open_points(project: Project) -> int | None:
    return None if project.job_data.get("privacy") else 1


def _code(project: Project) -> str:
    """Return the Python that counts what the promises of a project cost, or forecasts it in a private one."""
    if project.job_path is None:
        return ""
    if not project.may_look:
        return (
            "import nymity as ny\n"
            "from nymity.dp.private_method import the_promise\n\n"
            f"job = ny.Job.load({str(project.job_path)!r})\n"
            "ahead = ny.dp.forecast(job.schema, the_promise(job.privacy))\n"
            "print(ahead.finest, ahead.advice())\n"
        )
    return (
        "import nymity as ny\n"
        "from nymity.publishing import Foresight\n\n"
        f"job = ny.Job.load({str(project.job_path)!r})\n"
        "print(Foresight.of(job).consequences(job))\n"
    )


SCREEN = ProjectScreen(
    key="promises",
    render=render,
    looks=False,  # what is counted on records is asked for in projects alone that may look
    open_points=_open_points,
    code=_code,
)
