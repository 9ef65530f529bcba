"""What a partition method answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nymity.table.outcome import ByValues, MethodLoss, WithoutLattice
from nymity.table.partition_recoding import PartitionRecoding


@dataclass(frozen=True, kw_only=True)
class InformationLoss(MethodLoss):
    """What partition methods keep small: the width of a record's cells, summed over records and attributes.

    The sum (3.2.21) of Liang (2020), (3.2.34) with weights; see :mod:`nymity.partition.geometry`.
    """

    key = "information-loss"
    title = "information loss, the widths of all cells as shares of their attributes, summed"


@dataclass(frozen=True, kw_only=True)
class SuppressedCells(MethodLoss):
    """What cell suppression keeps small: each suppressed cell counts the weight of its column, over the mean weight."""

    key = "suppressed-cells"
    title = "suppressed cells, each counted with the weight of its column"


@dataclass(frozen=True, kw_only=True)
class LostCells(MethodLoss):
    """What generalization and cell suppression lose together, in cells of mean weight.

    A suppressed cell counts 1; a generalized one that stands for v of the D values of its domain (v - 1) / (D - 1),
    which is 0 for a value as it was. Each counts with the weight of its column, over the mean weight.
    """

    key = "lost-cells"
    title = "suppressed cells, and of generalized ones the share of their domain, each with the weight of its column"


@dataclass(frozen=True, kw_only=True)
class WithinGroups(MethodLoss):
    """What microaggregation keeps small: how much of what records differ by lies within groups, the mean over columns.

    Of numbers the sum of squared distances to group means over that to the mean of all (SSE/SST), of values in an order
    the same with distances to medians, of others the records whose value is not the most frequent, of columns on levels
    the share of suppressed cells.
    """

    key = "within-groups"
    title = "differences within groups, as a share of all differences"


@dataclass(frozen=True, eq=False, kw_only=True)
class PartitionOutcome(WithoutLattice):
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
    minimized: MethodLoss = InformationLoss()
    suppressed: int = 0

    def searched(self) -> dict[str, Any]:
        """Return why a search for a proof ended without one."""
        return {} if self.stopped is None else {"stopped": self.stopped}

    def chosen_by_values(self, *, promised: bool) -> str:
        """Say so if a model turned down a class or a cut for its sensitive values."""
        return ByValues.CUTS if self.by_values else ""


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralizedOutcome(PartitionOutcome):
    """A partition with the levels that were chosen for its columns.

    ``exhaustive``: every choice of levels was tried, or cannot lose less than the chosen one. Choice and proof are
    functions of quasi-identifiers, for no model of values is asked before levels are chosen.
    """

    chosen: Mapping[str, int]
    exhaustive: bool

    @property
    def levels(self) -> Mapping[str, int]:
        """Those of cells that are not suppressed."""
        return dict(self.chosen)

    def searched(self) -> dict[str, Any]:
        """Return the levels, and whether all choices were compared."""
        return {**super().searched(), "levels": dict(self.chosen), "exhaustive": self.exhaustive}
