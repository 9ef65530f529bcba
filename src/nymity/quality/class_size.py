"""Average class size as ARX counts it: n / (kept classes + 1 if anything is suppressed).

Its floor counts the classes that a node above another can keep. Each of them is a union of classes of the lower node.
Either one of these is kept there: as classes of a node are disjoint, there are at most as many of this kind as the
lower node keeps. Or all of them are suppressed there: then the class consists of records that the lower node
suppresses, and of at least as many as any model accepts as a class. So, whatever the models,

    kept <= kept below + floor(suppressed below / smallest class that is accepted)

and one more class where the upper node suppresses records, but only if the lower one does, too: otherwise each class
that the upper one suppresses contains a class that the lower one keeps, which leaves fewer of the first kind. The bound
says little at the bottom of a lattice, where most records are suppressed, and nearly all at the border of solutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AverageClassSizeLoss(Loss):
    """Records per class, the suppressed ones as one class."""

    key = "average-class-size"
    title = "average class size"
    plain = "How many records look alike in a group, on average."
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
    smallest: int = 1

    looks_below = True
    counts_classes = True

    def where_classes_have(self, smallest: int) -> PreparedAverageClassSizeLoss:
        """Remember what suppressed records must come to before they make a class."""
        return replace(self, smallest=smallest)

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return records per class."""
        return self.n_records / (nodes.accepted_classes + (nodes.suppressed > 0))

    def floor(self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None) -> float:
        """Return records per class, with as many classes as a node above the lowest can have."""
        del levels
        # At most all records in classes of the smallest size, and one class of the suppressed ones.
        most = self.n_records // self.smallest + 1
        if below is not None:
            gone = int(below.suppressed[0])
            most = min(most, int(below.accepted_classes[0]) + gone // self.smallest + (gone > 0))
        if above is not None:
            gone = int(above.suppressed[0])
            most = min(most, (self.n_records - gone) // self.smallest + 1)
        return self.n_records / max(most, 1)
