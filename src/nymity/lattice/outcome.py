"""What a lattice search answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import NoSolutionError
from nymity.lattice.rollup import NodeClasses, RollUp
from nymity.lattice.space import Node
from nymity.privacy import PrivacyModel
from nymity.quality import NodeStatistics
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import EncodedTable
from nymity.table.recoding import Outliers, Recoding


@dataclass(frozen=True, eq=False)
class EvaluatedNodes:
    """Every node a search looked at: levels (N, m), suppressed records, loss, and whether it is a solution."""

    names: tuple[str, ...]
    levels: NDArray[np.int64]
    suppressed: NDArray[np.int64]
    loss: NDArray[np.float64]
    solution: NDArray[np.bool_]

    def frame(self) -> pl.DataFrame:
        """Return them as a table, one row per node: suppressed, loss, solution, and ``level of`` each attribute."""
        levels = {f"level of {name}": self.levels[:, a] for a, name in enumerate(self.names)}
        return pl.DataFrame({"suppressed": self.suppressed, "loss": self.loss, "solution": self.solution, **levels})


@dataclass(frozen=True, eq=False)
class LatticeOutcome:
    """The chosen node with its recoding, and how it was found.

    ``optimal`` says that no node of the lattice has a smaller loss within the limit: proved, not believed. ``minimal``
    lists the solutions below which there is no other, where the search determines them.
    """

    recoding: Recoding
    levels: dict[str, int]
    loss: float
    loss_key: str
    suppressed: int
    classes: int
    checks: int
    lattice_size: int
    optimal: bool
    nodes: EvaluatedNodes
    minimal: tuple[Node, ...] | None = None


def recoding_of(engine: RollUp, node: Node, columns: Sequence[str], outliers: Outliers) -> Recoding:
    """Return the recoding that publishes the accepted classes of a node."""
    table, classes = engine.table, engine.classes(node)
    if outliers == "mask" and not _masked_rows_pass(classes, engine.models):
        outliers = "remove"
    return Recoding(
        columns=tuple(columns),
        levels=dict(zip(table.names, node, strict=True)),
        hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
        classes=classes.codes[classes.accepted],
        outliers=outliers,
    )


def refuse(table: EncodedTable, models: Sequence[PrivacyModel], limit: str, nearest: NodeStatistics) -> NoSolutionError:
    """Say that nothing satisfies the models, and how far the best node was."""
    demands = " and ".join(model.promise().split(":")[0] for model in models) or "the demands"
    least = int(nearest.suppressed[0])
    levels = ", ".join(f"{name}={level}" for name, level in zip(table.names, nearest.levels[0], strict=True))
    if least >= table.n_records:
        return NoSolutionError(
            f"no node satisfies {demands}: even at levels {levels} every record would have to be suppressed. "
            "Try: a weaker model, or higher levels for the attributes whose levels are bounded"
        )
    return NoSolutionError(
        f"no node satisfies {demands} with suppression <= {limit}; the least was {least / table.n_records:.1%} "
        f"({least:,} of {table.n_records:,} records) at levels {levels}. "
        "Try: a larger suppression limit, a weaker model, fewer quasi-identifiers, or higher max_level"
    )


def _masked_rows_pass(classes: NodeClasses, models: Sequence[PrivacyModel]) -> bool:
    """Say whether the suppressed records, taken as one class, satisfy the models on sensitive values."""
    rejected = ~classes.accepted
    if not rejected.any():
        return True
    histograms = {}
    for name, histogram in classes.classes.histograms.items():
        lost = rejected[histogram.classes]
        counts = np.bincount(histogram.codes[lost], weights=histogram.counts[lost], minlength=histogram.n_values)
        codes = np.flatnonzero(counts)
        histograms[name] = Histogram(
            1,
            histogram.n_values,
            np.zeros(len(codes), dtype=np.uint32),
            codes.astype(np.uint32),
            counts[codes].astype(np.uint32),
        )
    together = Classes(np.array([classes.classes.sizes[rejected].sum()], dtype=np.uint32), histograms)
    return all(bool(model.accepts(together)[0]) for model in models if model.sensitive)
