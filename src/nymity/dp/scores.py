"""Scores: how useful a node is, such that one record changes little (Bild, Kuhn and Prasser 2018, section 5).

A table of n records has m attributes. At a node, classes of at least k records are published, and the S records of the
others are suppressed. Another record changes its own class alone, in one of three ways:

(a) the class stays below k: S rises by 1;
(b) the class had k or more: one more record is published;
(c) the class reaches k: k - 1 records that were suppressed and the new one are published.

``changes`` is an interval that holds the change of a score in all three, at every node of every table. Draws by the
exponential mechanism with its length are private whatever the direction (:mod:`nymity.dp.exponential`); the paper
divides by twice the largest change, which is up to twice as much. Scores are exact: whole numbers over one ``scale``.

Attributes count by the ``weight`` they have in the schema; W is the sum of weights, m in the paper. Hierarchies, and
with them the sizes of domains, must be public.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.validation import exact_fraction, one_of
from nymity.kernels.grouping import distinct
from nymity.lattice.rollup import NodeClasses, RollUp
from nymity.lattice.space import Node, Space
from nymity.privacy import KAnonymity
from nymity.quality import NodeStatistics
from nymity.table.encoding import EncodedTable
from nymity.table.packing import KeyLayout

#: Whole scores: 64-bit where they fit, Python's own integers where not.
Whole = NDArray[Any]
#: The least and the greatest change of a score.
Interval = tuple[Fraction, Fraction]
_FITS = 2**62


class Score(ABC):
    """A score of every node for one table and one k; ``at`` and ``everywhere`` give multiples of 1 / ``scale``."""

    key: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, table: EncodedTable, k: int) -> None:
        self.table, self.k = table, k
        self.engine = RollUp(table, [KAnonymity(k=k)])
        self.scale = self._scale()

    @classmethod
    @abstractmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """Return the least and the greatest change by one more record; ``weight`` is that of all attributes."""

    @abstractmethod
    def at(self, node: Node) -> int:
        """Return the score of one node."""

    @abstractmethod
    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the scores of all nodes of a lattice, (size,) in C order."""

    def _scale(self) -> int:
        return 1

    @property
    def _n(self) -> int:
        """Records; 1 in place of 0, as a denominator."""
        return max(self.table.n_records, 1)


# -- scores of counts: the engine walks the lattice -----------------------------------------------------------------


class CountedScore(Score):
    """A score that is a formula of what the engine counts anyway."""

    @abstractmethod
    def values(self, nodes: NodeStatistics) -> Whole:
        """Return the scores of some nodes, (N,)."""

    def at(self, node: Node) -> int:
        """Return the score of one node."""
        return int(self.values(self.engine.check(node))[0])

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

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[-1, k]."""
        return Fraction(-1), Fraction(k)

    def values(self, nodes: NodeStatistics) -> Whole:
        """Return -(Σ c² + n S)."""
        return np.asarray(-(nodes.squares + self._n * nodes.suppressed))

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
        return nodes.kept


class CellScore(CountedScore):
    """Minus the sum over all records of what their cells lose, from 0 to 1 each, 1 if the record is suppressed.

    (a) -W. (b) minus the cells of a published record, in [-W, 0]. (c) the k - 1 records lost (k - 1) W, and k records
    lose from 0 to k W now: in [-W, (k - 1) W].
    """

    @classmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """[-W, (k - 1) W]."""
        return -weight, (k - 1) * weight

    def values(self, nodes: NodeStatistics) -> Whole:
        """Return the sum over attributes: what published cells lose, and all for suppressed ones."""
        cells = self._lost(nodes) + nodes.suppressed[:, None] * self._units  # (N, m)
        return np.asarray(-(cells.astype(self._worth.dtype) @ self._worth))

    @cached_property
    @abstractmethod
    def _units(self) -> NDArray[np.int64]:
        """How many units a suppressed cell of each attribute loses, (m,)."""

    @abstractmethod
    def _lost(self, nodes: NodeStatistics) -> NDArray[np.int64]:
        """Units that the published cells of each attribute lose together, (N, m)."""

    @cached_property
    def _worth(self) -> Whole:
        """What a unit of each attribute counts, (m,), in numbers that hold the sum over all records."""
        worth = [int(share * self.scale) for share in self._shares()]
        most = sum(worth) * int(self._units.max()) * self._n
        return np.array(worth, dtype=np.int64 if most < _FITS else object)

    def _shares(self) -> list[Fraction]:
        return [weight / units for weight, units in zip(weights_of(self.table), self._units.tolist(), strict=True)]

    def _scale(self) -> int:
        return lcm(*(share.denominator for share in self._shares()))


class Granularity(CellScore):
    """Minus the share of its domain that each cell covers (definition 4): leaves below it by values of the domain."""

    key, title = "granularity", "granularity"

    @cached_property
    def _units(self) -> NDArray[np.int64]:
        return np.array([hierarchy.domain_size for hierarchy in self.table.hierarchies])

    def _lost(self, nodes: NodeStatistics) -> NDArray[np.int64]:
        attributes = np.arange(len(self._covered))
        return np.asarray(self._covered[attributes, nodes.levels] - nodes.lost_leaves)

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

    def _lost(self, nodes: NodeStatistics) -> NDArray[np.int64]:
        return (self.table.n_records - nodes.suppressed)[:, None] * nodes.levels.astype(np.int64)


# -- scores of classes: node by node ---------------------------------------------------------------------------------


class ClassScore(Score):
    """A score that needs to look at the published classes of a node."""

    @abstractmethod
    def value(self, codes: NDArray[np.int64], sizes: NDArray[np.int64]) -> int:
        """Return the score from codes (n_classes, m) and sizes (n_classes,) of the published classes."""

    def at(self, node: Node) -> int:
        """Return the score of one node."""
        found: NodeClasses = self.engine.classes(node)
        sizes = found.classes.sizes.astype(np.int64)
        kept = sizes >= self.k
        return self.value(found.codes[kept], sizes[kept])

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
            alike = np.bincount(codes[:, a], weights=sizes).astype(np.int64)
            total += worth * (int(alike @ alike) + self._n * suppressed)
        return -total

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


SCORES: dict[str, type[Score]] = {
    score.key: score for score in (Granularity, Intensity, Discernibility, Entropy, GroupSize, Classification)
}


def weights_of(table: EncodedTable) -> list[Fraction]:
    """Return the weights of a table's attributes as written."""
    return [exact_fraction(weight) for weight in table.weights]


def whole(values: Sequence[int]) -> Whole:
    """Return whole numbers as an array, of 64 bits where they fit."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return np.array(values, dtype=object)


def check_score(where: str, key: object, target: object) -> None:
    """Refuse an unknown score, one that lacks a target, or a target that would have no meaning."""
    one_of(f"{where}.score", key, SCORES)
    wanted = key == Classification.key
    if wanted != isinstance(target, str):
        raise ParameterError(
            f"{where}.target",
            expected="the attribute to classify by, a quasi-identifier" if wanted else f"none for the score {key!r}",
            got=repr(target),
        )
