"""Squared distance error: how far records lie from what their rows suggest.

Soria-Comas et al. 2015; de Spoelberch, section 2.2.9.

    mean over records of the sum over attributes of (value - mean of the values its cell stands for)²

Values of an ordered attribute (numbers, days) lie between 0 and 1, the ends of its domain. Values of others have no
place: each is a corner of its own, any two of them at distance 1, and a cell lies in the middle of the corners it
stands for, at a squared distance of (1 - 1/s)/2 from each of its s values. A missing value of an ordered attribute is
at distance 1 from a cell that stands for anything else, and does not move its mean. Suppressed cells stand for the
whole domain.

Where we differ: the thesis sums norms that are not squared, over numbers as they are, so that the column with the
largest unit decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nymity.quality.metric import Metric, MetricValue, PreparedMetric, linked
from nymity.quality.published_rows import Floats, PublishedRows, Tally
from nymity.table.cells import Cells


@dataclass(frozen=True, kw_only=True)
class SquaredDistanceMetric(Metric):
    """Mean squared distance of records from the middle of their cells."""

    key = "squared-distance"
    title = "mean squared distance of records from the middle of their cells"
    plain = "How far the original values are from the middle of their cells, far ones most."
    group = "cells"
    unit = "squared spans per record"
    limits = "a cell whose middle is the value costs nothing, however wide it is"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Find the places of ordered values."""
        table = original.table
        ordered = original.places

        def measured(published: PublishedRows) -> MetricValue:
            each = {}
            for a, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True)):
                cells, tally = _with_mask(published.cells[a], hierarchy.domain_size), published.tallies[a]
                known = ordered[a]
                cost = _between_corners(cells, tally) if known is None else _from_means(cells, tally, known)
                each[name] = float(tally.counts @ cost) / table.n_records
            return MetricValue(value=sum(each.values()), attributes=each)

        return linked(measured)


def _with_mask(cells: Cells, domain: int) -> Cells:
    """Append the cell of suppressed records."""
    starts = np.append(cells.starts, cells.starts[-1] + domain)
    return Cells((*cells.labels, None), np.append(cells.covered, np.arange(domain)), starts)


def _between_corners(cells: Cells, tally: Tally) -> Floats:
    """Squared distance of a corner from the middle of those its cell stands for, (n_pairs,)."""
    distance: Floats = (1 - 1 / cells.sizes) / 2
    return distance[tally.cell]


def _from_means(cells: Cells, tally: Tally, places: Floats) -> Floats:
    """Squared distance of each value from the mean of its cell, (n_pairs,)."""
    inside = places[cells.covered]
    there = ~np.isnan(inside)
    of_cell = np.repeat(np.arange(len(cells.labels)), cells.sizes)
    many = np.bincount(of_cell, weights=there, minlength=len(cells.labels))
    sums = np.bincount(of_cell, weights=np.where(there, inside, 0.0), minlength=len(cells.labels))
    means, places_of = sums / np.maximum(many, 1), places[tally.value]
    missing = np.where(many[tally.cell] > 0, 1.0, 0.0)
    return np.where(np.isnan(places_of), missing, (places_of - means[tally.cell]) ** 2)
