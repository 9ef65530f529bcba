"""RoleVotes: one piece of evidence for a role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nymity.table.attribute import Role

#: The roles that evidence speaks for; persons, households and sets are found by the structure of a table.
IDENTIFYING, QUASI, SENSITIVE = Role.IDENTIFYING, Role.QUASI, Role.SENSITIVE
INSENSITIVE, WEIGHT = Role.INSENSITIVE, Role.WEIGHT
#: What told of a column: the form of its values, a whole word of its name that can mean texts, or one that can mean
#: long numbers (a place, money, a measurement); anything else hints, as parts of words and other columns do.
Told = Literal["values", "word", "word for numbers", "hint"]


@dataclass(frozen=True, kw_only=True)
class RoleVotes:
    """Something seen of a column, and how strongly it speaks for roles.

    ``votes`` are logarithms of odds: 1 makes a role e times as likely beside one without a vote, 3 is strong, 6 leaves
    little doubt.
    """

    why: str
    votes: dict[Role, float]
    told_by: Told = "hint"

    @property
    def strength(self) -> float:
        """The strongest of its votes."""
        return max(self.votes.values())
