"""Height: the sum of the levels, each times its attribute's weight (Samarati 2001). Suppression does not count."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.attribute_loss import PreparedAttributeLoss
from nymity.quality.loss import Loss
from nymity.quality.node_statistics import Floats, Ints
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class HeightLoss(Loss):
    """Sum of generalization levels."""

    key = "height"
    title = "sum of generalization levels"
    plain = "By how many levels all columns were made coarser, added up."
    group = "cells"
    unit = "levels"
    limits = "depends on how many levels hierarchies have, and ignores suppression"

    def prepare(self, table: EncodedTable) -> PreparedHeightLoss:
        """Nothing to prepare."""
        return PreparedHeightLoss(table)


@dataclass(frozen=True, eq=False)
class PreparedHeightLoss(PreparedAttributeLoss):
    """The weighted sum of levels."""

    @property
    def levels_alone(self) -> bool:
        """Unless an attribute has no weight."""
        return bool((self.weights > 0).all())

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the levels."""
        highest = max(h.height for h in self.table.hierarchies)
        levels = np.broadcast_to(np.arange(highest + 1.0), (len(self.weights), highest + 1))
        return levels, np.zeros(levels.shape), np.zeros(len(levels))

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the levels."""
        return levels.astype(np.float64)
