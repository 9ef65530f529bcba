"""Scoring: how good predictions are, and how far two classifiers are apart on the same test records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nymity.core.quoting import shown
from nymity.table.hierarchy import Label

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: False-positive rates at which an ROC curve is given.
RATES = np.linspace(0, 1, 101)
#: Standard deviations on either side of an interval that covers 95%.
_WIDTH = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Performance:
    """How well a classifier did on the test records.

    ``accuracy``: share of them whose class is the one with the largest probability. ``balanced_accuracy``: that share
    among the test records of each class, averaged over classes. ``auroc``: the probability that a record of a class
    gets a larger probability of it than a record of another class (ties count half), averaged over classes (one against
    the rest) and over folds; None where a fold has no test record of some class, and ``undefined`` says which. ``roc``:
    true positive rates at the false positive rates of :data:`RATES`, averaged alike; empty where there is no AUROC.
    """

    accuracy: float
    balanced_accuracy: float
    auroc: float | None
    roc: tuple[float, ...]
    undefined: str | None = None


@dataclass(frozen=True, eq=False)
class Predictions:
    """Test records with their classes (n,), probabilities (n, n_classes) and the fold each was tested in (n,).

    importance (n_columns,): accuracy lost when a column is shuffled, where that was measured.
    """

    labels: Ints
    probabilities: Floats
    fold: Ints
    importance: Floats | None = None

    @staticmethod
    def joined(folds: Sequence[Predictions]) -> Predictions:
        """Put folds one after another."""
        measured = [part.importance for part in folds if part.importance is not None]
        return Predictions(
            np.concatenate([part.labels for part in folds]),
            np.concatenate([part.probabilities for part in folds]),
            np.repeat(np.arange(len(folds)), [len(part.labels) for part in folds]),
            np.mean(measured, axis=0) if measured else None,
        )

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether the class with the largest probability is the right one; the first of several."""
        return np.asarray(self.probabilities.argmax(axis=1) == self.labels)

    def performance(self, classes: Sequence[Label]) -> Performance:
        """Sum them up."""
        totals = np.bincount(self.labels, minlength=len(classes))
        right = np.bincount(self.labels[self.correct], minlength=len(classes))
        missing = self._missing(classes)
        curves = [] if missing else [curve for fold in np.unique(self.fold) for curve in self._curves(fold)]
        return Performance(
            accuracy=float(self.correct.mean()),
            balanced_accuracy=float((right[totals > 0] / totals[totals > 0]).mean()),
            auroc=None if missing else float(np.mean([area(*curve) for curve in curves])),
            roc=() if missing else tuple(np.mean([_at_rates(*curve) for curve in curves], axis=0).round(4).tolist()),
            undefined=missing,
        )

    def _missing(self, classes: Sequence[Label]) -> str | None:
        """Name a class that has no test record in a fold."""
        for fold in np.unique(self.fold):
            here = np.bincount(self.labels[self.fold == fold], minlength=len(classes))
            if (here == 0).any():
                rare = shown(classes[int(here.argmin())])
                place = f"fold {fold + 1}" if (self.fold != fold).any() else "the test"
                return f"{place} has no record of class {rare}, so that AUROC is undefined"
        return None

    def _curves(self, fold: int) -> list[tuple[Floats, Floats]]:
        """The ROC curve of each class against the rest in a fold; of two classes, that of the second alone."""
        labels, scores = self.labels[self.fold == fold], self.probabilities[self.fold == fold]
        n_classes = scores.shape[1]
        return [roc_curve(labels == c, scores[:, c]) for c in (range(n_classes) if n_classes > 2 else (1,))]


def roc_curve(positive: NDArray[np.bool_], scores: Floats) -> tuple[Floats, Floats]:
    """False and true positive rates as the threshold falls, from (0, 0) to (1, 1), a point for each score."""
    order = np.argsort(-scores, kind="stable")
    last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))  # of the records with one score
    true = np.cumsum(positive[order])[last]
    false = last + 1 - true
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1])


def area(false: Floats, true: Floats) -> float:
    """The area below an ROC curve."""
    return float(np.trapezoid(true, false))


def paired_interval(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> tuple[float, float, float]:
    """The difference in accuracy of two classifiers on the same records, and an interval that covers 95%.

    The mean of the records' differences (1, 0 or -1) by the normal approximation, as in McNemar's test. It speaks of
    other test records of the same kind, not of other training records or seeds.
    """
    difference = first.astype(np.float64) - second
    mean = float(difference.mean())
    error = _WIDTH * float(difference.std(ddof=1)) / len(difference) ** 0.5 if len(difference) > 1 else 1.0
    return mean, max(mean - error, -1.0), min(mean + error, 1.0)


def _at_rates(false: Floats, true: Floats) -> Floats:
    """The curve's height at fixed rates: the highest point where it rises straight up, in between by lines."""
    last = np.append(np.diff(false) > 0, True)
    heights = np.interp(RATES, false[last], true[last])
    heights[0] = true[last][0]
    return np.asarray(heights)
