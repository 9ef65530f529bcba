"""Usefulness: what classifiers learn from a release about records that they were not trained on.

The records that take part are divided into parts, their classes spread evenly. Part 0 is kept apart: it plays no part
in the choice of settings, and says afterwards how good the chosen ones are. The other parts are for choosing: each is
tested by what was learned from the rows of the others. The first of these classifiers is tested on part 0, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.confidence_intervals import ERROR, clopper_pearson
from nymity.core.errors import TableError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.utility.classifiers import Classifier
from nymity.utility.learner import Examples, Learner
from nymity.utility.splits import UNUSED, stratified_folds

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Parts of the records: one to confirm, the others to choose.
PARTS = 4
#: Records that are needed for parts to tell anything.
LEAST_RECORDS = 40
#: Classes up to which a target is one of classes.
MOST_CLASSES = 100


@dataclass(frozen=True, kw_only=True)
class CorrectPredictions:
    """Test records that were predicted rightly, of how many."""

    right: int
    records: int

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
        return {"accuracy": self.rate, "interval": list(self.interval), "records": self.records}


@dataclass(frozen=True, kw_only=True)
class ClassifierAccuracy:
    """One classifier: on the records that settings are chosen by, and on those that were kept apart."""

    classifier: str
    choosing: CorrectPredictions
    confirming: CorrectPredictions

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        shares = {"choosing": self.choosing.to_dict(), "confirming": self.confirming.to_dict()}
        return {"classifier": self.classifier, **shares}


def best(scores: Sequence[ClassifierAccuracy]) -> ClassifierAccuracy:
    """Return the classifier that was best on the records for choosing, the first of several."""
    return max(scores, key=lambda score: score.choosing.right)


@dataclass(frozen=True, eq=False, kw_only=True)
class Examination:
    """The records with their parts, (n_records,), and the classifiers that every release is examined by."""

    learner: Learner
    part: Ints
    classifiers: tuple[Classifier, ...]
    seed: int

    @staticmethod
    def of(learner: Learner, classifiers: tuple[Classifier, ...], *, sample: int | None, seed: int) -> Examination:
        """Divide the records; ``sample`` limits how many take part."""
        _check_classes(learner)
        usable = np.flatnonzero(learner.usable)
        if sample is not None:
            usable = np.random.default_rng(seed).permutation(usable)[:sample]
        if len(usable) < LEAST_RECORDS:
            raise TableError(
                "table",
                expected=f"at least {LEAST_RECORDS} records to learn from and to test on",
                got=f"{len(usable)}",
            )
        taking_part = np.isin(np.arange(len(learner.usable)), usable)
        part = stratified_folds(learner.original.labels, PARTS, seed, usable=taking_part)
        return Examination(learner=learner, part=part, classifiers=classifiers, seed=seed)

    @property
    def records(self) -> int:
        """Records that take part."""
        return int((self.part != UNUSED).sum())

    def original(self) -> tuple[ClassifierAccuracy, ...]:
        """Examine the table as it is."""
        return self.scores(self.learner.original)

    def scores(self, examples: Examples, observe: Observer = silent) -> tuple[ClassifierAccuracy, ...]:
        """Train every classifier on the rows of a release, and test it on original records."""
        right = {classifier.key: np.zeros(len(self.part), dtype=np.bool_) for classifier in self.classifiers}
        for here in range(1, PARTS):
            tested = self._tested(here)
            trained, records = examples.where(self._trained(here)), self.learner.original.where(tested)
            for classifier in self.classifiers:
                report(observe, Progress(stage="learning"))
                found = self.learner.held_out(trained, records, [classifier], seed=self.seed)
                right[classifier.key][tested] = found[classifier.key].correct
        return tuple(
            ClassifierAccuracy(
                classifier=key, choosing=self._share(hits, self._choosing), confirming=self._share(hits, self._apart)
            )
            for key, hits in right.items()
        )

    def zero_r(self) -> ClassifierAccuracy:
        """Always answer the most frequent class of the training records."""
        labels, right = self.learner.original.labels, np.zeros(len(self.part), dtype=np.bool_)
        for here in range(1, PARTS):
            guess = np.bincount(labels[self._trained(here)]).argmax()
            right |= self._tested(here) & (labels == guess)
        choosing, confirming = self._share(right, self._choosing), self._share(right, self._apart)
        return ClassifierAccuracy(classifier="most frequent class", choosing=choosing, confirming=confirming)

    def importance(self) -> dict[str, float]:
        """What classifiers see in each column of the original: accuracy lost when it is shuffled, the most by any.

        Records that are kept apart take no part.
        """
        here = PARTS - 1
        trained = self.learner.original.where(self._trained(here))
        tested = self.learner.original.where(self._tested(here))
        found = self.learner.held_out(trained, tested, self.classifiers, seed=self.seed, importance=True)
        lost = np.max([a.importance for a in found.values() if a.importance is not None], axis=0)
        return dict(zip(self.learner.space.names, lost.tolist(), strict=True))

    @cached_property
    def _apart(self) -> Mask:
        return np.asarray(self.part == 0)

    @cached_property
    def _choosing(self) -> Mask:
        return np.asarray(self.part > 0)

    def _trained(self, here: int) -> Mask:
        return np.asarray(self._choosing & (self.part != here))

    def _tested(self, here: int) -> Mask:
        """The records of a part; those that are kept apart are tested with the first."""
        return np.asarray((self.part == here) | (self._apart if here == 1 else False))

    @staticmethod
    def _share(right: Mask, of: Mask) -> CorrectPredictions:
        return CorrectPredictions(right=int(right[of].sum()), records=int(of.sum()))


def _check_classes(learner: Learner) -> None:
    if len(learner.classes) > MOST_CLASSES:
        raise TableError(
            f"target {learner.target!r}",
            expected=f"at most {MOST_CLASSES} classes",
            got=f"{len(learner.classes):,} different values",
            hint="group them first, such as length_of_stay > 5, or choose another column",
        )
