"""OLA, Optimal Lattice Anonymization (El Emam et al. 2009): all k-minimal nodes, and the one with the least loss.

A node is *k-minimal* if it is a solution and no node below it is. If a class that contains an accepted class is
accepted, everything above a solution is a solution and everything below another node is none. So a strategy (a path
from the bottom of the lattice to its top) changes once from one to the other, where a binary search finds it, and each
node that is checked settles many others (predictive tagging). We search along all strategies between two nodes at once:
an interval whose bottom is no solution while its top is one is split in two at one attribute, and intervals that tags
settle are left alone. What remains to be checked is little more than the k-minimal nodes and the maximal nodes that are
no solution, none of which any tag could tell.

**When the best k-minimal node is the optimum.** The paper takes for granted that a loss rises along every strategy.
With suppression it need not: a node above a k-minimal one can suppress less and lose less. Two things are proofs:

* Nothing may be suppressed, and the loss then rises with every level (``Loss.rises``, and every loss that aggregates
  one rising value per attribute). Each solution has a k-minimal node at or below it, which loses no more.
* ``loss.floor`` bounds the loss of everything between a k-minimal node and the top of the lattice. If no k-minimal node
  has a floor below the least loss found, no solution has a smaller loss, for each lies above one of them. For
  ``height``, which does not count suppression, that is always so.

Otherwise ``optimal`` is false: use ``optimal-lattice``. Of equal losses, a higher node may suppress fewer records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.kernels.border import NO_SOLUTION, SOLUTION, UNKNOWN
from nymity.lattice.border import MAX_TAGGED, decided_by_size, minimal_nodes, solutions_by_size
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.lattice.seen_nodes import TIE
from nymity.lattice.space import Node
from nymity.quality import NodeStatistics
from nymity.quality.attribute_loss import PreparedAttributeLoss


@dataclass(frozen=True, kw_only=True)
class OLA(LatticeSearch):
    """Find all solutions below which there is no other, and take the one with the least loss.

    ``outcome.minimal`` lists them; ``outcome.nodes`` holds the nodes whose loss was needed, ``outcome.checks`` counts
    all that were checked.
    """

    key: ClassVar[str] = "ola"

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Settle which nodes are solutions, then compare those at the border."""
        inquiry.require_monotone(self.key)
        if inquiry.space.size > MAX_TAGGED:
            raise ParameterError(
                self.key,
                expected=f"at most {MAX_TAGGED:,} nodes",
                got=f"{inquiry.space.size:,}",
                hint="'anytime-lattice', or bound levels (min_level, max_level)",
            )
        top = inquiry.check(inquiry.space.high)
        if top is None:
            return ChosenNode(None, optimal=False)
        known = {inquiry.space.high: top}
        solutions = solutions_by_size(inquiry) if decided_by_size(inquiry) else _solutions(inquiry, known)
        minimal = minimal_nodes(solutions) + np.array(inquiry.space.low)
        evaluated = _evaluate(inquiry, minimal, known)
        best = inquiry.best_of(evaluated)
        assert best is not None
        nodes = tuple(tuple(levels) for levels in minimal.tolist())
        proved = inquiry.seen.limit == 0 and self.minimized.rises
        proved = proved or _nothing_below(inquiry, evaluated, (best, *nodes), top)
        return ChosenNode(best, optimal=proved, minimal=nodes)


def _evaluate(inquiry: Inquiry, minimal: NDArray[np.int64], known: dict[Node, NodeStatistics]) -> list[NodeStatistics]:
    """Return the statistics of those k-minimal nodes that can have the least loss, the most promising first."""
    loss, least, evaluated = inquiry.loss, np.inf, []
    floors = np.full(len(minimal), -np.inf)
    if isinstance(loss, PreparedAttributeLoss):
        # What the levels alone lose, as if nothing were suppressed: the true loss is no less.
        nothing = np.zeros_like(minimal)
        floors = loss.aggregate(loss.attribute_losses(minimal, nothing[:, :1], nothing), loss.weights)[:, 0]
    for i in np.argsort(floors, kind="stable"):
        if floors[i] > least * (1 + 2 * TIE):
            break
        node = tuple(minimal[i].tolist())
        statistics = known.get(node) or inquiry.check(node)
        assert statistics is not None
        evaluated.append(statistics)
        least = min(least, float(loss.value(statistics)[0]))
    return evaluated


def _nothing_below(
    inquiry: Inquiry, evaluated: Sequence[NodeStatistics], nodes: Sequence[Node], top: NodeStatistics
) -> bool:
    """Return whether no solution above any of these k-minimal nodes can be better than the best of them."""
    best = min(tuple(inquiry.loss.compared(statistics)[0].tolist()) for statistics in evaluated)
    floors = (inquiry.loss.floors(node, top) for node in nodes)
    return all(floor is not None and _at_least(floor, best) for floor in floors)


def _at_least(floor: Sequence[float], best: Sequence[float]) -> bool:
    """Compare in lexicographic order; what differs by rounding is equal."""
    for bound, value in zip(floor, best, strict=True):
        if abs(bound - value) > TIE * value:
            return bound > value
    return True


# -- which nodes are solutions -------------------------------------------------------------------------


def _solutions(inquiry: Inquiry, known: dict[Node, NodeStatistics]) -> NDArray[np.bool_]:
    """Check nodes one by one until every node has a tag; ``known`` collects the solutions among them."""
    space = inquiry.space
    tags = np.full(space.grid, UNKNOWN)
    tags[space.at(space.high)] = SOLUTION

    def solves(node: Node) -> bool:
        if tags[space.at(node)] == UNKNOWN:
            statistics = inquiry.check(node)
            if statistics is None:
                tags[space.below(node)] = NO_SOLUTION
            else:
                known[node] = statistics
                tags[space.above(node)] = SOLUTION
        return bool(tags[space.at(node)] == SOLUTION)

    widths = [[len(labels) for labels in h.labels] for h in inquiry.engine.table.hierarchies]
    waiting = [(space.low, space.high)]
    while waiting:
        bottom, top = waiting.pop()
        inside = tuple(slice(*ends) for ends in zip(space.at(bottom), (t + 1 for t in space.at(top)), strict=True))
        # A top that is no solution settles everything below it, and a bottom that is one everything above it.
        if (tags[inside] != UNKNOWN).all() or not solves(top) or solves(bottom):
            continue
        rising = [a for a in range(len(top)) if top[a] > bottom[a]]
        axis = max(rising, key=lambda a: widths[a][bottom[a]] / widths[a][top[a]])
        waiting.append(((*bottom[:axis], bottom[axis] + 1, *bottom[axis + 1 :]), top))
        waiting.append((bottom, (*top[:axis], bottom[axis], *top[axis + 1 :])))  # the lower part comes first
    return np.asarray(tags == SOLUTION)
