"""Ambiguity as ARX defines it: the raw combinations a published row may stand for.

Σ over kept classes c * Π leaves + S * Π D

Its floor: the mean over records of Π leaves is at least 2 to the mean of its logarithm (Jensen), which is the sum over
attributes of the mean of log2 leaves. Counting a record as suppressed adds Π D and takes away what its row covers, for
those suppressed at a node above at most what they cover there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp2, log10, prod

import numpy as np

from nymity.core.errors import ParameterError
from nymity.kernels.frontier import COVER, SUM_OF_COVERED
from nymity.quality.kernel_form import KernelForm, form_of_classes
from nymity.quality.level_bits import covered_bits
from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, Needs, NodeStatistics
from nymity.table.encoding import EncodedTable

#: Sums beyond this would overflow to infinity.
MAX_COVERED = 10**300


@dataclass(frozen=True, kw_only=True)
class AmbiguityLoss(Loss):
    """Raw combinations covered, summed over records."""

    key = "ambiguity"
    title = "ambiguity, raw combinations covered by the published rows"
    plain = "How many different original rows each published row could stand for."
    group = "classes"
    unit = "combinations"
    limits = "a few rows that cover nearly everything outweigh all others"
    rises = True  # products of sums are at least sums of products

    def prepare(self, table: EncodedTable) -> PreparedAmbiguityLoss:
        """Remember the number of records and of raw combinations."""
        combinations = prod(h.domain_size for h in table.hierarchies)
        if combinations * table.n_records > MAX_COVERED:
            raise ParameterError(
                "loss",
                expected="a domain whose combinations can be counted in floating point for 'ambiguity'",
                got=f"{len(table.names)} quasi-identifiers with 10^{int(log10(combinations))} combinations",
                hint="fewer quasi-identifiers, or the loss 'loss'",
            )
        return PreparedAmbiguityLoss(table.n_records, float(combinations), covered_bits(table))


@dataclass(frozen=True, eq=False)
class PreparedAmbiguityLoss(PreparedLoss):
    """The sum for one table."""

    n_records: int
    everything: float
    covered_bits: Floats

    @property
    def needs(self) -> Needs:
        """Combinations covered."""
        return Needs(statistics=frozenset({"covered"}))

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return what published rows cover and the whole domain per suppressed record."""
        return np.asarray(nodes.covered[:, 0] + nodes.suppressed * self.everything)

    def form(self) -> KernelForm:
        """Return the same."""
        return form_of_classes(
            self.covered_bits, 1, kind=SUM_OF_COVERED, scale=self.n_records, everything=self.everything, further=COVER
        )

    def floor(self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None) -> float:
        """Return n * 2^(Σ mean log2 leaves) of these levels, and what records suppressed above cover beyond that."""
        published = self.n_records * exp2(float(self.covered_bits[np.arange(len(levels)), levels].sum()))
        if above is None:
            return published
        beyond = float(above.suppressed[0] * self.everything - (above.covered[0, 1] - above.covered[0, 0]))
        return published + max(beyond, 0.0)
