"""Recursive (c, l)-diversity (Machanavajjhala et al. 2007): the most frequent sensitive value does not stand out.

With the counts of a class's sensitive values in descending order, r_1 >= r_2 >= ... >= r_m, a class keeps it when

    r_1 < c (r_l + r_{l+1} + ... + r_m)

and it does not stand out even after someone has excluded l - 2 of the others. A missing value counts as a value. A
class with fewer than l different values has nothing on the right and fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.core.validation import exact_fraction, number, short_fraction, whole_number
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import SensitiveModel, check_name, check_sensitive, check_values
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn


@dataclass(frozen=True, kw_only=True)
class RecursiveDiversity(SensitiveModel):
    """The most frequent value occurs less than c times as often as the l-th and all rarer ones together.

    Decided in integers, with c as the decimal written.
    """

    c: float
    l: int  # noqa: E741 -- the literature's name
    attribute: str

    key = "recursive-diversity"
    title = "recursive (c, l)-diversity"
    #: {p, q} is (2, 2)-diverse, 1 < 2; with {p, p} beside it 3 is not less than 2.
    monotone_generalization = False
    over_persons = "shares"

    def __post_init__(self) -> None:
        number(f"{self.key}.c", self.c, above=0)
        short_fraction(f"{self.key}.c", self.c)
        whole_number(f"{self.key}.l", self.l, at_least=1)
        check_name(self.key, self.attribute)

    @property
    def smallest_class(self) -> int:
        """l + floor(1 / c) records, all different, are the smallest class.

        The tail r_l + ... has more than r_1 / c records, hence at least floor(r_1 / c) + 1. For l > 1 there are r_1
        and l - 2 further values before it; r_1 = 1 makes the sum smallest. For l = 1 the tail is the whole class.
        """
        return int(self.l) + floor(1 / exact_fraction(self.c))

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive and has enough values.

        The tail of m values is at most (m - l + 1) r_1, so 1 < c (m - l + 1): m is at least l + floor(1 / c) too.
        """
        check_sensitive(self.key, self.attribute, table)
        check_values(f"{self.key}.l", self.l, self.attribute, table)
        available = len(table.sensitive[self.attribute].labels)
        if self.smallest_class > available:
            raise ParameterError(
                f"{self.key}.c",
                expected=f"more than 1/{available - self.l + 1}: {self.attribute!r} has {available} different values",
                got=str(self.c),
                hint="choose a larger c or a smaller l",
            )

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """The largest count is less than c times the sum from the l-th on.

        Of persons there are as many as records would have to be: one may have every value.
        """
        enough, classes = classes.units >= self.smallest_class, classes.weighing_persons_alike(self.attribute)
        histogram, c = classes.histograms[self.attribute], exact_fraction(self.c)
        counts = histogram.counts.astype(classes.units.dtype)
        order = np.argsort(-counts, kind="stable")
        order = order[np.argsort(histogram.classes[order], kind="stable")]  # by class, the most frequent value first
        owner, counts = histogram.classes[order], counts[order]
        first = np.cumsum(histogram.distinct) - histogram.distinct
        rank = np.arange(len(owner)) - first[owner]  # 0 for the most frequent value of a class
        rest = rank >= self.l - 1
        tail = np.zeros(histogram.n_classes, dtype=counts.dtype)
        np.add.at(tail, owner[rest], counts[rest])
        return np.asarray(enough & (histogram.largest * c.denominator < tail * c.numerator), dtype=np.bool_)

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None, l: int = 2) -> Measured:  # noqa: E741
        """Return the largest r_1 / (r_l + ... + r_m) over the classes: every c above it holds.

        None for c when some class has fewer than l values, so that no c holds. A class of m persons needs l +
        floor(1 / c) <= m besides, so that c is above 1 / (m - l + 1).
        """
        if groups.persons is not None:
            return {"c": None if attribute is None else _least_c(groups, attribute, l), "l": l}
        tails = None if attribute is None else _tails(groups, attribute, l)
        if tails is None or not len(tails) or (tails["tail"] == 0).any():
            return {"c": None, "l": l}
        return {"c": tails.select((pl.col("largest") / pl.col("tail")).max()).item(), "l": l}

    def reached(self, groups: Groups) -> Measured:
        """Return the largest ratio for the l of this model."""
        return self.measure(groups, self.attribute, self.l)

    def holds(self, groups: Groups) -> bool:
        """Every class stays below c."""
        c = exact_fraction(self.c)
        if groups.persons is not None:
            enough = (groups.fewest or self.smallest_class) >= self.smallest_class
            return enough and all(top < c * tail for top, tail in _person_tails(groups, self.attribute, self.l))
        below = pl.col("largest") * c.denominator < pl.col("tail") * c.numerator
        return bool(_tails(groups, self.attribute, self.l).select(below.all()).item())

    def is_empty(self, rarest: Fraction | None) -> bool:
        """The most frequent value of any class occurs less than c times as often as all together."""
        return self.l == 1 and exact_fraction(self.c) > 1

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """r_1 < c (r_l + ...), and for l > 1 that sum is at most size - r_1: c / (1 + c) for every value."""
        c = exact_fraction(self.c)
        return [min(Fraction(1), c if self.l == 1 else c / (1 + c))] * len(column.labels)

    def fewest_values(self, column: SensitiveColumn) -> int:
        """As many as the smallest class has records, which all differ."""
        return self.smallest_class

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"{self.promise()}, each person's records weighing one together, and there are records of at least "
            f"{self.smallest_class} persons"
        )

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        rest = "all values" if self.l == 1 else f"the values from the {_ordinal(self.l)} most frequent on"
        return (
            f"recursive ({self.c}, {self.l})-diversity of {self.attribute!r}: in every group of records that look "
            f"alike the most frequent value there occurs less than {self.c} times as often as {rest} together"
        )


def _tails(groups: Groups, attribute: str, l: int) -> pl.DataFrame:  # noqa: E741
    """Return r_1 and r_l + ... + r_m of each class on a table."""
    tail = pl.col("records").sort(descending=True).slice(l - 1).sum()
    classes = groups.value_counts(attribute).group_by("class")
    return classes.agg(pl.col("records").max().alias("largest"), tail.alias("tail"))


def _person_tails(groups: Groups, attribute: str, l: int) -> list[tuple[Fraction, Fraction]]:  # noqa: E741
    """Return the same of shares in which every person weighs one."""
    ordered = (sorted(shares.values(), reverse=True) for shares in groups.person_shares(attribute).classes)
    return [(shares[0], sum(shares[l - 1 :], Fraction(0))) for shares in ordered]


def _least_c(groups: Groups, attribute: str, l: int) -> float | None:  # noqa: E741
    """Return the c above which all classes of persons keep it; None where there is none."""
    tails, people = _person_tails(groups, attribute, l), groups.fewest
    if people is None or people < l or any(not tail for _, tail in tails):
        return None
    return float(max(Fraction(1, people - l + 1), *(top / tail for top, tail in tails)))


def _ordinal(n: int) -> str:
    suffix = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{suffix}"
