"""Scores of classes: the classes of a node are looked at one by one."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Observer, Progress, report, silent
from nymity.dp.score import Interval, Score, Scored, Whole, weights_of, whole
from nymity.kernels.grouping import distinct
from nymity.lattice.rollup import NodeClasses
from nymity.lattice.space import Node, Space
from nymity.table.encoding import EncodedTable
from nymity.table.packing import KeyLayout


class ClassScore(Score):
    """A score that needs to look at the published classes of a node."""

    @abstractmethod
    def value(self, codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> int:
        """Return the score from codes (n_classes, m) and sizes (n_classes,) of the published classes."""

    @abstractmethod
    def excess_of(self, suppressed: int) -> int:
        """Return by how much ceilings are too high at and below a node with so many suppressed records."""

    def checked(self, node: Node) -> Scored:
        """Return the score of one node, and its excess."""
        found: NodeClasses = self.engine.classes(node)
        sizes = found.classes.sizes.astype(np.int64)
        kept = sizes >= self.k
        return Scored(self.value(found.codes[kept], sizes[kept]), self.excess_of(int(sizes[~kept].sum())))

    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the scores of all nodes of a lattice, (size,) in C order."""
        nodes = product(*(range(low, high + 1) for low, high in zip(space.low, space.high, strict=True)))
        found = []
        for done, node in enumerate(nodes):
            report(observe, Progress(stage="evaluating the lattice", done=done, total=space.size))
            found.append(self.at(node))
        return whole(found)


class Entropy(ClassScore):
    """-Σ over attributes of (Σ c² / n + S), c the published records of each of its values (definition 6).

    The paper's stand-in for non-uniform entropy: how alike the values of an attribute are. A value ``*`` of a published
    record is not what suppressed records have. Per attribute, with c the records of the value before: (a) and (b) as
    for discernibility in [-1, 1]. (c) k - 1 - (2 k c + k²) / (n + 1) + Σc² / (n (n + 1)). It is below k by
    Σc² ≤ n². By Σc² ≥ c² it is least for the largest c, n - k + 1, and there (k - 1)² (1 + 1/n) / (n + 1) - k ≥ -k.
    """

    key, title = "entropy", "non-uniform entropy"

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[-k W, k W]."""
        return -k * weight, k * weight

    def value(self, codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> int:
        """Return -Σ weight (Σ c² + n S)."""
        suppressed, total = self.table.n_records - int(sizes.sum()), 0
        for a, worth in enumerate(self._worth):
            # Sums of whole numbers below 2^53 are exact in the floats that bincount counts with.
            alike = np.bincount(codes[:, a], weights=sizes).astype(np.int64)
            total += worth * (int(alike @ alike) + self._n * suppressed)
        return -total

    def ceilings(self, levels: NDArray[np.int64]) -> Whole:
        """Return the sum over attributes of what f records with a value can add at best, published or not.

        That is the least of c² + n (f - c) for c ≤ f of them published: f² at c = f, or n f - n² / 4 if f > n / 2.
        """
        ways = [
            [self._least(self.table.frequencies_at(a, level)) for level in range(hierarchy.height + 1)]
            for a, hierarchy in enumerate(self.table.hierarchies)
        ]
        of_attribute = [
            whole(least)[levels[:, a]] * worth for a, (least, worth) in enumerate(zip(ways, self._worth, strict=True))
        ]
        return np.asarray(-np.sum(of_attribute, axis=0))

    def excess_of(self, suppressed: int) -> int:
        """Return 0: of attributes in which most are alike, suppression may bring the ceiling nearer."""
        return 0

    def _least(self, frequencies: NDArray[np.int64]) -> int:
        n = self._n
        return sum(f * f if 2 * f <= n else n * f - n * n // 4 for f in frequencies.tolist())

    @cached_property
    def _worth(self) -> list[int]:
        """What each attribute counts."""
        return [int(weight * self.scale / self._n) for weight in weights_of(self.table)]

    def _scale(self) -> int:
        return self._n * lcm(*(weight.denominator for weight in weights_of(self.table)))


class Classification(ClassScore):
    """Published records that have the most frequent value of ``target`` among those alike in all others (definition 8).

    (a) 0. (b) 0 or 1. (c) k if none alike was published before; else 0, as the most frequent value already had k.
    """

    key, title = "classification", "statistical classification"
    lazy_from = 0

    def __init__(self, table: EncodedTable, k: int, target: str) -> None:
        super().__init__(table, k)
        self.target = target

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[0, k]."""
        return Fraction(0), Fraction(k)

    def value(self, codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> int:
        """Return the sum over what is alike in all other attributes."""
        features = [a for a, name in enumerate(self.table.names) if name != self.target]
        domains = [self.table.hierarchies[a].domain_size for a in features]
        if not len(sizes):
            return 0
        if not features:
            return int(sizes.max())
        group, first = distinct(KeyLayout.for_sizes(domains).pack([codes[:, a] for a in features]))
        largest = np.zeros(len(first), dtype=np.int64)
        np.maximum.at(largest, group, sizes)
        return int(largest.sum())

    def ceilings(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return n."""
        return np.full(len(levels), self.table.n_records)

    def excess_of(self, suppressed: int) -> int:
        """Return S."""
        return suppressed
