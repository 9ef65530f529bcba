"""Average class size as ARX counts it: n / (kept classes + 1 if anything is suppressed)."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AverageClassSizeLoss(Loss):
    """Records per class, the suppressed ones as one class."""

    key = "average-class-size"
    title = "average class size"
    group = "classes"
    unit = "records"
    limits = "counts classes, whatever their cells say"
    rises = True  # there are fewer classes

    def prepare(self, table: EncodedTable) -> PreparedAverageClassSizeLoss:
        """Remember the number of records."""
        return PreparedAverageClassSizeLoss(table.n_records)


@dataclass(frozen=True, eq=False)
class PreparedAverageClassSizeLoss(PreparedLoss):
    """The average for one table."""

    n_records: int

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return records per class."""
        return self.n_records / (nodes.accepted_classes + (nodes.suppressed > 0))
