"""Exhibit: a table or figure of a paper, what the paper reads from it, and what we find."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Cell = int | float | str


@dataclass(frozen=True, kw_only=True)
class Value:
    """Our value beside the paper's, of a ``series`` (such as a method) ``at`` a place (such as a number of records).

    ``paper`` is None where the paper gives none, as with points of a plot that it does not print.
    """

    series: str
    at: Cell
    ours: Cell | None
    paper: Cell | None = None

    @property
    def difference(self) -> float | str | None:
        """Ours minus the paper's for numbers; for words whether they are the same; None where one is missing."""
        if self.ours is None or self.paper is None:
            return None
        if isinstance(self.ours, str) or isinstance(self.paper, str):
            return "same" if self.ours == self.paper else "differs"
        return self.ours - self.paper


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One part of an exhibit: a ``measure`` of several series ``across`` something.

    Drawn as lines over a linear or logarithmic axis, as bars where there is one place alone, as single points (many, so
    that no table shows them again), or not at all.
    """

    title: str
    across: str
    measure: str
    values: tuple[Value, ...]
    plot: Literal["linear", "log", "points", "none"] = "linear"

    @property
    def compares(self) -> bool:
        """Whether the paper gives a value for any of ours."""
        return any(value.paper is not None for value in self.values)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What the paper says, in our words, and what our figures say to that; ``holds`` is None where they cannot tell.

    Figures are not ``comparable`` where the paper's are of something else than ours, or it does not say of what.
    """

    paper: str
    ours: str
    holds: bool | None
    comparable: bool = True

    @property
    def verdict(self) -> str:
        """The answer in a few words."""
        if not self.comparable:
            return "not comparable"
        return "not decided" if self.holds is None else "holds" if self.holds else "does not hold"


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A table or figure, numbered and titled as in the paper; ``notes`` say what differs from the paper's setting."""

    number: str
    title: str
    panels: tuple[Panel, ...]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, with differences and verdicts."""
        panels = [
            asdict(panel) | {"values": [asdict(value) | {"difference": value.difference} for value in panel.values]}
            for panel in self.panels
        ]
        findings = [asdict(finding) | {"verdict": finding.verdict} for finding in self.findings]
        return asdict(self) | {"panels": panels, "findings": findings}
