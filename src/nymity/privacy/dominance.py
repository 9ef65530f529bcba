"""Dominance: no person has more than a share of the rows of a class.

k-anonymity of persons does not limit it: in a class of 5 persons and 40 rows 36 may be of one of them. Whoever picks a
row of the class at random then picks that person's with a chance of 36/40 (the *row risk*), and what most rows say is
what that person has. The limit is that of frequency l-diversity with the person as value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import exact_fraction, number, short_fraction
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, NothingOnPresence, NothingOnValues, Unlimited
from nymity.privacy.sizes import check_risk
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class Dominance(NothingOnValues, NothingOnPresence):
    """The rows of one person are at most a share ``limit`` of each class.

    Decided in integers, with the limit as the decimal written. Where no column says of whom records are, each counts as
    one of another person.
    """

    limit: float = field(kw_only=False)

    key = "dominance"
    title = "dominance"
    #: {a, b} keeps 1/2; with {a, a} beside it a has three of four.
    monotone_generalization = False
    over_persons = "records"

    def __post_init__(self) -> None:
        number(f"{self.key}.limit", self.limit, above=0, at_most=1)
        short_fraction(f"{self.key}.limit", self.limit)

    @property
    def smallest_class(self) -> int:
        """Some person has at least the mean, so that 1 / persons is within the limit."""
        return ceil(1 / exact_fraction(self.limit))

    def check(self, table: EncodedTable) -> None:
        """With m persons one of them has at least 1 / m of any class."""
        check_risk(f"{self.key}.limit", self.limit, table)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """The rows of whoever has most are within the limit."""
        limit = exact_fraction(self.limit)
        largest = np.int64(1) if classes.persons is None else classes.persons.largest
        return np.asarray(largest * limit.denominator <= classes.sizes.astype(np.int64) * limit.numerator)

    def row_chance(self, *, classes: bool, complete: bool) -> Fraction | Unlimited:
        """The limit itself."""
        return exact_fraction(self.limit) if classes else super().row_chance(classes=classes, complete=complete)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the largest share of a class that one person has."""
        share = groups.largest_person_share
        return {"limit": None if share is None else float(share)}

    def holds(self, groups: Groups) -> bool:
        """The largest share is within the limit; without any row nobody has one."""
        share = groups.largest_person_share
        return share is None or share <= exact_fraction(self.limit)

    def is_empty(self, rarest: Fraction | None) -> bool:
        """One person may have all rows of a class."""
        return exact_fraction(self.limit) == 1

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"dominance of at most {self.limit}: of the records that look alike a share of at most {self.limit} is of "
            "any one person"
        )
