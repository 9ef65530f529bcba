"""Plan: how many buckets of which sizes, which records go where, and what is proved of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from nymity.bucket.assignment import Violation
from nymity.bucket.problem import Ints, Value
from nymity.core.card import Card, Carded, CardTable


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Plan(Carded):
    """A setting: ``buckets[j]`` buckets of ``sizes[j]`` records, and how many records of each value go there.

    records: (n_values, n_sizes), all zero where the setting is not valid. loss: the sum of (size - 1)^2 over buckets
    (Wang 2014, equation 3.2). bound: no setting that the method ranges over has less, None where that is unknown;
    ``optimal`` if it equals the loss. violation: the condition that a setting breaks which is not valid.
    """

    values: tuple[Value, ...]
    counts: tuple[int, ...]
    thresholds: tuple[Fraction, ...]
    sizes: tuple[int, ...]
    buckets: tuple[int, ...]
    records: Ints
    method: str
    bound: int | None = None
    violation: Violation | None = None
    seconds: float = 0.0

    @property
    def loss(self) -> int:
        """The sum of (size - 1)^2 over all buckets."""
        return sum(b * (s - 1) ** 2 for s, b in zip(self.sizes, self.buckets, strict=True))

    @property
    def optimal(self) -> bool:
        """Whether it is proved that nothing the method ranges over has less loss."""
        return self.bound == self.loss

    @property
    def valid(self) -> bool:
        """Whether the records fit the buckets and keep every threshold."""
        return self.violation is None

    @property
    def information_loss(self) -> float:
        """The loss between 0 and 1 (definition 7): sqrt(loss) / (records - 1)."""
        n = sum(self.counts)
        return self.loss**0.5 / (n - 1) if n > 1 else 0.0

    def card(self) -> Card:
        """Return what is shown: how many buckets of which size, and no value."""
        rows = [(size, number, size * number) for size, number in zip(self.sizes, self.buckets, strict=True)]
        return Card(
            title=f"Plan of buckets by {self.method}",
            verdict="not valid" if not self.valid else "proved optimal" if self.optimal else "valid",
            tone="good" if self.valid else "bad",
            facts=[
                ("records", sum(self.counts)),
                ("values", len(self.values)),
                ("loss", self.loss),
                ("bound", self.bound),
            ],
            tables=[CardTable(columns=("bucket size", "buckets", "records"), rows=rows, bars="records")],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain types, thresholds as fractions; values stay what they are."""
        return {
            "method": self.method,
            "values": list(self.values),
            "counts": list(self.counts),
            "thresholds": [str(share) for share in self.thresholds],
            "sizes": list(self.sizes),
            "buckets": list(self.buckets),
            "records": self.records.tolist(),
            "loss": self.loss,
            "bound": self.bound,
            "optimal": self.optimal,
            "valid": self.valid,
            "violation": None if self.violation is None else str(self.violation),
            "seconds": self.seconds,
        }
