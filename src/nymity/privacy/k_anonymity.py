"""k-anonymity (Samarati & Sweeney 1998): every class has at least k records."""

from __future__ import annotations

from dataclasses import dataclass, field

from nymity.privacy.groups import Groups
from nymity.privacy.known_columns import KnownColumns
from nymity.privacy.model import Measured
from nymity.privacy.sizes import ModelOfK, SizeModel
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class KAnonymity(ModelOfK, SizeModel):
    """Every record shares its published quasi-identifiers with at least k - 1 others, masked rows too."""

    k: int = field(kw_only=False)

    key = "k-anonymity"
    title = "k-anonymity"

    def known_columns(self, table: EncodedTable) -> KnownColumns:
        """Ask for k rows of all columns."""
        return KnownColumns(len(table.names), self.k)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the size of the smallest class."""
        return {"k": groups.fewest}

    def holds(self, groups: Groups) -> bool:
        """The smallest class is large enough; without any row nothing can be singled out."""
        return groups.fewest is None or groups.fewest >= self.k

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.k}-anonymity: every published record looks the same as at least {self.k - 1} others "
            "in all quasi-identifying columns"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"{self.k}-anonymity of persons: every published record looks the same as records of at least {self.k - 1} "
            "other persons in all quasi-identifying columns"
        )
