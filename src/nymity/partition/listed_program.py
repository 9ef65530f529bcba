"""The linear program over classes that are listed, of which it holds those that it has needed so far.

minimize   sum over classes C of cost(C) * x_C
such that  each type is used as often as it has records, and rows whose limits may change: how many classes there are,
           cuts for triples as in :mod:`nymity.partition.master`, in how many classes two types meet

A list is too long to solve over at once. Classes with a negative reduced cost are added until there are none, so that
the value is that of the whole list. What no class does is done by stand-ins, which become dearer until none is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import PanicError
from nymity.partition.geometry import Floats, Ints
from nymity.partition.master import require_highspy

#: The least and the largest value of a row, or of a class, by its number.
Limits = Mapping[int, tuple[float, float]]
Uses = NDArray[np.int8]

#: Classes that one round adds; a reduced cost below this is negative.
ADDED, NEGATIVE = 300, -1e-7
#: What a stand-in costs at first, in targets; how much dearer it becomes; a share of it that is rounding.
DEAR, DEARER, ROUNDING = 10.0, 10.0, 1e-9


@dataclass(frozen=True, eq=False)
class ListedOptimum:
    """The value, how often which classes of the list are used, and the reduced cost of each class that is allowed."""

    value: float
    used: Ints
    shares: Floats
    surpluses: Floats


class ListedProgram:
    """The program, growing by rows, and by classes from the list."""

    def __init__(self, counts: Ints, k: int, classes: Sequence[Ints], costs: Floats, *, target: float) -> None:
        self.costs, self.n_types = costs, len(counts)
        self.members = np.full((len(classes), 2 * k - 1), self.n_types, dtype=np.int64)
        for place, members in enumerate(classes):
            self.members[place, : len(members)] = members
        self._dear = DEAR * target
        self._place = np.full(len(classes), -1, dtype=np.int64)  # of a class among the columns
        self._class = np.empty(0, dtype=np.int64)  # of each column, -1 for stand-ins
        self._uses: list[Uses] = []  # of each row after those of types, by all classes
        self._usual: list[tuple[float, float]] = []  # limits of these rows
        self._changed: set[int] = set()  # rows that have others at present
        highspy = require_highspy()
        self._optimal, self._infeasible = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible
        self._highs = highspy.Highs()
        for option, value in {"output_flag": False, "threads": 1}.items():
            self._highs.setOptionValue(option, value)
        for row, number in enumerate(counts):
            self._highs.addRow(float(number), float(number), 0, np.empty(0, np.int32), np.empty(0))
            self._stand_in(row)
        self.add_row(np.ones(len(classes), dtype=np.int8), (0.0, float(counts.sum() // k)))

    def add_row(self, uses: Uses, limits: tuple[float, float]) -> int:
        """Add a row, given what each class of the list counts in it; return its number."""
        held = np.where(self._class >= 0, uses[self._class], 0)
        columns = np.flatnonzero(held)
        self._highs.addRow(*limits, len(columns), columns.astype(np.int32), held[columns].astype(np.float64))
        self._uses.append(uses)
        self._usual.append(limits)
        self._stand_in(self.n_types + len(self._uses) - 1)
        return len(self._uses) - 1

    def counted(self, types: Ints) -> Uses:
        """Return how many members each class of the list has among these types."""
        among = np.zeros(self.n_types + 1, dtype=np.int8)
        among[types] = 1
        found: Uses = among[self.members].sum(axis=1, dtype=np.int8)
        return found

    def solve(self, allowed: Ints, rows: Limits, times: Limits, *, below: float) -> ListedOptimum | None:
        """Solve over the allowed classes of the list; None if no solution has these limits and is below a value."""
        self._restrict(allowed, rows, times)
        while (found := self._solve_held()) is not None:
            value, shares, duals = found
            surpluses = self._surpluses(allowed, duals)
            new = np.flatnonzero((surpluses < NEGATIVE) & (self._place[allowed] < 0))
            if len(new):
                self.hold(allowed[new[np.argsort(surpluses[new], kind="stable")[:ADDED]]])
            elif value >= below:
                return None
            elif shares[self._class < 0].max(initial=0.0) > ROUNDING:
                self._raise_stand_ins()
            else:
                used = np.flatnonzero((shares > 0) & (self._class >= 0))
                return ListedOptimum(value, self._class[used], shares[used], surpluses)
        return None

    def try_out(self, allowed: Ints, rows: Limits, times: Limits, *, below: float) -> float:
        """Return the value over those classes that are held, at most ``below``: a guess, since others may do better."""
        self._restrict(allowed, rows, times)
        found = self._solve_held()
        return below if found is None else min(found[0], below)

    def hold(self, classes: Ints) -> None:
        """Put classes of the list into the program."""
        new = classes[self._place[classes] < 0]
        for chosen in new:
            members = self.members[chosen]
            types, times = np.unique(members[members < self.n_types], return_counts=True)
            uses = np.array([row[chosen] for row in self._uses])
            met = np.flatnonzero(uses)
            rows = np.concatenate([types, met + self.n_types]).astype(np.int32)
            values = np.concatenate([times, uses[met]]).astype(np.float64)
            self._highs.addCol(float(self.costs[chosen]), 0.0, np.inf, len(rows), rows, values)
        self._place[new] = np.arange(len(self._class), len(self._class) + len(new))
        self._class = np.append(self._class, new)

    def _solve_held(self) -> tuple[float, Floats, Floats] | None:
        """Return value, shares of all columns and dual values of all rows; None if there is no solution."""
        self._highs.run()
        if self._highs.getModelStatus() not in (self._optimal, self._infeasible):
            self._highs.clearSolver()  # from a basis that led nowhere: once more from none
            self._highs.run()
        status = self._highs.getModelStatus()
        if status == self._infeasible:
            return None
        if status != self._optimal:
            raise PanicError(f"a linear program ended with {status}")
        solution = self._highs.getSolution()
        value = float(self._highs.getInfo().objective_function_value)
        return value, np.array(solution.col_value), np.array(solution.row_dual)

    def _surpluses(self, allowed: Ints, duals: Floats) -> Floats:
        paid = np.append(duals[: self.n_types], 0.0)
        surpluses: Floats = self.costs[allowed] - paid[self.members[allowed]].sum(axis=1)
        for row in np.flatnonzero(duals[self.n_types :]):
            surpluses -= duals[self.n_types + row] * self._uses[row][allowed]
        return surpluses

    def _restrict(self, allowed: Ints, rows: Limits, times: Limits) -> None:
        """Set the limits of all columns and rows."""
        n = len(self._class)
        low, high = np.zeros(n), np.where(self._class < 0, np.inf, 0.0)
        places = self._place[allowed]
        high[places[places >= 0]] = np.inf
        for chosen, (least, most) in times.items():
            place = self._place[chosen]
            low[place], high[place] = least, min(most, high[place])
        self._highs.changeColsBounds(n, np.arange(n, dtype=np.int32), low, high)
        for row in self._changed | rows.keys():
            self._highs.changeRowBounds(self.n_types + row, *rows.get(row, self._usual[row]))
        self._changed = set(rows)

    def _raise_stand_ins(self) -> None:
        self._dear *= DEARER
        for column in np.flatnonzero(self._class < 0):
            self._highs.changeColCost(int(column), self._dear)

    def _stand_in(self, row: int) -> None:
        """Add a column that does what a row asks for, at a price that is not worth it."""
        self._highs.addCol(self._dear, 0.0, np.inf, 1, np.array([row], np.int32), np.ones(1))
        self._class = np.append(self._class, -1)
