"""Losses that are one value per attribute, aggregated: what they share, and the bound that follows from it.

``gs_factor`` weighs generalization against suppression, as ARX does for its Loss. With

    g = min(1, 2 * (1 - gs_factor)),   s = min(1, 2 * gs_factor)

a published cell whose value costs c counts g * c, and a suppressed one c + s * (1 - c). 0.5 is neutral; 0 ignores
suppression: a suppressed cell counts what its generalized value does; 1 ignores generalization. Where we differ: ARX
takes g times the covered share *including* the raw value's own, which lets losses with gs_factor > 0.5 fall below zero
(it cuts them off there), and counts a suppressed cell s in its precision, which can be less than leaving it in.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.kernels.frontier import NOTHING
from nymity.quality.aggregation import AGGREGATIONS, Aggregate, Aggregation, arithmetic, total
from nymity.quality.kernel_form import KernelForm, form_of_parts
from nymity.quality.loss import Loss, PreparedLoss
from nymity.quality.node_statistics import Floats, Ints, NodeStatistics
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AttributeLoss(Loss):
    """Parameters of a loss that is one value per attribute.

    ``aggregation``: the weighted ``arithmetic`` or ``geometric`` mean; the ``maximum``; or ``rank``, which compares the
    largest, then the second largest and so on, and reports the largest. ``gs_factor``: from 0 (ignore suppression) to
    1 (ignore generalization).
    """

    aggregation: Aggregation = "arithmetic"
    gs_factor: float = 0.5

    def __post_init__(self) -> None:
        validation.one_of(f"{self.key}.aggregation", self.aggregation, AGGREGATIONS)
        validation.number(f"{self.key}.gs_factor", self.gs_factor, at_least=0, at_most=1)

    @property
    def aggregate(self) -> Aggregate:
        """How attributes are combined."""
        return AGGREGATIONS[self.aggregation]

    @property
    def factors(self) -> tuple[float, float]:
        """What generalization and suppression count; the whole number 1 where all of it, which keeps sums exact."""
        return min(1, 2 * (1 - self.gs_factor)), min(1, 2 * self.gs_factor)


@dataclass(frozen=True, eq=False)
class PreparedAttributeLoss(PreparedLoss):
    """A loss that aggregates one value per attribute, each rising with the level and with what is suppressed.

    ``attribute_losses`` of a lower level and of a subset of the suppressed records is never larger. A node between
    ``levels`` and a node above suppresses at least what the node above does, so the lowest levels together with the
    suppressed records of the upper node give ``floor``.
    """

    table: EncodedTable
    aggregate: Aggregate = total
    factors: tuple[float, float] = (1, 1)

    #: Whether records of an attribute each have a cost of their own, of which the loss is the mean.
    sums_cells: ClassVar[bool] = False

    @property
    def mixes_levels(self) -> bool:
        """Where each cell costs by itself; with other factors, what suppressed ones cost follows from one level."""
        return self.sums_cells and self.factors == (1, 1)

    @abstractmethod
    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the loss of each attribute, (N, m), from levels (N, m), suppressed (N, 1) and ``lost`` (N, m)."""

    def lost(self, nodes: NodeStatistics) -> Floats | Ints:
        """Return the statistics of suppressed records that ``attribute_losses`` takes, (N, m)."""
        return nodes.levels  # not used unless overridden

    def per_attribute(self, nodes: NodeStatistics) -> Floats:
        """Return the loss of each attribute of each node, (N, m)."""
        return self.attribute_losses(nodes.levels, nodes.suppressed[:, None], self.lost(nodes))

    def compared(self, nodes: NodeStatistics) -> Floats:
        """Return the aggregated losses of each node."""
        return self.aggregate(self.per_attribute(nodes), self.weights)

    def compared_one(self, node: NodeStatistics) -> tuple[float, ...]:
        """Return the same for a single node: its floors with its own suppressed records."""
        return self.floors(node.levels[0].tolist(), node)

    def value(self, nodes: NodeStatistics) -> Floats:
        """Return the loss of each node."""
        return np.asarray(self.compared(nodes)[:, 0])

    def floors(
        self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None
    ) -> tuple[float, ...]:
        """Return the losses of these levels with the suppressed records of the node above."""
        own = np.array([levels])
        if above is None:
            parts = self.attribute_losses(own, np.zeros((1, 1), np.int64), np.zeros(own.shape))
        else:
            parts = self.attribute_losses(own, above.suppressed[:, None], self.lost(above))
        return tuple(self.aggregate(parts, self.weights)[0].tolist())

    def form(self) -> KernelForm | None:
        """Return the parts and how they are aggregated."""
        if (parts := self.parts()) is None:
            return None
        return form_of_parts(*parts, self.aggregate, self.weights, dearest=self.dearest, further=self.further)

    def parts(self) -> tuple[Floats, Floats, Floats] | None:
        """Return ``attribute_losses`` as base and rate (m, levels) and share (m,); None where it is no such formula.

        The loss of an attribute is base + suppressed * rate at its level, and share times what was lost.
        """
        return None

    @property
    def dearest(self) -> Floats | Ints | None:
        """The most of ``lost`` that one record has at each level, (m, levels); None where it is no sum over records."""
        return None

    #: What it asks for as ``lost`` where that is not a sum of leaves or costs.
    further: ClassVar[int] = NOTHING

    def floor(self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None) -> float:
        """Return the first of the floors."""
        return self.floors(levels, above)[0]

    @cached_property
    def weights(self) -> Floats:
        """Weights of the attributes, (m,)."""
        return np.array(self.table.weights)

    @cached_property
    def attributes(self) -> Ints:
        """Numbers of the attributes, to look up per-level tables with."""
        return np.arange(len(self.table.names))


