"""Diameter: the largest number of columns in which two published rows differ.

Meyerson & Williams 2004; de Spoelberch, section 2.2.6.

    max over pairs of different rows of the number of cells that differ

Suppressed rows take no part, and a release without two different rows has the diameter 0. Generalizing makes cells
equal, never different, so full-domain generalization never raises it.

What it costs: rows are compared over a tree of blocks (:mod:`nymity.kernels.diameter`), which stops as soon as two rows
differ wherever any do. That is the case in most tables, after one walk over the rows, O(n m). Otherwise it must be
proved that no two rows differ more; the worst case is all pairs, O(n² m). After a number of comparisons the metric is
undefined rather than that, and says between what it lies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.kernels.diameter import diameter
from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import Ints, PublishedRows

#: Pairs of cells that are compared at most: a few seconds.
MOST_CELLS = 10**9


@dataclass(frozen=True, kw_only=True)
class DiameterMetric(Metric):
    """Columns in which the two most different rows differ."""

    key = "diameter"
    title = "columns in which the two most different rows differ"
    plain = "In how many columns the two most different rows still differ; here more is better."
    group = "classes"
    better = "higher"
    unit = "columns"
    limits = "one pair of rows decides, and cells that overlap differ like any others"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Nothing to prepare."""
        return _measured


def _measured(published: PublishedRows) -> MetricValue:
    if not len(published.rows):
        return MetricValue(value=0.0)
    columns = _skewed_first(published)
    rows = published.rows[np.lexsort(published.rows[:, columns[::-1]].T)]
    found, compared = diameter(rows, columns, MOST_CELLS)
    possible = sum(len(cells.labels) > 1 for cells in published.cells)
    if found < possible and compared >= MOST_CELLS:
        return MetricValue(undefined=f"it lies between {found} and {possible}: too many rows to compare them all")
    return MetricValue(value=float(found))


def _skewed_first(published: PublishedRows) -> Ints:
    """Columns in which two rows are most often equal first, which is where pairs can be given up soonest."""
    rows = [np.bincount(column).astype(np.float64) for column in published.rows.T]
    return np.argsort([-float(counts @ counts) for counts in rows], kind="stable")
