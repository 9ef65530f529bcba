"""Discernibility (Bayardo & Agrawal 2005): records that look alike, n for every suppressed one.

Σ over kept classes c² + n * S
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.loss import BoundLoss, Loss
from nymity.quality.statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class DiscernibilityLoss(Loss):
    """Sum over records of the size of their class."""

    key = "discernibility"
    title = "discernibility, the sum of squared class sizes"

    def bind(self, table: EncodedTable) -> BoundDiscernibilityLoss:
        """Remember the number of records."""
        return BoundDiscernibilityLoss(table.n_records)


@dataclass(frozen=True, eq=False)
class BoundDiscernibilityLoss(BoundLoss):
    """The sum for one table."""

    n_records: int

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the sum of squares and n per suppressed record."""
        return (nodes.squares + self.n_records * nodes.suppressed).astype(np.float64)
