"""ItemTree: the hierarchy of items as a tree of nodes, and the cuts through it.

A *cut* is a set of nodes such that every item has exactly one of them above it (or is one): what each item is published
as. Generalizing along a cut recodes whole subtrees, in all records alike
(Terrovitis, Mamoulis & Kalnis 2008).

A node costs, for each occurrence of an item below it, the share of all items that it stands for, and nothing if it is
an item itself: the NCP of that paper. Costs here are whole numbers, in units of one over the number of items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import HierarchyError
from nymity.core.quoting import quoted
from nymity.table.hierarchy import Hierarchy

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Nodes by their labels: items first, each inner node after all that lie below it, the root last.

    parent (n_nodes,): -1 for the root. size (n_nodes,): items below. level (n_nodes,): the lowest one that has the
    label. paths (n_levels, n_items): the node of each item on every level of the hierarchy.
    """

    labels: tuple[str, ...]
    parent: Ints
    size: Ints
    level: Ints
    paths: Ints

    @staticmethod
    def of(hierarchy: Hierarchy, where: str = "hierarchy") -> ItemTree:
        """Make a tree of a hierarchy; a label that stands for two things on different levels is refused."""
        items = [code for code, label in enumerate(hierarchy.values) if label is not None]
        numbers: dict[str, int] = {}
        below: list[frozenset[int]] = []
        levels: list[int] = []
        seen: list[int] = []  # the highest level that each label was met on
        paths = np.empty((hierarchy.height + 1, len(items)), dtype=np.int64)
        for level in range(hierarchy.height + 1):
            codes = hierarchy.codes[level][items]
            order = np.argsort(codes, kind="stable")
            groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
            for group in sorted(groups, key=lambda one: int(one[0])):  # in the order of their first items
                label, own = hierarchy.labels[level][codes[group[0]]], frozenset(group.tolist())
                if label is None:
                    raise HierarchyError(where, expected="a name for every group of items", got="an empty one")
                number = numbers.setdefault(label, len(numbers))
                if number == len(below):
                    below.append(own)
                    levels.append(level)
                    seen.append(level)
                elif below[number] != own or seen[number] < level - 1:
                    raise HierarchyError(
                        where,
                        expected="each name to stand for the same items on every level: a released set has only names",
                        got=f"{quoted(label)} for {len(below[number])} items on one level and {len(own)} on another",
                        hint="give one of the two another name",
                    )
                seen[number] = level
                paths[level, sorted(own)] = number
        parent = np.full(len(numbers), -1, dtype=np.int64)
        for lower, upper in pairwise(paths):
            apart = lower != upper
            parent[lower[apart]] = upper[apart]
        sizes = np.array([len(own) for own in below], dtype=np.int64)
        return ItemTree(tuple(numbers), parent, sizes, np.array(levels, dtype=np.int64), paths)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return int(self.paths.shape[1])

    @cached_property
    def costs(self) -> Ints:
        """What an occurrence of an item below each node costs, (n_nodes,), in units of 1 / n_items."""
        costs = self.size.copy()
        costs[: self.n_items] = 0
        return costs

    @cached_property
    def ancestors(self) -> tuple[tuple[int, ...], ...]:
        """The nodes above each item, itself first and the root last."""
        return tuple(tuple(dict.fromkeys(path)) for path in self.paths.T.tolist())

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The nodes right below each node."""
        below: list[list[int]] = [[] for _ in self.labels]
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                below[parent].append(node)
        return tuple(map(tuple, below))

    def occurrences(self, of_items: Ints) -> Ints:
        """Sum up how often the items below each node occur, (n_nodes,)."""
        totals = np.zeros(len(self.labels), dtype=np.int64)
        for item, above in enumerate(self.ancestors):
            totals[list(above)] += of_items[item]
        return totals

    def raised(self, cut: Ints, nodes: Ints) -> Ints:
        """Return the cut with these nodes in place of what lies below them; of two above an item the upper counts."""
        chosen = np.isin(self.paths, nodes)
        raised = cut.copy()
        for row, here in zip(self.paths, chosen, strict=True):  # from the items up
            raised[here] = row[here]
        return raised

    def number_of_cuts(self, occur: NDArray[np.bool_], most: int) -> int:
        """Count the cuts that differ in what they do to items that occur, ``most`` + 1 if there are more."""
        ways = [0] * len(self.labels)
        for node in range(len(self.labels)):
            branches = [ways[child] for child in self.children[node] if ways[child]]
            if node < self.n_items:
                ways[node] = int(occur[node])
            elif branches:
                together = 1
                for number in branches:
                    # capped: the number of cuts of a large tree has thousands of digits
                    together = min(together * number, most + 1)
                # above a single branch the node itself is held by the same records as its child, and costs more
                ways[node] = together + (len(branches) > 1)
        return min(ways[-1], most + 1) if ways else 0

    def cuts(self, occur: NDArray[np.bool_]) -> Iterator[Ints]:
        """Return all cuts that differ in what they do to items that occur; the others stay what they are.

        A node with one branch in which items occur is left out: what lies below it has the same records, and costs
        less.
        """

        def of(node: int) -> list[tuple[int, ...]]:
            if node < self.n_items:
                return [(node,)] if occur[node] else []
            branches = [ways for child in self.children[node] if (ways := of(child))]
            together = [sum(parts, ()) for parts in product(*branches)] if branches else []
            return [*together, (node,)] if len(branches) > 1 else together

        own = np.arange(self.n_items, dtype=np.int64)
        for nodes in of(len(self.labels) - 1) or [()]:
            yield self.raised(own, np.array(nodes, dtype=np.int64))
