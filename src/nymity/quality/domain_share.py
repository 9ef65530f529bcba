"""Loss: the share of an attribute's domain that a published value covers (LM of Iyengar 2002, as ARX defines it).

Per attribute with domain size D, n records of which S are suppressed, and share(v) = leaves(v) / D:

    L = (sum over kept records of share + S - n/D) / (n - n/D)

so L is 0 for the raw table and 1 when everything is suppressed: the mean over cells of (leaves - 1) / (D - 1), a
suppressed one counting 1. Attributes are combined by the arithmetic mean (``loss``) or by the geometric mean
Π(1 + L)^(1/m) - 1 (``loss-geometric``, ARX's default) unless ``aggregation`` says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nymity.quality.aggregation import Aggregation
from nymity.quality.attribute_loss import AttributeLoss, PreparedCostLoss
from nymity.quality.node_statistics import Floats, Ints, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class DomainShareLoss(AttributeLoss):
    """Mean share of the domain that published cells cover."""

    key = "loss"
    title = "share of its domain that a published cell covers"
    plain = "How much of all possible values a published cell leaves open, on average over all cells."
    group = "cells"
    unit = "share per cell"
    limits = "all values count alike, however near or frequent they are"

    def prepare(self, table: EncodedTable) -> PreparedDomainShareLoss:
        """Prepare the per-level sums of leaves."""
        return PreparedDomainShareLoss(table, self.aggregate, self.factors)


@dataclass(frozen=True, kw_only=True)
class GeometricDomainShareLoss(DomainShareLoss):
    """Geometric mean over attributes of the share of the domain that published cells cover."""

    aggregation: Aggregation = "geometric"

    key = "loss-geometric"
    title = "share of its domain that a published cell covers, geometric mean over attributes"
    plain = "The same as loss, but columns are multiplied, so that one column given up weighs less."


@dataclass(frozen=True, eq=False)
class PreparedDomainShareLoss(PreparedCostLoss):
    """A cell costs the raw values it covers beside its own."""

    @property
    def costs(self) -> list[list[Ints]]:
        """Leaves but one."""
        return [[leaves - 1 for leaves in h.leaves] for h in self.table.hierarchies]

    @cached_property
    def most(self) -> Ints:
        """The domain but one value."""
        return np.array([h.domain_size - 1 for h in self.table.hierarchies])

    def cost_of(self, attribute: int, codes: Ints) -> int:
        """The values but one."""
        return len(codes) - 1

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return them for leaves, which are one more for each suppressed record than what ``lost`` says."""
        base, rate, share = super().parts()
        return base, rate - share[:, None], share

    @property
    def dearest(self) -> Ints:
        """The same for leaves, for ``form``."""
        return super().dearest + 1

    def lost(self, nodes: NodeStatistics) -> Ints:
        """Leaves but one of the suppressed records' cells."""
        return nodes.lost_leaves - nodes.suppressed[:, None]
