"""Loss: the share of an attribute's domain that a published value covers (LM of Iyengar 2002, as ARX defines it).

Per attribute with domain size D, n records of which S are suppressed, and share(v) = leaves(v) / D:

    L = (sum over kept records of share + S - n/D) / (n - n/D),   not below 0

so L is 0 for the raw table and 1 when everything is suppressed. Multiplied by D both parts are whole numbers, and
that is how it is computed. Attributes are combined by the arithmetic mean (``loss``) or by the geometric mean
Π(1 + L)^(1/m) - 1 (``loss-geometric``, ARX's default), weighted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from nymity.quality.loss import CellLoss, Loss
from nymity.quality.statistics import Ints
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class ArithmeticLoss(Loss):
    """Mean share of the domain that published cells cover."""

    key = "loss"
    title = "domain share covered by a published cell, arithmetic mean over attributes"

    def bind(self, table: EncodedTable) -> BoundArithmeticLoss:
        """Prepare the per-level sums of leaves."""
        return BoundArithmeticLoss(table)


@dataclass(frozen=True, kw_only=True)
class GeometricLoss(Loss):
    """Geometric mean over attributes of the share of the domain that published cells cover."""

    key = "loss-geometric"
    title = "domain share covered by a published cell, geometric mean over attributes"

    def bind(self, table: EncodedTable) -> BoundGeometricLoss:
        """Prepare the per-level sums of leaves."""
        return BoundGeometricLoss(table)


@dataclass(frozen=True, eq=False)
class BoundArithmeticLoss(CellLoss):
    """The arithmetic mean over attributes."""

    @cached_property
    def leaf_sums(self) -> tuple[Ints, ...]:
        """Per attribute, the sum over all records of the leaves of their value at each level, (levels,)."""
        return tuple(
            np.array([int(f @ h.leaves[level][h.codes[level]]) for level in range(h.height + 1)])
            for h, f in zip(self.table.hierarchies, self.table.frequencies, strict=True)
        )

    def attribute_loss(self, attribute: int, levels: Any, suppressed: Any, lost: Any) -> Any:
        """Return L; its numerator and denominator are whole numbers."""
        n, domain = self.table.n_records, self.table.hierarchies[attribute].domain_size
        if domain == 1:
            return 0.0 * levels
        covered = self.leaf_sums[attribute][levels] - lost + suppressed * domain
        return np.maximum((covered - n) / (n * domain - n), 0.0)


@dataclass(frozen=True, eq=False)
class BoundGeometricLoss(BoundArithmeticLoss):
    """The geometric mean over attributes."""

    def combine(self, parts: Sequence[Any]) -> Any:
        """Return Π(1 + L)^weight - 1."""
        return prod((1.0 + part) ** weight for part, weight in zip(parts, self.combining_weights, strict=True)) - 1.0
