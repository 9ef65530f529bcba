"""What a partition method answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from nymity.table.outcome import CUTS_BY_VALUES
from nymity.table.partition_recoding import PartitionRecoding


@dataclass(frozen=True, kw_only=True)
class InformationLoss:
    """What partition methods keep small: the width of a record's cells, summed over records and attributes.

    The sum (3.2.21) of Liang (2020), (3.2.34) with weights; see :mod:`nymity.partition.geometry`.
    """

    key = "information-loss"
    title = "information loss, the widths of all cells as shares of their attributes, summed"

    @property
    def name(self) -> str:
        """The key; there are no parameters."""
        return self.key


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionOutcome:
    """A partition with its recoding, and how it was found.

    ``optimal``: proved that no partition has a smaller loss; ``bound``: proved that none has a smaller loss than this.
    ``stopped``: why a search for a proof ended without one, such as "at the time limit"; None for any other.

    ``by_values``: whether sensitive values had a say in more than the classes show, because a model turned down a class
    or a cut on the way. If not, all that models were asked about are unions of the classes: every other table whose
    classes have the same values would have been divided just so, and who knows the program learns no more than the
    classes show. If so, more can be inferred, up to certainty. A refinement asks about classes that it changes later,
    which none of this covers: always so where a model looks at values.
    """

    recoding: PartitionRecoding
    loss: float
    classes: int
    optimal: bool
    bound: float | None = None
    stopped: str | None = None
    by_values: bool = False
    minimized: InformationLoss = InformationLoss()
    suppressed: int = 0
    levels: ClassVar[Mapping[str, int]] = MappingProxyType({})
    checks: ClassVar[None] = None
    lattice_size: ClassVar[None] = None
    foreseen: ClassVar[bool] = False

    @property
    def gap(self) -> float | None:
        """How much less another partition could lose, as a share of this one's loss; None where nothing is proved."""
        if self.optimal or self.loss == 0:
            return 0.0
        return None if self.bound is None else 1 - self.bound / self.loss

    def searched(self) -> dict[str, Any]:
        """Return why a search for a proof ended without one."""
        return {} if self.stopped is None else {"stopped": self.stopped}

    def trace(self) -> None:
        """There are no nodes."""

    def chosen_by_values(self, *, promised: bool) -> str:
        """Say so if a model turned down a class or a cut for its sensitive values."""
        return CUTS_BY_VALUES if self.by_values else ""
