"""A toy: the number of different rows."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import PublishedRows


@dataclass(frozen=True, kw_only=True)
class ToyMetric(Metric):
    """Different rows of a release."""

    key = "toy-metric"
    title = "different rows"
    plain = "How many rows differ."
    group = "classes"
    better = "higher"
    unit = "rows"
    limits = "sees nothing of cells"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Nothing to prepare."""
        return lambda published: MetricValue(value=float(len(published.rows)))
