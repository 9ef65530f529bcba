"""beta-likeness (Cao & Karras 2012): no sensitive value is much more frequent in a class than in the table.

With p_v the share of a value v in a class and q_v its share in the whole table, a class keeps it when

    (p_v - q_v) / q_v <= beta    for every v with p_v > q_v,

which caps p_v at (1 + beta) q_v. The distance is relative: a rare value is protected as much as a frequent one, and a
value that is less frequent in the class than in the table is no concern. A missing value counts as a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.validation import exact_fraction, number, short_fraction
from nymity.privacy.groups import Groups
from nymity.privacy.kernel_rule import KernelRule
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import ComparingModel, check_name, check_sensitive
from nymity.privacy.shares import Caps
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(ComparingModel):
    """The share of a value in a class exceeds its share in the table by at most beta times the latter.

    Decided in integers, with beta as the decimal written. Masked rows are one more class, and part of the table.
    """

    beta: float = field(kw_only=False)
    attribute: str

    key = "beta-likeness"
    title = "beta-likeness"
    # In a table of {p, q}, {p} and {q, q}, p has 2/5, for beta = 0.5 at most 3/5 of a class: {p, q} keeps that, with
    # {p} beside it p holds 2/3.
    shares_suffice = True

    def __post_init__(self) -> None:
        number(f"{self.key}.beta", self.beta, above=0)
        short_fraction(f"{self.key}.beta", self.beta)
        check_name(self.key, self.attribute)

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive; the whole table as one class keeps any beta."""
        check_sensitive(self.key, self.attribute, table)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """No value exceeds its cap."""
        classes = classes.weighing_persons_alike(self.attribute)
        return self._caps(classes).accept(classes, self.attribute)

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The accepted parts of a class together keep the caps too, by records; removing takes more classes out."""
        if classes.persons is not None:
            return super().most_kept(classes, accepted)
        return np.minimum(super().most_kept(classes, accepted), self._caps(classes).most_kept(classes, self.attribute))

    def rule(self, table: EncodedTable) -> KernelRule | None:
        """Return the caps."""
        return _caps_beside(self, tuple(table.sensitive[self.attribute].totals.tolist())).rule()

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """(1 + beta) times the share of the table."""
        totals = column.totals.tolist()
        return [min(Fraction(1), Fraction(*share)) for share in self._largest_shares(totals, max(1, sum(totals)))]

    def _caps(self, classes: Classes) -> Caps:
        return _caps_beside(self, tuple(classes.histograms[self.attribute].overall.tolist()))

    def _largest_shares(self, overall: list[int], total: int) -> list[tuple[int, int]]:
        """Return (1 + beta) q as numerator and denominator, for values with so many of the table's records."""
        beta = exact_fraction(self.beta)
        factor, denominator = beta.numerator + beta.denominator, beta.denominator * total
        return [(factor * records, denominator) for records in overall]

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the largest (p - q) / q of a value in a class."""
        if attribute is None or not groups.n_records:
            return {"beta": None}
        if groups.persons is not None:
            return {"beta": float(max((p - q) / q for p, q in groups.person_shares(attribute).pairs()))}
        expected = pl.col("size") * pl.col("overall")
        gain = (pl.col("records") * groups.n_records - expected) / expected
        return {"beta": groups.value_counts(attribute).select(gain.max()).item()}

    def holds(self, groups: Groups) -> bool:
        """No value exceeds (1 + beta) q in a class."""
        if groups.persons is not None:
            most = 1 + exact_fraction(self.beta)
            return all(p <= most * q for p, q in groups.person_shares(self.attribute).pairs())
        beta, found = exact_fraction(self.beta), groups.value_counts(self.attribute)
        records, expected = pl.col("records").cast(pl.Int128), pl.col("size").cast(pl.Int128) * pl.col("overall")
        within = records * groups.n_records * beta.denominator <= expected * (beta.denominator + beta.numerator)
        return bool(found.select(within.all()).item())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every value may fill a class, (1 + beta) q being at least 1 for the rarest."""
        return rarest is not None and (1 + exact_fraction(self.beta)) * rarest >= 1

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return f"{self.promise()}, each person's records weighing one together"

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.beta}-likeness of {self.attribute!r}: in every group of records that look alike no value there "
            f"is more frequent than in the whole table by more than {self.beta} times its share in the table"
        )


@lru_cache(maxsize=8)
def _caps_beside(model: BetaLikeness, overall: tuple[int, ...]) -> Caps:
    """Return the caps for values with so many of the table's records; a search asks for the same again and again."""
    return Caps.of(model._largest_shares(list(overall), max(1, sum(overall))))
