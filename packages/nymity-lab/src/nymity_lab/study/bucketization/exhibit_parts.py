"""What the exhibits of this study share: panels by data set, figures by setting, and what differs from the thesis."""

from __future__ import annotations

from typing import Literal

from nymity_lab.study.exhibit import Panel, Value
from nymity_lab.study.exhibit_parts import where
from nymity_lab.study.study import Rows

CENSUS = (
    "The census is the American Community Survey of 2018, where the thesis has an extract of 500,000 records that "
    "cannot be had. Education has 24 values (there 14), some of them rare, occupations are 50 groups made from codes, "
    "birthplaces 223 (there 83 countries). Records are the first ones of a random order with a fixed seed."
)
NAMES = {"theta": "theta", "n": "records", "gamma": "scale-up factor"}

Figures = dict[int, float]


def panel(
    rows: Rows, title: str, *, across: str, key: str, measure: str, plot: Literal["linear", "log"] = "linear"
) -> Panel:
    """Return a panel with a series for each method."""
    values = [Value(series=row["method"], at=row[across], ours=row[key]) for row in rows]
    return Panel(title=title, across=NAMES[across], measure=measure, values=tuple(values), plot=plot)


def figures(rows: Rows, data: str, method: str, *, across: str, key: str) -> Figures:
    """Return a method's figures on a data set, by theta, records or scale-up factor."""
    return {row[across]: row[key] for row in where(rows, data=data, method=method)}


def over(above: Figures, below: Figures) -> list[float]:
    """Return how many times as much one has as the other, at each place; where both have the same, also none, 1."""
    return [1.0 if above[place] == below[place] else above[place] / max(below[place], 1e-9) for place in above]


def growth(figures: Figures) -> float:
    """Return the last over the first."""
    values = list(figures.values())
    return values[-1] / values[0]
