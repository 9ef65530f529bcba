"""Release: the trial that was looked at is written for others, signed, with its pages."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui

from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address
from nymity.workbench.parts import badge, box, button, card, empty_state, heading, link, said, scroll_box, text
from nymity.workbench.passphrases import PASSPHRASE, asks
from nymity.workbench.project import Project
from nymity.workbench.release_form import ReleaseForm
from nymity.workbench.run_panel import run_panel, state_badge
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.trials import TriedRelease, newest_done, published
from nymity.workbench.watching import watched


def render(project: Project, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("release.title"), texts("release.lead"))
    trial = newest_done(project)
    if trial is None:
        empty_state(texts("release.none"))
        link(texts("release.to_search"), f"{project.address}/search")
        return
    if trial.version != project.state.at:
        text("p", texts("release.outdated", version=trial.version, at=project.state.at), "notice")
    with box("div", "two-columns"):
        with box("div"):
            ReleaseForm(project, trial, _proposed(project), texts)
        _meaning(texts)
    _written(project, texts)


def _meaning(texts: Texts) -> None:
    """Say which folder is for whom."""
    with card(texts("release.folders_title")), box("dl", "meaning"):
        for name in ("folder", "custodian", "certificate"):
            text("dt", texts(f"release.{name}_name"))
            text("dd", texts(f"release.{name}_is"))


def _written(project: Project, texts: Texts) -> None:
    """Show what was written, the newest first."""

    @watched(project, runs=True)
    def shown() -> None:
        written = published(project, trials=False)
        for number, one in enumerate(written):
            with card(texts("release.written", run=one.number, version=one.version)):
                if number == 0:
                    run_panel(one.run, texts)
                    passphrase_panel(project, one.run, texts)
                if one.is_done:
                    _files(project, one, texts)
                elif one.run.state is not RunState.RUNNING:
                    state_badge(one.run.state, texts)

    shown()


def _files(project: Project, one: TriedRelease, texts: Texts) -> None:
    files = one.account["files"]
    with box("div", "actions"):
        signed = bool(files.get("signature"))
        badge(texts("release.signed" if signed else "release.unsigned"), "good" if signed else "")
        for page in ("about", "report"):
            if files.get(page) is not None and (page == "about" or project.may_look):
                where = f"{address(project, 'release-page')}?run={one.number}&page={page}"
                said(link(texts(f"release.open_{page}"), where), target="_blank", rel="noopener")
    with scroll_box(), box("table", "list"), box("tbody"):
        for name, path in one.account["files"].items():
            if path is not None:
                with box("tr"):
                    text("td", texts(f"release.file_{name}"))
                    with box("td"):
                        said(text("code", str(path)), tabindex="0")
    text("p", texts("release.check"), "quiet")
    said(text("pre", f"nymity check {one.folder}", "code"), tabindex="0")


def _proposed(project: Project) -> Path:
    """Return a folder beside the table, or beside the project for one that was uploaded; in a house their own."""
    if (reach := project.actor.reach) is not None:
        return (project.folder if reach.releases is None else reach.releases) / f"{project.folder.name}-release"
    path = project.job_data.get("source", {}).get("path")
    table = None if path is None else Path(path)
    if table is None or project.folder in table.parents:
        return project.folder.parent / f"{project.folder.name}-release"
    return table.parent / f"{table.stem}-release"


def _open_points(project: Project) -> int | None:
    done = [one for one in published(project, trials=False) if one.is_done]
    return None if not done else int(done[0].version != project.state.at)


SCREEN = ProjectScreen(key="release", render=render, looks=False, open_points=_open_points)


def passphrase_panel(project: Project, run: BackgroundRun, texts: Texts) -> None:
    """Show it while the run asks for one."""
    if not asks(run):
        return
    where = PASSPHRASE.format(project_id=project.id, run=run.number)
    send = (
        "const field = document.getElementById('passphrase'); const body = field.value; field.value = '';"
        f"fetch({where!r}, {{method: 'POST', body}});"
    )
    with said(box("div", "passphrase"), role="group", aria_label=texts("release.passphrase")):
        said(text("label", texts("release.passphrase")), **{"for": "passphrase"})
        field = said(ui.element("input"), id="passphrase", type="password", autocomplete="off")
        field.on("keydown.enter", js_handler=f"() => {{ {send} }}")
        text("p", texts("release.passphrase_lead"), "quiet small")
        sending = button(texts("release.passphrase_send"), main=True)
        sending.on("click", js_handler=f"() => {{ {send} }}")
