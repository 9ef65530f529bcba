"""Granularity (Iyengar 2002; de Spoelberch, section 2.2.8): the other values that a cell may stand for.

    mean over cells of (values the cell stands for - 1) / values of the domain

Unlike ``loss``, which divides by the domain but one, it reaches (D - 1)/D for a suppressed cell, so that columns of few
values weigh less. The thesis sums over cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import PublishedRows


@dataclass(frozen=True, kw_only=True)
class GranularityMetric(Metric):
    """Mean share of the domain that a cell covers beside one value."""

    key = "granularity"
    title = "share of its domain that a cell stands for beside one value"
    plain = "How many further values a cell could stand for, as a share of all values."
    group = "cells"
    unit = "share per cell"
    limits = "all values count alike, however near or frequent they are"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Nothing to prepare."""
        return _measured


def _measured(published: PublishedRows) -> MetricValue:
    each = {}
    for a, (name, hierarchy) in enumerate(zip(published.table.names, published.table.hierarchies, strict=True)):
        others = published.mean(a, published.cells[a].sizes - 1, hierarchy.domain_size - 1)
        each[name] = others / hierarchy.domain_size
    return MetricValue(value=float(np.mean(list(each.values()))), attributes=each)
