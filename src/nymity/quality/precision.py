"""Precision as a loss: how high in their hierarchies published cells lie (1 - Prec of Sweeney 2002).

    ((n - S) * level / height + S) / n,   weighted arithmetic mean over attributes

0 means nothing generalized, 1 everything. An attribute of height 0 has nothing to lose but its suppressed cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from nymity.quality.attribute_loss import AttributeLoss, PreparedAttributeLoss
from nymity.quality.node_statistics import Floats, Ints
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class PrecisionLoss(AttributeLoss):
    """Mean height of published cells in their hierarchies."""

    key = "precision"
    title = "mean generalization height of a cell (1 - precision)"
    plain = "How high cells were moved up their hierarchies: 0 at the raw value, 1 at the top."
    group = "cells"
    unit = "height per cell"
    limits = "depends on how many levels hierarchies have"

    def prepare(self, table: EncodedTable) -> PreparedPrecisionLoss:
        """Nothing to prepare."""
        return PreparedPrecisionLoss(table, self.aggregate, self.factors)


@dataclass(frozen=True, eq=False)
class PreparedPrecisionLoss(PreparedAttributeLoss):
    """A cell costs level / height, whatever its value."""

    sums_cells: ClassVar[bool] = True

    @cached_property
    def heights(self) -> Ints:
        """Height of each hierarchy, (m,), at least 1."""
        return np.array([max(1, h.height) for h in self.table.hierarchies])

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the cost of a level, what suppression adds to it, and nothing for what was lost."""
        generalized, gone = self.factors
        highest = max(h.height for h in self.table.hierarchies)
        cost = np.minimum(np.arange(highest + 1) / self.heights[:, None], 1)
        rate = (cost + gone * (1 - cost) - generalized * cost) / self.table.n_records
        return generalized * cost, rate, np.zeros(len(cost))

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the mean cost of the attribute's cells, suppressed ones weighed by the factors."""
        n, (generalized, gone) = self.table.n_records, self.factors
        cost = levels / self.heights
        return np.asarray(((n - suppressed) * (generalized * cost) + suppressed * (cost + gone * (1 - cost))) / n)
