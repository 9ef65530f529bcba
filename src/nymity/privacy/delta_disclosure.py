"""delta-disclosure privacy (Brickell & Shmatikov 2008): no class says much more about a value than the table does.

With the share p of a sensitive value in a class and q in the table, a class keeps it when

    |ln(p / q)| < delta   for every value of the table.

A value of the table that a class lacks makes the left side infinite, so every class has every value. A missing value
counts as a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import exp, inf, log

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.powers_of_e import exceeds_exp
from nymity.core.validation import exact_fraction, number
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import ComparingModel, check_name, check_sensitive, overall_shares, rounded_up
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn

#: Logarithms nearer to delta than this are compared exactly; far more than rounding.
NEAR = 1e-9
#: No ratio of shares of fewer than 2**31 records has a logarithm as large; nor where persons weigh alike, the least
#: share being 1 / (persons * records of one of them), above 2**-62.
LARGEST = 50.0
#: More than all rounding of a bound adds up to.
SLACK = 1e-12


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(ComparingModel):
    """The share of every sensitive value in a class is within a factor of e ** delta of its share of the table.

    Decided exactly, with delta as the decimal written: logarithms that come near it are decided by as many digits as
    it takes. The table is the released one, masked rows included.
    """

    delta: float = field(kw_only=False)
    attribute: str

    key = "delta-disclosure"
    title = "delta-disclosure privacy"
    # In a table with as many p as q, {p, q} has a delta of 0; with {p, p} beside it q falls to a half: ln 2.

    def __post_init__(self) -> None:
        number(f"{self.key}.delta", self.delta, above=0)
        check_name(self.key, self.attribute)

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive."""
        check_sensitive(self.key, self.attribute, table)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Every value of the table is there, and its share neither too large nor too small."""
        classes = classes.weighing_persons_alike(self.attribute)
        histogram = classes.histograms[self.attribute]
        n, overall = int(histogram.overall.sum()), histogram.overall[histogram.codes]
        expected = overall * classes.units[histogram.classes]
        found = histogram.counts.astype(expected.dtype) * n
        ratio = np.full(len(found), inf)  # a value that the table compared with lacks
        known = np.asarray(expected > 0, dtype=np.bool_)
        ratio[known] = found[known] / expected[known]
        distance = np.abs(np.log(ratio))
        outside = distance > float(self.delta)
        for e in np.flatnonzero(np.abs(distance - float(self.delta)) < NEAR):
            outside[e] = not self._within(Fraction(int(found[e]), int(expected[e])))
        accepted = histogram.distinct == np.count_nonzero(histogram.overall)
        accepted[histogram.classes[outside]] = False
        return np.asarray(accepted)

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """By records the accepted parts of a class together, s with u_v <= c_v of value v, keep the promise too.

        Of each value q_v s e ** -delta < u_v, hence s < c_v e ** delta / q_v, and nothing at all where one is absent.
        And u_v < q_v s e ** delta, so that the others, s - u_v <= size - c_v, leave

            s < (size - c_v) / (1 - q_v e ** delta)   where that is positive.
        """
        if classes.persons is not None:
            return super().most_kept(classes, accepted)
        histogram, sizes = classes.histograms[self.attribute], classes.sizes.astype(np.int64)
        share = histogram.overall[histogram.codes] / max(int(histogram.overall.sum()), 1)
        enough = np.full(len(share), inf)
        np.divide(histogram.counts * self._factor, share, out=enough, where=share > 0)
        others, room = sizes[histogram.classes] - histogram.counts.astype(np.int64), 1 - share * self._factor
        np.divide(others, room - SLACK, out=room, where=(bounded := room > 2 * SLACK))
        bound = np.minimum(enough, np.where(bounded, room, inf)) * (1 + SLACK)
        least = sizes.astype(np.float64)
        np.minimum.at(least, histogram.classes, bound)
        least[histogram.distinct < np.count_nonzero(histogram.overall)] = 0
        return np.minimum(super().most_kept(classes, accepted), np.floor(least).astype(np.int64))

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the largest |ln(p / q)| of a value in a class; infinite where a class lacks one."""
        if attribute is None or not groups.n_records:
            return {"delta": None}
        if groups.persons is not None:
            ratios = _person_ratios(groups, attribute)
            return {"delta": inf if ratios is None else max(abs(log(r)) for r in ratios)}
        shares = _shares(groups, attribute)
        lacking = groups.distinct_values(attribute).min() < shares["value"].n_unique()  # type: ignore[operator]
        return {"delta": inf if lacking else shares["distance"].max()}

    def holds(self, groups: Groups) -> bool:
        """Every class has every value, none of them too much or too little."""
        if not groups.n_records:
            return True
        if groups.persons is not None:
            ratios = _person_ratios(groups, self.attribute)
            return ratios is not None and all(map(self._within, ratios))
        shares = _shares(groups, self.attribute)
        if int(groups.distinct_values(self.attribute).min()) < shares["value"].n_unique():  # type: ignore[arg-type]
            return False
        # Logarithms decide what is far from the limit. What is near is decided by whole numbers, whose logarithm is
        # enclosed.
        near = (pl.col("distance") - float(self.delta)).abs() < NEAR
        if (shares.filter(~near)["distance"] > float(self.delta)).any():
            return False
        rows = shares.filter(near).select("found", "expected").unique().iter_rows()
        return all(self._within(Fraction(found, expected)) for found, expected in rows)

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every class has every value of the table, which is nothing where there is one."""
        return rarest == 1

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """e ** delta times the share of the table."""
        return [rounded_up(float(q) * exp(min(self.delta, LARGEST))) for q in overall_shares(column)]

    def fewest_values(self, column: SensitiveColumn) -> int:
        """Every value of the table."""
        return len(column.labels)

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return f"{self.promise()}, each person's records weighing one together"

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"{self.delta}-disclosure privacy of {self.attribute!r}: in every group of records that look alike each "
            f"value is there, and its share is within a factor of {exp(min(self.delta, LARGEST)):.4g} of its share in "
            "the whole table"
        )

    def _within(self, ratio: Fraction) -> bool:
        """Return whether e ** -delta < p / q < e ** delta."""
        delta = exact_fraction(self.delta)
        return exceeds_exp(ratio, -delta) and not exceeds_exp(ratio, delta)

    @cached_property
    def _factor(self) -> float:
        """By which a share may differ, rounded up."""
        return exp(min(self.delta, LARGEST)) * (1 + SLACK)


def _shares(groups: Groups, attribute: str) -> pl.DataFrame:
    """Compare each value of a class with the table: ``found`` / ``expected`` is p / q, ``distance`` its logarithm."""
    expected = pl.col("overall") * pl.col("size")
    found = pl.col("records") * groups.n_records
    compared = groups.value_counts(attribute).select("value", found.alias("found"), expected.alias("expected"))
    return compared.with_columns((pl.col("found") / pl.col("expected")).log().abs().alias("distance"))


def _person_ratios(groups: Groups, attribute: str) -> set[Fraction] | None:
    """Return p / q of the values of every class, every person weighing one; None where a class lacks a value."""
    found = groups.person_shares(attribute)
    if any(len(shares) < len(found.table) for shares in found.classes):
        return None
    return {p / q for p, q in found.pairs()}
