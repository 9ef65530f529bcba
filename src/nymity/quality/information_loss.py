"""Information loss metric (Byun et al. 2007; de Spoelberch, section 2.2.10): what cells span, or how high they lie.

    mean over records of  sum over ordered attributes of (largest - smallest value of the cell) / span of the domain
                        + sum over the others of level of the cell / height

The level of a cell is that of the smallest node of the hierarchy that covers it, or the one it was published on. An
attribute is ordered if its hierarchy lists numbers or days; a missing value has no place among them and spans nothing.
A suppressed record counts 1 for each attribute. Where we differ: the thesis divides a range by the number of values; we
divide by the span. It also sums over records; ours is the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import Floats, PublishedRows
from nymity.table.cells import Cells


@dataclass(frozen=True, kw_only=True)
class InformationLossMetric(Metric):
    """Mean over records of spans and heights."""

    key = "information-loss"
    title = "span or height of a record's cells, summed over attributes"
    plain = "How wide or how high the cells of a record are, added over its columns."
    group = "cells"
    unit = "columns per record"
    limits = "mixes spans with levels, which depend on how many a hierarchy has"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Find the ordered attributes."""
        table = original.table
        ordered = original.places

        def measured(published: PublishedRows) -> MetricValue:
            each = {}
            for a, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
                known = ordered[a]
                heights = published.levels[a] / max(1, hierarchy.height)
                cost = heights if known is None else _spans(published.cells[a], known)
                each[name] = published.mean(a, cost, 1.0 if hierarchy.domain_size > 1 else 0.0)
            return MetricValue(value=sum(each.values()), attributes=each)

        return measured


def _spans(cells: Cells, places: Floats) -> Floats:
    """Return the difference of the largest and the smallest place in each cell, (n_cells,)."""
    if not len(cells.labels):
        return np.empty(0)
    inside = places[cells.covered]
    low = np.fmin.reduceat(inside, cells.starts[:-1])
    high = np.fmax.reduceat(inside, cells.starts[:-1])
    spans: Floats = np.nan_to_num(high - low)
    return spans
