"""Discernibility (Bayardo & Agrawal 2005): records that look alike, n for every suppressed one.

Σ over kept classes c² + n * S

Its floor rests on two facts. The mean of c over records is at least 2 to the mean of log2 c (Jensen), which is log2 n
minus the entropy of a record's class, and that is at most the sum of the attributes' entropies H: Σ over all classes
c² >= n² * 2^(-Σ H). And counting a record as suppressed adds n and takes away the size of its class; for s suppressed
records of any node above it takes away at most s². Where the size of a class decides, each of these is in a class of
fewer records than the smallest that is accepted, so that it takes away at most s * min(s, smallest - 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp2

import numpy as np

from nymity.kernels.frontier import SUM_OF_SQUARES
from nymity.quality.kernel_form import KernelForm, form_of_classes
from nymity.quality.level_bits import shown_bits
from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class DiscernibilityLoss(Loss):
    """Sum over records of the size of their class."""

    key = "discernibility"
    title = "discernibility, the sum of squared class sizes"
    plain = "With how many others each record shares its row: large groups make it large."
    group = "classes"
    unit = "pairs of records"
    limits = "large classes decide, whatever their cells say"
    rises = True  # squares of sums are at least sums of squares

    def prepare(self, table: EncodedTable) -> PreparedDiscernibilityLoss:
        """Prepare the entropies of the levels."""
        return PreparedDiscernibilityLoss(table.n_records, shown_bits(table))


@dataclass(frozen=True, eq=False)
class PreparedDiscernibilityLoss(PreparedLoss):
    """The sum for one table."""

    n_records: int
    shown_bits: Floats

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the sum of squares and n per suppressed record."""
        return (nodes.squares + self.n_records * nodes.suppressed).astype(np.float64)

    def form(self) -> KernelForm:
        """Return the same; where sizes decide, suppressed records are in classes of fewer than the smallest."""
        n = self.n_records
        return form_of_classes(self.shown_bits, -1, kind=SUM_OF_SQUARES, scale=float(n) ** 2, everything=n)

    def floor(self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None) -> float:
        """Return n² * 2^(-Σ H) of these levels, and s * (n - s) for what is suppressed above."""
        n, gone = self.n_records, 0 if above is None else int(above.suppressed[0])
        shown = float(self.shown_bits[np.arange(len(levels)), levels].sum())
        return float(n) ** 2 * exp2(-shown) + gone * (n - gone)
