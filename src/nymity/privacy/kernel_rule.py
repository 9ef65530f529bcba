"""KernelRule: which classes a model accepts as numbers for a kernel, so that a search asks no Python at each node."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.kernels import frontier as kernel
from nymity.kernels.caps import allowed

_NO_NUMBERS, _NO_SHARES, _NO_TABLE = np.empty(0, np.int64), np.empty(0, np.float64), np.empty((0, 0), np.int64)


@dataclass(frozen=True, eq=False)
class KernelRule:
    """A rule of :mod:`nymity.kernels.frontier`; sizes alone unless told.

    least_values: without so many different values no part of a class is accepted. numerators, denominators (n_values,):
    caps on shares. nodes (n_levels, n_values), numbered through, table (n_levels, n_nodes of one), t: a distance from
    the table.
    """

    kind: int = kernel.SIZES
    least_values: int = 1
    numerators: NDArray[np.int64] = field(default_factory=lambda: _NO_NUMBERS)
    denominators: NDArray[np.int64] = field(default_factory=lambda: _NO_NUMBERS)
    nodes: NDArray[np.int64] = field(default_factory=lambda: _NO_TABLE)
    table: NDArray[np.int64] = field(default_factory=lambda: _NO_TABLE)
    t: Fraction = Fraction(0)

    def arguments(self, smallest: int) -> tuple[Any, ...]:
        """What the kernel takes, where classes have at least so many records."""
        caps, few = _NO_SHARES, np.empty((0, 0), np.uint32)
        if len(self.denominators):
            caps = self.numerators / self.denominators
            few = allowed(caps)
        n = int(self.table[0].sum()) if len(self.table) else 0
        terms = (self.t.numerator, self.t.denominator)
        shares = (self.numerators, self.denominators, caps, few)
        columns = (np.ascontiguousarray(self.nodes), self.table.ravel())
        return (self.kind, smallest, self.least_values, *shares, *columns, n, terms)
