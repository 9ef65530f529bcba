"""Branching on pairs: the cheapest choice among listed classes, by branch and bound over linear programs.

A node's linear program (:mod:`nymity.partition.listed_program`) is solved and cut. If its solution is not whole, the
node is divided in two:

1. by how many classes there are, where that is not whole;
2. by two types (Ryan and Foster 1981): in how many classes do they meet? Where each has one record, they are together,
   and classes with one of them alone are out, or apart, and classes with both are out;
3. by a class, where all pairs are whole, which takes types of several records.

To choose a class says much, and to leave it out nearly nothing; pairs divide more evenly. Of some pairs that are far
from whole the one is taken whose two nodes rise most. Below a node, classes are out whose surplus is more than what the
target leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from math import ceil, floor, inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from nymity.kernels.triples import violated_triples
from nymity.partition.geometry import Floats, Ints
from nymity.partition.listed_program import Limits, ListedOptimum, ListedProgram
from nymity.partition.master import INTEGRALITY

#: Classes that the first program starts with; triples that a round cuts, how much each must be violated, and rounds.
FIRST, CUTS, VIOLATED, ROUNDS = 1_500, 40, 0.03, 5
#: Pairs that are tried before one is taken. A node whose bound lies so near to the target holds nothing below it.
TRIED, NEAR = 6, 1e-7


@dataclass(frozen=True, eq=False)
class Branch:
    """What is allowed: classes, limits of rows and of the times that a class is chosen; all below costs ``bound``."""

    allowed: Ints
    rows: Limits = field(default_factory=dict)
    times: Limits = field(default_factory=dict)
    bound: float = -inf

    def within(self, row: int, least: float, most: float) -> Branch:
        """Return the node with narrower limits of a row."""
        low, high = self.rows.get(row, (-inf, inf))
        return replace(self, rows={**self.rows, row: (max(low, least), min(high, most))})


@dataclass(frozen=True, eq=False)
class ChosenClasses:
    """The cheapest choice of classes below the target, repeats named again; none if there is none, or none was found.

    bound: no choice among the listed classes costs less, or less than the target. ``done``: nothing is left to search.
    """

    classes: list[Ints]
    bound: float
    done: bool


class PairBranching:
    """One search among listed classes, for a choice that costs less than a target."""

    def __init__(
        self, counts: Ints, k: int, classes: Sequence[Ints], costs: Floats, triples: Ints, *, target: float
    ) -> None:
        self.counts, self.classes, self.target = counts, classes, target
        self.program = ListedProgram(counts, k, classes, costs, target=target)
        self.chosen: list[Ints] = []
        self.nodes = 0
        self._rows_of_pairs: dict[tuple[int, int], int] = {}
        for triple in triples:
            self._cut(triple)

    def solve(self, *, until: float, nodes: float, alive: Callable[[], None]) -> ChosenClasses:
        """Search until nothing is left below the target, until the monotonic time, or for so many nodes.

        The program starts with the classes that are listed first. ``alive`` is called for each node.
        """
        self.program.hold(np.arange(min(FIRST, len(self.classes))))
        number, waiting = count(1), [(-inf, 0, Branch(np.arange(len(self.classes))))]
        while waiting and waiting[0][0] < self.target - NEAR:
            if monotonic() >= until or self.nodes >= nodes:
                return ChosenClasses(self.chosen, waiting[0][0], False)
            alive()
            self.nodes += 1
            for child in self._divide(heappop(waiting)[2]):
                heappush(waiting, (child.bound, next(number), child))
        return ChosenClasses(self.chosen, self.target, True)

    def _divide(self, node: Branch) -> Iterator[Branch]:
        """Solve a node; give the nodes that it is divided into, none if it is settled."""
        found = self._relax(node)
        if found is None:
            return
        if not len(_parts(found)):
            times = np.rint(found.shares).astype(np.int64)
            self.chosen = [self.classes[c] for c in np.repeat(found.used, times).tolist()]
            self.target = found.value
            return
        near = found.surpluses < self.target - found.value + NEAR
        near |= np.isin(node.allowed, list(node.times))
        yield from self._children(replace(node, allowed=node.allowed[near], bound=found.value), found)

    def _relax(self, node: Branch) -> ListedOptimum | None:
        """Solve the linear program of a node, and cut triples that it violates; None if nothing is below the target."""
        below = self.target - NEAR
        found = self.program.solve(node.allowed, node.rows, node.times, below=below)
        for _ in range(ROUNDS):
            if found is None or not len(parts := _parts(found)):
                return found
            uses = self._uses(found.used[parts])
            triples, excess = violated_triples(uses, found.shares[parts], self.counts, VIOLATED)
            if not len(triples):
                return found
            for triple in triples[np.argsort(-excess, kind="stable")[:CUTS]]:
                self._cut(triple)
            found = self.program.solve(node.allowed, node.rows, node.times, below=below)
        return found

    def _children(self, node: Branch, found: ListedOptimum) -> list[Branch]:
        number = float(found.shares.sum())
        if abs(number - round(number)) > INTEGRALITY:
            return [node.within(0, 0, floor(number)), node.within(0, ceil(number), inf)]
        meetings = self._meetings(found)
        away = np.abs(meetings - np.floor(meetings) - 0.5)
        pairs = np.argwhere(np.triu(away < 0.5 - INTEGRALITY))
        if not len(pairs):
            return self._by_class(node, found)
        tried = pairs[np.argsort(away[tuple(pairs.T)], kind="stable")[:TRIED]]
        divided = [self._by_pair(node, int(i), int(j), floor(meetings[i, j])) for i, j in tried]
        return max(divided, key=lambda children: self._rise(children, found.value))

    def _by_pair(self, node: Branch, i: int, j: int, meetings: int) -> list[Branch]:
        """Divide by two types, or by two records of one type: more meetings than these, or at most so many."""
        here = self.program.members[node.allowed]
        times = 1 if i != j else 2
        mine, others = (here == i).sum(axis=1) >= times, (here == j).sum(axis=1) >= times
        single = [i != j and self.counts[t] == 1 for t in (i, j)]
        # Who has one record only meets the other in its one class.
        alone = (mine & ~others & single[0]) | (others & ~mine & single[1])
        apart = replace(node, allowed=node.allowed[~(mine & others)]) if meetings == 0 else node
        together = replace(node, allowed=node.allowed[~alone])
        if any(single):
            return [together, apart]
        row = self._row_of(i, j, times)
        return [together.within(row, meetings + 1, inf), apart.within(row, 0, meetings)]

    def _row_of(self, i: int, j: int, times: int) -> int:
        """Return the row that counts the classes in which two types, or two records of one type, meet."""
        if (i, j) not in self._rows_of_pairs:
            mine, others = ((self.program.members == t).sum(axis=1) >= times for t in (i, j))
            self._rows_of_pairs[i, j] = self.program.add_row((mine & others).astype(np.int8), (0.0, inf))
        return self._rows_of_pairs[i, j]

    def _by_class(self, node: Branch, found: ListedOptimum) -> list[Branch]:
        """Divide by how often a class is chosen that is chosen in part."""
        part = _parts(found)[0]
        chosen, share = int(found.used[part]), float(found.shares[part])
        low, high = node.times.get(chosen, (0.0, inf))
        sides = ((low, float(floor(share))), (float(ceil(share)), high))
        return [replace(node, times={**node.times, chosen: side}) for side in sides]

    def _rise(self, children: list[Branch], value: float) -> float:
        """Return by how much the program at hand rises in the two nodes, multiplied; nothing rises above the target."""
        product = 1.0
        for child in children:
            tried = self.program.try_out(child.allowed, child.rows, child.times, below=self.target)
            # A side that does not rise at all must not hide by how much the other one does.
            product *= max(tried - value, 1e-6)
        return product

    def _meetings(self, found: ListedOptimum) -> Floats:
        """Return in how many classes two types meet; on the diagonal, two records of one type."""
        uses = self._uses(found.used)
        has = (uses > 0).astype(np.float64)
        meetings: Floats = has.T @ (has * found.shares[:, None])
        meetings[np.diag_indices(len(meetings))] = found.shares @ (uses > 1)
        return meetings

    def _uses(self, classes: Ints) -> Ints:
        """Return how many members of each type these classes have, (n_classes, n_types)."""
        uses = np.zeros((len(classes), len(self.counts) + 1), dtype=np.int64)
        np.add.at(uses, (np.arange(len(classes))[:, None], self.program.members[classes]), 1)
        return uses[:, :-1]

    def _cut(self, triple: Ints) -> None:
        uses: NDArray[np.int8] = self.program.counted(triple) // 2
        self.program.add_row(uses, (-inf, float(self.counts[triple].sum() // 2)))


def _parts(found: ListedOptimum) -> Ints:
    """Return the places of classes that are chosen in part."""
    return np.flatnonzero(np.abs(found.shares - np.rint(found.shares)) > INTEGRALITY)
