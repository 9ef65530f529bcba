"""Loss: what generalization and suppression cost, with a bound that lets a search skip nodes.

A loss is bound to a table once; the bound loss is a formula of :class:`NodeStatistics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.quality.statistics import Floats, Ints, NodeStatistics
from nymity.table.encoding import EncodedTable


class Loss(ABC):
    """A quality model: lower is better. Subclasses are frozen dataclasses of their parameters."""

    key: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def bind(self, table: EncodedTable) -> BoundLoss:
        """Prepare the loss for a table."""


class BoundLoss(ABC):
    """A loss prepared for one table."""

    #: Statistics needed besides the counts: any of "covered", "lost_entropy".
    needs: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the loss of each node, (N,)."""

    def floor(self, levels: Sequence[int], above: NodeStatistics | None) -> float | None:
        """Return a lower bound for every node between ``levels`` and a node whose statistics are ``above``.

        Holds where every class that contains an accepted class is accepted: then what is suppressed at the upper node
        is suppressed at every node below it. ``above`` is None when nothing may be assumed. The answer None says that
        there is no useful bound.
        """
        del levels, above
        return None


@dataclass(frozen=True, eq=False)
class CellLoss(BoundLoss):
    """A loss that combines one value per attribute, each rising with the level and with what is suppressed.

    ``attribute_losses`` of a lower level and of a subset of the suppressed records is never larger. A node between
    ``levels`` and a node above suppresses at least what the node above does, so the lowest levels together with the
    suppressed records of the upper node give ``floor``.
    """

    table: EncodedTable

    @abstractmethod
    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the loss of each attribute, (N, m), from levels (N, m), suppressed (N, 1) and ``lost`` (N, m)."""

    def lost(self, nodes: NodeStatistics) -> Floats | Ints:
        """Return the statistics of suppressed records that ``attribute_losses`` takes, (N, m)."""
        return nodes.lost_leaves

    def per_attribute(self, nodes: NodeStatistics) -> Floats:
        """Return the loss of each attribute of each node, (N, m)."""
        return self.attribute_losses(nodes.levels, nodes.suppressed[:, None], self.lost(nodes))

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the combined loss of each node."""
        return self.combine(self.per_attribute(nodes))

    def floor(self, levels: Sequence[int], above: NodeStatistics | None) -> float:
        """Return the loss of these levels with the suppressed records of the node above."""
        own = np.array([levels])
        if above is None:
            return float(self.combine(self.attribute_losses(own, np.zeros((1, 1), np.int64), np.zeros(own.shape)))[0])
        return float(self.combine(self.attribute_losses(own, above.suppressed[:, None], self.lost(above)))[0])

    def combine(self, parts: Floats) -> Floats:
        """Combine the attributes' losses (N, m): the weighted arithmetic mean unless overridden."""
        return np.asarray(parts @ self.combining_weights)

    @cached_property
    def combining_weights(self) -> Floats:
        """Attribute weights scaled to sum 1."""
        weights = np.array(self.table.weights)
        return weights / (weights.sum() or 1.0)

    @cached_property
    def attributes(self) -> Ints:
        """Numbers of the attributes, to look up per-level tables with."""
        return np.arange(len(self.table.names))


def per_level(tables: Sequence[Sequence[float]]) -> NDArray[Any]:
    """Put one row of per-level values per attribute into an array (m, highest level + 1), the rest zero."""
    padded = np.zeros(
        (len(tables), max(len(row) for row in tables)), dtype=np.result_type(*(np.array(t) for t in tables))
    )
    for a, row in enumerate(tables):
        padded[a, : len(row)] = row
    return padded
