"""Mutual information kept: what published cells tell about the original values, as a share of what there was to tell.

    mean over attributes of I(X; X') / H(X),   I(X; X') = H(X) - H(X | X')

over the records: X is a record's original value, X' its published cell, all suppressed records having one cell in
common. 1 for the original, 0 for full suppression. What is published later from a release alone can never tell more
(data processing). Attributes with one value have nothing to tell and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.metric import Metric, MetricValue, PreparedMetric, linked
from nymity.quality.published_rows import Ints, PublishedRows, Tally


@dataclass(frozen=True, kw_only=True)
class MutualInformationMetric(Metric):
    """Mean share of a column's information that its cells keep."""

    key = "mutual-information"
    title = "share of a column's information that its cells still tell"
    plain = "How much of what a column told its cells still tell; here more is better."
    group = "cells"
    better = "higher"
    unit = "share of bits"
    limits = "a cell may tell more of a value by who is in it than by what it stands for"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Measure the bits of each column."""
        table = original.table
        bits = [_entropy(frequency) for frequency in table.frequencies]

        def measured(published: PublishedRows) -> MetricValue:
            left = [_bits_left(tally) for tally in published.tallies]
            each = {name: 1 - left[a] / bits[a] for a, name in enumerate(table.names) if bits[a] > 0}
            if not each:
                return MetricValue(undefined="every column has one value")
            return MetricValue(value=float(np.mean(list(each.values()))), attributes=each)

        return linked(measured)


def _bits_left(tally: Tally) -> float:
    """Return the bits of n * H(X | X')."""
    of_cell = np.bincount(tally.cell, weights=tally.counts)[tally.cell]
    return float(tally.counts @ np.log2(of_cell / tally.counts))


def _entropy(counts: Ints) -> float:
    """Return the bits of n * H."""
    present = counts[counts > 0]
    return float(present @ np.log2(present.sum() / present))
