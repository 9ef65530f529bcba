"""OptimalLattice: the proven optimum over a full-domain lattice.

Losses with a bound are searched by branch and bound over intervals of the lattice. An interval [bottom, top] holds
every node between two others. If every class that contains an accepted class is accepted, then

* a top that suppresses too much rules the whole interval out, because every node below suppresses at least as much;
* the loss of any node in it is at least the loss of bottom's levels with top's suppressed records.

The interval with the smallest bound is split next, at the attribute whose levels make the most difference: one part
keeps the top's level of it, the other stops one level short. The search ends when no open interval can hold a better
node, so the answer is the optimum over the whole lattice, and the smallest open bound is a lower bound at any time.
Losses without a bound, such as discernibility, are decided by evaluating every node.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from math import floor, inf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.lattice.outcome import EvaluatedNodes, LatticeOutcome, recoding_of, refuse
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Node, Space
from nymity.privacy import PrivacyModel
from nymity.quality import BoundLoss, NodeStatistics, loss_by_key
from nymity.table.encoding import EncodedTable
from nymity.table.recoding import Outliers

#: Losses that differ by less than this share are ties.
TIE = 1e-12
#: Largest lattice that is evaluated node by node.
MAX_EXHAUSTIVE = 2**24

_BATCH = 1024


@dataclass(frozen=True, kw_only=True)
class OptimalLattice:
    """Find the node with the smallest loss that satisfies every model with limited suppression.

    ``suppression`` is the share of records that may be suppressed, taken as the decimal written: at most
    floor(suppression * records). ``outliers`` says what happens to them: ``mask`` publishes their rows with ``*`` in
    every quasi-identifier, ``remove`` leaves them out. Ties go to fewer suppressed records, then the smaller sum of
    levels, then the lexicographically smaller levels. ``threads`` share the evaluation of whole lattices.
    """

    loss: str = "loss"
    suppression: float = 0.0
    outliers: Outliers = "mask"
    threads: int = 1

    key: ClassVar[str] = "optimal-lattice"

    def __post_init__(self) -> None:
        loss_by_key(self.loss, where="optimal-lattice.loss")
        validation.number("optimal-lattice.suppression", self.suppression, at_least=0, at_most=1)
        validation.one_of("optimal-lattice.outliers", self.outliers, ("mask", "remove"))
        validation.whole_number("optimal-lattice.threads", self.threads, at_least=1)

    def run(
        self,
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        *,
        columns: Sequence[str] | None = None,
        observe: Observer = silent,
    ) -> LatticeOutcome:
        """Search and return the optimum; ``columns`` are the columns to publish (default: the quasi-identifiers)."""
        for model in models:
            model.check(table)
        space = Space.of(table)
        loss = loss_by_key(self.loss).bind(table)
        engine = RollUp(table, models, needs=loss.needs)
        limit = floor(validation.exact_fraction(self.suppression) * table.n_records)
        ledger = Ledger(table, loss, limit)
        if loss.floor(space.low, None) is None:
            self._evaluate_all(engine, space, ledger, observe)
        else:
            _branch_and_bound(engine, space, loss, ledger, observe)
        if ledger.best is None:
            raise refuse(table, models, f"{self.suppression:.4g}", ledger.nearest())
        return LatticeOutcome(
            recoding=recoding_of(engine, ledger.best, columns or table.names, self.outliers),
            levels=dict(zip(table.names, ledger.best, strict=True)),
            loss=ledger.best_loss,
            loss_key=self.loss,
            suppressed=ledger.best_suppressed,
            classes=ledger.best_classes,
            checks=engine.checks,
            lattice_size=space.size,
            optimal=True,
            nodes=ledger.evaluated(),
        )

    def _evaluate_all(self, engine: RollUp, space: Space, ledger: Ledger, observe: Observer) -> None:
        if space.size > MAX_EXHAUSTIVE:
            raise ParameterError(
                "optimal-lattice.loss",
                expected=f"at most {MAX_EXHAUSTIVE:,} nodes for {self.loss!r}, a loss without a bound to prune by",
                got=f"{space.size:,} nodes",
                hint="bound levels (min_level, max_level), use fewer quasi-identifiers, or the loss 'loss'",
            )
        for batch in engine.walk(space, threads=self.threads, observe=observe):
            ledger.enter(batch)


@dataclass(eq=False)
class Ledger:
    """Evaluated nodes and the best among them so far."""

    table: EncodedTable
    loss: BoundLoss
    limit: int
    best: Node | None = None
    best_loss: float = inf
    best_suppressed: int = 0
    best_classes: int = 0
    _recent: list[NodeStatistics] = field(default_factory=list)
    _older: list[NodeStatistics] = field(default_factory=list)
    _tied: list[tuple[float, int, int, Node, int]] = field(default_factory=list)

    def solves(self, nodes: NodeStatistics) -> NDArray[np.bool_]:
        """Say which nodes stay within the limit and publish at least one record."""
        return nodes.suppressed <= min(self.limit, self.table.n_records - 1)

    def enter(self, nodes: NodeStatistics) -> bool:
        """Take note of evaluated nodes and say whether there are solutions among them."""
        self._recent.append(nodes)
        if len(self._recent) == _BATCH:  # many small arrays take far more memory than one large one
            self._older.append(NodeStatistics.concatenate(self._recent))
            self._recent = []
        solutions = self.solves(nodes)
        if not solutions.any():
            return False
        losses = self.loss.value(nodes)
        for i in np.flatnonzero(solutions & (losses <= self.best_loss * (1 + TIE))):
            node = tuple(nodes.levels[i].tolist())
            self._tied.append((float(losses[i]), int(nodes.suppressed[i]), sum(node), node, int(nodes.kept[i])))
            self._choose()
        return True

    def _choose(self) -> None:
        """Among the nodes tied for the least loss take the fewest suppressed, the lowest, the first."""
        least = min(entry[0] for entry in self._tied)
        self._tied = [entry for entry in self._tied if entry[0] <= least * (1 + TIE)]
        _, self.best_suppressed, _, self.best, self.best_classes = min(self._tied, key=lambda entry: entry[1:4])
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


@dataclass(frozen=True, eq=False)
class Interval:
    """All nodes between ``bottom`` and ``top``, with top's statistics where it was checked."""

    bottom: Node
    top: Node
    above: NodeStatistics | None

    @property
    def suppressed(self) -> int:
        """Every node of the interval suppresses at least as many records."""
        return int(self.above.suppressed[0]) if self.above is not None else 0


