"""Top-down specialization (Fung, Wang and Yu 2005; for LKC-privacy Mohammed, Fung, Hung and Lee 2009).

Every column begins at the top of its hierarchy. A step replaces one published value v of a column by its children, for
all records that have it: columns are published by *cuts* of their trees, with values of several levels side by side.
The step with the best score is next,

    score(v) = gain(v) / (anonymity loss(v) + 1).

``gain`` is by how much the step lowers ``loss``, or, with a ``target``, what the children tell about it (information
gain, in bits); ``anonymity loss`` is by how much fewer records than v the rarest of its children has.

*Each v is asked about once.* If a table breaks a promise about known columns, so does every finer one
(:mod:`nymity.privacy.lkc_privacy`). So a step that would break it stays forbidden however others go on, and the end is
a cut of which no further step is possible. For this the score must not change on the way, which is where we differ from
Fung et al.: there the anonymity loss is that of the rarest combination of columns, and scores are renewed on the way.

*What is counted for a step.* Only groups of records with v change, so only sets of l columns with this one are looked
at, for the records with v. Columns that show one value divide nothing and are left out. Sets grow column by column: as
soon as one has a group of fewer than k records, all that contain it do, and the step is refused. Columns that refused
a step are looked at first in the next.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.core.progress import Observer, Progress, report
from nymity.core.quoting import as_given
from nymity.kernels.specialization import tally, within
from nymity.lattice.outcome import demands_of
from nymity.privacy import KnownColumns, PrivacyModel
from nymity.privacy.table_method import MethodTask, TableMethod
from nymity.quality import Loss, loss_of
from nymity.table.encoding import EncodedTable
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.outcome import ByValues, WithoutLattice
from nymity.table.recoding import Recoding
from nymity.table.text import MASK

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TopDownSpecialization(TableMethod["CutOutcome"]):
    """Show finer values one by one, from the top of every hierarchy down, as long as every promise about columns holds.

    ``target`` is a sensitive column that recipients want to predict: what tells most about it is shown first. Nothing
    is suppressed.
    """

    target: str | None = None

    key: ClassVar[str] = "top-down-specialization"
    cuts_hierarchies: ClassVar[bool] = True
    makes: ClassVar[type[Recoding]] = LevelRecoding
    takes_persons: ClassVar[bool] = False
    takes_links: ClassVar[bool] = False
    takes_items: ClassVar[bool] = False
    proves_optimum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.target is not None and not isinstance(self.target, str):
            raise ParameterError(
                f"{self.key}.target", expected="the name of a sensitive column", got=as_given(self.target)
            )

    @property
    def minimized(self) -> Loss:
        """What is kept small, also where a target decides on the way."""
        return loss_of("loss")

    def chosen_by_values(self, *, promised: bool) -> str:
        """Say how sensitive values have a say in each choice: steps are refused, or scored, by them."""
        return _chosen_by_values(self.target, promised=promised)

    def _decide(self, task: MethodTask) -> CutOutcome:
        """Specialize until no step is left."""
        table, models = task.table, task.models
        demands = [self._demand(model, table) for model in models]
        if self.target is not None:
            validation.one_of(f"{self.key}.target", self.target, list(table.sensitive))
        cuts = Cuts(table, demands)
        if not cuts.hold_everywhere():
            raise NoSolutionError(
                f"{demands_of(models)} does not hold even at the highest levels that the schema allows. "
                "Try: a weaker model, or higher max_level"
            )
        self._specialize(cuts, task.observe)
        return CutOutcome(recoding=cuts.recoding(task.columns), loss=cuts.loss(), target=self.target)

    def _demand(self, model: PrivacyModel, table: EncodedTable) -> KnownColumns:
        model.check(table)
        demand = model.known_columns(table)
        if demand is None:
            raise ParameterError(
                f"{self.key}: {model.key}",
                expected="promises about rows that share cells: 'lkc-privacy', 'subset-k-anonymity', 'k-anonymity', "
                "'alpha-k-anonymity'",
                got=model.title,
                hint="use the method 'optimal-lattice'",
            )
        return demand

    def _specialize(self, cuts: Cuts, observe: Observer) -> None:
        """Go on with the best step as long as there is one."""
        target = None if self.target is None else cuts.values_of(self.target)
        waiting = [
            (-cuts.score(step, target), step.column, step.node, step) for step in map(cuts.step, cuts.roots()) if step
        ]
        heapq.heapify(waiting)
        done = 0
        while waiting:
            report(observe, Progress(stage="specializing", done=done))
            *_, step = heapq.heappop(waiting)
            done += 1
            if not cuts.allows(step):
                continue
            for child in cuts.take(step):
                further = cuts.step(child)
                if further is not None:
                    entry = (-cuts.score(further, target), further.column, further.node, further)
                    heapq.heappush(waiting, entry)


#: A value of a hierarchy: its level and its code there.
TreeNode = tuple[int, int]


@dataclass(frozen=True, eq=False)
class CutNode:
    """A published value of a column, the profiles that have it, and its number among the column's cells."""

    column: int
    node: TreeNode
    rows: Ints
    cell: int


