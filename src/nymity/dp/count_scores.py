"""Scores of counts, which the engine has for a node without a look at single classes."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Observer, silent
from nymity.dp.score import Interval, Score, Scored, Whole, weights_of
from nymity.lattice.space import Node, Space
from nymity.quality import NodeStatistics

#: Sums below this fit 64 bits.
_FITS = 2**62
#: Cells lose multiples of 1 / this at least: sums over 2^31 records of up to 128 attributes fit.
_FINEST = 2**24
#: See ``lazy_from``: rolling up a whole lattice costs less per node than scoring single ones.
_LARGE = 2**28


class CountedScore(Score):
    """A score that is a formula of what the engine counts anyway."""

    @abstractmethod
    def values(self, nodes: NodeStatistics) -> Whole:
        """Return the scores of some nodes, (N,)."""

    @abstractmethod
    def excess(self, nodes: NodeStatistics) -> Whole:
        """Return by how much the ceilings of nodes, and of those below, are too high at least, (N,)."""

    def checked(self, node: Node) -> Scored:
        """Return the score of one node, and its excess."""
        found = self.engine.check(node)
        return Scored(int(self.values(found)[0]), int(self.excess(found)[0]))

    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the scores of all nodes of a lattice, (size,) in C order."""
        found: Whole | None = None
        for batch in self.engine.walk(space, observe=observe):
            values = self.values(batch)
            found = np.empty(space.size, dtype=values.dtype) if found is None else found
            found[space.numbers(batch.levels)] = values
        assert found is not None  # a lattice has a node
        return found


class Discernibility(CountedScore):
    """-(Σ c² / n + S) over published classes of c records (definition 5).

    (a) -1 + Σc² / (n (n + 1)), in [-1, 0) as Σc² ≤ n². (b) with c the class before: -(2c + 1) / (n + 1) +
    Σc² / (n (n + 1)); by Σc² ≥ c² and c ≤ n it is at least -1, by Σc² ≤ n² below 1. (c) k - 1 - k² / (n + 1) +
    Σc² / (n (n + 1)); as Σc² ≤ (n - k + 1)² ≤ n² below k, and as n ≥ k - 1 at least -1.
    """

    key, title = "discernibility", "discernibility"
    lazy_from = _LARGE

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[-1, k]."""
        return Fraction(-1), Fraction(k)

    def values(self, nodes: NodeStatistics) -> Whole:
        """Return -(Σ c² + n S)."""
        return np.asarray(-(nodes.squares + self._n * nodes.suppressed))

    def ceilings(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return -n k: a published record adds at least k to Σ c² + n S, and a suppressed one n."""
        n = self.table.n_records
        return np.full(len(levels), -n * min(self.k, n))

    def excess(self, nodes: NodeStatistics) -> Whole:
        """Return (n - k) S."""
        return np.asarray((self._n - min(self.k, self._n)) * nodes.suppressed)

    def _scale(self) -> int:
        return self._n


