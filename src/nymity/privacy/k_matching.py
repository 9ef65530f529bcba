"""k-matching: source records and published rows can be matched in k ways that have no pair in common.

A record fits a row if every one of its values is covered by the row's cell. The promise: k matchings, each of which
gives every row a record that fits it and no record to two rows, and no pair is in two of them. Hence every row fits at
least k records. If no record was removed the matchings are perfect: every record fits at least k rows too, and none of
these pairs can be ruled out by matching everybody else, because it is part of a way to match them all.

Doka, Xue, Tsoumakos and Karras (2015) publish such tables. (k, k)-anonymity (Gionis, Mazza and Tassa 2008) asks for the
fits alone; k-concealment (Tassa, Mazza and Gionis 2012) for k rows of each record that are each in a perfect matching.
Both follow from this, and this follows from k-anonymity; the other way round none does. Rows need not be equal to any
other, so the release alone does not show whether the promise is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, Unlimited
from nymity.privacy.sizes import ModelOfK, SizeModel


@dataclass(frozen=True, kw_only=True)
class KMatching(ModelOfK, SizeModel):
    """Rows and source records can be matched in k ways without a common pair: weaker than k-anonymity.

    Methods that make classes keep it by classes of k equal rows, the masked rows being one of them: the records of a
    class fit its rows, and going round among them gives k matchings. So k-anonymity implies it.
    """

    k: int = field(kw_only=False)

    key = "k-matching"
    title = "k-matching"
    needs_source = True
    over_persons = None

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the largest k that can be kept, by bisection; None without the source."""
        return {"k": None if groups.originals is None else groups.consistency.largest}

    def holds(self, groups: Groups) -> bool:
        """There are k such matchings of the rows with the source's records."""
        return groups.consistency.largest >= self.k

    def row_chance(self, *, classes: bool, complete: bool) -> Fraction | Unlimited:
        """Every record fits at least k rows, in classes or not, if none was left out."""
        if not complete:
            return Unlimited("it lets every row fit k records, and records were left out: a record may fit fewer rows")
        return super().row_chance(classes=True, complete=True)

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.k}-matching: every published row fits at least {self.k} of the records, and each of these "
            f"{self.k} is its own in one of {self.k} ways to match all rows with records; weaker than "
            f"{self.k}-anonymity, because rows need not look the same as any other"
        )