@dataclass(frozen=True, eq=False)
class CutStep:
    """A published value and what would be published instead: children (level, code), and which each profile has."""

    of: CutNode
    children: list[TreeNode]
    child: Ints

    @property
    def column(self) -> int:
        """The column."""
        return self.of.column

    @property
    def node(self) -> TreeNode:
        """The value."""
        return self.of.node


class Cuts:
    """The values that columns are published with, and the cell that each profile has in each of them.

    cells (n_columns, n_profiles): numbers of cells; ``shown`` are the tree's nodes by number, for each column.
    """

    def __init__(self, table: EncodedTable, demands: Sequence[KnownColumns]) -> None:
        self.table, self.demands, profiles = table, demands, table.profiles
        self.counts = profiles.counts.astype(np.int64)
        self.base = np.ascontiguousarray(table.combinations[profiles.combination].astype(np.int64).T)
        tops = [h.codes[level].astype(np.int64) for h, level in zip(table.hierarchies, table.max_levels, strict=True)]
        self.cells = np.stack([top[base] for top, base in zip(tops, self.base, strict=True)])
        self.shown: list[list[TreeNode]] = [
            [(level, code) for code in range(len(h.labels[level]))]
            for h, level in zip(table.hierarchies, table.max_levels, strict=True)
        ]
        self._values = {demand.attribute: self.values_of(demand.attribute) for demand in demands if demand.attribute}
        self._first = list(range(len(table.names)))  # columns in the order in which they are looked at

    def values_of(self, attribute: str) -> Ints:
        """Return the code of a sensitive value of each profile."""
        return np.asarray(self.table.profiles.sensitive[:, list(self.table.sensitive).index(attribute)])

    def roots(self) -> list[CutNode]:
        """Return what is published at first."""
        return [
            CutNode(a, node, np.flatnonzero(self.cells[a] == cell), cell)
            for a, nodes in enumerate(self.shown)
            for cell, node in enumerate(nodes)
        ]

    def step(self, node: CutNode) -> CutStep | None:
        """Return what a value could be replaced by; None for one of the lowest level, or of nobody."""
        hierarchy, (level, code) = self.table.hierarchies[node.column], node.node
        if level <= self.table.min_levels[node.column] or not len(node.rows):
            return None
        finer = hierarchy.codes[level - 1]
        codes = np.unique(finer[hierarchy.codes[level] == code])
        child = np.searchsorted(codes, finer[self.base[node.column][node.rows]])
        return CutStep(node, [(level - 1, int(code)) for code in codes], child.astype(np.int64))

    def score(self, step: CutStep, target: Ints | None) -> float:
        """Return what a step is worth."""
        records = np.bincount(step.child, weights=self.counts[step.of.rows], minlength=len(step.children))
        rarest = records[records > 0].min()
        if target is not None:
            gain = _information(step.child, target[step.of.rows], self.counts[step.of.rows])
        else:
            leaves = np.array([self._leaves(step.column, node) for node in step.children])
            spared = records @ (self._leaves(step.column, step.node) - leaves)
            gain = float(spared) * self.table.weights[step.column] / self._domain(step.column)
        return gain / (float(records.sum()) - float(rarest) + 1)

    def allows(self, step: CutStep) -> bool:
        """Return whether labels stay distinct and every promise holds after a step."""
        labels = [self._label(step.column, node) for node in self.shown[step.column] if node != step.node]
        new = [self._label(step.column, node) for node in step.children]
        # In a release two nodes with one label would be one value, of which nobody could say what it stands for.
        if len({*labels, *new}) < len(labels) + len(new):
            return False
        if len(step.children) == 1:
            return True  # an only child stands for the same values, and divides nobody
        rows = step.of.rows
        everybody = np.zeros(len(self.counts), dtype=np.int64)
        number, sizes = tally(step.child, len(step.children), everybody, 1, rows, self.counts)
        others = [a for a in self._first if a != step.column and len(self.shown[a]) > 1]
        return not any(
            sizes.min() < demand.k or self._broken(demand, number, sizes, rows, others, min(demand.l - 1, len(others)))
            for demand in self.demands
        )

    def _broken(
        self, demand: KnownColumns, group: Ints, sizes: Ints, rows: Ints, others: list[int], further: int
    ) -> bool:
        """Return whether some group, divided by so many further columns, is too small or has too much of a value."""
        if not further:
            return not self._within(demand, group, sizes, rows)
        for i, a in enumerate(others[: len(others) - further + 1]):
            number, divided = tally(group, len(sizes), self.cells[a], len(self.shown[a]), rows, self.counts)
            if divided.min() < demand.k or self._broken(demand, number, divided, rows, others[i + 1 :], further - 1):
                self._first.remove(a)
                self._first.insert(0, a)
                return True
        return False

    def _within(self, demand: KnownColumns, group: Ints, sizes: Ints, rows: Ints) -> bool:
        if demand.attribute is None or demand.listed is None or demand.c >= 1:
            return True
        values = self._values[demand.attribute]
        held_by, held = tally(group, len(sizes), values, len(demand.listed), rows, self.counts)
        # Values that nobody called sensitive may be as frequent as they are.
        held_by[~demand.listed[values[rows]]] = -1
        return bool(within(group, sizes, held_by, held, demand.c.numerator, demand.c.denominator))

    def hold_everywhere(self) -> bool:
        """Return whether every promise holds at the start, in all sets of columns."""
        rows, one = np.arange(len(self.counts)), np.zeros(len(self.counts), dtype=np.int64)
        wide = [a for a, nodes in enumerate(self.shown) if len(nodes) > 1]
        whole = np.array([self.table.n_records])
        for demand in self.demands:
            for chosen in combinations(wide, min(demand.l, len(wide))):
                if self._broken(demand, one, whole, rows, list(chosen), len(chosen)):
                    return False
        return True

    def take(self, step: CutStep) -> list[CutNode]:
        """Publish the children in place of their parent; return them."""
        a, shown = step.column, self.shown[step.column]
        # The first child takes over its parent's number, the others get new ones: no other cell is renumbered.
        numbers = np.array([step.of.cell, *range(len(shown), len(shown) + len(step.children) - 1)])
        shown[step.of.cell] = step.children[0]
        shown += step.children[1:]
        self.cells[a][step.of.rows] = numbers[step.child]
        order = np.argsort(step.child, kind="stable")
        parts = np.split(step.of.rows[order], np.cumsum(np.bincount(step.child, minlength=len(step.children)))[:-1])
        return [CutNode(a, *one) for one in zip(step.children, parts, numbers.tolist(), strict=True)]

    def loss(self) -> float:
        """Return the mean over cells of (leaves - 1) / (domain - 1), columns by their weights."""
        lost = np.zeros(len(self.shown))
        for a, nodes in enumerate(self.shown):
            records = np.bincount(self.cells[a], weights=self.counts, minlength=len(nodes))
            covered = np.array([self._leaves(a, node) - 1 for node in nodes])
            lost[a] = records @ covered / (self._domain(a) * self.table.n_records)
        weights = np.array(self.table.weights)
        return float(lost @ weights / weights.sum()) if weights.sum() else 0.0

    def recoding(self, columns: Sequence[str]) -> LevelRecoding:
        """Return how to publish: on a level where a cut is one, else by a hierarchy with the cut as its level 1."""
        hierarchies, levels = dict[str, Hierarchy](), dict[str, int]()
        for a, name in enumerate(self.table.names):
            hierarchies[name], levels[name] = self._cut_hierarchy(a)
        codes = [h.codes[levels[name]][self.base[a]] for a, (name, h) in enumerate(hierarchies.items())]
        classes = np.unique(np.stack(codes, axis=1), axis=0).astype(np.int64)
        return LevelRecoding(tuple(columns), hierarchies, (Layer(levels, classes),))

    def _cut_hierarchy(self, a: int) -> tuple[Hierarchy, int]:
        hierarchy, nodes = self.table.hierarchies[a], self.shown[a]
        for level in range(hierarchy.height + 1):
            if {(level, code) for code in range(len(hierarchy.labels[level]))} == set(nodes):
                return hierarchy, level
        cells: list[Label] = [None] * hierarchy.domain_size
        for level, code in nodes:
            for base in np.flatnonzero(hierarchy.codes[level] == code).tolist():
                cells[base] = hierarchy.labels[level][code]
        where = f"hierarchy of {self.table.names[a]!r}, cut"
        rows = [[value, cell, MASK] for value, cell in zip(hierarchy.values, cells, strict=True)]
        return Hierarchy.from_rows(rows, where=where), 1

    def _label(self, a: int, node: TreeNode) -> Label:
        return self.table.hierarchies[a].labels[node[0]][node[1]]

    def _leaves(self, a: int, node: TreeNode) -> int:
        return int(self.table.hierarchies[a].leaves[node[0]][node[1]])

    def _domain(self, a: int) -> int:
        return max(self.table.hierarchies[a].domain_size - 1, 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class CutOutcome(WithoutLattice):
    """How columns are cut. Nothing is proved of it but that no single further step keeps the promises."""

    recoding: LevelRecoding
    loss: float
    target: str | None = None
    optimal: bool = False
    bound: float | None = None
    suppressed: int = 0

    @property
    def minimized(self) -> Loss:
        """The loss."""
        return loss_of("loss")

    @property
    def levels(self) -> Mapping[str, int]:
        """Those of the recoding's hierarchies."""
        return self.recoding.levels

    def searched(self) -> dict[str, Any]:
        """Return nothing: how many steps were tried depends on who has which value."""
        return {}

    def chosen_by_values(self, *, promised: bool) -> str:
        """Say so where steps are refused, or chosen, by sensitive values."""
        return _chosen_by_values(self.target, promised=promised)


def _chosen_by_values(target: str | None, *, promised: bool) -> str:
    if promised:
        return ByValues.LEVELS
    return ByValues.LOSS if target is not None else ""


def _information(child: Ints, target: Ints, counts: Ints) -> float:
    """Return what the child tells about the target, in bits: H(target) - H(target | child)."""
    _, target = np.unique(target, return_inverse=True)
    joint = np.zeros((int(child.max()) + 1, int(target.max()) + 1))
    np.add.at(joint, (child, target), counts)

    def bits(counted: NDArray[np.float64]) -> float:
        some = counted[counted > 0]
        return float(-(some * np.log2(some)).sum() + some.sum() * np.log2(some.sum())) if len(some) else 0.0

    return (bits(joint.sum(axis=0)) - sum(bits(row) for row in joint)) / float(counts.sum())
