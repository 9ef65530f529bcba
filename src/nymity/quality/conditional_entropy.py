"""Conditional entropy: bits that are missing to tell values from cells.

Gionis & Tassa 2007; de Spoelberch, section 2.2.2.

    sum over cells of H(X | X in the cell)

with the frequencies of the original's column, so that a cell costs the entropy of the original's values among those it
stands for; a suppressed one that of the whole column. Where all cells of a column are of one level it is ``entropy``
without suppression. It is not monotone: a rare value added to a frequent one makes a cell more certain, and a release
may cost more than full suppression (scaled above 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import Floats, PublishedRows
from nymity.table.cells import Cells


@dataclass(frozen=True, kw_only=True)
class ConditionalEntropyMetric(Metric):
    """Bits missing over all cells, by the original's frequencies."""

    key = "entropy-conditional"
    title = "conditional entropy of the original values given the cells, bits over all cells"
    plain = "How uncertain the original values still are for somebody who sees the cells."
    group = "cells"
    unit = "bits"
    limits = "takes frequencies of the original for known, and is not monotone"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Measure the entropy of whole columns."""
        frequencies = [frequency.astype(np.float64) for frequency in original.table.frequencies]
        whole = [
            float(_entropies(Cells.of([None], [np.arange(len(frequency))]), frequency)[0]) for frequency in frequencies
        ]

        def measured(published: PublishedRows) -> MetricValue:
            each = {
                name: float(published.in_cells[a] @ _entropies(published.cells[a], frequencies[a]))
                + published.suppressed * whole[a]
                for a, name in enumerate(published.table.names)
            }
            return MetricValue(value=sum(each.values()), attributes=each)

        return measured


def _entropies(cells: Cells, frequency: Floats) -> Floats:
    """Return log2 F - (sum of f * log2 f) / F of each cell, F the sum of its values' frequencies f."""
    inside = frequency[cells.covered]
    terms = inside * np.log2(np.maximum(inside, 1))
    totals, sums = (_summed(cells, each) for each in (inside, terms))
    found = np.log2(np.maximum(totals, 1)) - sums / np.maximum(totals, 1)
    return np.where(cells.sizes > 1, np.maximum(found, 0.0), 0.0)


def _summed(cells: Cells, each: Floats) -> Floats:
    """Sum over the values of each cell, (n_cells,)."""
    of_cell = np.repeat(np.arange(len(cells.labels)), cells.sizes)
    sums: Floats = np.bincount(of_cell, weights=each, minlength=len(cells.labels)).astype(np.float64)
    return sums
