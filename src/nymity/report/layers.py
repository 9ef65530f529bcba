"""Layers of a plot as Vega-Lite writes them: marks with what they encode, one above another.

Axes, scales, legends and channels are plain mappings of Vega-Lite's own names; what is None is written as ``null``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Plain = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class PlotLayer:
    """One layer; each method returns it with something more."""

    encoding: Plain = field(default_factory=dict)
    drawn: Plain = field(default_factory=dict)
    transforms: tuple[Plain, ...] = ()

    def encode(self, **channels: Any) -> PlotLayer:
        """Say what channels such as ``x`` and ``color`` show."""
        return replace(self, encoding={**self.encoding, **channels})

    def mark(self, kind: str, **style: Any) -> PlotLayer:
        """Draw it with a kind of mark."""
        return replace(self, drawn={"type": kind, **style})

    def where(self, condition: str) -> PlotLayer:
        """Draw no rows but those that satisfy an expression."""
        return replace(self, transforms=(*self.transforms, {"filter": condition}))

    def fitted(self, across: str, measure: str, by: Sequence[str]) -> PlotLayer:
        """Draw the line that fits rows best, one for each group."""
        fit = {"on": across, "regression": measure, "groupby": list(by)}
        return replace(self, transforms=(*self.transforms, fit))

    def to_dict(self) -> dict[str, Any]:
        """Return it as Vega-Lite has it."""
        transforms = {"transform": list(self.transforms)} if self.transforms else {}
        return {"mark": dict(self.drawn), "encoding": dict(self.encoding), **transforms}
