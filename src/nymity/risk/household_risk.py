"""Household risk: who finds one member of a household has found the others.

With individual risks r_i of the members, the risk of the household, and so of each of its members, is

    1 - prod_i (1 - r_i),

the chance that at least one is found, if being found is independent between members (Franconi & Polettini 2004, as
sdcMicro has it). It is not quite: members share a place and often a name, so that who finds one looks for the others
there; and a household as a whole, by its size and the ages of its members, can be rarer than any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class HouseholdRisk:
    """Risk of the members of households: highest and mean over members, and how many have one above the threshold.

    ``expected`` is how many households are found, by one member at least. ``of_households`` (n_households,): the risk
    of each, which is the custodian's.
    """

    households: int
    members: int
    largest: int
    highest: float | None
    mean: float | None
    expected: float
    above: int
    of_households: Floats

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "assumes": "members are found independently of each other; who finds one has found all",
            "households": self.households,
            "members": self.members,
            "largest": self.largest,
            "highest": self.highest,
            "average": self.mean,
            "expected_households_found": self.expected,
            "members_above_threshold": self.above,
        }


def household_risk(member_risks: Floats, household_of: NDArray[np.int64], threshold: Fraction) -> HouseholdRisk:
    """Measure the risk of households: member_risks (n_members,), household_of (n_members,) their households."""
    numbers, home, sizes = np.unique(household_of, return_inverse=True, return_counts=True)
    with np.errstate(divide="ignore"):  # whoever is found for certain: the logarithm of 0
        safe = np.bincount(home, weights=np.log1p(-member_risks), minlength=len(numbers))
    risks = -np.expm1(safe)
    return HouseholdRisk(
        households=len(numbers),
        members=len(member_risks),
        largest=int(sizes.max(initial=0)),
        highest=float(risks.max()) if len(risks) else None,
        mean=float(risks[home].mean()) if len(risks) else None,
        expected=float(risks.sum()),
        above=int((risks[home] > float(threshold)).sum()),
        of_households=risks,
    )
