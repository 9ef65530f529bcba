"""Local recoding: partitions of the records into classes, each published with cells of its own."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    class_cells="CLASS_FORMS",
    exact="ExactPartition",
    exact_suppression="ExactSuppression",
    generalized_suppression="GeneralizedSuppression",
    freeform="FreeformGreedy FreeformHungarian FreeformSortGreedy",
    greedy_search="GreedySearch",
    group_means="GroupMeans",
    k_member="KMember",
    mondrian="Mondrian",
    outcome="LostCells SuppressedCells",
    problem="EQUAL_RECORDS",
    refine="Refine",
    row_suppression="SubsetSuppression WildcardSuppression",
    sorted_groups="SortedGroups",
    split_carry="SplitCarry",
    suppression="CellSuppression",
)
