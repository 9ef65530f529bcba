"""Explorations: the choices of levels that a job allows, as a run left them, and one of them as the next trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import polars as pl

from nymity.core.errors import ParameterError
from nymity.publishing.preparing.explore import at_levels
from nymity.workbench import trials
from nymity.workbench.project import Project
from nymity.workbench.runs import BackgroundRun, RunState
from nymity.workbench.tasks.explore import NODES_NAME

TASK = "explore"
#: What computes the same without the workbench.
CODE = """import nymity as ny

nodes = ny.explore(ny.Job.load("job.toml"))
nodes.best(10).frame()
nodes.front("suppression").frame()
"""


@dataclass(frozen=True, kw_only=True)
class LevelChoice:
    """One node: its number, the level of each quasi-identifier, and what it would publish."""

    number: int
    levels: Mapping[str, int]
    loss: float
    suppressed: int
    share: float
    classes: int
    k: int
    solution: bool
    average: float  #: the mean risk of a published record: classes by records

    @property
    def risk(self) -> float:
        """The chance that a record of the smallest class is picked."""
        return 1 / self.k if self.k else 0.0


@dataclass(frozen=True)
class LevelExploration:
    """A run that evaluated the lattice of a job."""

    run: BackgroundRun

    @property
    def is_done(self) -> bool:
        """Whether it ended with nodes."""
        return self.run.state is RunState.DONE

    @property
    def answer(self) -> dict[str, Any]:
        """What the run says of all nodes."""
        return dict((self.run.result or {}).get("answer") or {})

    @property
    def nodes(self) -> pl.DataFrame:
        """The nodes that are shown."""
        if not self.is_done:
            raise ParameterError("explore", expected="an exploration that is done", got="one that is not")
        return _read(str(self.run.folder / NODES_NAME))

    def choice(self, number: int) -> LevelChoice:
        """Return a node by its number."""
        found = self.nodes.filter(pl.col("node") == number)
        if found.is_empty():
            raise ParameterError("node", expected="the number of a node that is shown", got=str(number))
        row = found.row(0, named=True)
        return LevelChoice(
            number=number,
            levels={name: int(row[f"level of {name}"]) for name in self.answer["names"]},
            loss=row["loss"],
            suppressed=row["suppressed"],
            share=row["suppressed share"],
            classes=row["classes"],
            k=row["k"],
            solution=row["solution"],
            average=row["classes"] / (self.answer["records"] - row["suppressed"]),
        )

    def best_by(self, what: str, most: int) -> list[int]:
        """Return the solutions that are shown which have least of something, the best first; equal ones by loss."""
        order = {
            "loss": pl.col("loss"),
            "suppressed": pl.col("suppressed"),
            "average": pl.col("classes") / (self.answer["records"] - pl.col("suppressed")),
            "risk": -pl.col("k"),
        }
        solutions = self.nodes.filter(pl.col("solution")).sort(order[what], "loss", "node")
        return [int(number) for number in solutions["node"].head(most)]

    def is_of_now(self, project: Project) -> bool:
        """Whether the job is as it was but for its method: then the nodes are the same."""
        then, now = project.version_data(int(self.run.spec["version"])), project.job_data
        return {**then, "method": None} == {**now, "method": None}


@lru_cache(maxsize=2)
def _read(path: str) -> pl.DataFrame:
    return pl.read_parquet(path)


def newest(project: Project) -> LevelExploration | None:
    """Return the newest exploration."""
    run = project.runs.latest(TASK)
    return None if run is None else LevelExploration(run)


def begin(project: Project) -> BackgroundRun:
    """Begin an exploration of the job that holds."""
    project.refuse_looking("explore")
    return project.runs.start(TASK, job=project.job_path, version=project.state.at)


def publish_choice(project: Project, what: str, choice: LevelChoice) -> BackgroundRun:
    """Fix the levels of the job to those of a node, and begin a trial of it."""
    project.refuse_looking("explore")
    method = at_levels(project.job(), choice.levels).to_dict()["method"]

    def edit(data: dict[str, Any]) -> None:
        data["method"] = method

    version = project.change_job(what, edit)
    return project.runs.start(trials.TASK, job=project.job_path, version=version)
