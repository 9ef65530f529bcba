"""How results of this study become panels and findings: ratios of one method to another, and words for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from statistics import mean

from nymity_lab.study.exhibit import Panel, Value
from nymity_lab.study.exhibit_parts import figure
from nymity_lab.study.study import Row, Rows

#: Records, attributes and k.
Setting = tuple[int, int, int]
Ratios = dict[Setting, float]

#: Ratios nearer to 1 decide nothing: another draw of records may turn them.
MARGIN = 0.01

LOSS = "information loss, summed over records"
SPEED = (
    "Times are CPU seconds of compiled code on one thread; the thesis measures Python programs, and Gurobi where "
    "something is solved, on eight cores. Ratios of times are therefore those of other programs."
)
CENSUS = (
    "The census is the American Community Survey of 2018, where the thesis has an extract of IPUMS of 500,000 records "
    "that cannot be had; occupations are 50 groups (there 47), birthplaces 223 (there 83)."
)
ONE_DRAW = (
    "One draw of records, as in the thesis: ratios within 1% of each other are taken for equal, and decide nothing."
)
FOUR = "Which four attributes the thesis takes it does not say; here they are gender, age, marital status and race."


def ratios(rows: Iterable[Row], over: str, under: str, key: str = "loss") -> Ratios:
    """Return how many times as much ``over`` has as ``under``, by setting; where both have nothing, 1."""
    found = {(row["n"], row["m"], row["k"], row["method"]): row[key] for row in rows}
    settings = dict.fromkeys((n, m, k) for n, m, k, _ in found)
    both = {s: (found.get((*s, over)), found.get((*s, under))) for s in settings}
    return {s: _ratio(a, b) for s, (a, b) in both.items() if a is not None and b is not None}


def _ratio(over: float, under: float) -> float:
    return 1.0 if over == under else over / max(under, 1e-9)


def at(ratios: Ratios, *, n: int | None = None, m: int | None = None, k: int | None = None) -> Ratios:
    """Return those of some settings."""
    return {s: r for s, r in ratios.items() if all(w in (None, v) for v, w in zip(s, (n, m, k), strict=True))}


def by(ratios: Ratios, place: int) -> dict[int, float]:
    """Return the mean over all settings that share the number at a place: 0 for n, 1 for m, 2 for k."""
    keys = sorted({setting[place] for setting in ratios})
    return {key: mean(ratio for setting, ratio in ratios.items() if setting[place] == key) for key in keys}


def less(found: Iterable[float]) -> bool | None:
    """Return whether all ratios are clearly below 1; None where one is too near to it, and none is clearly above."""
    values = list(found)
    if any(value > 1 + MARGIN for value in values):
        return False
    return True if all(value < 1 - MARGIN for value in values) else None


def grows(values: Mapping[int, float]) -> bool | None:
    """Return whether each value is clearly above the one before."""
    return less(a / b for a, b in pairwise(values.values()))


def listed(values: Mapping[int, float], what: str) -> str:
    """Write ``1.02 (k=3), 0.97 (k=5)``."""
    return ", ".join(f"{figure(value)} ({what}={key:,})" for key, value in values.items())


def panel(rows: Rows, title: str, *, across: str, key: str, measure: str, log: bool = False) -> Panel:
    """Return a panel with a series for each method."""
    values = [Value(series=row["method"], at=row[across], ours=row[key]) for row in rows]
    return Panel(
        title=title, across=_NAMES[across], measure=measure, values=tuple(values), plot="log" if log else "linear"
    )


_NAMES = {"n": "records", "m": "attributes", "k": "k"}
