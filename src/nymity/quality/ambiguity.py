"""Ambiguity as ARX defines it: the raw combinations a published row may stand for.

Σ over kept classes c * Π leaves + S * Π D
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10, prod

import numpy as np

from nymity.core.errors import ParameterError
from nymity.quality.loss import BoundLoss, Loss
from nymity.quality.statistics import Floats, NodeStatistics
from nymity.table.encoding import EncodedTable

#: Sums beyond this would overflow to infinity.
MAX_COVERED = 10**300


@dataclass(frozen=True, kw_only=True)
class AmbiguityLoss(Loss):
    """Raw combinations covered, summed over records."""

    key = "ambiguity"
    title = "ambiguity, raw combinations covered by the published rows"

    def bind(self, table: EncodedTable) -> BoundAmbiguityLoss:
        """Remember the number of records and of raw combinations."""
        combinations = prod(h.domain_size for h in table.hierarchies)
        if combinations * table.n_records > MAX_COVERED:
            raise ParameterError(
                "loss",
                expected="a domain whose combinations can be counted in floating point for 'ambiguity'",
                got=f"{len(table.names)} quasi-identifiers with 10^{int(log10(combinations))} combinations",
                hint="fewer quasi-identifiers, or the loss 'loss'",
            )
        return BoundAmbiguityLoss(table.n_records, float(combinations))


@dataclass(frozen=True, eq=False)
class BoundAmbiguityLoss(BoundLoss):
    """The sum for one table."""

    n_records: int
    everything: float

    needs = frozenset({"covered"})

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return what published rows cover and the whole domain per suppressed record."""
        return np.asarray(nodes.covered[:, 0] + nodes.suppressed * self.everything)
