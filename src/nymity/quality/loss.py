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

        Holds where unions of accepted classes are accepted: then what is suppressed at the upper node is suppressed
        at every node below it. ``above`` is None when nothing may be assumed. None says that there is no useful bound.
        """
        del levels, above
        return None


@dataclass(frozen=True, eq=False)
class CellLoss(BoundLoss):
    """A loss that combines one value per attribute, each rising with the level and with what is suppressed.

    The loss of attribute a at level l with suppressed records R is ``attribute_loss``. It is at least the value for
    a lower level and for a subset of R. A node between ``levels`` and a node above suppresses at least what the
    node above does, so the lowest levels together with the suppressed records of the upper node give ``floor``.
    """

    table: EncodedTable

    @abstractmethod
    def attribute_loss(self, attribute: int, levels: Any, suppressed: Any, lost: Any) -> Any:
        """Return the loss of one attribute, for one node (numbers) or many (arrays).

        ``lost`` is the attribute's column of lost_leaves (or lost_entropy).
        """

    def lost(self, nodes: NodeStatistics) -> Floats | Ints:
        """Return the per-attribute statistics of suppressed records that ``attribute_loss`` takes, (N, m)."""
        return nodes.lost_leaves

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the combined loss of each node."""
        lost = self.lost(nodes)
        parts = [
            self.attribute_loss(a, nodes.levels[:, a], nodes.suppressed, lost[:, a])
            for a in range(len(self.table.names))
        ]
        return np.asarray(self.combine(parts), dtype=np.float64)

    def floor(self, levels: Sequence[int], above: NodeStatistics | None) -> float:
        """Return the loss of these levels with the suppressed records of the node above."""
        suppressed = int(above.suppressed[0]) if above is not None else 0
        lost = self.lost(above)[0].tolist() if above is not None else [0] * len(levels)
        parts = [self.attribute_loss(a, level, suppressed, lost[a]) for a, level in enumerate(levels)]
        return float(self.combine(parts))

    def combine(self, parts: Sequence[Any]) -> Any:
        """Combine the attributes' losses: the weighted arithmetic mean unless overridden."""
        return sum(part * weight for part, weight in zip(parts, self.combining_weights, strict=True))

    @cached_property
    def combining_weights(self) -> tuple[float, ...]:
        """Attribute weights scaled to sum 1."""
        total = sum(self.table.weights) or 1.0
        return tuple(weight / total for weight in self.table.weights)
