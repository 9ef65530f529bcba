"""Front: the points that no other beats in both risk and usefulness. Exact: risks are fractions, usefulness counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """One release: its risk (lower is better), and how many test records were predicted rightly (higher is better).

    ``tie`` decides between releases that are equal in both: the smaller stands for them.
    """

    risk: Fraction
    right: int
    tie: Fraction = Fraction(0)


def front(points: Sequence[FrontPoint]) -> list[int]:
    """Return the places of the points that no other dominates, from the least risk to the most useful.

    One point dominates another if it is no worse in risk and in usefulness, and better in one. Of points that are equal
    in both, the one with the smallest ``tie`` is kept, of those the first.
    """
    order = sorted(range(len(points)), key=lambda i: (points[i].risk, -points[i].right, points[i].tie, i))
    kept: list[int] = []
    for place in order:
        if not kept or points[place].right > points[kept[-1]].right:
            kept.append(place)
    return kept
