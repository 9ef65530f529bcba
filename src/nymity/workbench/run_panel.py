"""A run on a page: what it does, how far it is, how it ended."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import badge, box, button, said, text
from nymity.workbench.runs import BackgroundRun, RunState

#: How states look.
KINDS = {RunState.DONE: "good", RunState.FAILED: "bad", RunState.LOST: "bad", RunState.STOPPED: "warned"}


def state_badge(state: RunState, texts: Texts) -> None:
    """Show how a run stands."""
    badge(texts(f"runs.{state.value}"), KINDS.get(state, ""))


def run_panel(run: BackgroundRun, texts: Texts) -> None:
    """Show a run under way, or the error of one that ended with one; nothing of one that is done."""
    state = run.state
    if state is RunState.RUNNING:
        _under_way(run, texts)
    elif state in (RunState.FAILED, RunState.STOPPED, RunState.LOST):
        _ended(run, state, texts)


def _under_way(run: BackgroundRun, texts: Texts) -> None:
    progress = run.progress
    with said(box("div", "run-panel"), role="status"):
        with box("div", "run-line"):
            ui.spinner(size="20px")
            text("strong", progress.get("stage", texts("runs.starting")))
            text("span", texts("runs.seconds", n=int(progress.get("seconds", 0))), "quiet")
        if figures := _figures(progress, texts):
            text("p", figures, "quiet")
        done, total = progress.get("done", 0), progress.get("total")
        if total:
            made = ui.linear_progress(min(1.0, done / total), show_value=False).props("rounded")
            said(made, aria_label=texts("runs.progress"))
        with box("div", "actions"):
            stopping = (run.folder / "stop").exists()
            button(texts("runs.stopping" if stopping else "runs.stop"), run.stop, icon="stop").set_enabled(not stopping)


def _figures(progress: dict[str, Any], texts: Texts) -> str:
    parts = []
    if progress.get("done"):
        total = progress.get("total")
        steps = texts.number(progress["done"])
        parts.append(
            texts("runs.steps_of", done=steps, total=texts.number(total)) if total else texts("runs.steps", done=steps)
        )
    if progress.get("best") is not None:
        parts.append(texts("runs.best", value=f"{progress['best']:.4g}"))
        if progress.get("bound") is not None and progress["best"] > 0:
            gap = texts.percent(max(0.0, 1 - progress["bound"] / progress["best"]))
            parts.append(texts("runs.bound", value=f"{progress['bound']:.4g}", gap=gap))
    return " · ".join(parts)


def _ended(run: BackgroundRun, state: RunState, texts: Texts) -> None:
    result = run.result or {}
    error = result.get("error", {})
    with said(box("div", "error-card"), role="alert"):
        text("strong", texts(f"runs.{state.value}_title"))
        if error.get("where"):
            text("p", error["where"])
            with box("dl"):
                for name in ("expected", "got", "hint"):
                    if error.get(name):
                        text("dt", texts(f"app.{name}"))
                        text("dd", error[name])
        elif error.get("message"):
            text("p", error["message"])
        elif run.errors:
            said(text("pre", run.errors[-2000:], "code"), tabindex="0")