@dataclass(frozen=True, eq=False)
class PreparedCostLoss(PreparedAttributeLoss):
    """The mean over an attribute's cells of what each costs, in whole units of the dearest one.

    With T the cost of all records' cells at a level, lost the cost of the suppressed ones' and ``most`` that of a cell
    that says nothing, the rule above is

        (g * T - min(g, s) * lost + s * S * most) / (n * most)

    because max(g, s) = 1. For gs_factor = 0.5 numerator and denominator are whole numbers. It never falls when ``lost``
    is replaced by less. So ``floor`` may take more than what the records suppressed at the upper node cost at its own
    levels: what they cost at the (higher) levels there, or S times its own dearest cell, whichever is less.
    """

    sums_cells: ClassVar[bool] = True

    @property
    @abstractmethod
    def costs(self) -> Sequence[Sequence[Ints]]:
        """What a cell with each code costs, per attribute and level."""

    @property
    @abstractmethod
    def most(self) -> Ints:
        """What a cell that says nothing costs, (m,)."""

    @abstractmethod
    def cost_of(self, attribute: int, codes: Ints) -> int:
        """What a cell costs that stands for these raw values, one or more."""

    @cached_property
    def _of_levels(self) -> tuple[Ints, Ints]:
        found = [
            [(int(self.table.frequencies_at(a, level) @ cost), int(cost.max())) for level, cost in enumerate(levels)]
            for a, levels in enumerate(self.costs)
        ]
        totals, dearest = (per_level([[pair[which] for pair in row] for row in found]) for which in (0, 1))
        return totals, dearest

    @property
    def totals(self) -> Ints:
        """Cost of all records' cells, per attribute and level, (m, levels)."""
        return self._of_levels[0]

    @property
    def dearest(self) -> Ints:
        """What the dearest cell costs."""
        return self._of_levels[1]

    def attribute_losses(self, levels: Ints, suppressed: Ints, lost: Floats | Ints) -> Floats:
        """Return the mean cost of each attribute's cells."""
        generalized, gone = self.factors
        spent = generalized * self.totals[self.attributes, levels] - min(generalized, gone) * lost
        return np.asarray((spent + gone * suppressed * self.most) / self.denominator)

    def floors(
        self, levels: Sequence[int], above: NodeStatistics | None, below: NodeStatistics | None = None
    ) -> tuple[float, ...]:
        """Return the same as for any attribute loss, in plain numbers: for one node arrays would be slower."""
        suppressed = 0 if above is None else int(above.suppressed[0])
        if above is None or not suppressed:
            parts = [of_level[level] for level, (of_level, *_) in zip(levels, self._plain, strict=True)]
        else:
            lost, (kept, gone) = self.lost(above)[0].tolist(), self.factors
            shared = min(kept, gone)
            parts = [
                (kept * totals[level] - shared * min(less, suppressed * cell[level]) + gone * suppressed * most) / whole
                for level, less, (_, totals, most, whole, cell) in zip(levels, lost, self._plain, strict=True)
            ]
        if self.aggregate is arithmetic:
            return (sum(map(mul, parts, self._weight_shares)),)
        return tuple(self.aggregate(np.array([parts]), self.weights)[0].tolist())

    def parts(self) -> tuple[Floats, Floats, Floats]:
        """Return the three terms of the rule."""
        generalized, gone = self.factors
        base = generalized * self.totals / self.denominator[:, None]
        rate = np.broadcast_to((gone * self.most / self.denominator)[:, None], base.shape)
        return base, rate, -min(generalized, gone) / self.denominator

    @cached_property
    def _plain(self) -> list[tuple[list[float], list[int], int, int, list[int]]]:
        """Loss by level if nothing is suppressed, totals by level, most, denominator and dearest cell by level."""
        parts = (self.parts()[0], self.totals, self.most, self.denominator, self._of_levels[1])
        return list(zip(*(part.tolist() for part in parts), strict=True))

    @cached_property
    def _weight_shares(self) -> list[float]:
        weights: list[float] = (self.weights / (self.weights.sum() or 1.0)).tolist()
        return weights

    @cached_property
    def denominator(self) -> Ints:
        """The largest possible numerator, (m,); 1 for an attribute of one value, which has nothing to lose."""
        return np.maximum(self.table.n_records * self.most, 1)


def per_level(tables: Sequence[Sequence[float]]) -> NDArray[Any]:
    """Put one row of per-level values per attribute into an array (m, highest level + 1), the rest zero."""
    padded = np.zeros(
        (len(tables), max(len(row) for row in tables)), dtype=np.result_type(*(np.array(t) for t in tables))
    )
    for a, row in enumerate(tables):
        padded[a, : len(row)] = row
    return padded
