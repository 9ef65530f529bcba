"""Analyses: a trial beside the table it was made from. A private release has none: it shows what is in it alone."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import nymity as ny
from nymity.core.custodian import LOG_NAME
from nymity.core.errors import ParameterError
from nymity.core.plain_data import read_json
from nymity.publishing.jobs.job_tables import load_source
from nymity.report import check_source
from nymity.table.text import as_text, gathered
from nymity.workbench.house.rights import Right
from nymity.workbench.project import Project
from nymity.workbench.runs import JOB_NAME, BackgroundRun, RunState
from nymity.workbench.tasks.analyse import FIGURES_NAME
from nymity.workbench.trials import TriedRelease, newest_on, start_on

TASK = "analyse"
#: Trials whose tables stay in memory, however large; further ones while all have no more cells than this.
_MOST, _MOST_CELLS = 2, 10_000_000

#: What computes the same without the workbench.
CODE = """import nymity as ny
from nymity.report import quick_attacks

job = ny.Job.load("job.toml")
original = job.source.read()
release = ny.open("release", custodian="release-custodian", job=job)

release.warnings
release.reached(0)
ny.compare(original, release).plainly(original, release)
ny.measure_risk(release.table, job.schema)
quick_attacks(release, original)
"""

_kept: OrderedDict[str, OpenedTrial] = OrderedDict()
_keeping, _starting = threading.Lock(), threading.Lock()


@dataclass(eq=False)
class OpenedTrial:
    """A trial that was opened; what is read of it stays."""

    trial: TriedRelease

    @cached_property
    def job(self) -> ny.Job:
        """The job that it published."""
        return ny.Job.load(self.trial.run.folder / JOB_NAME)

    @cached_property
    def opened(self) -> ny.OpenedRelease:
        """The release."""
        return ny.open(self.trial.folder, custodian=self.trial.custodian, job=self.job)

    @property
    def cells(self) -> int:
        """How many cells it takes in memory with the table beside it, or will take."""
        return 2 * int(self.trial.account["records"]["out"]) * len(self.job.schema)

    @cached_property
    def beside(self) -> RowsBeside:
        """Its rows beside those of the original."""
        if self.opened.is_private:
            raise ParameterError(
                "result",
                expected="a release that promises no differential privacy",
                got="a private one, which can show nothing next to the table it was made from",
            )
        original = load_source(self.job)
        log = check_source(self.opened, original)
        return RowsBeside.of(original, self.opened.table, log.source_rows, log.masked)


@dataclass(frozen=True, eq=False)
class RowsBeside:
    """The original and the release, and which rows belong together: ``released`` is -1 where nothing was published."""

    original: pl.DataFrame
    table: pl.DataFrame
    released: NDArray[np.int64]
    masked: NDArray[np.bool_]

    @staticmethod
    def of(
        original: pl.DataFrame, table: pl.DataFrame, source_rows: NDArray[np.int64], masked: NDArray[np.bool_]
    ) -> RowsBeside:
        """Pair the rows by the custodian's mapping."""
        released = np.full(original.height, -1, dtype=np.int64)
        released[source_rows] = np.arange(len(source_rows))
        hidden = np.zeros(original.height, dtype=np.bool_)
        hidden[source_rows] = masked
        return RowsBeside(original, table, released, hidden)

    @cached_property
    def names(self) -> list[str]:
        """Columns, those that are published first."""
        kept = [*self.table.columns, *(name for name in self.original.columns if name not in self.table.columns)]
        return list(dict.fromkeys(kept))

    def numbers(self, shown: str) -> NDArray[np.int64]:
        """Return the rows of the original that are shown: ``all``, ``masked`` ones, or those ``left_out``."""
        if shown == "masked":
            return np.flatnonzero(self.masked)
        return np.flatnonzero(self.released < 0) if shown == "left_out" else np.arange(self.original.height)

    def rows(self, numbers: NDArray[np.int64]) -> list[list[str | None]]:
        """Return rows as text: their number from 1, then each column before and after."""
        place = pl.Series(self.released[numbers])
        there = place.set(place < 0, None)
        columns: list[list[str | None]] = [[str(number + 1) for number in numbers.tolist()]]
        for name in self.names:
            for frame, at in ((self.original, pl.Series(numbers)), (self.table, there)):
                known = name in frame.columns
                columns.append(as_text(gathered(frame[name], at)).to_list() if known else [None] * len(numbers))
        return [list(row) for row in zip(*columns, strict=True)]


def open_trial(project: Project, trial: TriedRelease) -> OpenedTrial:
    """Return a trial, opened; what is not private is refused in a private project."""
    project.require(Right.LOOK, "the result")
    key = str(trial.run.folder)
    with _keeping:
        one = _kept.setdefault(key, OpenedTrial(trial))
        _kept.move_to_end(key)
        while len(_kept) > _MOST and sum(one.cells for one in _kept.values()) > _MOST_CELLS:
            _kept.popitem(last=False)
    if not one.opened.is_private:
        project.refuse_looking("the result")
    return one


def analysis_of(project: Project, trial: TriedRelease) -> BackgroundRun | None:
    """Return the newest analysis of a trial."""
    return newest_on(project, trial, TASK)


def analyse(project: Project, trial: TriedRelease, *, again: bool = False) -> BackgroundRun:
    """Begin the analysis of a trial, once, or again where the last one ended without a result."""
    project.refuse_looking("the result")
    with _starting:
        known = analysis_of(project, trial)
        if known is not None and not (again and known.state not in (RunState.RUNNING, RunState.DONE)):
            return known
        return start_on(project, trial, TASK)


def figures_of(project: Project, trial: TriedRelease) -> Mapping[str, Any]:
    """Return what charts of a trial show, or say that it is not there yet."""
    project.refuse_looking("the result")
    run = analysis_of(project, trial)
    if run is None or run.state is not RunState.DONE:
        raise ParameterError("result", expected="a trial that was analysed", got="one that was not, or not yet")
    return read_json(run.folder / FIGURES_NAME, expected="figures of a trial", most=2**28)


def open_log(project: Project, trial: TriedRelease) -> dict[str, Any]:
    """Return the figures of the custodian's log of a private release; that somebody looks is written down first."""
    project.require(Right.RELEASE, "log")
    log = open_trial(project, trial).opened.log
    if log is None:
        raise ParameterError("result", expected="the custodian's log of this trial", got="none")
    with project.audit.writing():
        project.audit.append("log opened", {"run": trial.number})
    told = read_json(log.folder / LOG_NAME, expected="a custodian's log", most=2**26)
    return {
        name: value for name, value in told.items() if isinstance(value, int | float) and not isinstance(value, bool)
    }
