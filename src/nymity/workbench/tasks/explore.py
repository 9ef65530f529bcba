"""explore: every choice of levels that the job allows, and what each would publish; they lie in ``nodes.parquet``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import nymity as ny
from nymity.core.progress import Observer
from nymity.lattice.search import LatticeSearch
from nymity.workbench.runs import JOB_NAME

NODES_NAME = "nodes.parquet"
#: Nodes that a plot shows; of more, solutions that are not more, those on a front, and every n-th of the rest.
MOST_SHOWN, _BEST = 20_000, 25


def work(folder: Path, _: Mapping[str, Any], observe: Observer) -> dict[str, Any]:
    """Evaluate the lattice of the job; one whose method divides records otherwise is looked at as if it had none."""
    job = ny.Job.load(folder / JOB_NAME)
    by_levels = job.is_private or (
        job.method is not None and job.method.searches_levels
    )  # of a private one explore refuses to tell
    nodes = ny.explore(job if by_levels else replace(job, method=None), observe=observe)
    minimized = (job.method if isinstance(job.method, LatticeSearch) else ny.OptimalLattice()).minimized
    best, front = nodes.best(_BEST), nodes.pareto("suppression") | nodes.pareto("k")
    shown = front | (np.arange(len(nodes)) % max(1, -(-len(nodes) // MOST_SHOWN)) == 0)
    assert nodes.numbers is not None
    assert best.numbers is not None
    shown |= np.isin(nodes.numbers, best.numbers)
    shown |= nodes.solution & (nodes.solution.sum() <= MOST_SHOWN)
    shown &= nodes.classes > 0
    nodes[shown].frame().write_parquet(folder / NODES_NAME)
    (folder / NODES_NAME).chmod(0o600)
    return {
        "nodes": len(nodes),
        "solutions": int(nodes.solution.sum()),
        "shown": int(shown.sum()),
        "records": nodes.records,
        "names": list(nodes.names),
        "heights": [] if nodes.space is None else list(nodes.space.high),
        "loss": minimized.name,
        "loss_title": minimized.title,
        "best": best.numbers.tolist(),
        "by_levels": by_levels,
    }
