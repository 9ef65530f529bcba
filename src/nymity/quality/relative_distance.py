"""Relative distance (Samarati & Sweeney; de Spoelberch, section 2.2.1): levels as shares of the heights.

    sum over quasi-identifiers of level / height

The absolute distance, the plain sum of levels, is the loss ``height``. Both are about columns: suppression does not
count, and they have no value where a column has no level of its own; ``precision`` is the same of single cells.
"""

from __future__ import annotations

from dataclasses import dataclass

from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import PublishedRows


@dataclass(frozen=True, kw_only=True)
class RelativeDistanceMetric(Metric):
    """Sum over columns of level / height."""

    key = "relative-distance"
    title = "sum over columns of level / height"
    plain = "How far up its hierarchy each column was moved, added over columns."
    group = "cells"
    unit = "columns"
    limits = "depends on how many levels hierarchies have, and ignores suppression"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Nothing to prepare."""
        return _measured


def _measured(published: PublishedRows) -> MetricValue:
    if published.several_levels is not None:
        return MetricValue(undefined=f"{published.several_levels} (precision counts cells)")
    tops = [max(1, hierarchy.height) for hierarchy in published.table.hierarchies]
    each = {
        name: level / top for name, level, top in zip(published.table.names, published.column_levels, tops, strict=True)
    }
    return MetricValue(value=sum(each.values()), attributes=each)
