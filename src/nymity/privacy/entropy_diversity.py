"""Entropy l-diversity (Machanavajjhala et al. 2007): sensitive values are spread as l even ones are.

A class keeps it when the entropy of its sensitive values is at least log l. A missing value counts as a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, exp, fsum, log, log1p

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.validation import number
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured
from nymity.privacy.sensitive import SensitiveModel, check_name, check_sensitive, check_values, rounded_up
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn

#: Share of log l by which an entropy may fall short: far more than rounding, far less than any reader could tell.
TOLERANCE = 1e-9
#: Decimals of a measured l; what lies beyond is rounding.
DECIMALS = 9


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(SensitiveModel):
    """The entropy of a class's sensitive values, -Σ p log p, is at least log l.

    Logarithms are not exact, so the decision is entropy >= (1 - ``TOLERANCE``) log l. Both sides are computed to a
    relative error well below the tolerance; in particular l values that are equally frequent always pass l.
    """

    l: float = field(kw_only=False)  # noqa: E741 -- the literature's name
    attribute: str

    key = "entropy-l-diversity"
    title = "entropy l-diversity"
    #: {p, q} is 2-diverse; with {p, p} beside it the entropy is that of 3 : 1.
    monotone_generalization = False
    over_persons = "shares"

    def __post_init__(self) -> None:
        number(f"{self.key}.l", self.l, at_least=1)
        check_name(self.key, self.attribute)

    @property
    def smallest_class(self) -> int:
        """n records have at most n values and an entropy of at most log n, so n reaches l up to the tolerance."""
        return ceil(exp(self._threshold) * (1 - 1e-12))  # a bound: rounding must not lift it over a whole number

    def check(self, table: EncodedTable) -> None:
        """The attribute is sensitive; m different values have an entropy of at most log m."""
        check_sensitive(self.key, self.attribute, table)
        check_values(f"{self.key}.l", self.l, self.attribute, table, needs=self.smallest_class)

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """The entropy is at least log l, up to the tolerance; of persons there are as many as records would have to be.

        One person with l values has that entropy alone.
        """
        enough, classes = classes.units >= self.smallest_class, classes.weighing_persons_alike(self.attribute)
        histogram = classes.histograms[self.attribute]
        sizes = classes.units[histogram.classes]
        counts = histogram.counts.astype(sizes.dtype)
        share, missing = (np.asarray(of / sizes, dtype=np.float64) for of in (counts, counts - sizes))
        # near 1 the logarithm takes what is missing from 1, which is exact, instead of a rounded share
        near = share > 0.5
        logarithm = np.where(near, np.log1p(np.where(near, missing, 0)), np.log(share))
        entropy = np.bincount(histogram.classes, weights=-share * logarithm, minlength=histogram.n_classes)
        return np.asarray(enough & (entropy >= self._threshold))

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return e to the smallest entropy, rounded to ``DECIMALS``: as many even values have the same entropy.

        Not more than the persons of the class with the fewest, where records are of persons.
        """
        least = None if attribute is None else _least_entropy(groups, attribute)
        if least is None:
            return {"l": None}
        reached = round(exp(least), DECIMALS)
        return {"l": reached if groups.persons is None else min(reached, groups.fewest or 0)}

    def holds(self, groups: Groups) -> bool:
        """Every class has enough entropy, up to the tolerance, and persons enough."""
        least = _least_entropy(groups, self.attribute)
        return least is None or (least >= self._threshold and (groups.fewest or 0) >= self.smallest_class)

    def is_empty(self, rarest: Fraction | None) -> bool:
        """A single value has an entropy of log 1."""
        return self.l == 1

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """The largest p for which the entropy reaches log l if the others share 1 - p evenly, by bisection."""
        values = len(column.labels)
        low, high = 1 / max(values, 1), 1.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if _entropy_beside(middle, values) >= self._threshold else (low, middle)
        return [rounded_up(high)] * values

    def fewest_values(self, column: SensitiveColumn) -> int:
        """As many as the smallest class has records, which all differ."""
        return self.smallest_class

    def promise_to_persons(self) -> str:
        """Return what is promised where records are of persons."""
        return (
            f"entropy {self.l}-diversity of {self.attribute!r}, by persons: in every group of records that look alike "
            f"there are records of at least {self.smallest_class} persons, and the values there, each person's records "
            f"weighing one together, are as uncertain as {self.l} equally frequent ones"
        )

    def promise(self) -> str:
        """Return what is promised, in a sentence."""
        return (
            f"entropy {self.l}-diversity of {self.attribute!r}: in every group of records that look alike "
            f"the values there are as uncertain as {self.l} equally frequent ones"
        )

    @property
    def _threshold(self) -> float:
        return (1 - TOLERANCE) * log(self.l)


def _entropy_beside(p: float, values: int) -> float:
    """Return the entropy of a value with the share p < 1 and evenly frequent others."""
    rest = 1 - p
    return -(p * log(p) + rest * log(rest / (values - 1)))


def _entropy(shares: Iterable[Fraction]) -> float:
    """Return the entropy of shares, with logarithms near 1 as a search takes them."""
    return fsum(-p * (log1p(p - 1) if p > Fraction(1, 2) else log(p)) for p in shares)


def _least_entropy(groups: Groups, attribute: str) -> float | None:
    """Return the smallest entropy of a class on a table; None when it has no records."""
    if groups.persons is not None:
        classes = groups.person_shares(attribute).classes
        return min((_entropy(shares.values()) for shares in classes), default=None)
    records, size = pl.col("records"), pl.col("size")
    share = records / size
    logarithm = pl.when(share > 0.5).then(((records - size) / size).log1p()).otherwise(share.log())
    entropies = groups.value_counts(attribute).group_by("class").agg((-share * logarithm).sum().alias("entropy"))
    least = entropies["entropy"].min()
    return None if least is None else float(least)  # type: ignore[arg-type]
