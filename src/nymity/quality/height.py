"""Height: the sum of the levels, each times its attribute's weight (Samarati 2001). Suppression does not count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nymity.quality.loss import CellLoss, Loss
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

    def attribute_loss(self, attribute: int, levels: Any, suppressed: Any, lost: Any) -> Any:
        """Return the level."""
        return levels

    @cached_property
    def combining_weights(self) -> tuple[float, ...]:
        """Plain weights: height is a sum, not a mean."""
        return self.table.weights
