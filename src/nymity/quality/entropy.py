"""Non-uniform entropy: bits it takes to find the raw values again (de Waal & Willenborg 1999, as ARX defines it).

Per attribute, with a the frequency of a raw value, b that of its generalized value (both over all records), and f
that of a generalized value among the S suppressed records:

    -Σ a * log2(a / b)  -  Σ f * log2(f / S)

``entropy`` sums this over attributes (times their weights). ``entropy-normalized`` divides each attribute's by
-Σ a * log2(a / n), the bits of its column; a column with one value has none to lose and counts 0. Its ``gs_factor``
(which ARX does not offer here) multiplies the first part by g and the second by s.

Both parts rise towards the nodes a search has yet to check: the first with the level, the second when records join
the suppressed ones (Σ f * log2(S / f) only grows when its counts grow) or are told apart more finely.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nymity.kernels.frontier import ENTROPY
from nymity.quality.attribute_loss import AttributeLoss, PreparedAttributeLoss, per_level
from nymity.quality.loss import Loss
from nymity.quality.node_statistics import Floats, Ints, Needs, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class EntropyLoss(Loss):
    """Information lost in bits, by the values' own frequencies."""

    key = "entropy"
    title = "non-uniform entropy, bits lost over all cells"
    plain = "How many bits it takes to guess the original values from the published cells."
    group = "cells"
    unit = "bits"
    limits = "takes frequencies of the original for known; generalizing rare values costs little"

    def prepare(self, table: EncodedTable) -> PreparedEntropyLoss:
        """Prepare the bits each level costs."""
        return PreparedEntropyLoss(table)


@dataclass(frozen=True, kw_only=True)
class NormalizedEntropyLoss(AttributeLoss):
    """Share of each column's bits that is lost."""

    key = "entropy-normalized"
    title = "non-uniform entropy, share of a column's bits lost"
    plain = "Which share of each column's information is gone, if one knew how frequent values were."
    group = "cells"
    unit = "share of bits"
    limits = "takes frequencies of the original for known; generalizing rare values costs little"

    def prepare(self, table: EncodedTable) -> PreparedNormalizedEntropyLoss:
        """Prepare the bits each level costs."""
        return PreparedNormalizedEntropyLoss(table, self.aggregate, self.factors)


@dataclass(frozen=True, eq=False)
class PreparedEntropyLoss(PreparedAttributeLoss):
    """Bits per attribute, summed."""

    @property
    def needs(self) -> Needs:
        """The entropy of the suppressed records' values."""
        return Needs(statistics=frozenset({"lost_entropy"}))

    further = ENTROPY

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the bits of the levels and what those of suppressed records count."""
        generalized, gone = self.factors
        return generalized * self.level_bits, np.zeros_like(self.level_bits), np.full(len(self.level_bits), float(gone))

    @cached_property
    def level_bits(self) -> Floats:
        """Bits lost over all records, per attribute and level, (m, levels)."""
        return per_level(
            [[self._bits(a, level) for level in range(h.height + 1)] for a, h in enumerate(self.table.hierarchies)]
        )

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the level's bits and those of telling the suppressed records' values."""
        generalized, gone = self.factors
        return np.asarray(generalized * self.level_bits[self.attributes, levels] + gone * lost)

    def lost(self, nodes: NodeStatistics) -> Floats:
        """Suppressed records count by their entropy here."""
        return nodes.lost_entropy

    def _bits(self, attribute: int, level: int) -> float:
        raw = self.table.frequencies[attribute]
        merged = self.table.frequencies_at(attribute, level)[self.table.hierarchies[attribute].codes[level]]
        occurs = raw > 0
        return float(np.sum(raw[occurs] * np.log2(merged[occurs] / raw[occurs])))


@dataclass(frozen=True, eq=False)
class PreparedNormalizedEntropyLoss(PreparedEntropyLoss):
    """Bits per attribute as a share of the column's, aggregated."""

    @cached_property
    def column_bits(self) -> Floats:
        """Bits of each column, those of its highest level, (m,); infinite for a column of one value."""
        bits = np.array([self._bits(a, h.height) for a, h in enumerate(self.table.hierarchies)])
        return np.where(bits > 0, bits, np.inf)

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the share of the bits."""
        return super().attribute_losses(levels, suppressed, lost) / self.column_bits

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the shares of the bits."""
        base, rate, share = super().parts()
        return base / self.column_bits[:, None], rate, share / self.column_bits
