"""Global certainty penalty: how little a published cell says among the values that occur (GCP; Xu et al. 2006).

The mean over cells of the normalized certainty penalty (NCP):

* of a numeric attribute: the span of the occurring values that the cell covers / the span of all that occur;
* of any other: 0 if the cell covers one occurring value, else the occurring values it covers / all that occur;
* of a suppressed cell: 1.

Unlike ``loss`` it looks at values that occur, not at all that a hierarchy lists, and a numeric cell costs what lies
between its ends. An attribute is numeric if every value that occurs, missing ones aside, is a number as nymity writes
it: ``7``, ``-2.5``; ``0214`` is a code. A missing value is one of the values of other attributes and has no place
between numbers. Spans count in the largest unit that fits all differences, or in span / (2^31 - 1), rounded down, where
there are more units than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from nymity.quality.attribute_loss import AttributeLoss, PreparedCostLoss
from nymity.quality.node_statistics import Ints, Needs, NodeStatistics
from nymity.table.encoding import EncodedTable
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.value_order import numbers as numbers_of

_MOST_UNITS = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class CertaintyPenaltyLoss(AttributeLoss):
    """Mean span or share of the occurring values that a published cell covers."""

    key = "gcp"
    title = "global certainty penalty: occurring values or span that a published cell covers"
    plain = "How wide cells are beside what occurs in the table: a range by its span, a set by its values."
    group = "cells"
    unit = "share per cell"
    limits = "a wide gap between two numbers counts although nobody is in it"

    def prepare(self, table: EncodedTable) -> PreparedCertaintyPenaltyLoss:
        """Prepare the penalty of each generalized value."""
        return PreparedCertaintyPenaltyLoss(table, self.aggregate, self.factors)


@dataclass(frozen=True, eq=False)
class PreparedCertaintyPenaltyLoss(PreparedCostLoss):
    """A cell costs its penalty, in whole units per attribute."""

    @property
    def needs(self) -> Needs:
        """Penalties of the suppressed records' cells."""
        return Needs(costs=self.costs)

    def lost(self, nodes: NodeStatistics) -> Ints:
        """Their sum."""
        return nodes.lost_costs

    @property
    def costs(self) -> list[list[Ints]]:
        """Penalties per attribute and level, in units."""
        return [penalties for penalties, _ in self._penalties]

    @cached_property
    def most(self) -> Ints:
        """Units of the largest penalty, (m,), at least 1."""
        return np.array([most for _, most in self._penalties])

    def cost_of(self, attribute: int, codes: Ints) -> int:
        """The span of the numbers among the values, or the occurring ones, as at level 0 each stands alone."""
        occurring = codes[self.table.frequencies[attribute][codes] > 0]
        places = self._positions[attribute]
        if places is None:
            return len(occurring) if len(occurring) > 1 else 0
        inside = places[codes]
        inside = inside[inside >= 0]
        return int(inside.max() - inside.min()) if len(inside) else 0

    @cached_property
    def _positions(self) -> list[Ints | None]:
        """Units above the smallest number of each raw value, -1 for those that do not occur or are missing."""
        found: list[Ints | None] = []
        for hierarchy, frequency in zip(self.table.hierarchies, self.table.frequencies, strict=True):
            numbers = numbers_of([v for v, f in zip(hierarchy.values, frequency, strict=True) if f > 0])
            places = None
            if numbers is not None:
                places = np.full(hierarchy.domain_size, -1, dtype=np.int64)
                places[[hierarchy.index[value] for value in numbers]] = _in_units(numbers)[0]
            found.append(places)
        return found

    @cached_property
    def _penalties(self) -> list[tuple[list[Ints], int]]:
        found = []
        for hierarchy, frequency in zip(self.table.hierarchies, self.table.frequencies, strict=True):
            occurs = frequency > 0
            numbers = numbers_of([v for v, there in zip(hierarchy.values, occurs, strict=True) if there])
            found.append(_shares(hierarchy, occurs) if numbers is None else _spans(hierarchy, numbers))
        return found


def _shares(hierarchy: Hierarchy, occurs: NDArray[np.bool_]) -> tuple[list[Ints], int]:
    """Count the occurring values each cell covers, one as none."""
    covered = [
        np.bincount(codes[occurs], minlength=len(labels))
        for codes, labels in zip(hierarchy.codes, hierarchy.labels, strict=True)
    ]
    return [np.where(counts > 1, counts, 0) for counts in covered], int(occurs.sum())


def _spans(hierarchy: Hierarchy, numbers: dict[Label, Fraction]) -> tuple[list[Ints], int]:
    """Return the span of the numbers each cell covers."""
    positions, most = _in_units(numbers)
    places = np.array([hierarchy.index[value] for value in numbers])
    penalties = []
    for codes, labels in zip(hierarchy.codes, hierarchy.labels, strict=True):
        low, high = np.full(len(labels), most), np.zeros(len(labels), np.int64)
        np.minimum.at(low, codes[places], positions)
        np.maximum.at(high, codes[places], positions)
        penalties.append(np.maximum(high - low, 0))  # a cell that covers no number has high < low
    return penalties, max(most, 1)


def _in_units(numbers: dict[Label, Fraction]) -> tuple[Ints, int]:
    """Return how many units each number lies above the smallest, and the largest of these."""
    lowest = min(numbers.values())
    above = [number - lowest for number in numbers.values()]
    unit = Fraction(reduce(gcd, (a.numerator for a in above)), reduce(lcm, (a.denominator for a in above))) or Fraction(
        1
    )
    if max(above) / unit > _MOST_UNITS:
        unit = max(above) / _MOST_UNITS
    units = [int(a / unit) for a in above]
    return np.array(units, dtype=np.int64), max(units)
