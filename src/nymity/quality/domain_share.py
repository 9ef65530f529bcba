"""Loss: the share of an attribute's domain that a published value covers (LM of Iyengar 2002, as ARX defines it).

Per attribute with domain size D, n records of which S are suppressed, and share(v) = leaves(v) / D:

    L = (sum over kept records of share + S - n/D) / (n - n/D),   not below 0

so L is 0 for the raw table and 1 when everything is suppressed. Multiplied by D both parts are whole numbers, and
that is how it is computed. Attributes are combined by the arithmetic mean (``loss``) or by the geometric mean
Π(1 + L)^(1/m) - 1 (``loss-geometric``, ARX's default), weighted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nymity.quality.loss import CellLoss, Loss, per_level
from nymity.quality.statistics import Floats, Ints
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
    def leaf_sums(self) -> Ints:
        """Sum over all records of the leaves of their value, per attribute and level, (m, levels)."""
        return per_level(
            [
                [int(frequency @ h.leaves[level][h.codes[level]]) for level in range(h.height + 1)]
                for h, frequency in zip(self.table.hierarchies, self.table.frequencies, strict=True)
            ]
        )

    @cached_property
    def domains(self) -> Ints:
        """Domain size of each attribute, (m,)."""
        return np.array([h.domain_size for h in self.table.hierarchies])

    @cached_property
    def most(self) -> Ints:
        """The largest possible numerator, (m,); 1 for an attribute of one value, which has nothing to lose."""
        return np.maximum(self.table.n_records * (self.domains - 1), 1)

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return L; its numerator and denominator are whole numbers."""
        covered = self.leaf_sums[self.attributes, levels] - lost + suppressed * self.domains
        return np.maximum((covered - self.table.n_records) / self.most, 0.0)


@dataclass(frozen=True, eq=False)
class BoundGeometricLoss(BoundArithmeticLoss):
    """The geometric mean over attributes."""

    def combine(self, parts: Floats) -> Floats:
        """Return Π(1 + L)^weight - 1, through logarithms of 1 + L: small losses keep all their digits."""
        return np.asarray(np.expm1(np.log1p(parts) @ self.combining_weights))
