"""Learnings: what classifiers learned from a trial, as a run left it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nymity.utility.scoring import RATES
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.trials import TriedRelease, newest_on, start_on

TASK = "learn"


def begin(project: Project, trial: TriedRelease, target: str) -> BackgroundRun:
    """Begin to learn a column from a trial."""
    project.refuse_looking("the result")
    return start_on(project, trial, TASK, target=target)


def newest(project: Project, trial: TriedRelease) -> BackgroundRun | None:
    """Return the newest run that learned from a trial."""
    return newest_on(project, trial, TASK)


def answer_of(run: BackgroundRun | None) -> Mapping[str, Any] | None:
    """Return what was learned, None where nothing was, or not yet."""
    if run is None or run.state is not RunState.DONE or run.result is None:
        return None
    found: Mapping[str, Any] = run.result["answer"]
    return found


def curves(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ROC curves: the rates at which they are drawn, and two for each classifier that has them."""
    return {
        "rates": RATES.tolist(),
        "curves": [
            {"name": one["classifier"], "before": one["original"]["roc"], "after": one["release"]["roc"]}
            for one in found["results"]
            if one["original"]["roc"] and one["release"]["roc"]
        ],
    }
