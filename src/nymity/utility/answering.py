"""Answering: what a countable table says to each query of a workload."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Observer, Progress, report, silent
from nymity.kernels.queries import answers, overlaps
from nymity.utility.countable import Countable
from nymity.utility.workload import Workload


def answered(
    table: Countable, workload: Workload, *, observe: Observer = silent, stage: str = "answering queries"
) -> NDArray[np.float64]:
    """Estimate how many records satisfy each query, (n,); for a table as it is these are the counts."""
    admits = np.concatenate([workload.predicates[name].of(domain) for name, domain in table.domains.items()])
    covered, starts = _covered(table)
    several = np.diff(starts) > 1
    # Only cells of several values need shares: they are numbered, and all others are -1.
    place = np.where(several, np.cumsum(several) - 1, -1)
    found = []
    # admits (n_values, n_words): a word has a bit for each of 64 queries, which are answered together.
    for word in range(admits.shape[1]):
        report(observe, Progress(stage=stage, done=64 * word, total=workload.n))
        overlap = overlaps(covered, starts, place, np.ascontiguousarray(admits[:, word]))
        found.append(answers(table.rows, table.entries, overlap))
    return np.concatenate(found)[: workload.n]


def _covered(table: Countable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The values that all cells stand for, those of one column after those of another, and where each cell begins."""
    covered, starts, values, places = [], [np.zeros(1, np.int64)], 0, 0
    for name, cells in table.cells.items():
        covered.append(cells.covered + values)
        starts.append(cells.starts[1:] + places)
        values, places = values + len(table.domains[name]), places + len(cells.covered)
    return np.concatenate(covered), np.concatenate(starts)
