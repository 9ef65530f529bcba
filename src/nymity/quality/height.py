"""Height: the sum of the levels, each times its attribute's weight (Samarati 2001). Suppression does not count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nymity.quality.loss import CellLoss, Loss
from nymity.quality.statistics import Floats, Ints
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class HeightLoss(Loss):
    """Sum of generalization levels."""

    key = "height"
    title = "sum of generalization levels"

    def bind(self, table: EncodedTable) -> BoundHeightLoss:
        """Nothing to prepare."""
        return BoundHeightLoss(table)


@dataclass(frozen=True, eq=False)
class BoundHeightLoss(CellLoss):
    """The weighted sum of levels."""

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the levels."""
        return levels.astype(np.float64)

    @cached_property
    def combining_weights(self) -> Floats:
        """Plain weights: height is a sum, not a mean."""
        return np.array(self.table.weights)
