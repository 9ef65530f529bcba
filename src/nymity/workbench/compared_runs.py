"""Two trials or releases beside each other: what came of them in figures, and what their jobs have other."""

from __future__ import annotations

import difflib
from typing import Any

from nicegui import ui

from nymity.publishing import toml_job
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, card, empty_state, said, scroll_box, text
from nymity.workbench.project import Project
from nymity.workbench.trials import TriedRelease, published


def compared_runs(project: Project, texts: Texts) -> None:
    """Let two be chosen, the newest two first."""
    done = [one for trials in (True, False) for one in published(project, trials=trials) if one.is_done]
    done.sort(key=lambda one: -one.number)
    with card(texts("history.runs"), texts("history.runs_lead")):
        if not done:
            empty_state(texts("history.no_runs"))
            return
        names = {one.number: _name(one, texts) for one in done}
        by_number = {one.number: one for one in done}
        chosen = {"first": done[min(1, len(done) - 1)].number, "second": done[0].number}

        def choose(which: str, number: int) -> None:
            chosen[which] = number
            shown.refresh()

        with box("div", "compared-choices"):
            for which, number in chosen.items():
                made = ui.select(names, value=number, label=texts(f"history.{which}")).props("outlined dense")
                made.on_value_change(lambda event, which=which: choose(which, event.value))

        @ui.refreshable
        def shown() -> None:
            _beside(project, by_number[chosen["first"]], by_number[chosen["second"]], texts)

        shown()


def _name(one: TriedRelease, texts: Texts) -> str:
    return texts(f"history.run_{'trial' if one.is_trial else 'release'}", run=one.number, version=one.version)


def _beside(project: Project, first: TriedRelease, second: TriedRelease, texts: Texts) -> None:
    figures = [_figures(project, one, texts) for one in (first, second)]
    with scroll_box(), box("table", "list compared"):
        with box("thead"), box("tr"):
            text("th", "")
            for one in (first, second):
                text("th", _name(one, texts))
        with box("tbody"):
            for name in dict.fromkeys([*figures[0], *figures[1]]):
                values = [one.get(name, "–") for one in figures]
                with box("tr", "differs" if values[0] != values[1] else ""):
                    text("td", name, "quiet")
                    for value in values:
                        text("td", value)
    lines = difference(project, first.version, second.version)
    if lines:
        with box("details"):
            text("summary", texts("history.job_differs", n=len(lines)))
            said(text("pre", "\n".join(lines), "code"), tabindex="0")


def _figures(project: Project, one: TriedRelease, texts: Texts) -> dict[str, str]:
    """Return what came of a run, as it is shown; a private one tells what its certificate tells."""
    account, job = one.account, project.version_data(one.version)
    rows: dict[str, str] = {
        "method": str(job.get("method", {}).get("name", "–")),
        "promises": "; ".join(_promise(each) for each in account["guarantees"]),
        "records": texts.number(account["records"]["out"]),
    }
    if suppressed := account.get("suppressed"):
        rows["suppressed"] = texts.number(suppressed["records"])
    if (scaled := (account.get("loss") or {}).get("scaled")) is not None:
        rows["loss"] = texts.percent(scaled)
    rows["warnings"] = texts.number(len(account["warnings"]))
    if not one.is_trial:
        rows["signed"] = texts("history.yes" if account["files"].get("signature") else "history.no")
    levels = {
        texts("history.row_level", column=each["attribute"]): f"{each['level']} / {each['height']}"
        for each in account["levels"]
        if "level" in each
    }
    return {**{texts(f"history.row_{name}"): value for name, value in rows.items()}, **levels}


def _promise(guarantee: dict[str, Any]) -> str:
    measured = ", ".join(f"{name} = {value}" for name, value in (guarantee["measured"] or {}).items())
    return f"{guarantee['guarantee']} ({measured})" if measured else str(guarantee["guarantee"])


def difference(project: Project, before: int, after: int) -> list[str]:
    """Return the lines that one version of the job has and the other has not."""
    old, new = (toml_job(project.version_data(number)).splitlines() for number in (before, after))
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
