"""Precision as a loss: how high in their hierarchies published cells lie (1 - Prec of Sweeney 2002).

    ((n - S) * level / height + S) / n,   weighted arithmetic mean over attributes

0 means nothing generalized, 1 everything. An attribute of height 0 has nothing to lose but its suppressed cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nymity.quality.loss import CellLoss, Loss
from nymity.quality.statistics import Floats, Ints
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

    @cached_property
    def heights(self) -> Ints:
        """Height of each hierarchy, (m,), at least 1."""
        return np.array([max(1, h.height) for h in self.table.hierarchies])

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the mean height of the attribute's cells, suppressed cells counted as the top."""
        n = self.table.n_records
        return np.asarray(((n - suppressed) * (levels / self.heights) + suppressed) / n)
