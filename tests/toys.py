"""Models and losses that exist only to be searched with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.privacy import Groups, Measured
from nymity.privacy.model import NothingOnPresence, NothingOnValues
from nymity.quality import AverageClassSizeLoss, NodeStatistics, PreparedLoss
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class EvenClasses(NothingOnValues, NothingOnPresence):
    """Toy: an even number of records. Merging an odd class into another can break or mend it."""

    monotone_generalization = False
    key = "even"
    title = "even"

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        return classes.sizes % 2 == 0

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        return {}

    def holds(self, groups: Groups) -> bool:
        return bool((groups.sizes % 2 == 0).all())

    def promise(self) -> str:
        return "even classes: every class has an even number of records"


@dataclass(frozen=True, kw_only=True)
class Boundless(AverageClassSizeLoss):
    """The average class size without its bound, as a loss of somebody's own may be."""

    def prepare(self, table: EncodedTable) -> PreparedLoss:  # type: ignore[override]
        return PreparedBoundless(super().prepare(table))


@dataclass(frozen=True, eq=False)
class PreparedBoundless(PreparedLoss):
    same: PreparedLoss

    def value(self, nodes: NodeStatistics) -> NDArray[np.float64]:
        return self.same.value(nodes)
