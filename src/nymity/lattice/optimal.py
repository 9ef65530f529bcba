"""OptimalLattice: the proven optimum over a full-domain lattice.

Losses with a bound are searched by branch and bound over intervals of the lattice. An interval [bottom, top] holds
every node between two others. If every class that contains an accepted class is accepted, then

* a top that suppresses too much rules the whole interval out, because every node below suppresses at least as much;
* the loss of any node in it is at least the loss of bottom's levels with top's suppressed records.

The interval with the smallest bound is split next, at the attribute whose levels make the most difference: one part
keeps the top's level of it, the other stops one level short. The search ends when no open interval can hold a better
node, so the answer is the optimum over the whole lattice, and the smallest open bound is a lower bound at any time.

Models for which that property fails bound nothing themselves. Their intervals are judged by a relaxation that has it:
the other models, and the smallest class any model accepts. What the relaxation suppresses the models suppress too, so
both facts hold for its statistics; single nodes are then checked against the models themselves.

Losses without a bound, such as discernibility, are decided by evaluating every node.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import numpy as np

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.lattice.search import Found, Inquiry, LatticeSearch
from nymity.lattice.space import Node, Space
from nymity.quality import BoundLoss, NodeStatistics

#: Largest lattice that is evaluated node by node.
MAX_EXHAUSTIVE = 2**24


@dataclass(frozen=True, kw_only=True)
class OptimalLattice(LatticeSearch):
    """Find the node with the smallest loss that satisfies every model with limited suppression.

    Ties go to fewer suppressed records, then the smaller sum of levels, then the lexicographically smaller levels.
    ``threads`` share the evaluation of whole lattices. The other parameters are those of every lattice search.
    """

    threads: int = 1

    key: ClassVar[str] = "optimal-lattice"

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number("optimal-lattice.threads", self.threads, at_least=1)

    def search(self, inquiry: Inquiry) -> Found:
        """Prove the optimum, by bounds where the loss has one."""
        if inquiry.loss.floor(inquiry.space.low, None) is None:
            self._evaluate_all(inquiry)
        else:
            _branch_and_bound(inquiry)
        return Found(inquiry.ledger.best, optimal=True)

    def _evaluate_all(self, inquiry: Inquiry) -> None:
        size = inquiry.space.size
        if size > MAX_EXHAUSTIVE:
            raise ParameterError(
                "optimal-lattice.loss",
                expected=f"at most {MAX_EXHAUSTIVE:,} nodes for {self.loss!r}, a loss without a bound to prune by",
                got=f"{size:,} nodes",
                hint="bound levels (min_level, max_level), use fewer quasi-identifiers, or the loss 'loss'",
            )
        for batch in inquiry.engine.walk(inquiry.space, threads=self.threads, observe=inquiry.observe):
            inquiry.ledger.enter(batch)


@dataclass(frozen=True, eq=False)
class Interval:
    """All nodes between ``bottom`` and ``top``, with top's statistics under models that are monotone."""

    bottom: Node
    top: Node
    above: NodeStatistics

    @property
    def suppressed(self) -> int:
        """Every node of the interval suppresses at least as many records."""
        return int(self.above.suppressed[0])


def _branch_and_bound(inquiry: Inquiry) -> None:
    space, loss, ledger, monotone = inquiry.space, inquiry.loss, inquiry.ledger, inquiry.monotone
    prefer = _split_preference(space, loss)
    ruled_out = RuledOut(len(space.low))
    tie_breaker = count()
    queue: list[tuple[float, int, Interval]] = []

    def consider(bottom: Node, top: Node, above: NodeStatistics) -> None:
        """Queue an interval unless it cannot hold a better node."""
        interval = Interval(bottom, top, above)
        bound = loss.floor(bottom, above)
        if bound is not None and not ledger.excludes(bound, interval.suppressed):
            heapq.heappush(queue, (bound, next(tie_breaker), interval))

    def open_top(bottom: Node, top: Node) -> None:
        """Check the top of a new interval, and queue it if it may hold further solutions."""
        if ruled_out.covers(top):
            return
        above = inquiry.check(top) if monotone else inquiry.check_relaxed(top)
        if above is None:
            ruled_out.add(top)
        elif bottom != top or not monotone:
            consider(bottom, top, above)

    open_top(space.low, space.high)
    while queue:
        bound, _, interval = heapq.heappop(queue)
        if ledger.excludes(bound, interval.suppressed):
            continue
        bottom, top = interval.bottom, interval.top
        if bottom == top:  # so far only the relaxed models were asked
            inquiry.check(top)
            continue
        axis = max(
            (a for a in range(len(top)) if top[a] > bottom[a]), key=lambda a: prefer[a][top[a]] - prefer[a][bottom[a]]
        )
        higher_bottom = (*bottom[:axis], top[axis], *bottom[axis + 1 :])
        lower_top = (*top[:axis], top[axis] - 1, *top[axis + 1 :])
        if higher_bottom != top or not monotone:
            consider(higher_bottom, top, interval.above)
        open_top(bottom, lower_top)


def _split_preference(space: Space, loss: BoundLoss) -> list[dict[int, float]]:
    """What each level of each attribute adds to the loss when nothing is suppressed."""

    def alone(axis: int, level: int) -> float:
        return loss.floor((*space.low[:axis], level, *space.low[axis + 1 :]), None) or 0.0

    return [
        {level: alone(axis, level) for level in range(space.low[axis], space.high[axis] + 1)}
        for axis in range(len(space.low))
    ]


class RuledOut:
    """Nodes that suppress too much; whatever lies below one of them does too."""

    def __init__(self, n_attributes: int) -> None:
        self._levels = np.empty((0, n_attributes), dtype=np.int64)

    def covers(self, node: Node) -> bool:
        """Say whether ``node`` lies at or below one of them."""
        return bool((self._levels >= np.array(node)).all(axis=1).any())

    def add(self, node: Node) -> None:
        """Add a node and forget those it covers."""
        levels = np.array(node)
        others = self._levels[~(self._levels <= levels).all(axis=1)]
        self._levels = np.concatenate([others, levels[None, :]])
