"""ExactSuppression: the fewest suppressed cells of all, with proof.

The question is that of :mod:`nymity.partition.exact`, choose classes of k to 2k - 1 that hold each record once, with
another cost of a class; so is the proof. What is proved is rounded up: with weights that are multiples of a unit, no
partition costs a part of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, gcd, lcm
from typing import ClassVar

from nymity.core import validation
from nymity.core.progress import Observer
from nymity.partition.exact import improve
from nymity.partition.method import DividingMethod, Partitioned, refuse_all_but_sizes
from nymity.partition.problem import PartitionProblem
from nymity.partition.suppression import CellSuppression, Suppression

#: Solvers' tolerances, as a share of a unit, far below which nothing is rounded up.
ROUNDING = Fraction(1, 10_000)


@dataclass(frozen=True, kw_only=True)
class ExactSuppression(Suppression, DividingMethod):
    """Suppress the fewest cells and prove it, or stop after so many ``seconds`` with the best and a proven bound.

    For tables of up to about a hundred different records. It looks at sizes of classes alone.
    """

    seconds: float | None = None

    key: ClassVar[str] = "exact-suppression"
    proves_optimum: ClassVar[bool] = True
    takes_persons: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seconds is not None:
            validation.number(f"{self.key}.seconds", self.seconds, above=0)

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Start from what the heuristic finds."""
        refuse_all_but_sizes(self.key, problem)
        start = CellSuppression(levels=self.levels).divide(problem, observe)
        geometry, unit = problem.geometry, _unit(problem)
        best = improve(geometry, problem.k, start.assignment.class_of_records(), seconds=self.seconds, observe=observe)
        steps = Fraction(best.bound) / unit
        best = replace(best, bound=min(float(ceil(steps - ROUNDING) * unit), best.value))
        return Partitioned(
            problem.assignment(best.classes), best.optimal, best.bound, None if best.optimal else best.stopped
        )


def _unit(problem: PartitionProblem) -> Fraction:
    """Return the largest number that all weights are multiples of, as they count in the loss."""
    weights = [Fraction(weight) for weight in problem.table.weights]
    over = reduce(lcm, (weight.denominator for weight in weights))
    whole = reduce(gcd, (int(weight * over) for weight in weights))
    return Fraction(whole, over) / (sum(weights, Fraction(0)) / len(weights))
