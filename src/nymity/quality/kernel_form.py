"""KernelForm: a loss and its floor as numbers for a kernel, so that a search asks no Python at each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nymity.kernels import frontier as kernel
from nymity.quality.aggregation import Aggregate, arithmetic, geometric, maximum, total
from nymity.quality.node_statistics import Floats, Ints

#: Aggregations that the kernel knows, and what weights are divided by.
_KINDS: dict[Aggregate, tuple[int, str]] = {
    total: (kernel.SUM, ""),
    arithmetic: (kernel.SUM, "sum"),
    geometric: (kernel.GEOMETRIC, "sum"),
    maximum: (kernel.MAXIMUM, "max"),
}


@dataclass(frozen=True, eq=False)
class KernelForm:
    """A formula of :mod:`nymity.kernels.frontier`, (kind, base, rate, share, weights, scale, everything, dearest).

    prefer (m, levels): an interval is split where this rises most. further: what the loss asks for beside counts and
    sums over suppressed records. by_size: it holds where the size of a class decides, and nowhere else.
    """

    kind: int
    base: Floats
    rate: Floats
    share: Floats
    weights: Floats
    prefer: Floats
    scale: float = 0.0
    everything: float = 0.0
    dearest: Floats | Ints | None = None
    further: int = kernel.NOTHING
    by_size: bool = False

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        dearest = np.full(self.base.shape, 2.0**62) if self.dearest is None else self.dearest
        parts = (self.base, self.rate, self.share, self.weights, dearest)
        *tables, dearest = (np.ascontiguousarray(part, dtype=np.float64) for part in parts)
        return (self.kind, *tables, float(self.scale), float(self.everything), dearest)


def form_of_parts(
    base: Floats, rate: Floats, share: Floats, aggregate: Aggregate, weights: Floats, *,
    dearest: Floats | Ints | None = None, further: int = kernel.NOTHING,
) -> KernelForm | None:  # fmt: skip
    """Return the form of a loss that aggregates base[a, l] + S * rate[a, l] + share[a] * lost[a]; None for rank.

    base, rate, dearest (m, levels), share, weights (m,). S records have at most S * dearest of lost at a level.
    """
    if aggregate not in _KINDS:
        return None
    kind, divided_by = _KINDS[aggregate]
    whole = {"": 1.0, "sum": weights.sum() or 1.0, "max": weights.max() or 1.0}[divided_by]
    weighed = weights / whole
    prefer = weighed[:, None] * (np.log1p(base) if kind == kernel.GEOMETRIC else base)
    return KernelForm(kind, base, rate, share, weighed, prefer, dearest=dearest, further=further)


def form_of_classes(
    bits: Floats, sign: int, *, kind: int, scale: float, everything: float, further: int = kernel.NOTHING
) -> KernelForm:
    """Return the form of a loss over classes with the floor scale * 2^(sign * sum of the levels' bits), (m, levels)."""
    none = np.zeros_like(bits)
    share = np.full(len(bits), float(sign))
    return KernelForm(
        kind, bits, none, share, share, sign * bits, scale=scale, everything=everything, further=further, by_size=True
    )
