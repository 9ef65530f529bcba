"""What an exact method proved."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.partition.geometry import Ints

#: Below this share of the value a gap is rounding: the proof rests on sums and linear programs in double precision.
TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best partition found: the class of each record (n,), what it costs, and a proven lower bound of any's cost.

    ``columns``: classes that were priced one by one. ``cuts``: inequalities added to the linear program.
    ``nodes``: linear programs of branching on pairs.
    ``integral``: the linear program alone, without cuts for triples or enumeration, proved the optimum.
    ``stopped``: why the search ended without a proof, None with one.
    """

    classes: Ints
    value: float
    bound: float
    columns: int = 0
    cuts: int = 0
    nodes: int = 0
    integral: bool = False
    stopped: str | None = None

    @property
    def gap(self) -> float:
        """How much cheaper another partition could be at most, as a share of the value."""
        return max(self.value - self.bound, 0.0) / self.value if self.value > 0 else 0.0

    @property
    def optimal(self) -> bool:
        """Whether it is proved that none is cheaper."""
        return self.gap <= TOLERANCE
