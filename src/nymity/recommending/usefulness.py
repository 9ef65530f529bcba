"""Usefulness: what classifiers learn from a release about records that they were not trained on.

The records that take part are divided into parts, their classes spread evenly. Part 0 is kept apart: it plays no part
in the choice of settings, and says afterwards how good the chosen ones are. The other parts are for choosing: each is
tested by what was learned from the rows of the others. The first of these classifiers is tested on part 0, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.quoting import quoted
from nymity.core.wording import percent
from nymity.recommending.yardstick import (
    ACCURACY,
    AUROC,
    AveragedValue,
    CorrectPredictions,
    Measure,
    MeasuredValue,
    area_under_curve,
)
from nymity.utility.classifiers import Classifier
from nymity.utility.learner import Examples, Learner
from nymity.utility.splits import UNUSED, stratified_folds

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Parts of the records: one to confirm, the others to choose.
PARTS = 4
#: Records that are needed for parts to tell anything.
LEAST_RECORDS = 40
#: Records of a class that AUROC needs: two in each part, so that it has an error.
LEAST_OF_CLASS = 2 * PARTS
#: Classes up to which a target is one of classes.
MOST_CLASSES = 100
#: Times its equal share that the most frequent class may have where accuracy is counted: of two classes 75%.
BALANCED = 1.5


@dataclass(frozen=True, kw_only=True)
class Usefulness:
    """What one classifier reached, or queries: for choosing settings by, and on what was kept apart."""

    by: str
    choosing: MeasuredValue
    confirming: MeasuredValue

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {"by": self.by, "choosing": self.choosing.to_dict(), "confirming": self.confirming.to_dict()}


def best(scores: Sequence[Usefulness]) -> Usefulness:
    """Return the classifier that was best on the records for choosing, the first of several."""
    return max(scores, key=lambda score: score.choosing.exact)


@dataclass(frozen=True, eq=False, kw_only=True)
class Examination:
    """The records with their parts, (n_records,), the classifiers that releases are examined by, and the measure."""

    learner: Learner
    part: Ints
    classifiers: tuple[Classifier, ...]
    seed: int
    measure: Measure

    @staticmethod
    def of(learner: Learner, classifiers: tuple[Classifier, ...], *, sample: int | None, seed: int) -> Examination:
        """Divide the records; ``sample`` limits how many take part. How frequent classes are decides the measure."""
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
        made = Examination(learner=learner, part=part, classifiers=classifiers, seed=seed, measure=ACCURACY)
        return made if made.largest_class <= BALANCED / len(learner.classes) else replace(made, measure=AUROC)

    @property
    def records(self) -> int:
        """Records that take part."""
        return int((self.part != UNUSED).sum())

    @cached_property
    def class_sizes(self) -> Ints:
        """Records of each class that take part, (n_classes,)."""
        return np.bincount(self.learner.original.labels[self.part != UNUSED], minlength=len(self.learner.classes))

    @property
    def largest_class(self) -> float:
        """Share of the most frequent class."""
        return float(self.class_sizes.max() / self.records)

    def learned(self) -> tuple[Examination, tuple[Usefulness, ...]]:
        """Examine the table as it is, by the measure that shows that something can be learned, or say that none does.

        Accuracy that is no better than always answering the most frequent class may hide what AUROC shows.
        """
        tried = []
        for measure in dict.fromkeys([self.measure, AUROC]):
            here = replace(self, measure=measure)
            found = here.original()
            if best(found).choosing.interval[0] > here.zero_r().choosing.rate:
                return here, found
            tried.append(here._compared(best(found)))
        raise TableError(
            f"target {self.learner.target!r}",
            expected="something about it that can be learned from the other columns",
            got=f"nothing that can be told from chance: {', '.join(tried)}",
            hint="another target or other classifiers; without a target usefulness is measured by count queries",
        )

    def original(self) -> tuple[Usefulness, ...]:
        """Examine the table as it is."""
        return self.scores(self.learner.original)

    def of_release(self, release: Any, observe: Observer = silent) -> tuple[Usefulness, ...]:
        """Examine a release."""
        return self.scores(self.learner.examples(release), observe)

    def distances(self, release: Any) -> dict[str, float]:
        """Return nothing: usefulness is what is learned."""
        return {}

    def scores(self, examples: Examples, observe: Observer = silent) -> tuple[Usefulness, ...]:
        """Train every classifier on the rows of a release, and test it on original records."""
        shape = (len(self._taking_part), len(self.learner.classes))
        answers = {classifier.key: np.zeros(shape) for classifier in self.classifiers}
        for here in range(1, PARTS):
            tested = self._tested(here)
            trained, records = examples.where(self._trained(here)), self.learner.original.where(tested)
            for classifier in self.classifiers:
                report(observe, Progress(stage="learning"))
                found = self.learner.held_out(trained, records, [classifier], seed=self.seed)
                answers[classifier.key][tested[self._taking_part]] = found[classifier.key].probabilities
        return tuple(
            Usefulness(by=key, choosing=self._value(given, (1, 2, 3)), confirming=self._value(given, (0,)))
            for key, given in answers.items()
        )

    def zero_r(self) -> Usefulness:
        """Always answer the most frequent class of the training records; by AUROC that is chance."""
        words = self.measure.nothing
        if self.measure is AUROC:
            chance = [AveragedValue(exact=Fraction(1, 2), error=0.0, cases=1, records=self._count(p)) for p in (1, 0)]
            return Usefulness(by=words, choosing=chance[0], confirming=chance[1])
        answers = np.zeros((len(self._taking_part), len(self.learner.classes)))
        for here in range(1, PARTS):
            guess = np.bincount(self.learner.original.labels[self._trained(here)]).argmax()
            answers[self._tested(here)[self._taking_part], guess] = 1.0
        choosing, confirming = self._value(answers, (1, 2, 3)), self._value(answers, (0,))
        return Usefulness(by=words, choosing=choosing, confirming=confirming)

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
    def _taking_part(self) -> Ints:
        return np.flatnonzero(self.part != UNUSED)

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

    def _count(self, first: int) -> int:
        return int((self._choosing if first else self._apart).sum())

    def _value(self, answers: NDArray[np.float64], parts: Sequence[int]) -> MeasuredValue:
        """Measure the answers, (n_taking_part, n_classes), to the records of some parts."""
        part, labels = self.part[self._taking_part], self.learner.original.labels[self._taking_part]
        if self.measure is ACCURACY:
            here = np.isin(part, parts)
            right = int((answers[here].argmax(axis=1) == labels[here]).sum())
            return CorrectPredictions(right=right, records=int(here.sum()))
        classes, values, squares = self._ranked_classes, [], 0.0
        for one in parts:
            value, adds = area_under_curve(labels[part == one], answers[part == one], classes)
            values.append(value)
            squares += float(adds @ adds)
        fewest = int(self.class_sizes[classes].min() * len(parts) // PARTS)
        return AveragedValue(
            exact=sum(values, Fraction(0)) / len(parts),
            error=squares**0.5 / len(parts),
            cases=max(fewest, 1),
            records=int(np.isin(part, parts).sum()),
        )

    @cached_property
    def _ranked_classes(self) -> list[int]:
        """The classes that AUROC is averaged over: of two the second, of more those with enough records."""
        enough = np.flatnonzero(self.class_sizes >= LEAST_OF_CLASS).tolist()
        if len(enough) >= 2:
            return enough if len(self.learner.classes) > 2 else [1]
        rare = int(np.argsort(self.class_sizes)[-2])
        raise TableError(
            f"target {self.learner.target!r}",
            expected=f"at least two classes of {LEAST_OF_CLASS} records or more to learn from and to test on",
            got=f"{int(self.class_sizes[rare])} of {quoted(self.learner.classes[rare])}",
            hint="group rare classes, take more records, or leave the target out: count queries need none",
        )

    def _compared(self, found: Usefulness) -> str:
        nothing = self.zero_r().choosing.rate
        said = f"{self.measure.title} {self.measure.said(found.choosing.rate)}, {self.measure.nothing}"
        share = f"; the most frequent class has {percent(self.largest_class)}" if self.measure is AUROC else ""
        return f"{said} {self.measure.said(nothing)}{share}"


def _check_classes(learner: Learner) -> None:
    if len(learner.classes) > MOST_CLASSES:
        raise TableError(
            f"target {learner.target!r}",
            expected=f"at most {MOST_CLASSES} classes",
            got=f"{len(learner.classes):,} different values",
            hint="group them first, such as length_of_stay > 5, or choose another column",
        )
