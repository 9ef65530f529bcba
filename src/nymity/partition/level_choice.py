"""Which levels lose least together with the cells that are suppressed there.

At a node of the lattice, one level for each column, records are published with the values of their levels, but for
suppressed cells. What a record then loses is the sum over its columns of

    W_a              where the cell is suppressed,
    W_a c(v)         where it shows the value v of its level, which stands for a share c(v) of the domain,

with c = 0 for raw values and 1 at the top. Heuristics find classes at a node; the search decides at which nodes they
are asked. It rests on two facts about nodes lo <= n <= hi (each level of n between those of lo and hi):

1. A record's shown cell at n costs at least what it costs at lo, for c never falls from a level to the next.
2. Records that are equal at n outside some columns S are equal there at hi. So if its class at n suppresses S, a record
   shares its values outside S at hi with k records of the table.

Hence no partition at any node between loses less than

    sum over records of   min over the S it shares at hi with k records of   W(S) + what cells outside S cost at lo.

With lo = hi that is a bound of one node. Boxes of nodes are halved, the one of the least bound first; nodes whose bound
is below the least loss so far are tried. When no box is left that could lose less, the choice is exhaustive: the
heuristic would have done no better at any other node. Costs are whole numbers, so that nothing hangs on rounding.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from nymity.core.errors import Interrupted
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.cell_suppression import CountedItems, least_costs, price
from nymity.partition.attributes import suppressed_attributes_of
from nymity.partition.geometry import Ints
from nymity.partition.problem import PartitionProblem
from nymity.partition.suppression import ALL_PATTERNS, covered_by_classes, items_of, patterns_of
from nymity.table.encoding import EncodedTable

Node = tuple[int, ...]
#: A suppressed cell of mean weight, in whole units.
UNIT = 2**20
#: Bounds that are computed for each node that may be tried.
BOUNDS = 20
_MOST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class CellCosts:
    """What cells cost, in units: suppressed (m,) and, of each attribute and level, ``shown`` by the code of a value."""

    suppressed: Ints
    shown: tuple[tuple[Ints, ...], ...]
    table: EncodedTable

    @staticmethod
    def of(problem: PartitionProblem) -> CellCosts:
        """Take weights over their mean, as they count in losses."""
        suppressed = [round(attribute.weight * UNIT) for attribute in problem.attributes]
        shown = [
            tuple(np.round(share * dear).astype(np.int64) for share in shares_of_domain(problem.table, a))
            for a, dear in enumerate(suppressed)
        ]
        return CellCosts(np.array(suppressed, dtype=np.int64), tuple(shown), problem.table)

    @cached_property
    def totals(self) -> list[list[int]]:
        """What all cells of a column cost on each level."""
        return [
            [int(self.table.frequencies_at(a, level) @ shown) for level, shown in enumerate(levels)]
            for a, levels in enumerate(self.shown)
        ]

    def shown_at(self, node: Node) -> int:
        """Return what a node costs where nothing is suppressed."""
        return sum(totals[level] for totals, level in zip(self.totals, node, strict=True))

    def spared(self, a: int, low: int, high: int) -> Ints:
        """Return what showing a value spares at least, by the codes of ``high``, if cells cost what they do at ``low``.

        The dearest of the low values that occur under a high one is taken for all of them.
        """
        hierarchy, occurring = self.table.hierarchies[a], self.table.frequencies[a] > 0
        dearest = np.zeros(len(hierarchy.labels[high]), dtype=np.int64)
        np.maximum.at(dearest, hierarchy.codes[high][occurring], self.shown[a][low][hierarchy.codes[low][occurring]])
        return np.asarray(self.suppressed[a] - dearest)


def shares_of_domain(table: EncodedTable, a: int) -> list[np.ndarray]:
    """Return which share of its domain each value stands for beside itself, by level; the top says nothing."""
    hierarchy = table.hierarchies[a]
    shares = [(leaves - 1) / max(hierarchy.domain_size - 1, 1) for leaves in hierarchy.leaves]
    return [*shares[:-1], np.ones_like(shares[-1])] if hierarchy.height else shares


@dataclass(frozen=True, eq=False)
class ChosenLevels:
    """A node with its classes, the class of each combination (n,); ``bound``: what none of any node loses less than,
    in cells.

    ``exhaustive``: no other node would have lost less. ``stopped``: why it is not.
    """

    node: Node
    classes: Ints
    bound: float | None
    exhaustive: bool
    stopped: str | None


class LevelSearch:
    """Looks for the node at which generalized and suppressed cells lose least."""

    def __init__(
        self, problem: PartitionProblem, low: Node, high: Node, *, checks: int, rounds: int | None, observe: Observer
    ) -> None:
        self.problem, self.low, self.high, self.checks, self.rounds = problem, low, high, checks, rounds
        self.observe, self.costs = observe, CellCosts.of(problem)
        self.tried: dict[Node, int] = {}
        self.best, self.best_node, self.classes = _MOST, low, np.empty(0, dtype=np.int64)
        #: Boxes that are left, with what no node in them loses less than, and the least such bound of nodes done with.
        self.left: list[tuple[int, Node, Node]] = [(self.costs.shown_at(low), low, high)]
        self.done, self.bounds = _MOST, 0

    def choose(self, *, keep_best: bool) -> ChosenLevels:
        """Try nodes until no other can lose less; ``keep_best`` also where somebody stops it."""
        stopped, broken = None, False
        try:
            with interruptible():
                self._try(self.low)  # never worse than to suppress cells alone
                self._descend()
                self._prove()
        except _SpentError:
            stopped = f"after {len(self.tried):,} choices of levels"
        except (KeyboardInterrupt, Interrupted):
            if not keep_best or not self.tried:
                raise
            stopped, broken = "when it was asked to", True  # and a proof that was broken off proves nothing
        return ChosenLevels(
            node=self.best_node,
            classes=self.classes,
            bound=None if broken else min(self.best, self.done, *(bound for bound, _, _ in self.left)) / UNIT,
            exhaustive=stopped is None,
            stopped=stopped,
        )

    def _descend(self) -> None:
        """Go to neighbours that lose less, as long as there are some: so a budget that ends early finds much, too."""
        better = True
        while better:
            better, before = False, self.best
            near = [(self._bound(node, node), node) for node in self._neighbours(self.best_node)]
            for bound, node in sorted(near):
                if bound < self.best and self._try(node) < before:
                    better = True
                    break

    def _prove(self) -> None:
        """Halve boxes and try nodes until nothing that is left can lose less than the best."""
        while self.left and self.left[0][0] < self.best:
            bound, low, high = self.left[0]
            if low == high:
                if low not in self.tried:
                    self._try(low)
                self.done = min(self.done, bound)
                heapq.heappop(self.left)
            else:
                halves = [(max(bound, self._bound(*half)), *half) for half in _halved(low, high)]
                heapq.heapreplace(self.left, halves[0])
                heapq.heappush(self.left, halves[1])

    def _try(self, node: Node) -> int:
        """Suppress cells at a node and return what all cells lose."""
        if len(self.tried) >= self.checks:
            raise _SpentError
        self._tell()
        problem, costs = _at(self.problem, node), self.costs
        items, item_of = items_of(problem)
        # Kernels know one weight for each column: what suppressing one of its cells costs on average.
        spared = (
            costs.suppressed - np.array([costs.totals[a][level] for a, level in enumerate(node)]) / items.counts.sum()
        )
        items = items._replace(weights=np.maximum(spared / UNIT, 0.0))
        patterns = patterns_of(items, problem.k)
        found = covered_by_classes(items, patterns, problem.k, lambda _: self._tell(), self.rounds)
        stars, loss = found.stars[found.class_of], 0
        for a, (attribute, level) in enumerate(zip(problem.attributes, node, strict=True)):
            shown = costs.shown[a][level][attribute.occurring[items.codes[:, a]]]
            loss += int(np.where((stars >> a) & 1, costs.suppressed[a], shown) @ items.counts)
        self.tried[node] = loss
        if loss < self.best:
            classes = np.unique(found.class_of, return_inverse=True)[1].astype(np.int64)
            self.best, self.best_node, self.classes = loss, node, classes[item_of]
        return loss

    def _bound(self, low: Node, high: Node) -> int:
        """Return what no partition at a node from ``low`` to ``high`` loses less than."""
        if self.bounds >= BOUNDS * self.checks:
            raise _SpentError
        self._tell()
        self.bounds += 1
        problem = _at(self.problem, high)
        items, _ = items_of(problem)
        spared = [
            self.costs.spared(a, low[a], high[a])[attribute.occurring] for a, attribute in enumerate(problem.attributes)
        ]
        return self.costs.shown_at(low) + int(_least(items, spared, problem.k) @ items.counts)

    def _neighbours(self, node: Node) -> Iterator[Node]:
        """Yield the nodes one level up or down in one column that were not tried."""
        for a, level in enumerate(node):
            for other in (level - 1, level + 1):
                near = (*node[:a], other, *node[a + 1 :])
                if self.low[a] <= other <= self.high[a] and near not in self.tried:
                    yield near

    def _tell(self) -> bool | None:
        best = self.best / UNIT if self.tried else None
        report(self.observe, Progress(stage="choosing levels", done=len(self.tried), best=best))
        return None


class _SpentError(Exception):
    """As much was looked at as may be."""


def _least(items: CountedItems, spared: Sequence[Ints], k: int) -> Ints:
    """Return what suppressed cells cost each item at least, (n,); ``spared``: what showing each value spares."""
    floors = np.array([int(values.min()) for values in spared], dtype=np.int64)
    patterns, beyond = _patterns(floors)
    least, some, flat = np.full(len(items.codes), beyond), np.arange(len(items.codes)), np.concatenate(spared)
    for pattern in patterns:
        some = some[least[some] > int(price(floors, pattern))]  # this one and all that follow cost more
        if not len(some):
            break
        least_costs(items, k, pattern, flat, least, some)
    return least


def _patterns(floors: Ints) -> tuple[list[int], int]:
    """Return patterns, those first that cost least at the least, and what all that are left out cost at the least."""
    m = len(floors)
    if m <= ALL_PATTERNS:
        found, beyond = list(range(1 << m)), _MOST
    else:
        found = [0, *(1 << a for a in range(m)), *(1 << a | 1 << b for a, b in combinations(range(m), 2))]
        beyond = int(np.sort(floors)[:3].sum())
    return sorted(found, key=lambda pattern: (price(floors, pattern), pattern)), beyond


def _halved(low: Node, high: Node) -> tuple[tuple[Node, Node], tuple[Node, Node]]:
    """Divide a box in the column with most levels."""
    a = max(range(len(low)), key=lambda a: high[a] - low[a])
    middle = (low[a] + high[a]) // 2
    below, above = (*high[:a], middle, *high[a + 1 :]), (*low[:a], middle + 1, *low[a + 1 :])
    return (low, below), (above, high)


def _at(problem: PartitionProblem, node: Node) -> PartitionProblem:
    """Return the problem with its columns on the levels of a node."""
    return replace(problem, attributes=suppressed_attributes_of(problem.table, node))
