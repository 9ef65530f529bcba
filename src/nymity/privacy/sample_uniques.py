"""Sample uniques: few published records are alone in their class.

A record that is unique in the sample is the first to be looked for in the population (Dalenius 1986; Skinner & Elliot
2002). The share of such records,

    records alone in their class / records,

counts all published records; the masked rows are one class, so a single one is alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.different import different
from nymity.core.validation import exact_fraction, number
from nymity.privacy.averages import MeanLimit
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.table.classes import Classes


@dataclass(frozen=True, kw_only=True)
class SampleUniques(MeanLimit):
    """The share of published records that are alone in their class is at most the limit.

    Where there are too many, all of them are suppressed: which to spare would depend on their order.

    Not monotone under generalization, beside a model that caps p at half of a class: {q}, {p, q} and {p, p} publish
    three records, a third of them unique. With the last two merged nothing but {q} is accepted, and all that is
    published would be unique.
    """

    key = "sample-uniques"
    title = "sample uniques"

    def __post_init__(self) -> None:
        number(f"{self.key}.limit", self.limit, at_least=0, at_most=1)
        super().__post_init__()

    def weights(self, classes: Classes) -> NDArray[np.bool_]:
        """A class of one record counts."""
        return np.asarray(classes.sizes == 1)

    @classmethod
    def weighed(cls, groups: Groups) -> int:
        """Return the number of records that are alone."""
        return int((groups.sizes == 1).sum())

    def together(self, classes: Classes, published: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Keep everything, or nothing that is alone; a person with two classes to itself is one person."""
        if (persons := classes.persons) is None:
            return super().together(classes, published)
        limit, alone = exact_fraction(self.limit), published & (classes.units == 1)
        few = len(different(persons.codes[alone[persons.classes]]))
        everyone = len(different(persons.codes[published[persons.classes]]))
        return published if few * limit.denominator <= everyone * limit.numerator else published & ~alone

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the share of records that are alone, or of persons with a class to themselves."""
        if groups.persons is None:
            return super().measure(groups, attribute)
        return {"limit": groups.people_alone / groups.persons.n_unique() if groups.n_records else None}

    def holds(self, groups: Groups) -> bool:
        """Few enough are alone."""
        if groups.persons is None:
            return super().holds(groups)
        return groups.people_alone <= exact_fraction(self.limit) * groups.persons.n_unique()

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"sample uniques of at most {self.limit}, by persons: of the persons with published records a share of at "
            f"most {self.limit} has one that looks like no other person's in all quasi-identifying columns"
        )

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"sample uniques of at most {self.limit}: of the published records a share of at most {self.limit} "
            "looks like no other record in all quasi-identifying columns"
        )
