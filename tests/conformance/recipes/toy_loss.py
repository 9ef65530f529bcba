"""A toy: the number of suppressed records."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class ToyLoss(Loss):
    """Suppressed records, and the sum of levels where none is."""

    key = "toy-loss"
    title = "suppressed records"
    plain = "How many records are left out."
    group = "classes"
    unit = "records"
    limits = "sees nothing of cells"

    def prepare(self, table: EncodedTable) -> PreparedToyLoss:
        """Nothing to prepare."""
        return PreparedToyLoss()


class PreparedToyLoss(PreparedLoss):
    """The loss for one table."""

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return suppressed records and a little for levels."""
        return nodes.suppressed + nodes.levels.sum(axis=1) / 1000
