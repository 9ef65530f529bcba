"""NodeStatistics: what every loss is a formula of, and what a loss may ask for beyond the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NO_PAIRS, _NO_VALUES, _NO_COUNTS = np.empty((0, 2)), np.empty((0, 0)), np.empty((0, 2), np.int64)
_NO_NUMBERS = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False)
class Needs:
    """What a loss must know of a node besides the counts.

    statistics: any of "covered", "spread" and "lost_entropy". costs: per attribute and level what a cell with each
    code costs, in whole units below 2^31; the engine then sums these over suppressed records instead of leaves.
    target: the sensitive attribute whose most frequent value per class is counted.
    """

    statistics: frozenset[str] = frozenset()
    costs: Sequence[Sequence[Ints]] | None = None
    target: str | None = None


#: A loss that is a formula of the counts needs nothing else.
COUNTS_ALONE = Needs()


@dataclass(frozen=True, eq=False)
class NodeStatistics:
    """Sufficient statistics of N nodes of a lattice over m attributes.

    levels (N, m); suppressed, accepted_classes, squares, classes, smallest (N,): records in classes that are not
    accepted, accepted classes, sum of their squared sizes, all classes, records of the smallest accepted (0: none).
    lost_leaves (N, m): sum over suppressed records of the raw values their cell covers; if a loss brings its own costs
    it is lost_costs (N, m), their sum, instead.

    Only where a loss needs them, in pairs for published and for all records: covered (N, 2), the raw combinations
    that their rows cover; matched (N, 2), those with the most frequent target value of their class; spread (N, 2), the
    sum over classes of c * log2(weight of one of the V combinations it covers), where the weight is c / V, and that
    plus S / (all combinations) for published ones. lost_entropy (N, m): sum of f * log2(S / f) over the suppressed
    records' values. touched (N,): persons who lose records, only where a search limits them.
    """

    levels: Ints
    suppressed: Ints
    accepted_classes: Ints
    squares: Ints
    classes: Ints
    smallest: Ints
    lost_leaves: Ints = field(default_factory=lambda: _NO_COUNTS)
    lost_costs: Ints = field(default_factory=lambda: _NO_COUNTS)
    covered: Floats = field(default_factory=lambda: _NO_PAIRS)
    spread: Floats = field(default_factory=lambda: _NO_PAIRS)
    matched: Ints = field(default_factory=lambda: _NO_COUNTS)
    lost_entropy: Floats = field(default_factory=lambda: _NO_VALUES)
    touched: Ints = field(default_factory=lambda: _NO_NUMBERS)

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, index: slice | NDArray[np.bool_]) -> NodeStatistics:
        """Return the statistics of some of the nodes."""
        return NodeStatistics(
            **{
                name: part[index] if len(part) == len(self) else part
                for name, part in ((name, getattr(self, name)) for name in self.__dataclass_fields__)
            }
        )

    @staticmethod
    def concatenate(parts: list[NodeStatistics]) -> NodeStatistics:
        """Join statistics of several batches of nodes."""
        return NodeStatistics(
            **{
                name: np.concatenate([getattr(part, name) for part in parts])
                for name in NodeStatistics.__dataclass_fields__
            }
        )
