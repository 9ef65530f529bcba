"""Words and panels that the exhibits of this study share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nymity_lab.study.exhibit import Panel, Value
from nymity_lab.study.exhibit_parts import where
from nymity_lab.study.study import Results, Row
from nymity_robust.thesis import ENSEMBLE, NOISY

DEFENCES = {ENSEMBLE: "vote", NOISY: "vote with noise"}
ANSWERS = ("correct", "target", "other")
DATA = {"mnist": "MNIST", "cifar10": "CIFAR-10", "generated": "generated images"}


def data_of(results: Results) -> list[str]:
    """Return the data sets of a run."""
    return list(results.by_step)


def one(results: Results, data: str, kind: str, **wanted: object) -> Row:
    """Return the only such row."""
    (row,) = where([row for row in results.rows(data) if row["kind"] == kind], **wanted)
    return row


def outcome(results: Results, data: str, defence: str, attack: str) -> Row:
    """Return how a defence answered an attack."""
    return one(results, data, "outcome", defence=defence, name=attack)


def panels_of(results: Results, title: str, measure: str, values: Any, *, across: str = "answer") -> tuple[Panel, ...]:
    """Make one panel for each data set from ``values(data)``, which yields (series, at, ours, paper)."""
    return tuple(
        Panel(
            title=f"{title}, {DATA[data]}",
            across=across,
            measure=measure,
            values=tuple(Value(series=s, at=at, ours=ours, paper=paper) for s, at, ours, paper in values(data)),
            plot="none",
        )
        for data in data_of(results)
    )


def percents(shares: Iterable[dict[str, Any]]) -> list[float]:
    """Return shares in percent."""
    return [100 * share["share"] for share in shares]


def interval(share: dict[str, Any]) -> str:
    """Write ``93.8% (91.0 to 95.9)``."""
    return f"{share['share']:.1%} ({100 * share['low']:.1f} to {100 * share['high']:.1f})"


def above(share: dict[str, Any], other: dict[str, Any] | float, *, by: float = 0.0) -> bool | None:
    """Return whether a share is above another one, or a number, by that much; None where the intervals cannot tell."""
    low, high = (other["low"], other["high"]) if isinstance(other, dict) else (other, other)
    if share["low"] > high + by:
        return True
    return False if share["high"] < low + by else None


def papers(table: dict[str, dict[str, Any]], data: str, defence: str, n: int) -> Sequence[float | None]:
    """Return what the thesis prints for a data set and defence, or nothing n times."""
    found: Sequence[float | None] = table.get(data, {}).get(defence, (None,) * n)
    return found
