"""Prosecutor risk: the chance to pick a known person's record out of a class is at most a limit.

The prosecutor knows that the person is in the table (Elliot & Dale 1999; El Emam & Dankar 2008), so the chance is one
out of the records of the class. A person who fits no published combination has one of the masked rows, which are a
class for that reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil

from nymity.core.validation import exact_fraction, number
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.privacy.sizes import SizeModel, check_risk
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class ProsecutorRisk(SizeModel):
    """1 / size is at most the limit for every class.

    Exact, with the limit as the decimal written: 0.2 asks for 5 records, 0.3333333 for 4, because 1/3 is more.
    """

    limit: float = field(kw_only=False)

    key = "prosecutor-risk"
    title = "prosecutor risk"

    def __post_init__(self) -> None:
        number(f"{self.key}.limit", self.limit, above=0, at_most=1)

    @property
    def smallest_class(self) -> int:
        """1 / size <= limit just when size >= 1 / limit."""
        return ceil(1 / exact_fraction(self.limit))

    def check(self, table: EncodedTable) -> None:
        """A class cannot have more records than the table."""
        check_risk(f"{self.key}.limit", self.limit, table)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the risk in the smallest class."""
        return {"limit": None if groups.fewest is None else 1 / groups.fewest}

    def holds(self, groups: Groups) -> bool:
        """The risk in the smallest class is within the limit; without any row nobody can be found."""
        return groups.fewest is None or groups.fewest * exact_fraction(self.limit) >= 1

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"prosecutor risk of at most {self.limit}: whoever knows that a person is in the table finds "
            f"the person's record among those that look alike with a chance of at most {self.limit}"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"prosecutor risk of at most {self.limit}, by persons: whoever looks for the person of a published record "
            f"finds the right one among those who have records that look alike with a chance of at most {self.limit}"
        )
