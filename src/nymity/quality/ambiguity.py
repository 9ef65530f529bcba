"""Ambiguity as ARX defines it: the raw combinations a published row may stand for.

Σ over kept classes c * Π leaves + S * Π D
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from nymity.quality.loss import BoundLoss, Loss
from nymity.quality.statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AmbiguityLoss(Loss):
    """Raw combinations covered, summed over records."""

    key = "ambiguity"
    title = "ambiguity, raw combinations covered by the published rows"

    def bind(self, table: EncodedTable) -> BoundAmbiguityLoss:
        """Remember the number of records and of raw combinations."""
        return BoundAmbiguityLoss(table.n_records, float(prod(h.domain_size for h in table.hierarchies)))


@dataclass(frozen=True, eq=False)
class BoundAmbiguityLoss(BoundLoss):
    """The sum for one table."""

    n_records: int
    everything: float

    needs = frozenset({"covered"})

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return what published rows cover and the whole domain per suppressed record."""
        return np.asarray(nodes.covered[:, 0] + nodes.suppressed * self.everything)
