"""Job and code: what does exactly the same without the workbench, one click away on every screen."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.publishing import python_code, toml_job
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, button, error_card, icon_button, said, text
from nymity.workbench.project import Project
from nymity.workbench.screens import ProjectScreen


def code_panel(project: Project, screen: ProjectScreen, texts: Texts) -> None:
    """Show a button that opens it."""

    def show() -> None:
        shown.clear()
        with shown:
            _fill(project, screen, texts, dialog)
        dialog.open()

    with ui.dialog().props("position=right full-height") as dialog:
        shown = box("div", "code-panel")
    with said(button("", show, icon="code"), aria_label=texts("app.code")):
        text("span", texts("app.code"), "wide-only")


def _fill(project: Project, screen: ProjectScreen, texts: Texts, dialog: ui.dialog) -> None:
    with box("div", "panel-head"):
        text("h2", texts("app.code_title"))
        icon_button("close", texts("app.close"), dialog.close)
    text("p", texts("app.code_lead"), "quiet")
    job = toml_job(project.job_data)
    kinds = {"code_job": job, "code_python": "", "code_shell": _SHELL}
    if own := screen.code(project):
        kinds["code_screen"] = own
    try:
        kinds["code_python"] = python_code(project.job())
    except NymityError as error:
        text("p", texts("app.code_open"))
        error_card(error, texts)
        del kinds["code_python"], kinds["code_shell"]
    with ui.tabs().props("align=left no-caps dense outside-arrows mobile-arrows") as tabs:
        made = {name: ui.tab(name, label=texts(f"app.{name}")) for name in kinds}
    with ui.tab_panels(tabs, value=made["code_job"]).props("keep-alive"):
        for name, code in kinds.items():
            with ui.tab_panel(made[name]):
                with box("div", "actions"):
                    button(texts("app.copy"), partial(_copy, code, texts), icon="content_copy")
                    if name == "code_job":
                        button(texts("app.download"), lambda: ui.download.content(job, "job.toml"), icon="download")
                said(text("pre", code, "code"), tabindex="0")  # as text: names of columns are anybody's


def _copy(code: str, texts: Texts) -> None:
    ui.clipboard.write(code)
    ui.notify(texts("app.copied"))


_SHELL = "nymity publish job.toml --out release\nnymity check release\n"
