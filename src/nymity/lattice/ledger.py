"""Ledger: the nodes a search has evaluated, and the best among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from nymity.lattice.outcome import EvaluatedNodes
from nymity.lattice.space import Node
from nymity.quality import BoundLoss, NodeStatistics
from nymity.table.encoding import EncodedTable

#: Losses that differ by less than this share are ties.
TIE = 1e-12
#: Single nodes are joined into one array when there are as many.
BATCH = 1024


@dataclass(eq=False)
class Ledger:
    """Evaluated nodes and the best among them so far."""

    table: EncodedTable
    loss: BoundLoss
    limit: int
    best: Node | None = None
    best_loss: float = inf
    best_suppressed: int = 0
    _recent: list[NodeStatistics] = field(default_factory=list)
    _older: list[NodeStatistics] = field(default_factory=list)
    _tied: list[tuple[float, int, int, Node]] = field(default_factory=list)

    def solves(self, nodes: NodeStatistics) -> NDArray[np.bool_]:
        """Say which nodes stay within the limit and publish at least one record."""
        return nodes.suppressed <= min(self.limit, self.table.n_records - 1)

    def enter(self, nodes: NodeStatistics) -> bool:
        """Take note of evaluated nodes and say whether there are solutions among them."""
        self._recent.append(nodes)
        if len(self._recent) == BATCH:  # many small arrays take far more memory than one large one
            self._older.append(NodeStatistics.concatenate(self._recent))
            self._recent = []
        solutions = self.solves(nodes)
        if not solutions.any():
            return False
        losses = self.loss.value(nodes)
        for i in np.flatnonzero(solutions & (losses <= self.best_loss * (1 + TIE))):
            node = tuple(nodes.levels[i].tolist())
            self._tied.append((float(losses[i]), int(nodes.suppressed[i]), sum(node), node))
            self._choose()
        return True

    def _choose(self) -> None:
        """Among the nodes tied for the least loss take the fewest suppressed, the lowest, the first."""
        least = min(entry[0] for entry in self._tied)
        self._tied = [entry for entry in self._tied if entry[0] <= least * (1 + TIE)]
        _, self.best_suppressed, _, self.best = min(self._tied, key=lambda entry: entry[1:])
        self.best_loss = least

    def excludes(self, bound: float, suppressed: int) -> bool:
        """Say whether nodes with at least this loss and these suppressed records can be left out.

        They can when their loss is beyond a tie with the best, or not smaller and a tie would go to the best. The
        slack of two TIEs covers the rounding of bounds.
        """
        if self.best is None:
            return False
        return bound > self.best_loss * (1 + 2 * TIE) or (bound >= self.best_loss and suppressed > self.best_suppressed)

    def nearest(self) -> NodeStatistics:
        """Return the evaluated node with the fewest suppressed records."""
        everything = NodeStatistics.concatenate([*self._older, *self._recent])
        return everything[np.arange(len(everything)) == int(np.argmin(everything.suppressed))]

    def evaluated(self) -> EvaluatedNodes:
        """Return all of them."""
        everything = NodeStatistics.concatenate([*self._older, *self._recent])
        return EvaluatedNodes(
            names=self.table.names,
            levels=everything.levels,
            suppressed=everything.suppressed,
            loss=self.loss.value(everything),
            solution=self.solves(everything),
        )
