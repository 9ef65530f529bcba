"""Scores: how useful a node is, such that one record changes little (Bild, Kuhn and Prasser 2018, section 5).

A table of n records has m attributes. At a node, classes of at least k records are published, and the S records of the
others are suppressed. Another record changes its own class alone, in one of three ways:

(a) the class stays below k: S rises by 1;
(b) the class had k or more: one more record is published;
(c) the class reaches k: k - 1 records that were suppressed and the new one are published.

``changes`` is an interval that holds the change of a score in all three, at every node of every table. Draws by the
exponential mechanism with its length are private whatever the direction (:mod:`nymity.dp.exponential`); the paper
divides by twice the largest change, which is up to twice as much. Scores are exact: whole numbers over one ``scale``.

Most levels need not be scored to be drawn (:func:`nymity.dp.exponential.lazy_exponential_mechanism`), because scores
have a ``ceiling`` that follows from levels and values of single attributes alone. What suppression takes off it, the
``excess``, a node below loses too: whoever is suppressed at a node is suppressed at all nodes below it.

Attributes count by the ``weight`` they have in the schema; W is the sum of weights, m in the paper. Hierarchies, and
with them the sizes of domains, must be public.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Observer, silent
from nymity.core.validation import exact_fraction
from nymity.lattice.rollup import RollUp
from nymity.lattice.space import Node, Space
from nymity.privacy import KAnonymity
from nymity.table.encoding import EncodedTable

#: Whole scores: 64-bit where they fit, Python's own integers where not.
Whole = NDArray[Any]
#: The least and the greatest change of a score.
Interval = tuple[Fraction, Fraction]


class Scored(NamedTuple):
    """The score of a node, and by how much the ceilings of all nodes at or below it are too high at least."""

    score: int
    excess: int


class Score(ABC):
    """A score of every node for one table and one k; all methods give multiples of 1 / ``scale``."""

    key: ClassVar[str]
    title: ClassVar[str]
    #: Nodes times combinations from which on one draw from a lattice scores those that ceilings leave a chance, and
    #: not all of them. It is a matter of speed alone.
    lazy_from: ClassVar[float] = inf

    def __init__(self, table: EncodedTable, k: int) -> None:
        self.table, self.k = table, k
        self.engine = RollUp(table, [KAnonymity(k=k)])
        self.scale = self._scale()

    @classmethod
    @abstractmethod
    def changes(cls, k: int, weight: Fraction) -> Interval:
        """Return the least and the greatest change by one more record; ``weight`` is that of all attributes."""

    @abstractmethod
    def checked(self, node: Node) -> Scored:
        """Return the score of one node, and its excess."""

    @abstractmethod
    def ceilings(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for nodes (N, m) what their scores cannot exceed, without a look at classes."""

    @abstractmethod
    def everywhere(self, space: Space, observe: Observer = silent) -> Whole:
        """Return the scores of all nodes of a lattice, (size,) in C order."""

    def at(self, node: Node) -> int:
        """Return the score of one node."""
        return self.checked(node).score

    def _scale(self) -> int:
        return 1

    @property
    def _n(self) -> int:
        """Records; 1 in place of 0, as a denominator."""
        return max(self.table.n_records, 1)


def weights_of(table: EncodedTable) -> list[Fraction]:
    """Return the weights of a table's attributes as written."""
    return [exact_fraction(weight) for weight in table.weights]


def whole(values: Sequence[int]) -> Whole:
    """Return whole numbers as an array, of 64 bits where they fit."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        return np.array(values, dtype=object)
