"""Kullback-Leibler divergence between the original distribution of combinations and the released one, in bits.

Kifer & Gehrke (2006): read as a distribution, a release spreads the c records of a class evenly over the V raw
combinations that its row covers, and the S suppressed records over all N combinations of the domain. With p(x) the
share of records with combination x,

    Σ over occurring x of p(x) * log2(p(x) / q(x)),   q(x) = (c / V, if the class of x is kept, + S / N) / n

q is a distribution: the masked rows count wherever they may belong, also inside the kept classes. The divergence is 0
for the raw table and log2 N minus the entropy of p when every record is suppressed. V and N count what the hierarchies
list, whether it occurs or not. Where rows of a release overlap, c / V is summed over all that cover x.

Its floor: q is even inside every class's combinations, and of all such distributions the one that gives each class its
own share, c / V for each combination, diverges least (the difference is again a divergence); suppression only moves
shares. Going up, that least divergence never falls: a distribution that is even inside classes is even inside their
parts. So no node above another diverges less than that one does without suppression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, Needs, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class KLDivergenceLoss(Loss):
    """Bits between the original distribution of combinations and the released one."""

    key = "kl-divergence"
    title = "Kullback-Leibler divergence of the released distribution, in bits"
    plain = "How far the release, read as a statement on all possible rows, is from the original."
    group = "distributions"
    unit = "bits per record"
    limits = "spread over all combinations a domain allows, most of which nobody has"
    rises = True  # the log-sum inequality

    def prepare(self, table: EncodedTable) -> PreparedKLDivergenceLoss:
        """Prepare the bits of the original distribution."""
        counts = table.counts[table.counts > 0].astype(np.float64)
        domain = sum(float(np.log2(h.domain_size)) for h in table.hierarchies)
        return PreparedKLDivergenceLoss(table.n_records, float(counts @ np.log2(counts)), domain)


@dataclass(frozen=True, eq=False)
class PreparedKLDivergenceLoss(PreparedLoss):
    """The divergence for one table: raw_bits is Σ c * log2 c over raw combinations, domain_bits is log2 N."""

    n_records: int
    raw_bits: float
    domain_bits: float

    looks_below = True

    @property
    def needs(self) -> Needs:
        """Weights of the combinations that classes cover."""
        return Needs(statistics=frozenset({"spread"}))

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the divergence, what rounding leaves of it below zero cut off."""
        gone = nodes.suppressed * (np.log2(np.maximum(nodes.suppressed, 1)) - self.domain_bits)
        return np.maximum((self.raw_bits - nodes.spread[:, 0] - gone) / self.n_records, 0.0)

    def floor(self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None) -> float:
        """Return the divergence of the lowest node without suppression."""
        del levels, above
        return 0.0 if below is None else max((self.raw_bits - float(below.spread[0, 1])) / self.n_records, 0.0)
