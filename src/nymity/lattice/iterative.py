"""IterativeRecoding: local recoding by full-domain recodings, each of the records that the earlier ones left.

The cheapest node of the lattice at which at least a share of the records can be published takes those records; the
others go on to the next cheapest node, and so on until none is left. Every record is published, in as much detail as
its neighbours allow. ARX calls the idea local recoding by iteration. Cheap is what has a small loss when nothing is
suppressed.

Nodes come in ascending order of that loss from one best-first search over intervals of the lattice. A top that
publishes too few of the records rules out its whole interval, now and later, because the records that are left only
become fewer. Models that are not monotone are judged there by the relaxation of :mod:`nymity.lattice.optimal`.

In lattices of more than :data:`MAX_IN_ORDER` nodes that takes too long. There each layer is found by a descent instead:
from the highest levels down, one level of one attribute at a time, the one that saves most first, as long as enough
records are published.

No record is stranded: a layer is taken only if the highest levels can publish all the records it leaves. Otherwise it
gives its smallest classes back, as few as are needed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.progress import Progress, report
from nymity.core.quoting import as_given
from nymity.kernels.grouping import distinct
from nymity.lattice.outcome import LatticeOutcome, refuse
from nymity.lattice.rollup import NodeClasses, RollUp
from nymity.lattice.search import engines
from nymity.lattice.seen_nodes import SeenNodes
from nymity.lattice.space import Node, Space
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import refuse_shares_of_persons
from nymity.privacy.table_method import MethodTask, TableMethod
from nymity.quality import Loss, loss_of
from nymity.quality.attribute_loss import PreparedCostLoss
from nymity.table.encoding import EncodedTable
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Recoding

#: Largest lattice whose nodes are taken in the order of their loss.
MAX_IN_ORDER = 2**17


@dataclass(frozen=True, kw_only=True)
class IterativeRecoding(TableMethod[LatticeOutcome]):
    """Publish every record at the first of ever coarser levels at which its class keeps every promise.

    ``loss`` orders the nodes, and its value for the published table is reported: it can be compared with the loss of
    a single node. ``share`` is the least share of all records that a layer publishes while so many are left; a smaller
    one usually loses less and takes longer.
    """

    loss: str | Loss = "loss"
    share: float = 0.01

    key: ClassVar[str] = "iterative-recoding"
    takes_persons: ClassVar[bool] = True
    takes_single_rows: ClassVar[bool] = True
    makes: ClassVar[type[Recoding]] = LevelRecoding
    #: Whether it may decide by counted combinations alone, so that any engine can publish what it decides.
    by_combinations: ClassVar[bool] = True

    def __post_init__(self) -> None:
        loss_of(self.loss, where="iterative-recoding.loss")
        validation.number("iterative-recoding.share", self.share, at_least=0, at_most=1)

    @property
    def minimized(self) -> Loss:
        """The loss itself."""
        return loss_of(self.loss)

    def _decide(self, task: MethodTask) -> LatticeOutcome:
        """Publish layer by layer until nothing is left."""
        table, models = task.table, task.models
        prepared = self.minimized.prepare(table)
        if not isinstance(prepared, PreparedCostLoss):
            raise ParameterError(
                "iterative-recoding.loss",
                expected="a loss that is a mean over cells: 'loss', 'loss-geometric' or 'gcp'",
                got=as_given(self.minimized.key),
            )
        _refuse_population(table)
        if table.persons is not None:
            refuse_shares_of_persons(models, self.key)
        for model in models:
            model.check(table)
        space, left = Space.of(table), _Left.of(table, models)
        if not left.publishable(space.high):
            # The highest levels publish the last layer. If they cannot publish even the whole table, no order of layers
            # can.
            raise refuse(table, models, "0", left.engine.check(space.high))
        release, order = _Release(table, models, prepared), _order(space, prepared)
        needed = ceil(validation.exact_fraction(self.share) * table.n_records)
        while left.n_records:
            if left.n_records < needed:
                # Layers may be smaller from here on, so nodes that were passed over for publishing too little come
                # again.
                needed, order = min(needed // 2, left.n_records), _order(space, prepared, order.checks)
            node = order.next(left, max(needed, 1))
            before, left = left, release.take(left, node, space.high)
            if left is before and isinstance(order, _Descent):
                needed = left.n_records  # nothing could be taken, and the same node would be found again
            done = table.n_records - left.n_records
            report(task.observe, Progress(stage="publishing layer by layer", done=done, total=table.n_records))
        return release.outcome(self.minimized, task.columns, order.checks)


@dataclass(frozen=True, eq=False)
class _Left:
    """Records that no layer has published yet, and engines that group them."""

    table: EncodedTable
    models: Sequence[PrivacyModel]
    engine: RollUp
    relaxed: RollUp

    @staticmethod
    def of(table: EncodedTable, models: Sequence[PrivacyModel]) -> _Left:
        return _Left(table, models, *engines(table, models, outliers="keep"))

    @property
    def n_records(self) -> int:
        return self.table.n_records

    def published(self, node: Node) -> int:
        """How many of them a node publishes."""
        return self.n_records - int(self.engine.check(node).suppressed[0])

    def at_most(self, node: Node) -> int:
        """How many of them a node, or any below it, can publish."""
        return self.n_records - int(self.relaxed.check(node).suppressed[0])

    def publishable(self, high: Node) -> bool:
        return self.n_records == 0 or self.published(high) == self.n_records

    def without(self, taken: NDArray[np.bool_]) -> _Left:
        """Leave some combinations out."""
        return _Left.of(self.table.restricted(~taken), self.models)

    def class_of_combinations(self, node_classes: NodeClasses) -> NDArray[np.uint32]:
        """The class of a node that each combination belongs to."""
        layout = KeyLayout.for_sizes([h.domain_size for h in self.table.hierarchies])
        raw = self.table.combinations.T
        codes = [
            h.codes[level][c] for h, level, c in zip(self.table.hierarchies, node_classes.levels, raw, strict=True)
        ]
        keys = np.concatenate([layout.pack(list(node_classes.codes.T)), layout.pack(codes)])
        group, _ = distinct(keys)  # numbered in order of appearance, so the classes have their own numbers
        return np.asarray(group[len(node_classes.codes) :])


class _Release:
    """The layers taken so far."""

    def __init__(self, table: EncodedTable, models: Sequence[PrivacyModel], prepared: PreparedCostLoss) -> None:
        self.table, self.prepared = table, prepared
        self.engine = RollUp(table, models, needs=prepared.needs, outliers="keep")
        self.seen = SeenNodes(table, prepared, table.n_records)
        self.layers: list[Layer] = []
        self.costs = np.zeros(len(table.names), dtype=np.int64)

    def take(self, left: _Left, node: Node, high: Node) -> _Left:
        """Publish what a node can of the records left, provided the highest levels can publish all the others.

        Otherwise its smallest classes stay behind: one, two, four, and so on until the others can be published.
        """
        found = left.engine.classes(node)
        class_of = left.class_of_combinations(found)
        kept = np.flatnonzero(found.decision.published)
        kept = kept[np.argsort(found.classes.sizes[kept], kind="stable")]
        back = 0
        while back < len(kept):
            taken = np.isin(class_of, kept[back:])
            rest = left.without(taken)
            if rest.publishable(high):
                self._add(left.table, node, taken, found.codes[np.sort(kept[back:])])
                return rest
            back = max(1, 2 * back)
        return left

    def _add(self, table: EncodedTable, node: Node, taken: NDArray[np.bool_], classes: NDArray[np.int64]) -> None:
        self.layers.append(Layer(dict(zip(table.names, node, strict=True)), classes))
        self.seen.enter(self.engine.check(node))
        for a, (hierarchy, level) in enumerate(zip(table.hierarchies, node, strict=True)):
            cells = hierarchy.codes[level][table.combinations[taken, a]]
            self.costs[a] += self.prepared.costs[a][level][cells] @ table.counts[taken].astype(np.int64)

    def outcome(self, loss: Loss, columns: Sequence[str], checks: int) -> LatticeOutcome:
        """Return what was published; nothing is suppressed."""
        table, prepared = self.table, self.prepared
        recoding = LevelRecoding(
            columns=tuple(columns),
            hierarchies=dict(zip(table.names, table.hierarchies, strict=True)),
            layers=tuple(self.layers),
            outliers="mask",
        )
        parts = (prepared.factors[0] * self.costs / prepared.denominator)[None, :]
        return LatticeOutcome(
            recoding=recoding,
            levels=dict(recoding.levels),
            loss=float(prepared.aggregate(parts, prepared.weights)[0, 0]),
            minimized=loss,
            suppressed=0,
            classes=sum(len(layer.classes) for layer in self.layers),
            checks=checks,
            lattice_size=Space.of(table).size,
            optimal=False,
            nodes=self.seen.evaluated(),
        )


class _Ascent:
    """Nodes in ascending order of loss, those aside that publish too little of what is left."""

    def __init__(self, space: Space, prepared: PreparedCostLoss, checks: int = 0) -> None:
        self._prepared, self._turn, self.checks = prepared, count(), checks
        self._queue: list[tuple[tuple[float, ...], int, Node, Node]] = []
        self._known: dict[tuple[int, Node], int] = {}
        self._push(space.low, space.high)

    def next(self, left: _Left, needed: int) -> Node:
        """Return the next node that publishes at least so many records."""
        while True:
            _, _, bottom, top = heapq.heappop(self._queue)
            if self._at_most(left, top) < needed:
                continue
            if bottom == top:
                if left.engine is left.relaxed or left.published(top) >= needed:
                    return top
                continue
            # Cut off at the top's level of one attribute: one part has all nodes at that level, the other those below
            # it.
            axis = self._widest(bottom, top)
            self._push((*bottom[:axis], top[axis], *bottom[axis + 1 :]), top)
            self._push(bottom, (*top[:axis], top[axis] - 1, *top[axis + 1 :]))

    def _at_most(self, left: _Left, top: Node) -> int:
        """How many records the nodes up to ``top`` can publish; intervals share tops, so it is asked once."""
        asked = (left.n_records, top)
        if asked not in self._known:
            self._known[asked] = left.at_most(top)
            self.checks += 1
        return self._known[asked]

    def _push(self, bottom: Node, top: Node) -> None:
        heapq.heappush(self._queue, (self._prepared.floors(bottom, None), next(self._turn), bottom, top))

    def _widest(self, bottom: Node, top: Node) -> int:
        totals, dearest = self._prepared.totals, self._prepared.denominator
        return max(
            (a for a in range(len(top)) if top[a] > bottom[a]),
            key=lambda a: (totals[a, top[a]] - totals[a, bottom[a]]) / dearest[a],
        )


class _Descent:
    """Nodes below which no step still publishes enough, each found by going down from the highest levels."""

    def __init__(self, space: Space, prepared: PreparedCostLoss, checks: int = 0) -> None:
        self._space, self._prepared, self.checks = space, prepared, checks

    def next(self, left: _Left, needed: int) -> Node:
        """Return a node that publishes at least so many records."""
        node = self._space.high
        closed: set[int] = set()  # attributes whose next step publishes too little, here and further down
        while True:
            steps = [
                (self._prepared.floors((*node[:a], node[a] - 1, *node[a + 1 :]), None), a)
                for a in range(len(node))
                if a not in closed and node[a] > self._space.low[a]
            ]
            for _, a in sorted(steps):
                lower = (*node[:a], node[a] - 1, *node[a + 1 :])
                self.checks += 1
                if left.published(lower) >= needed:
                    node = lower
                    break
                closed.add(a)
            else:
                return node


def _order(space: Space, prepared: PreparedCostLoss, checks: int = 0) -> _Ascent | _Descent:
    return (_Ascent if space.size <= MAX_IN_ORDER else _Descent)(space, prepared, checks)


def _refuse_population(table: EncodedTable) -> None:
    if table.population is not None:
        raise ParameterError(
            "iterative-recoding",
            expected="no model about a population: its records fall into classes of several layers",
            got="k-map or delta-presence",
            hint=f"use the method {Space.of(table).feasible!r}",
        )
