"""Audit: how large the epsilon of a method must be at least, by what it shows of two tables in many runs.

A claim can be refuted by runs, never confirmed: a method that passes may still leak in ways that were not looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import log
from typing import TypeVar

from nymity.core.confidence_intervals import clopper_pearson
from nymity.core.validation import number, whole_number
from nymity.dp.parameters import Number, fraction_between

Table = TypeVar("Table")


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit:
    """What runs prove about a method, but for a probability of ``error``.

    It is not (e, ``delta``)-differentially private for any e below ``epsilon``. ``event`` is the set of outcomes that
    shows it: it came ``often`` times in ``runs`` with one of both tables, and ``seldom`` with the other.
    """

    epsilon: float
    delta: float
    error: float
    event: frozenset[Hashable]
    often: int
    seldom: int
    runs: int

    def refutes(self, epsilon: Number) -> bool:
        """Return whether the method breaks a claim of this epsilon, with the delta that was audited."""
        return self.epsilon > float(epsilon)


def audit(
    mechanism: Callable[[Table], Hashable],
    table: Table,
    neighbour: Table,
    *,
    runs: int,
    delta: Number = 0,
    error: Number = 1e-6,
) -> Audit:
    """Run a mechanism on two tables that differ in one record, and bound its epsilon from below.

    ``mechanism`` draws anew at every call, and returns what an outsider sees or a part of it: levels and number of
    rows, say. Outcomes that hardly ever repeat prove nothing; return fewer of them.

    (epsilon, delta)-differential privacy says P[event | table] ≤ e^epsilon P[event | neighbour] + delta, in both
    directions. Half of the ``runs`` with each table choose the direction and the event. The other half, which know
    nothing of that choice, give intervals of both probabilities after Clopper and Pearson (1934), each wrong with
    probability error / 2; so epsilon ≥ ln((lowest of the one - delta) / highest of the other).
    """
    whole_number("runs", runs, at_least=4)
    number("delta", delta, at_least=0, at_most=1)
    allowed, wrong = float(delta), float(fraction_between("error", error, 0, 1))
    half = runs // 2
    seen = [[Counter(mechanism(side) for _ in range(half)) for side in (table, neighbour)] for _ in range(2)]
    choosing, deciding = seen
    # Both directions: a mechanism may hide the absence of a record and not its presence.
    ways = [(*_event(choosing[i], choosing[1 - i], half, allowed, wrong), i) for i in (0, 1)]
    _, event, way = max(ways, key=lambda found: found[0])
    # Counted in the other half: on the draws that chose it, the event would look too likely.
    often, seldom = (sum(side[outcome] for outcome in event) for side in (deciding[way], deciding[1 - way]))
    epsilon = least_epsilon(often, seldom, half, delta=allowed, error=wrong)
    return Audit(epsilon=epsilon, delta=allowed, error=wrong, event=event, often=often, seldom=seldom, runs=half)


def least_epsilon(often: int, seldom: int, runs: int, *, delta: float, error: float) -> float:
    """Return ln((p - delta) / q), at least 0, for a lower bound p and an upper bound q of two probabilities."""
    low, high = clopper_pearson(often, runs, error=error)[0], clopper_pearson(seldom, runs, error=error)[1]
    return max(log((low - delta) / high), 0.0) if low > delta else 0.0


def _event(
    likely: Counter[Hashable], unlikely: Counter[Hashable], runs: int, delta: float, error: float
) -> tuple[float, frozenset[Hashable]]:
    """Return the set of outcomes that speaks most for one table, and what it would prove.

    By Neyman and Pearson it is one of those that have all outcomes from some ratio of probabilities on.
    """
    # + 1, so that what the other table never showed is no division by zero; any order proves only what is counted.
    ordered = sorted(likely, key=lambda outcome: likely[outcome] / (unlikely[outcome] + 1), reverse=True)
    best, size, often, seldom = 0.0, 0, 0, 0
    for i, outcome in enumerate(ordered):
        often, seldom = often + likely[outcome], seldom + unlikely[outcome]
        proved = least_epsilon(often, seldom, runs, delta=delta, error=error)
        if proved > best:
            best, size = proved, i + 1
    return best, frozenset(ordered[:size])
