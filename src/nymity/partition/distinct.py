"""Distinct records: types of records that are alike, and how many there are of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nymity.partition.geometry import Floats, Geometry, Ints


@dataclass(frozen=True, eq=False)
class Distinct:
    """The types of a geometry's records, those that lie far from others first.

    points (n_types, n_axes): places, scaled so that a unit of width costs 1. codes (n_types, n_sets), set_costs
    (n_sets,), set_limits (n_sets,): as in :class:`Geometry`. Axes and sets without weight are left out: records that
    differ in them alone are alike. counts (n_types,): records of each type; records (n,): all records, type after type.
    prices (n_types,): the distance to the (k - 1)-th nearest record, which no record can avoid paying in a class of k.
    """

    points: Floats
    codes: Ints
    set_costs: Floats
    set_limits: Ints
    counts: Ints
    records: Ints
    prices: Floats

    @staticmethod
    def of(geometry: Geometry, k: int) -> Distinct:
        """Return the types of these records."""
        points = (geometry.points * geometry.scales)[:, geometry.scales > 0]
        sets = geometry.set_scales > 0
        codes, set_costs, limits = geometry.codes[:, sets], geometry.set_scales[sets], geometry.set_limits[sets]
        _, first, types, counts = np.unique(
            np.hstack([points, codes]), axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        points, codes = points[first], codes[first]
        prices = _nearest(points, codes, set_costs, counts, k)
        order = np.argsort(-prices, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        records = np.argsort(place[types.ravel()], kind="stable")
        return Distinct(points[order], codes[order], set_costs, limits, counts[order], records, prices[order])

    def __len__(self) -> int:
        return len(self.points)

    @property
    def bound(self) -> float:
        """What every partition costs at least: the prices of all records."""
        return float(self.counts @ self.prices)

    def types(self) -> Ints:
        """Return the type of each record (n,)."""
        types = np.empty_like(self.records)
        types[self.records] = np.repeat(np.arange(len(self)), self.counts)
        return types

    def cost(self, members: Ints) -> float:
        """Return what a class of these types costs, a type being named once for each of its records."""
        axes = np.ones(self.points.shape[1])
        return Geometry(self.points, axes, self.codes, self.set_limits, self.set_costs).cost(members)

    def classes(self, members: Iterable[Ints]) -> Ints:
        """Return the class of each record (n,), given the types of each class; -1 for records that are in none."""
        classes = np.full_like(self.records, -1)
        at = np.cumsum(self.counts) - self.counts
        for number, types in enumerate(members):
            for t in types:
                classes[self.records[at[t]]] = number
                at[t] += 1
        return classes


def _nearest(points: Floats, codes: Ints, set_costs: Floats, counts: Ints, k: int) -> Floats:
    """Return the distance of each type to the (k - 1)-th nearest record, others of the type being at distance 0."""
    prices = np.empty(len(points))
    for t in range(len(points)):
        # Two records that differ in a set are a class of two values there, and each value costs the price of the set.
        apart = np.abs(points - points[t]).sum(axis=1) + (codes != codes[t]) @ (2 * set_costs)
        order = np.argsort(apart, kind="stable")
        prices[t] = apart[order[np.searchsorted(np.cumsum(counts[order]), k)]]
    return prices
