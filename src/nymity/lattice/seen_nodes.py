"""SeenNodes: the nodes a search has evaluated, and the best among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from nymity.kernels.grouping import distinct
from nymity.lattice.nodes import TIE as TIE
from nymity.lattice.nodes import EvaluatedNodes, SearchStatistics
from nymity.lattice.space import Node
from nymity.quality import NodeStatistics, PreparedLoss
from nymity.table.encoding import EncodedTable
from nymity.table.packing import KeyLayout

#: Single nodes are joined into one array when there are as many.
BATCH = 1024


@dataclass(eq=False)
class SeenNodes:
    """Evaluated nodes and the best among them so far.

    ``limit``: records that a solution may suppress; ``most_touched``: persons who may lose records by it, None for any
    number.
    """

    table: EncodedTable
    loss: PreparedLoss
    limit: int
    most_touched: int | None = None
    best: Node | None = None
    best_compared: tuple[float, ...] = ()
    best_suppressed: int = 0
    _recent: list[NodeStatistics] = field(default_factory=list)
    _older: list[NodeStatistics] = field(default_factory=list)
    _tied: list[tuple[tuple[float, ...], int, int, Node]] = field(default_factory=list)

    @property
    def best_loss(self) -> float:
        """Loss of the best node."""
        return self.best_compared[0] if self.best_compared else inf

    def solves(self, nodes: NodeStatistics) -> NDArray[np.bool_]:
        """Return which nodes stay within the limits and publish at least one record."""
        within = nodes.suppressed <= self.most
        return within if self.most_touched is None else within & (nodes.touched <= self.most_touched)

    def solves_one(self, node: NodeStatistics) -> bool:
        """Return the same of one node without arrays, which are slow for so little."""
        if int(node.suppressed[0]) > self.most:
            return False
        return self.most_touched is None or int(node.touched[0]) <= self.most_touched

    @property
    def most(self) -> int:
        """Records that a solution may suppress: within the limit, and not all of them."""
        return min(self.limit, self.table.n_records - 1)

    def enter(self, nodes: NodeStatistics) -> bool:
        """Take note of evaluated nodes and say whether there are solutions among them."""
        self._recent.append(nodes)
        if len(self._recent) == BATCH:  # many small arrays take far more memory than one large one
            self._older.append(NodeStatistics.concatenate(self._recent))
            self._recent = []
        if len(nodes) == 1:
            return self._enter_one(nodes)
        solutions = self.solves(nodes)
        if not solutions.any():
            return False
        compared = self.loss.compared(nodes)
        # best_loss falls on the way: those that tied with an earlier one are sorted out when they are compared.
        for i in np.flatnonzero(solutions & (compared[:, 0] <= self.best_loss * (1 + TIE))):
            node = tuple(nodes.levels[i].tolist())
            self._tied.append((tuple(compared[i].tolist()), int(nodes.suppressed[i]), sum(node), node))
            self._choose()
        return True

    def _enter_one(self, node: NodeStatistics) -> bool:
        """Do the same for one node without arrays, which are slow for so little."""
        if not self.solves_one(node):
            return False
        suppressed = int(node.suppressed[0])
        compared = self.loss.compared_one(node)
        if compared[0] <= self.best_loss * (1 + TIE):
            levels = tuple(node.levels[0].tolist())
            self._tied.append((compared, suppressed, sum(levels), levels))
            self._choose()
        return True

    def _choose(self) -> None:
        """Among the nodes tied in all that they are compared by take the fewest suppressed, the lowest, the first."""
        best = []
        for column in range(len(self._tied[0][0])):
            best.append(min(entry[0][column] for entry in self._tied))
            self._tied = [entry for entry in self._tied if entry[0][column] <= best[-1] * (1 + TIE)]
        _, self.best_suppressed, _, self.best = min(self._tied, key=lambda entry: entry[1:])
        self.best_compared = tuple(best)

    def excludes(self, bounds: tuple[float, ...], suppressed: int) -> bool:
        """Return whether nodes can be left out that are compared by no less than this and suppress as many records.

        They can when they are beyond a tie with the best, or not smaller and a tie would go to the best. The slack of
        two TIEs covers the rounding of bounds.
        """
        if self.best is None:
            return False
        for bound, best in zip(bounds, self.best_compared, strict=True):
            if bound > best * (1 + 2 * TIE):
                return True
            if bound < best:
                return False
        return suppressed > self.best_suppressed

    def nearest(self) -> NodeStatistics:
        """Return the evaluated node with the fewest suppressed records, among solutions where there are any.

        Ties go to the lowest and the first, in whatever order nodes were evaluated.
        """
        everything = NodeStatistics.concatenate([*self._older, *self._recent])
        levels, suppressed = everything.levels, everything.suppressed
        order = np.lexsort((*levels.T[::-1], levels.sum(axis=1), suppressed, ~self.solves(everything)))
        nearest = int(order[0])
        return everything[np.arange(len(everything)) == nearest]

    def evaluated(self) -> EvaluatedNodes:
        """Return all of them, each node once."""
        everything = NodeStatistics.concatenate([*self._older, *self._recent])
        layout = KeyLayout.for_sizes([high + 1 for high in self.table.max_levels])
        first = np.zeros(len(everything), dtype=np.bool_)
        # Levels as keys: distinct says where each node comes first.
        first[distinct(layout.pack(list(everything.levels.T)))[1]] = True
        everything = everything if first.all() else everything[first]
        return EvaluatedNodes(
            names=self.table.names,
            records=self.table.n_records,
            levels=everything.levels,
            suppressed=everything.suppressed,
            classes=everything.accepted_classes,
            smallest=everything.smallest,
            loss=self.loss.value(everything),
            solution=self.solves(everything),
            search_statistics=SearchStatistics(self.table, everything, self.loss.needs),
        )
