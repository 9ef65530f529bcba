"""Hellinger distance between the values of the original and of the release.

El Emam, Mosquera & Hoptroff 2020; de Spoelberch, section 2.2.11.

    median over quasi-identifiers of (1/sqrt 2) * sqrt(sum over values (sqrt p - sqrt q)²)

p are the shares of raw values in the original; q those in the release, the records of a cell spread evenly over the
values that it stands for, suppressed ones over all values. The thesis prints it without the inner square roots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import PublishedRows


@dataclass(frozen=True, kw_only=True)
class HellingerMetric(Metric):
    """Median distance of a column's distribution from the original one."""

    key = "hellinger"
    title = "median Hellinger distance of a column's distribution from the original's"
    plain = "How differently values are spread in a column of the release and of the original."
    group = "distributions"
    unit = "distance, from 0 to 1"
    limits = "looks at columns one by one, and half of them may be further away"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Count the original's values."""
        before = [np.sqrt(original.spread(a)) for a in range(len(original.cells))]

        def measured(published: PublishedRows) -> MetricValue:
            apart = [root - np.sqrt(published.spread(a)) for a, root in enumerate(before)]
            each = [float(np.sqrt(a @ a / (2 * published.table.n_records))) for a in apart]
            return MetricValue(
                value=float(np.median(each)), attributes=dict(zip(published.table.names, each, strict=True))
            )

        return measured
