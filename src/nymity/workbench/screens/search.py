"""Search: the job is tried in a process of its own, which can be stopped; what it finds lies in the project."""

from __future__ import annotations

from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import (
    box,
    button,
    card,
    empty_state,
    error_card,
    heading,
    in_background,
    link,
    scroll_box,
    text,
    tile,
)
from nymity.workbench.project import Project
from nymity.workbench.promise_words import of_records
from nymity.workbench.run_panel import run_panel, state_badge
from nymity.workbench.runs import RunState
from nymity.workbench.screens import ProjectScreen, screens_for
from nymity.workbench.trials import TASK, TriedRelease, newest_done, published
from nymity.workbench.watching import look_now, watched

#: Warnings that are shown here; the result has all.
_WARNINGS = 3


def render(project: Project, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("search.title"), texts("search.lead"))

    async def begin() -> None:
        # Its files are on the disk before it begins: whoever else clicks does not wait for that.
        await in_background(texts, project.runs.start, TASK, job=project.job_path, version=project.state.at)
        look_now()

    @watched(project, runs=True)
    def shown() -> None:
        trials = published(project)
        newest = trials[0] if trials else None
        running = newest is not None and newest.run.state is RunState.RUNNING
        problem = project.problem()
        if problem is not None:
            error_card(problem, texts)
            _what_is_open(project, texts)
        else:
            with box("div", "actions"):
                start = button(texts("search.again" if trials else "search.begin"), begin, icon="play_arrow", main=True)
                start.set_enabled(not running)
        if newest is not None:
            with card(texts("search.newest", run=newest.number, version=newest.version)):
                run_panel(newest.run, texts)
                if newest.is_done:
                    _account(project, newest, texts)
        else:
            empty_state(texts("search.none"), texts("search.none_then"))
        if len(trials) > 1:
            _earlier(trials[1:], texts)

    shown()


def _what_is_open(project: Project, texts: Texts) -> None:
    """Lead to the screens on which something is to be decided first."""
    with box("div", "actions"):
        for key, screen in screens_for(project.actor).items():
            if key != SCREEN.key and (project.may_look or not screen.looks) and screen.open_points(project):
                link(texts("search.first", screen=texts(f"nav.{key}")), f"{project.address}/{key}")


def _account(project: Project, trial: TriedRelease, texts: Texts) -> None:
    """Show what came of a trial in a few figures."""
    account = trial.account
    records, warnings = account["records"], account["warnings"]
    with box("div", "tiles"):
        holds = account["holds"]
        tile(
            texts("search.promises"),
            texts("search.hold" if holds else "search.broken"),
            kind="good" if holds else "bad",
        )
        tile(texts("search.released"), texts.number(records["out"]), of_records(trial, texts))
        if (loss := account.get("loss")) and loss.get("scaled") is not None:
            tile(texts("search.lost"), texts.percent(loss["scaled"]), loss["title"] or loss["name"])
        tile(texts("search.warnings"), texts.number(len(warnings)))
    if trial.was_stopped:
        text("p", texts("search.was_stopped"), "notice")
    for warning in warnings[:_WARNINGS]:
        text("p", warning["says"], "notice")
    if len(warnings) > _WARNINGS:
        text("p", texts("search.more_warnings", n=len(warnings) - _WARNINGS), "quiet")
    if project.state.at != trial.version:
        text("p", texts("search.outdated"), "quiet")
    with box("div", "actions"):
        link(texts("search.to_result"), f"{project.address}/result")
        link(texts("search.to_release"), f"{project.address}/release")


def _earlier(trials: list[TriedRelease], texts: Texts) -> None:
    with card(texts("search.earlier")), scroll_box(), box("table", "list"):
        with box("thead"), box("tr"):
            for name in ("run", "job", "state", "released", "lost"):
                text("th", texts(f"search.column_{name}"))
        with box("tbody"):
            for trial in trials:
                account = trial.account
                with box("tr"):
                    text("td", str(trial.number))
                    text("td", texts("search.version", version=trial.version))
                    with box("td"):
                        state_badge(trial.run.state, texts)
                    text("td", texts.number(account["records"]["out"]) if account else "–", "number-cell")
                    scaled = (account.get("loss") or {}).get("scaled")
                    text("td", "–" if scaled is None else texts.percent(scaled), "number-cell")


def _open_points(project: Project) -> int | None:
    newest = newest_done(project)
    return None if newest is None else int(newest.version != project.state.at)


SCREEN = ProjectScreen(
    key="search",
    render=render,
    looks=False,  # a release that a private method made shows what it promised to show
    open_points=_open_points,
)