class GroupSize(CountedScore):
    """The number of published classes (definition 7): (a) and (b) 0, (c) 1."""

    key, title = "group-size", "number of classes"

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[0, 1]."""
        return Fraction(0), Fraction(1)

    def values(self, nodes: NodeStatistics) -> Whole:
        """Return the published classes."""
        return nodes.accepted_classes

    def ceilings(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return n / k, rounded down."""
        return np.full(len(levels), self.table.n_records // self.k)

    def excess(self, nodes: NodeStatistics) -> Whole:
        """Return what n / k has beyond (n - S) / k."""
        n = self.table.n_records
        return np.asarray(n // self.k - (n - nodes.suppressed) // self.k)


class CellScore(CountedScore):
    """Minus the sum over all records of what their cells lose, from 0 to 1 each, 1 if the record is suppressed.

    (a) -W. (b) minus the cells of a published record, in [-W, 0]. (c) the k - 1 records lost (k - 1) W, and k records
    lose from 0 to k W now: in [-W, (k - 1) W].
    """

    lazy_from = _LARGE

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[-W, (k - 1) W]."""
        return -weight, (k - 1) * weight

    def values(self, nodes: NodeStatistics) -> Whole:
        """Return what all records would lose at the levels, and what suppressed ones lose beyond that."""
        return np.asarray(self.ceilings(nodes.levels) - self.excess(nodes))

    def checked(self, node: Node) -> Scored:
        """Return the score of one node, and its excess."""
        found = self.engine.check(node)
        excess = int(self.excess(found)[0])
        return Scored(int(self.ceilings(found.levels)[0]) - excess, excess)

    def ceilings(self, levels: NDArray[np.int64]) -> Whole:
        """Return the scores of nodes that suppressed nobody."""
        return np.asarray(-(self._of_all(levels).astype(self._worth.dtype) @ self._worth))

    def excess(self, nodes: NodeStatistics) -> Whole:
        """Return what the suppressed lose beyond their own cells, which cover no more at nodes below."""
        beyond = nodes.suppressed[:, None] * self._units - self._of_suppressed(nodes)  # (N, m)
        return np.asarray(beyond.astype(self._worth.dtype) @ self._worth)

    @cached_property
    @abstractmethod
    def _units(self) -> NDArray[np.int64]:
        """How many units a suppressed cell of each attribute loses, (m,)."""

    @abstractmethod
    def _of_all(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Units that the cells of all records lose at levels (N, m), if none is suppressed: (N, m)."""

    @abstractmethod
    def _of_suppressed(self, nodes: NodeStatistics) -> NDArray[np.int64]:
        """Units that those of the suppressed records have of these, (N, m)."""

    @cached_property
    def _worth(self) -> Whole:
        """What a unit of each attribute counts, (m,), in numbers that hold the sum over all records."""
        worth = [int(share * self.scale) for share in self._shares()]
        most = sum(self._weights()) * self.scale * self._n
        return np.array(worth, dtype=np.int64 if most < _FITS else object)

    def _shares(self) -> list[Fraction]:
        return [weight / units for weight, units in zip(self._weights(), self._units.tolist(), strict=True)]

    def _weights(self) -> list[Fraction]:
        return weights_of(self.table)

    def _scale(self) -> int:
        """Return what makes all shares whole; if that leaves 64 bits too few for sums, shares are rounded down instead.

        Cells still lose from 0 to 1, so the changes lie in the same interval. What is rounded depends on hierarchies
        and weights alone, never on the records.
        """
        exact = lcm(*(share.denominator for share in self._shares()))
        return exact if exact < _FINEST else _FINEST


class Granularity(CellScore):
    """Minus the share of its domain that each cell covers (definition 4): leaves below it by values of the domain."""

    key, title = "granularity", "granularity"

    @cached_property
    def _units(self) -> NDArray[np.int64]:
        return np.array([hierarchy.domain_size for hierarchy in self.table.hierarchies])

    def _of_all(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._covered[np.arange(len(self._covered)), levels])

    def _of_suppressed(self, nodes: NodeStatistics) -> NDArray[np.int64]:
        return nodes.lost_leaves

    @cached_property
    def _covered(self) -> NDArray[np.int64]:
        """Leaves below the cells of all records, (m, most levels)."""
        hierarchies = self.table.hierarchies
        covered = np.zeros((len(hierarchies), 1 + max(hierarchy.height for hierarchy in hierarchies)), dtype=np.int64)
        for a, hierarchy in enumerate(hierarchies):
            for level, leaves in enumerate(hierarchy.leaves):
                covered[a, level] = self.table.frequencies_at(a, level) @ leaves
        return covered


class Intensity(CellScore):
    """Minus the level of each cell by the height of its hierarchy (section 5.1)."""

    key, title = "intensity", "generalization intensity"

    @cached_property
    def _units(self) -> NDArray[np.int64]:
        return np.array([max(hierarchy.height, 1) for hierarchy in self.table.hierarchies])

    def _of_all(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.table.n_records * levels.astype(np.int64)

    def _of_suppressed(self, nodes: NodeStatistics) -> NDArray[np.int64]:
        return nodes.suppressed[:, None] * nodes.levels.astype(np.int64)