def _branch_and_bound(engine: RollUp, space: Space, loss: BoundLoss, ledger: Ledger, observe: Observer) -> None:
    monotone = all(model.monotone_generalization for model in engine.models)
    prefer = _split_preference(space, loss)
    ruled_out = RuledOut(len(space.low))
    tie_breaker = count()
    queue: list[tuple[float, int, Interval]] = []

    def check(node: Node) -> NodeStatistics | None:
        """Check a node and return its statistics if it is a solution."""
        statistics = engine.check(node)
        solves = ledger.enter(statistics)
        best = None if ledger.best is None else ledger.best_loss
        report(observe, Progress(stage="searching the lattice", done=engine.checks, best=best))
        return statistics if solves else None

    def consider(bottom: Node, top: Node, above: NodeStatistics | None) -> None:
        """Queue an interval unless it cannot hold a better node."""
        interval = Interval(bottom, top, above)
        bound = loss.floor(bottom, above)
        if bound is not None and not ledger.excludes(bound, interval.suppressed):
            heapq.heappush(queue, (bound, next(tie_breaker), interval))

    def open_top(bottom: Node, top: Node) -> None:
        """Check the top of a new interval, and queue it if it may hold solutions."""
        if not monotone:
            if bottom == top:
                check(top)
            else:
                consider(bottom, top, None)
        elif not ruled_out.covers(top):
            statistics = check(top)
            if statistics is None:
                ruled_out.add(top)
            elif bottom != top:
                consider(bottom, top, statistics)

    open_top(space.low, space.high)
    while queue:
        bound, _, interval = heapq.heappop(queue)
        if ledger.excludes(bound, interval.suppressed):
            continue
        bottom, top = interval.bottom, interval.top
        axis = max(
            (a for a in range(len(top)) if top[a] > bottom[a]), key=lambda a: prefer[a][top[a]] - prefer[a][bottom[a]]
        )
        higher_bottom = (*bottom[:axis], top[axis], *bottom[axis + 1 :])
        lower_top = (*top[:axis], top[axis] - 1, *top[axis + 1 :])
        if not monotone:
            open_top(higher_bottom, top)
        elif higher_bottom != top:
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
