"""RoleVotes: one piece of evidence for a role."""

from __future__ import annotations

from dataclasses import dataclass

from nymity.table.attribute import Role

#: The roles that evidence speaks for; persons, households and sets are found by the structure of a table.
IDENTIFYING, QUASI, SENSITIVE = Role.IDENTIFYING, Role.QUASI, Role.SENSITIVE
INSENSITIVE, WEIGHT = Role.INSENSITIVE, Role.WEIGHT


@dataclass(frozen=True, kw_only=True)
class RoleVotes:
    """Something seen of a column, and how strongly it speaks for roles.

    ``votes`` are logarithms of odds: 1 makes a role e times as likely beside one without a vote, 3 is strong, 6 leaves
    little doubt.
    """

    why: str
    votes: dict[Role, float]

    @property
    def strength(self) -> float:
        """The strongest of its votes."""
        return max(self.votes.values())
