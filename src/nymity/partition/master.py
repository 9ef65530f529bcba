"""The linear program over classes: each type is used as often as it has records, at the least cost.

minimize   sum over classes C of cost(C) * x_C
such that  sum of c_t(C) * x_C = n_t for each type t, where c_t(C) counts the members of C of type t
           sum of x_C <= n // k, as a partition has no more classes
           sum of floor(c(C) / 2) * x_C <= floor(n / 2) for triples of types, c and n being sums over the three
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nymity.core.extras import require
from nymity.partition.geometry import Floats, Ints
from nymity.partition.pricing import Prices

#: How far a share may be from a whole number and pass for one.
INTEGRALITY = 1e-6


@dataclass(frozen=True, eq=False)
class LinearOptimum:
    """An optimum of the linear program: its value, how often each class is chosen (n_classes,), and the dual prices."""

    value: float
    chosen: Floats
    prices: Prices

    @property
    def fractional(self) -> Ints:
        """Classes that are chosen in part."""
        return np.flatnonzero(np.abs(self.chosen - np.rint(self.chosen)) > INTEGRALITY)


class Master:
    """The program, growing by classes and by triples."""

    def __init__(self, counts: Ints, k: int) -> None:
        self.columns: list[Ints] = []
        self.triples: Ints = np.empty((0, 3), dtype=np.int64)
        self._counts, self._k, self._known = counts, k, set[bytes]()
        self._highs = require_highspy().Highs()
        for option, value in {"output_flag": False, "threads": 1}.items():
            self._highs.setOptionValue(option, value)
        for count in counts:
            self._add_row(float(count), float(count), np.empty(0))
        # At most n / k classes: implied by their sizes in whole numbers, but not in fractions, where it raises the
        # bound.
        self._add_row(-np.inf, float(counts.sum() // k), np.empty(0))

    def add(self, members: Ints, cost: float) -> bool:
        """Add a class, given its types in ascending order; return False if it was known."""
        if members.tobytes() in self._known:
            return False
        self._known.add(members.tobytes())
        self.columns.append(members)
        types, uses = np.unique(members, return_counts=True)
        # A class that comes after a cut has its share in it, too: half its members of the triple, rounded down.
        hits = (self.triples[:, :, None] == members).sum(axis=(1, 2)) // 2
        met, n = np.flatnonzero(hits), len(self._counts)
        rows = np.concatenate([types, [n], met + n + 1]).astype(np.int32)
        self._highs.addCol(cost, 0.0, np.inf, len(rows), rows, np.concatenate([uses, [1], hits[met]]).astype(float))
        return True

    def cut(self, triples: Ints) -> None:
        """Add triples of types (n, 3)."""
        uses = self.uses(np.arange(len(self.columns)))
        for triple in triples:
            self._add_row(-np.inf, float(self._counts[triple].sum() // 2), uses[:, triple].sum(axis=1) // 2)
        self.triples = np.vstack([self.triples, triples])

    def uses(self, columns: Ints) -> Ints:
        """Return how many members of each type these classes have, (n_columns, n_types)."""
        uses = np.zeros((len(columns), len(self._counts)), dtype=np.int64)
        for row, c in enumerate(columns):
            np.add.at(uses[row], self.columns[c], 1)
        return uses

    def worth(self, prices: Prices) -> float:
        """Return what the prices come to: a bound of every partition, if no class has a negative surplus."""
        most = self._counts[self.triples].sum(axis=1) // 2
        charged = prices.levy * (self._counts.sum() // self._k) + most @ prices.fines
        return float(self._counts @ prices.of_types - charged)

    def solve(self) -> LinearOptimum:
        """Solve the linear program, from where the last solution was."""
        self._highs.run()
        solution, n = self._highs.getSolution(), len(self._counts)
        duals = np.array(solution.row_dual)
        # Duals of rows with an upper limit are negative; a last digit on the wrong side of 0 is rounding.
        charges = np.maximum(-duals[n:], 0.0)
        value = float(self._highs.getInfo().objective_function_value)
        return LinearOptimum(value, np.array(solution.col_value), Prices(duals[:n], float(charges[0]), charges[1:]))

    def _add_row(self, low: float, high: float, uses: Floats | Ints) -> None:
        columns = np.flatnonzero(uses)
        self._highs.addRow(low, high, len(columns), columns.astype(np.int32), uses[columns].astype(np.float64))


def require_highspy() -> Any:
    """Return the solver of linear programs, or say how to install it."""
    return require("highspy", extra="exact", purpose="proving the optimum of more than a few records")
