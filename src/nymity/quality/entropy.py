"""Non-uniform entropy: bits it takes to find the raw values again (de Waal & Willenborg 1999, as ARX defines it).

Per attribute, with a the frequency of a raw value, b that of its generalized value (both over all records), and f
that of a generalized value among the S suppressed records:

    -Σ a * log2(a / b)  -  Σ f * log2(f / S),   summed over attributes (times their weights)

Both parts rise towards the nodes a search has yet to check: the first with the level, the second when records join
the suppressed ones (Σ f * log2(S / f) only grows when its counts grow) or are told apart more finely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nymity.quality.loss import CellLoss, Loss, per_level
from nymity.quality.statistics import Floats, Ints, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class EntropyLoss(Loss):
    """Information lost in bits, by the values' own frequencies."""

    key = "entropy"
    title = "non-uniform entropy, bits lost over all cells"

    def bind(self, table: EncodedTable) -> BoundEntropyLoss:
        """Prepare the bits each level costs."""
        return BoundEntropyLoss(table)


@dataclass(frozen=True, eq=False)
class BoundEntropyLoss(CellLoss):
    """The weighted sum over attributes."""

    needs = frozenset({"lost_entropy"})

    @cached_property
    def level_bits(self) -> Floats:
        """Bits lost over all records, per attribute and level, (m, levels)."""
        return per_level(
            [[self._bits(a, level) for level in range(h.height + 1)] for a, h in enumerate(self.table.hierarchies)]
        )

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the level's bits and those of telling the suppressed records' values."""
        return np.asarray(self.level_bits[self.attributes, levels] + lost)

    def lost(self, nodes: NodeStatistics) -> Floats:
        """Suppressed records count by their entropy here."""
        return nodes.lost_entropy

    @cached_property
    def combining_weights(self) -> Floats:
        """Plain weights: entropy is a sum, not a mean."""
        return np.array(self.table.weights)

    def _bits(self, attribute: int, level: int) -> float:
        raw = self.table.frequencies[attribute]
        merged = self.table.frequencies_at(attribute, level)[self.table.hierarchies[attribute].codes[level]]
        occurs = raw > 0
        return float(np.sum(raw[occurs] * np.log2(merged[occurs] / raw[occurs])))
