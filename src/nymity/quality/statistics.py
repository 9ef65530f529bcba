"""NodeStatistics: what every loss is a formula of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NO_PAIRS, _NO_VALUES = np.empty((0, 2)), np.empty((0, 0))


@dataclass(frozen=True, eq=False)
class NodeStatistics:
    """Sufficient statistics of N nodes of a lattice over m attributes.

    levels (N, m); suppressed, kept, squares, classes (N,): records in classes that are not accepted, accepted
    classes, sum of their squared sizes, all classes. lost_leaves (N, m): sum over suppressed records of the raw
    values their cell covers. Only where a loss needs them: covered (N, 2), the raw combinations covered by the rows of
    published and of all records; lost_entropy (N, m), sum of f * log2(S / f) over the suppressed records' values.
    """

    levels: Ints
    suppressed: Ints
    kept: Ints
    squares: Ints
    classes: Ints
    lost_leaves: Ints
    covered: Floats = field(default_factory=lambda: _NO_PAIRS)
    lost_entropy: Floats = field(default_factory=lambda: _NO_VALUES)

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
