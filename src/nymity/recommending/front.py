"""Front: the points that no other beats in both risk and usefulness. Exact: both are fractions. And its knee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """One release: its risk (lower is better), and how useful it is (higher is better).

    ``tie`` decides between releases that are equal in both: the smaller stands for them.
    """

    risk: Fraction
    useful: Fraction
    tie: Fraction = Fraction(0)


def front(points: Sequence[FrontPoint]) -> list[int]:
    """Return the places of the points that no other dominates, from the least risk to the most useful.

    One point dominates another if it is no worse in risk and in usefulness, and better in one. Of points that are equal
    in both, the one with the smallest ``tie`` is kept, of those the first.
    """
    order = sorted(range(len(points)), key=lambda i: (points[i].risk, -points[i].useful, points[i].tie, i))
    kept: list[int] = []
    for place in order:
        if not kept or points[place].useful > points[kept[-1]].useful:
            kept.append(place)
    return kept


def knee(points: Sequence[FrontPoint], *, nothing: FrontPoint, original: FrontPoint) -> int:
    """Return the place of the point where usefulness has risen most ahead of the logarithm of risk.

    The knee of Satopää, Albrecht, Irwin and Raghavan (2011): both axes are scaled to 0 … 1, and the point farthest
    above the diagonal is taken. Their ends are those of the curve; here they are what releases lie between, ``nothing``
    published and the ``original``, so that a front of one or two points has a knee, too. Of equal ones, that with the
    least risk.
    """
    wide, high = log(original.risk / nothing.risk), float(original.useful - nothing.useful)

    def ahead(place: int) -> float:
        useful = float(points[place].useful - nothing.useful) / high if high > 0 else 0.0
        risk = log(points[place].risk / nothing.risk) / wide if wide > 0 else 0.0
        return useful - risk

    return max(range(len(points)), key=lambda place: (ahead(place), -points[place].risk))
