"""Frequency l-diversity: no sensitive value holds more than 1/l of a class.

The probability form of the l-diversity of Machanavajjhala et al. (2007), used by Xiao & Tao (2006) for Anatomy:
whoever finds a person's class guesses the value with a chance of at most 1/l. A missing value counts as a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.validation import exact_fraction, number, short_fraction
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import check_name, check_sensitive, check_values
from nymity.privacy.shares import CappedModel
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class FrequencyLDiversity(CappedModel):
    """The most frequent value of a class holds at most 1/l of it: largest count * l <= size.

    Decided in integers, with l as the decimal written.
    """

    l: float = field(kw_only=False)  # noqa: E741 -- the literature's name
    attribute: str

    key = "frequency-l-diversity"
    title = "frequency l-diversity"
    #: {p, q} is 2-diverse; with {p, p} beside it p holds three of four.
    monotone_generalization = False
    bounds_parts = True
    shares_suffice = True
    over_persons = "shares"
    limits_holders = True

    def __post_init__(self) -> None:
        number(f"{self.key}.l", self.l, at_least=1)
        short_fraction(f"{self.key}.l", self.l)
        check_name(self.key, self.attribute)

    @property
    def smallest_class(self) -> int:
        """Some value occurs at least once, so size >= l; as many different values as that are enough."""
        return ceil(exact_fraction(self.l))

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive; with fewer than l values one of them holds more than 1/l of any class."""
        check_sensitive(self.key, self.attribute, table)
        check_values(f"{self.key}.l", self.l, self.attribute, table)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """The largest count times l is at most the size."""
        l = exact_fraction(self.l)  # noqa: E741
        return np.asarray(classes.holders(self.attribute).largest * l.numerator <= classes.units * l.denominator)

    @property
    def cap(self) -> Fraction:
        """1/l."""
        return 1 / exact_fraction(self.l)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the smallest ratio of a class's size to its largest count."""
        if attribute is None or not groups.n_records:
            return {"l": None}
        return {"l": groups.largest_values(attribute).select((pl.col("size") / pl.col("records")).min()).item()}

    def holds(self, groups: Groups) -> bool:
        """No value holds more than 1/l of a class."""
        l = exact_fraction(self.l)  # noqa: E741
        most = pl.col("records") * l.numerator <= pl.col("size") * l.denominator
        return bool(groups.largest_values(self.attribute).select(most.all()).item())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every value may fill a class."""
        return exact_fraction(self.l) == 1

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"frequency {self.l}-diversity of {self.attribute!r}: in every group of records that look alike "
            f"no value there holds more than 1/{self.l} of the group"
        )

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"frequency {self.l}-diversity of {self.attribute!r}, by persons: of the persons who have records in a "
            f"group that looks alike no more than 1/{self.l} have any one value there"
        )
