"""Release: the trial that was looked at is written for others, signed, with its pages."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.core.paths import resolved
from nymity.publishing.custody import private_folder
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, button, card, empty_state, heading, link, said, text, told
from nymity.workbench.passphrase_panel import passphrase_panel
from nymity.workbench.project import Project
from nymity.workbench.run_panel import run_panel, state_badge
from nymity.workbench.runs import RunState
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.trials import TASK, TriedRelease, newest_done, published
from nymity.workbench.watching import look_now, watched


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
        _form(project, trial, texts)
        _meaning(texts)
    _written(project, texts)


def _form(project: Project, trial: TriedRelease, texts: Texts) -> None:
    """Ask where to, and write."""
    lead = texts("release.write_lead", run=trial.number, version=trial.version)
    with card(texts("release.write_title"), lead, "release-form"):
        folder = ui.input(texts("release.folder"), value=str(_proposed(project))).props("outlined spellcheck=false")
        key = ui.input(texts("release.key")).props("outlined spellcheck=false clearable")
        text("p", texts("release.key_lead"), "quiet small")
        force = ui.checkbox(texts("release.force"))

        def write() -> None:
            try:
                out = resolved(Path(str(folder.value or "").strip() or "."))
                private_folder(out, None, names=("out", "custodian"))
            except NymityError as error:
                told(error, texts)
                return
            settings = {"out": str(out), "log": str(trial.custodian), "force": bool(force.value)}
            if str(key.value or "").strip():
                settings["key"] = str(resolved(Path(key.value.strip())))
            try:
                project.runs.start(TASK, job=trial.run.folder / "job.toml", version=trial.version, **settings)
            except NymityError as error:
                told(error, texts)
            look_now()

        with box("div", "actions"):
            button(texts("release.write"), write, icon="verified", main=True)


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
                    _files(one, texts)
                elif one.run.state is not RunState.RUNNING:
                    state_badge(one.run.state, texts)

    shown()


def _files(one: TriedRelease, texts: Texts) -> None:
    with box("div", "scroll-x"), box("table", "list"), box("tbody"):
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
