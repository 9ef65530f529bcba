"""Measure: what usefulness is counted in, and one value of it with its interval.

Accuracy where the classes of a target are about as frequent. Otherwise AUROC: always answering the most frequent of two
classes is right for 95% of the records where it has 95% of them, and tells nothing. Without a target, count queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.confidence_intervals import ERROR, clopper_pearson
from nymity.core.wording import percent

#: Standard deviations on either side of an interval that covers 95%.
_WIDTH = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A kind of usefulness from 0 to 1, and the words for it.

    ``original`` and ``nothing`` say what its ends are, ``again`` what a value is confirmed on, ``explained`` how it is
    found.
    """

    key: str
    title: str
    original: str
    nothing: str
    again: str
    explained: str
    as_percent: bool = True

    def said(self, value: float) -> str:
        """Write a value."""
        return percent(value) if self.as_percent else f"{value:.3f}"


_TRAINED = "classifiers are trained on the release and tested on original records of other people; the best one counts"

ACCURACY = Measure(
    key="accuracy",
    title="accuracy",
    original="learned from the original",
    nothing="always the most frequent class",
    again="records kept apart",
    explained=f"Accuracy: {_TRAINED}",
)
AUROC = Measure(
    key="auroc",
    title="AUROC",
    original="learned from the original",
    nothing="chance",
    again="records kept apart",
    explained="AUROC: the probability that a record of a class gets a larger score for it than one of another class, "
    f"0.5 by chance; the mean over classes, however frequent each is: {_TRAINED}",
    as_percent=False,
)
QUERIES = Measure(
    key="count-queries",
    title="answered",
    original="from the original",
    nothing="everything suppressed",
    again="queries drawn apart",
    explained="Answered: 1 less the mean error of random count queries, |estimate - answer| / answer, at most 1 "
    "for each (answers below 0.1% of the records count as that)",
)


@dataclass(frozen=True, kw_only=True)
class CorrectPredictions:
    """Test records that were predicted rightly, of how many."""

    right: int
    records: int

    @property
    def exact(self) -> Fraction:
        """The accuracy."""
        return Fraction(self.right, self.records)

    @property
    def rate(self) -> float:
        """The accuracy."""
        return self.right / self.records

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the accuracy (Clopper and Pearson): about other test records of the same kind."""
        return clopper_pearson(self.right, self.records, error=ERROR)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"value": self.rate, "interval": list(self.interval), "records": self.records}


@dataclass(frozen=True, kw_only=True)
class AveragedValue:
    """A mean over records or queries with its standard error; ``cases`` are the fewest that it rests on."""

    exact: Fraction
    error: float
    cases: int
    records: int

    @property
    def rate(self) -> float:
        """The value as a number to show."""
        return float(self.exact)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval by the normal approximation; where all cases agree, that of Clopper and Pearson for them."""
        if self.exact in (0, 1):
            return clopper_pearson(self.cases * int(self.exact), self.cases, error=ERROR)
        return max(self.rate - _WIDTH * self.error, 0.0), min(self.rate + _WIDTH * self.error, 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"value": self.rate, "interval": list(self.interval), "records": self.records}


#: A value of a measure: ``exact`` decides, ``rate`` is shown.
MeasuredValue = CorrectPredictions | AveragedValue


def area_under_curve(
    labels: NDArray[np.int64], scores: NDArray[np.float64], classes: list[int]
) -> tuple[Fraction, NDArray[np.float64]]:
    """AUROC of each class against the rest, averaged, and what each record adds to its error, (n,).

    Exact: (sum of the midranks of the class - n (n + 1) / 2) / (n m), of n records of the class and m others. What
    records add, squared and summed, is the variance of DeLong, DeLong and Clarke-Pearson (1988), here of the mean over
    classes.
    """
    from scipy.stats import rankdata

    total, adds = Fraction(0), np.zeros(len(labels))
    for c in classes:
        own = labels == c
        n, m = int(own.sum()), int((~own).sum())
        rank = rankdata(scores[:, c])  # (n_records,), halves where scores are equal
        value = Fraction(int(2 * rank[own].sum()) - n * (n + 1), 2 * n * m)
        below = np.empty(len(labels))
        below[own] = (rank[own] - rankdata(scores[own, c])) / m
        below[~own] = 1 - (rank[~own] - rankdata(scores[~own, c])) / n
        adds += (below - float(value)) / np.where(own, (n * (n - 1)) ** 0.5, (m * (m - 1)) ** 0.5)
        total += value
    return total / len(classes), adds / len(classes)
