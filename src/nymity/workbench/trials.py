"""Trials: releases that lie in a run's own folder, to be looked at before one of them is given away."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nymity as ny
from nymity.workbench.project import Project
from nymity.workbench.runs import JOB_NAME, STOP_NAME, BackgroundRun, RunState

TASK = "publish"


@dataclass(frozen=True)
class TriedRelease:
    """A run that published: a trial, or a release that was written for others."""

    run: BackgroundRun

    @property
    def number(self) -> int:
        """Its number in the project."""
        return self.run.number

    @property
    def version(self) -> int:
        """The version of the job that it published."""
        return int(self.run.spec["version"])

    @property
    def is_trial(self) -> bool:
        """Whether it lies in the project alone."""
        return not self.run.spec["settings"].get("out")

    @property
    def account(self) -> dict[str, Any]:
        """What came of it; empty while it is under way, or where nothing did."""
        result = self.run.result
        return dict(result.get("answer") or {}) if result is not None else {}

    @property
    def is_done(self) -> bool:
        """Whether it ended with a release."""
        return self.run.state is RunState.DONE and bool(self.account)

    @property
    def stopped_levels(self) -> dict[str, int] | None:
        """The levels it has, where another search might end elsewhere: it was stopped, or its time was over."""
        method = ny.Job.load(self.run.folder / JOB_NAME).method
        if method is None or not method.answers_any_time or self.account["loss"]["proven_optimal"]:
            return None
        if "levels" in self.account["loss"]:  # its budget is one of choices, which end alike on every machine
            return dict(self.account["loss"]["levels"]) if self.was_stopped else None
        return {one["attribute"]: one["level"] for one in self.account["levels"]}

    @property
    def masked(self) -> int:
        """How many of the published records say nothing but what is insensitive; those removed are not published."""
        records, suppressed = self.account["records"], self.account.get("suppressed")
        return 0 if suppressed is None or records["out"] != records["in"] else int(suppressed["records"])

    @property
    def was_stopped(self) -> bool:
        """Whether somebody stopped its search, and the best so far became a release."""
        return self.is_done and (self.run.folder / STOP_NAME).exists()

    @property
    def folder(self) -> Path:
        """The folder of its release."""
        return Path(self.account["files"]["certificate"]).parent

    @property
    def custodian(self) -> Path:
        """The custodian's folder beside it."""
        return Path(self.account["files"]["custodian"])


def start_on(project: Project, trial: TriedRelease, task: str, **settings: Any) -> BackgroundRun:
    """Begin a task on the release of a trial."""
    return project.runs.start(
        task,
        job=trial.run.folder / JOB_NAME,
        version=trial.version,
        trial=trial.number,
        release=str(trial.folder),
        custodian=str(trial.custodian),
        **settings,
    )


def newest_on(project: Project, trial: TriedRelease, task: str) -> BackgroundRun | None:
    """Return the newest run of a task on a trial."""
    runs = (run for run in project.runs.all() if run.task == task)
    return next((run for run in runs if run.spec["settings"]["trial"] == trial.number), None)


def published(project: Project, *, trials: bool = True) -> list[TriedRelease]:
    """Return the trials of a project, or else what was written for others; the newest first."""
    every = [TriedRelease(run) for run in project.runs.all() if run.task == TASK]
    return [one for one in every if one.is_trial is trials]


def newest_done(project: Project) -> TriedRelease | None:
    """Return the newest trial that ended with a release."""
    return next((one for one in published(project) if one.is_done), None)
