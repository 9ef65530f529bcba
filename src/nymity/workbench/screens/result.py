"""Result: the newest trial: warnings first, what was promised and is measured, and the release beside the original."""

from __future__ import annotations

from typing import Any

from nicegui import ui

import nymity as ny
from nymity.workbench.analyses import CODE, OpenedTrial, analyse, analysis_of, open_trial
from nymity.workbench.analysis_panel import analysis_panel
from nymity.workbench.catalogue import Texts
from nymity.workbench.learning_panel import learning_panel
from nymity.workbench.parts import badge, box, button, card, empty_state, heading, in_thread, link, text, tile
from nymity.workbench.private_panel import private_panel
from nymity.workbench.project import Project
from nymity.workbench.promise_words import of_records, promise_words, warning_title
from nymity.workbench.rows_grid import rows_beside
from nymity.workbench.run_panel import run_panel
from nymity.workbench.runs import RunState
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.trials import TriedRelease, newest_done
from nymity.workbench.watching import look_now, watched


async def render(project: Project, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("result.title"), texts("result.lead"))
    trial = newest_done(project)
    if trial is None:
        empty_state(texts("result.none"))
        link(texts("result.to_search"), f"{project.address}/search")
        return
    ui.add_body_html('<script src="/assets/charts.js"></script>')
    one = await in_thread(open_trial, project, trial)
    await in_thread(lambda: one.opened.table)
    text("p", texts("result.trial", run=trial.number, version=trial.version), "quiet")
    if trial.version != project.state.at:
        text("p", texts("result.outdated", version=trial.version, at=project.state.at), "notice")
    _figures(one, texts)
    _warnings(one.opened, texts)
    _promises(one.opened, texts)
    if one.opened.is_private:
        private_panel(project, one, texts)
        return
    await _beside(project, one, texts)
    await _analysed(project, trial, texts)
    learning_panel(project, trial, one.opened.table.columns, one.job.target or "", texts)


def _figures(one: OpenedTrial, texts: Texts) -> None:
    """Show the release in a few figures, as its certificate has them."""
    account, holds = one.trial.account, one.opened.holds
    records, warnings = account["records"], len(one.opened.warnings)
    with box("div", "tiles"):
        tile(
            texts("result.promises"),
            texts("result.hold" if holds else "result.broken"),
            kind="good" if holds else "bad",
        )
        tile(texts("result.warnings"), texts.number(warnings))
        tile(texts("result.records"), texts.number(records["out"]), of_records(one.trial, texts))
        if (loss := account.get("loss")) and loss.get("scaled") is not None:
            tile(texts("result.lost"), texts.percent(loss["scaled"]), loss["title"] or loss["name"])


def _warnings(opened: ny.OpenedRelease, texts: Texts) -> None:
    with card(texts("result.warnings_title"), texts("result.warnings_lead")):
        if not opened.warnings:
            text("p", texts("result.no_warnings"))
        for warning in opened.warnings:
            title, says = warning_title(warning)
            with box("div", "warning"):
                text("strong", title)
                text("span", says)


def _promises(opened: ny.OpenedRelease, texts: Texts) -> None:
    with card(texts("result.promises_title")), box("div", "verdicts"):
        for number in range(len(opened.certificate.promised)):
            promised, reached, holds = opened.reached(number)
            name, sentence = promise_words(promised)
            with box("div", "verdict"):
                with box("p"):
                    text("strong", name)
                badge(texts("result.holds" if holds else "result.fails"), "good" if holds else "bad")
                text("p", sentence)
                text("p", _measured(promised.plain, reached, texts), "quiet")


def _measured(promised: Any, reached: Any, texts: Texts) -> str:
    """Say what was promised beside what is measured, a clause for each parameter."""
    if not reached:
        return texts("result.not_measured")
    parts = []
    for name, value in reached.items():
        asked = promised.get(name)
        shown = {"name": name, "measured": _value(value, texts)}
        parts.append(
            texts("result.measured", **shown)
            if asked is None
            else texts("result.promised_measured", promised=_value(asked, texts), **shown)
        )
    return " · ".join(parts)


def _value(value: Any, texts: Texts) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        return texts.number(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


async def _beside(project: Project, one: OpenedTrial, texts: Texts) -> None:
    with card(texts("result.rows_title"), texts("result.rows_lead")):
        beside = await in_thread(lambda: one.beside)  # an error is shown by the frame
        rows_beside(project, one.trial, beside.names, texts)


async def _analysed(project: Project, trial: TriedRelease, texts: Texts) -> None:
    """Show what was computed of the trial, or how far that is."""
    run = await in_thread(analyse, project, trial)
    if run.state is RunState.DONE:
        analysis_panel(project, trial, run, texts)
        return

    def again() -> None:
        analyse(project, trial, again=True)
        look_now()

    with card(texts("result.analysis_title"), texts("result.analysis_lead")):

        @watched(project, runs=True)
        def progress() -> None:
            newest = analysis_of(project, trial)
            if newest is None:
                return
            if newest.state is RunState.DONE:
                ui.navigate.reload()
                return
            run_panel(newest, texts)
            if newest.state is not RunState.RUNNING:
                button(texts("result.analyse_again"), again, icon="refresh")

        progress()


def _code(project: Project) -> str:
    return CODE if newest_done(project) is not None else ""


SCREEN = ProjectScreen(
    key="result",
    render=render,
    looks=False,  # a private release shows what is in it; any other is refused in a private project when it is opened
    code=_code,
)
