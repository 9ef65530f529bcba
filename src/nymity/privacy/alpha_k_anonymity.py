"""(alpha, k)-anonymity (Wong et al. 2006): k-anonymity, and no sensitive value is more than a share alpha of a class.

The general form of the paper, in which alpha limits every value of the attribute; a missing value counts as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import exact_fraction, number, short_fraction, whole_number
from nymity.privacy.groups import Groups
from nymity.privacy.known_columns import KnownColumns
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import check_name, check_sensitive
from nymity.privacy.shares import CappedModel
from nymity.privacy.sizes import check_k
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(CappedModel):
    """Every class has at least k records, and each sensitive value at most a share alpha of them.

    Decided in integers, with alpha as the decimal written. Masked rows are one more class.
    """

    alpha: float
    k: int
    attribute: str

    key = "alpha-k-anonymity"
    title = "(alpha, k)-anonymity"
    #: {p, q} keeps alpha = 0.5; with {p, p} beside it p holds three of four.
    monotone_generalization = False
    bounds_parts = True
    over_persons = "shares"
    limits_holders = True

    def __post_init__(self) -> None:
        number(f"{self.key}.alpha", self.alpha, above=0, at_most=1)
        short_fraction(f"{self.key}.alpha", self.alpha)
        whole_number(f"{self.key}.k", self.k, at_least=1)
        check_name(self.key, self.attribute)

    @property
    def smallest_class(self) -> int:
        """At least k records, and 1 / alpha since some value occurs once; as many different values are enough."""
        return max(int(self.k), self._values)

    def check(self, table: EncodedTable) -> None:
        """A class has at most the table's records; with m values one of them holds at least 1 / m of any class."""
        check_sensitive(self.key, self.attribute, table)
        check_k(f"{self.key}.k", self.k, table)
        available = len(table.sensitive[self.attribute].labels)
        if self._values > available:
            raise ParameterError(
                f"{self.key}.alpha",
                expected=f"at least 1/{available}: {self.attribute!r} has {available} different values",
                got=str(self.alpha),
                hint="choose a larger alpha",
            )

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """At least k records, and the largest count is at most alpha times the size."""
        alpha, units = exact_fraction(self.alpha), classes.units
        within = classes.holders(self.attribute).largest * alpha.denominator <= units * alpha.numerator
        return np.asarray((units >= self.k) & within)

    def known_columns(self, table: EncodedTable) -> KnownColumns:
        """Ask for k rows of all columns, and the share alpha."""
        listed = np.ones(len(table.sensitive[self.attribute].labels), dtype=np.bool_)
        return KnownColumns(len(table.names), self.k, exact_fraction(self.alpha), self.attribute, listed)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the largest share of a value in a class, and the size of the smallest class."""
        if attribute is None or not groups.n_records:
            return {"alpha": None, "k": groups.fewest}
        share = groups.largest_values(attribute).select((pl.col("records") / pl.col("size")).max()).item()
        return {"alpha": share, "k": groups.fewest}

    def holds(self, groups: Groups) -> bool:
        """The smallest class is large enough, and no value has a larger share of a class."""
        if groups.fewest is not None and groups.fewest < self.k:
            return False
        alpha = exact_fraction(self.alpha)
        within = pl.col("records") * alpha.denominator <= pl.col("size") * alpha.numerator
        return bool(groups.largest_values(self.attribute).select(within.all()).item())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every value may fill a class, and every class be of one record."""
        return self.k == 1 and exact_fraction(self.alpha) == 1

    @property
    def cap(self) -> Fraction:
        """Alpha."""
        return exact_fraction(self.alpha)

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"({self.alpha}, {self.k})-anonymity of {self.attribute!r}: every published record looks the same as at "
            f"least {self.k - 1} others in all quasi-identifying columns, and no value of {self.attribute!r} has a "
            f"share of more than {self.alpha} among records that look alike"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"({self.alpha}, {self.k})-anonymity of {self.attribute!r}, by persons: every published record looks the "
            f"same as records of at least {self.k - 1} other persons in all quasi-identifying columns, and of the "
            f"persons who look alike a share of no more than {self.alpha} have any one value of {self.attribute!r}"
        )

    @property
    def _values(self) -> int:
        """Different values a class needs."""
        return ceil(1 / exact_fraction(self.alpha))
