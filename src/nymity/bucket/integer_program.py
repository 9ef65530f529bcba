"""Several sizes, with proof: the integer program of Wang (2014, section 6.1), in numbers of buckets alone.

There the unknowns are b_j, the buckets of each size, and v_ij, the records of value i in them. Given the b_j, the v_ij
are a flow (:mod:`nymity.bucket.assignment`), so they can be left out in exchange for the conditions on its existence:

minimize   sum_j (S_j - 1)^2 b_j
such that  sum_j S_j b_j = n
           sum_j c_ij b_j >= o_i                                            for each value i
           sum_{j in J} (S_j - sum_{i not in A} c_ij) b_j <= sum_{i in A} o_i     for sets J of sizes and A of values
           b_j a whole number

where c_ij = floor(f'_i S_j). The last lines say for every A what the values can fill of J: the right choice is those
with o_i < sum_{j in J} c_ij b_j. They are too many to write down, and few matter. Those for the smallest sizes together
are added as the linear relaxation breaks them; then whole numbers are asked for, and the flow decides whether they are
a setting or shows the next line they break. All that is solved has fifty unknowns instead of thousands.

The loss is a whole number too, so a bound above loss - 1 proves the optimum. HiGHS works in floating point; what it
returns is checked in integers, and its bound is taken down by a tolerance before it is rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.bucket.assignment import Violation, assign
from nymity.bucket.best_setting import BestSetting, Watch
from nymity.bucket.problem import BucketProblem, Ints
from nymity.bucket.top_down import top_down
from nymity.core.extras import require

#: By so much a bound may be too high in floating point and still be rounded up to the right whole number.
TOLERANCE = 0.01
#: By so many records a condition must be broken to be added, and so many are added together.
BROKEN, TOGETHER = 1e-4, 10


def optimal(problem: BucketProblem, watch: Watch) -> BestSetting:
    """Return the best setting of any sizes, or the best found in time."""
    return improve(problem, top_down(problem, watch).buckets, watch)


def improve(problem: BucketProblem, start: Ints | None, watch: Watch) -> BestSetting:
    """Return the best setting, given one to start from or none."""
    conditions = Conditions(problem)
    answer = conditions.solve(watch)
    while answer.buckets is not None and conditions.add_prefixes(answer.buckets) and watch.left > 0:
        answer = conditions.solve(watch)
    bound = max(answer.bound, problem.least_loss)
    while watch.left > 0:
        answer = conditions.solve(watch, start, integral=True)
        bound = max(bound, answer.bound)
        if answer.infeasible and start is None:
            return BestSetting(None, complete=True)
        if answer.buckets is None:
            break
        setting = np.rint(answer.buckets).astype(np.int64)
        checked = assign(problem, setting)
        if not isinstance(checked, Violation):
            start = setting if start is None or problem.loss(setting) < problem.loss(start) else start
            break
        if not conditions.add(np.isin(problem.sizes, checked.sizes), setting):
            break
    if start is None:
        return BestSetting(None, bound)
    bound = min(bound, problem.loss(start))
    return BestSetting(start, bound, complete=bound == problem.loss(start))


@dataclass(frozen=True)
class SolverAnswer:
    """What HiGHS found (n_sizes,), if anything, and a bound of the loss as far as it came."""

    buckets: NDArray[np.float64] | None
    bound: int
    infeasible: bool


class Conditions:
    """The lines of the program so far, as low <= rows @ b <= high."""

    def __init__(self, problem: BucketProblem) -> None:
        self._highspy = require("highspy", extra="exact", purpose="the integer program for buckets")
        self._problem = problem
        caps, same = np.unique(problem.caps, axis=0, return_inverse=True)
        most = np.zeros(len(caps), dtype=np.int64)  # of values with the same caps the most frequent one decides
        np.maximum.at(most, same, problem.counts)
        self._rows = [problem.sizes, *caps]
        self._low = [float(problem.n_records), *most.astype(float)]
        self._high = [float(problem.n_records), *[np.inf] * len(most)]
        self._known: set[bytes] = set()

    def add_prefixes(self, buckets: NDArray[np.float64]) -> int:
        """Add the lines that these buckets break most, among those for the smallest sizes; return how many are new."""
        problem = self._problem
        filled = np.minimum((problem.caps * buckets).cumsum(axis=1), problem.counts[:, None]).sum(axis=0)
        broken = (problem.sizes * buckets).cumsum() - filled
        worst = [s for s in np.argsort(-broken)[:TOGETHER] if broken[s] > BROKEN]
        return sum(self.add(np.arange(len(buckets)) <= s, buckets) for s in worst)

    def add(self, sizes: NDArray[np.bool_], buckets: NDArray[np.float64] | Ints) -> bool:
        """Add the line on filling these sizes that is hardest for these buckets; return whether it is new."""
        problem = self._problem
        all_in = problem.counts < problem.caps[:, sizes] @ buckets[sizes]
        row = np.where(sizes, problem.sizes - problem.caps[~all_in].sum(axis=0), 0)
        if (line := row.tobytes() + all_in.tobytes()) in self._known:
            return False
        self._known.add(line)
        self._rows.append(row)
        self._low.append(-np.inf)
        self._high.append(float(problem.counts[all_in].sum()))
        return True

    def solve(self, watch: Watch, start: Ints | None = None, *, integral: bool = False) -> SolverAnswer:
        """Minimize the loss under the lines so far, in whole numbers or not."""
        highspy, n = self._highspy, len(self._problem.sizes)
        highs, every = self._program(), np.arange(n, dtype=np.int32)
        if integral:
            highs.changeColsIntegrality(n, every, np.full(n, highspy.HighsVarType.kInteger))
        if start is not None:
            highs.setSolution(n, every, start.astype(np.float64))
        _run(highs, watch, None if start is None else self._problem.loss(start))
        status, info = highs.getModelStatus(), highs.getInfo()
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        proved = status == highspy.HighsModelStatus.kOptimal
        value = info.mip_dual_bound if integral else info.objective_function_value if proved else 0.0
        return SolverAnswer(
            np.array(highs.getSolution().col_value) if found else None,
            # losses are whole numbers, so a bound between two of them is the upper one
            ceil(value - TOLERANCE) if isfinite(value) else 0,
            status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible),
        )

    def _program(self) -> Any:
        highs, n, none = self._highspy.Highs(), len(self._problem.sizes), np.empty(0, dtype=np.int32)
        # losses are whole numbers: a gap below 1 is already a proof
        for option, value in {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 0.9}.items():
            highs.setOptionValue(option, value)
        costs = self._problem.costs.astype(np.float64)
        highs.addCols(n, costs, np.zeros(n), np.full(n, np.inf), 0, none, none, np.empty(0))
        rows = np.array(self._rows)
        row, column = np.nonzero(rows)
        starts = np.searchsorted(row, np.arange(len(rows))).astype(np.int32)
        entries = rows[row, column].astype(np.float64)
        low, high = np.array(self._low), np.array(self._high)
        highs.addRows(len(rows), low, high, len(row), starts, column.astype(np.int32), entries)
        return highs


def _run(highs: Any, watch: Watch, best: int | None) -> None:
    """Solve, asking the observer about every second whether to go on."""
    highs.setOptionValue("time_limit", float(min(max(watch.left, 0.0), 1e9)))
    highs.HandleUserInterrupt = True
    highs.startSolve()
    try:
        waited = 0
        while not highs.wait(1.0)[0]:
            waited += 1
            watch.report("integer program", waited, best=best)
    except BaseException:
        # the solver runs in a thread of its own, which an interrupt of ours would leave running
        highs.cancelSolve()
        highs.wait()
        raise
