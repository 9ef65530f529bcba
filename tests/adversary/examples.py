"""What every registered method is attacked with: variants of it, and promises that it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import nymity as ny

AGES = ny.Hierarchy.from_rows([["30", "3x", "*"], ["31", "3x", "*"], ["40", "4x", "*"]])
SCHEMA = ny.Schema({"age": ny.quasi(AGES), "s": ny.sensitive()})

#: Promises by name.
PROMISES: dict[str, list[Any]] = {
    "2-anonymity": [ny.KAnonymity(k=2)],
    "distinct 2-diversity": [ny.KAnonymity(k=2), ny.DistinctLDiversity(l=2, attribute="s")],
    "frequency 2-diversity": [ny.KAnonymity(k=2), ny.FrequencyLDiversity(l=2, attribute="s")],
    "x at most half": [ny.FPrivacy(thresholds={"x": 0.5}, attribute="s")],
    "shares of a half": [ny.FrequencyLDiversity(l=2, attribute="s")],
    "2-matching": [ny.KMatching(k=2)],
    "2-anonymity of a column": [ny.SubsetKAnonymity(k=2, m=1)],
    "2 rows and a half of a column": [ny.LKCPrivacy(l=1, k=2, c=0.5, attribute="s")],
    "2-anonymity with wildcards": [ny.WildcardKAnonymity(k=2)],
}
MONOTONE = ("2-anonymity", "distinct 2-diversity")
CLASSES = ("2-anonymity", "distinct 2-diversity", "frequency 2-diversity", "x at most half")


@dataclass(frozen=True)
class Example:
    """A method as it is attacked, and the names of promises that it takes."""

    method: Any
    promises: tuple[str, ...]
    variant: str = ""

    @property
    def name(self) -> str:
        """What it is called in worst.json."""
        return self.method.key + (f", {self.variant}" if self.variant else "")


#: By the key of the method. Whoever registers a method writes an example of it here.
EXAMPLES: dict[str, list[Example]] = {
    "optimal-lattice": [
        Example(ny.OptimalLattice(), CLASSES),
        Example(ny.OptimalLattice(suppression=0.5), CLASSES, "half masked"),
        Example(ny.OptimalLattice(suppression=0.5, outliers="remove"), CLASSES, "half removed"),
    ],
    "ola": [Example(ny.OLA(suppression=0.5), MONOTONE, "half masked")],
    "datafly": [Example(ny.Datafly(), CLASSES)],
    "samarati": [Example(ny.Samarati(), MONOTONE)],
    "mingen": [Example(ny.MinGen(), CLASSES)],
    "anytime-lattice": [Example(ny.AnytimeLattice(), CLASSES)],
    "top-down-specialization": [
        Example(
            ny.TopDownSpecialization(),
            ("2-anonymity", "2-anonymity of a column", "2 rows and a half of a column"),
        )
    ],
    "fixed-levels": [Example(ny.FixedLevels(suppression=0.5, levels={"age": 1}), CLASSES)],
    "iterative-recoding": [Example(ny.IterativeRecoding(), CLASSES)],
    "mondrian": [Example(ny.Mondrian(), CLASSES), Example(ny.Mondrian(cuts="relaxed"), CLASSES, "relaxed")],
    "sorted-groups": [Example(ny.SortedGroups(), CLASSES)],
    "greedy-search": [Example(ny.GreedySearch(), CLASSES)],
    "k-member": [Example(ny.KMember(), CLASSES)],
    "split-carry": [Example(ny.SplitCarry(), ("2-anonymity",))],
    "exact-partition": [Example(ny.ExactPartition(), ("2-anonymity",))],
    "cell-suppression": [
        Example(ny.CellSuppression(), CLASSES),
        Example(ny.CellSuppression(levels={"age": 1}), CLASSES, "generalized first"),
    ],
    "generalized-suppression": [Example(ny.GeneralizedSuppression(), CLASSES)],
    "exact-suppression": [Example(ny.ExactSuppression(), ("2-anonymity",))],
    "subset-suppression": [Example(ny.SubsetSuppression(), ("2-anonymity of a column",))],
    "wildcard-suppression": [Example(ny.WildcardSuppression(), ("2-anonymity with wildcards",))],
    "group-means": [
        Example(ny.GroupMeans(), CLASSES),
        Example(ny.GroupMeans(variable=1.5), CLASSES, "variable"),
    ],
    "refine": [Example(ny.Refine(), CLASSES)],
    "freeform-greedy": [Example(ny.FreeformGreedy(), ("2-matching",))],
    "freeform-sort-greedy": [Example(ny.FreeformSortGreedy(), ("2-matching",))],
    "freeform-hungarian": [Example(ny.FreeformHungarian(), ("2-matching",))],
    "buckets": [Example(ny.Buckets(plan="one-size"), ("shares of a half", "x at most half"))],
    "anatomy": [Example(ny.Anatomy(), ("shares of a half", "x at most half"))],
}

#: Methods whose promise is about neighbouring tables: the attack says why it is not run.
PRIVATE = frozenset({"safepub", "epsilon-safe-lattice"})
