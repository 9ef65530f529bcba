"""Precision as a loss: how high in their hierarchies published cells lie (1 - Prec of Sweeney 2002).

    ((n - S) * level / height + S) / n,   weighted arithmetic mean over attributes

0 means nothing generalized, 1 everything. An attribute of height 0 has nothing to lose but its suppressed cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nymity.quality.loss import CellLoss, Loss
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class PrecisionLoss(Loss):
    """Mean height of published cells in their hierarchies."""

    key = "precision"
    title = "mean generalization height of a cell (1 - precision)"

    def bind(self, table: EncodedTable) -> BoundPrecisionLoss:
        """Nothing to prepare."""
        return BoundPrecisionLoss(table)


@dataclass(frozen=True, eq=False)
class BoundPrecisionLoss(CellLoss):
    """The weighted mean over attributes."""

    def attribute_loss(self, attribute: int, levels: Any, suppressed: Any, lost: Any) -> Any:
        """Return the mean height of the attribute's cells, suppressed cells counted as the top."""
        n, height = self.table.n_records, max(1, self.table.hierarchies[attribute].height)
        return ((n - suppressed) * (levels / height) + suppressed) / n
