"""What can be learned from a trial: classifiers of a column that somebody chooses, with their ROC curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from nymity.workbench.analysis_panel import chart
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address
from nymity.workbench.learnings import answer_of, begin, newest
from nymity.workbench.parts import box, button, card, scroll_box, text
from nymity.workbench.project import Project
from nymity.workbench.run_panel import run_panel
from nymity.workbench.runs import RunState
from nymity.workbench.trials import TriedRelease
from nymity.workbench.watching import look_now, watched


def learning_panel(project: Project, trial: TriedRelease, names: Sequence[str], target: str, texts: Texts) -> None:
    """Ask for a column, and show what classifiers learned of it."""
    with card(texts("result.learning_title"), texts("result.learning_lead")):
        with box("div", "choices"):
            places = dict(enumerate(names))  # by their place: names are anybody's
            value = names.index(target) if target in names else len(names) - 1
            chosen = ui.select(places, value=value, label=texts("result.target")).props("outlined dense")

            def learn() -> None:
                begin(project, trial, names[int(chosen.value)])
                look_now()

            start = button(texts("result.learn"), learn, icon="school")
        seen: dict[str, Any] = {"state": None}
        place = box("div")

        @watched(project, runs=True)
        def follow() -> None:
            run = newest(project, trial)
            state = None if run is None else (run.number, run.state)
            if run is None or (state == seen["state"] and run.state is not RunState.RUNNING):
                return
            seen["state"] = state
            start.set_enabled(run.state is not RunState.RUNNING)
            place.clear()
            with place:
                run_panel(run, texts)
                if (found := answer_of(run)) is not None:
                    _learned(project, trial, found, texts)

        follow()


def _learned(project: Project, trial: TriedRelease, found: Mapping[str, Any], texts: Texts) -> None:
    text(
        "p",
        texts(
            "result.learned",
            target=found["target"],
            columns=len(found["columns"]),
            records=found["test_records"],
            zero=texts.percent(found["zero_r"]),
        ),
    )
    with scroll_box(), box("table", "list"):
        with box("thead"), box("tr"):
            for name in ("classifier", "accuracy_before", "accuracy_after", "relative", "auroc"):
                text("th", texts(f"result.{name}"))
        with box("tbody"):
            for one in found["results"]:
                before, after = one["original"], one["release"]
                areas = (before["auroc"], after["auroc"])
                with box("tr"):
                    text("td", one["classifier"])
                    text("td", texts.percent(before["accuracy"]))
                    text("td", texts.percent(after["accuracy"]))
                    relative = one["relative_accuracy"]
                    text("td", "–" if relative is None else texts.percent(relative))
                    text("td", "–" if None in areas else " → ".join(texts.number(area, 3) for area in areas))
    if any(one["original"]["roc"] for one in found["results"]):
        words = {"title": texts("result.roc_title"), "before": texts("result.before"), "after": texts("result.after")}
        words |= {"false": texts("result.roc_false"), "true": texts("result.roc_true")}
        text("h3", words["title"])
        chart("curves", f"{address(project, 'result-roc')}?trial={trial.number}", words)
    for note in found["notes"]:
        text("p", f"{note[:1].upper()}{note[1:]}.", "quiet small")
