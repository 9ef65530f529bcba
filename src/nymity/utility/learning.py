"""Learning tasks: classifiers trained on a release and on the original, tested on the same original records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.calls import called_well
from nymity.core.errors import ParameterError, TableError
from nymity.core.progress import Observer, silent
from nymity.io import to_polars
from nymity.table.attribute import Role
from nymity.table.schema import Schema
from nymity.utility.classifiers import Classifier, chosen
from nymity.utility.feature_encoding import ENCODINGS, Encoding
from nymity.utility.learner import Examples, FoldProgress, LabelSource, Learner
from nymity.utility.learning_result import ClassifierResult, Importance, Learnability, LearningResult, relative
from nymity.utility.naive_bayes import area_of
from nymity.utility.released import Released
from nymity.utility.scoring import Predictions, paired_interval
from nymity.utility.splits import stratified_folds

#: Classifiers that are trained unless others are asked for.
DEFAULT = ("logistic-regression", "decision-tree", "random-forest")

Ints = NDArray[np.int64]


@called_well
def learn(
    original: Any,
    release: Any,
    *,
    target: str,
    test: Any = None,
    labels: LabelSource = "released",
    classifiers: Sequence[str | Classifier] | None = None,
    encoding: Encoding = "binary",
    folds: int = 5,
    sample: int | None = None,
    seed: int = 0,
    observe: Observer = silent,
) -> LearningResult:
    """Train classifiers of a ``target`` column on a release and on the original, and test both on original records.

    ``release`` is what ``publish`` returns or ``nymity.open`` opens. Nobody is tested by a classifier that was trained
    on their own row. Where it is known which record a released row came from (a release that was just made knows it;
    one that is opened, by its custodian's folder or ``links``), records are divided into ``folds``, each tested by
    what was learned from the rows of the others. Otherwise, and where ``test`` is given, that table of further
    original records is tested, by what was learned from all rows.

    ``labels="original"`` takes labels of released rows from the original. ``sample`` limits the records that take part,
    in folds or in training. The result tells about the original: it is for the custodian.
    """
    validation.one_of("encoding", encoding, ENCODINGS)
    validation.whole_number("folds", folds, at_least=2)
    validation.whole_number("seed", seed, at_least=0)
    if sample is not None:
        validation.whole_number("sample", sample, at_least=2)
    held = None if test is None else to_polars(test)
    learner, released = _opened(original, release, target, encoding=encoding, test=held, labels=labels)
    trial = _Trial(
        learner=learner,
        released=released,
        held=None if held is None else learner.others(held),
        classifiers=chosen(DEFAULT if classifiers is None else classifiers),
        folds=folds,
        sample=sample,
        seed=seed,
        observe=observe,
    )
    return trial.result(unlabelled=Released.of(release).frame.height - len(released.labels))


def learnability(
    original: Any,
    release: Any,
    *,
    target: str,
    seed: int = 0,
) -> Learnability:
    """Return how well naive Bayes learns a ``target`` column from a release, and from the original.

    A quick metric that knows the task (:mod:`nymity.utility.naive_bayes`); parameters as in :func:`learn`.
    """
    learner, released = _opened(original, release, target)
    before, after = (area_of(learner, rows, seed=seed) for rows in (learner.original.where(learner.usable), released))
    return Learnability(original=before, release=after)


def _opened(
    original: Any,
    release: Any,
    target: str,
    *,
    encoding: Encoding = "binary",
    test: pl.DataFrame | None = None,
    labels: LabelSource = "released",
) -> tuple[Learner, Examples]:
    """Encode the original and a release of it; rows need links unless there are records to ``test``."""
    if isinstance(getattr(original, "released", None), Released):
        raise ParameterError(
            "learn",
            expected="the original, then the release",
            got="a release first",
            hint="learn(df, release, target=...)",
        )
    released = Released.of(release)
    schema = released.schema_for("learn")
    columns = _columns(released.frame, schema, target)
    learner = Learner.of(to_polars(original), schema, target=target, columns=columns, encoding=encoding, test=test)
    examples = learner.examples(released, labels=labels)
    if test is None and examples.records is None:
        _refuse_unlinked()
    return learner, examples


@dataclass(frozen=True, eq=False, kw_only=True)
class _Trial:
    """Everything that is decided before the first classifier is trained.

    held: records that are tested instead of the original's.
    """

    learner: Learner
    released: Examples
    held: Examples | None
    classifiers: tuple[Classifier, ...]
    folds: int
    sample: int | None
    seed: int
    observe: Observer

    def result(self, unlabelled: int) -> LearningResult:
        """Train, test, and put both tables side by side."""
        learner = self.learner
        before = self._answers(learner.original, "learning from the original")
        after = self._answers(self.released, "learning from the release")
        zero_r = self._zero_r()
        return LearningResult(
            target=learner.target,
            classes=learner.classes,
            columns=tuple(learner.space.names),
            protocol="cross-validation" if self.held is None else "holdout",
            folds=self.folds if self.held is None else None,
            encoding=learner.space.encoding,
            seed=self.seed,
            records=int(self._used.sum()),
            test_records=len(next(iter(before.values())).labels),
            training_rows=len(self._training(self.released).labels),
            zero_r=zero_r,
            results=tuple(self._compared(c.key, before[c.key], after[c.key], zero_r) for c in self.classifiers),
            notes=tuple(self._notes(unlabelled)),
        )

    @cached_property
    def _used(self) -> NDArray[np.bool_]:
        """The records that take part, (n_records,)."""
        rows = np.flatnonzero(self.learner.usable)
        if self.sample is not None:
            rows = np.random.default_rng(self.seed).permutation(rows)[: self.sample]
        used = np.zeros(len(self.learner.usable), dtype=np.bool_)
        used[rows] = True
        return used

    @cached_property
    def _fold(self) -> Ints:
        validation.whole_number("folds", self.folds, at_most=int(self._used.sum()))
        return stratified_folds(self.learner.original.labels, self.folds, self.seed, usable=self._used)

    def _training(self, examples: Examples) -> Examples:
        """The rows of the records that take part; where rows have no links, as many at random."""
        if examples.records is not None:
            return examples.where(self._used)
        rows = np.random.default_rng(self.seed).permutation(len(examples.labels))[: self.sample]
        return examples.at(np.sort(rows))

    def _answers(self, examples: Examples, stage: str) -> dict[str, Predictions]:
        if self.held is None:
            return self.learner.cross_validated(
                examples,
                self._fold,
                self.classifiers,
                seed=self.seed,
                importance=True,
                observe=self.observe,
                stage=stage,
            )
        training, step = self._training(examples), FoldProgress(stage, 0, 1, self.observe)
        return self.learner.held_out(training, self.held, self.classifiers, seed=self.seed, importance=True, step=step)

    def _zero_r(self) -> float:
        """The accuracy of always answering the most frequent class of the original's training records."""
        labels = self.learner.original.labels
        if self.held is not None:
            return float((self.held.labels == np.bincount(labels[self._used]).argmax()).mean())
        right = 0
        for here in range(self.folds):
            guess = np.bincount(labels[self._used & (self._fold != here)]).argmax()
            right += int((labels[self._fold == here] == guess).sum())
        return right / int(self._used.sum())

    def _compared(self, key: str, before: Predictions, after: Predictions, zero_r: float) -> ClassifierResult:
        classes = self.learner.classes
        original, release = before.performance(classes), after.performance(classes)
        # Paired: both classifiers are asked about the same records, so that what makes a record hard cancels out.
        difference, low, high = paired_interval(before.correct, after.correct)
        assert before.importance is not None
        assert after.importance is not None
        lost = zip(self.learner.space.names, before.importance.tolist(), after.importance.tolist(), strict=True)
        return ClassifierResult(
            classifier=key,
            original=original,
            release=release,
            relative_accuracy=relative(release.accuracy, original.accuracy, zero_r),
            difference=difference,
            interval=(low, high),
            importance=tuple(Importance(column=name, original=b, release=a) for name, b, a in lost),
        )

    def _notes(self, unlabelled: int) -> Iterator[str]:
        n_records = len(self._used)
        if self._used.sum() < n_records:
            yield f"{self._used.sum():,} of {n_records:,} records took part"
        if unlabelled:
            yield f"{unlabelled:,} suppressed rows have no label and were not learned from"
        if self.held is None:
            yield "how to publish was chosen with all records, also those that are tested"
        elif self.released.records is None:
            yield "that nobody tested is among the released rows was not checked"


def _refuse_unlinked() -> None:
    raise TableError(
        "release",
        expected="rows with links to the original's, so that nobody is tested by what was learned from them",
        got="a table without",
        hint="give the release itself, the links of the custodian's log (links, mapping.parquet), "
        "or records that were not released (test)",
    )


def _columns(frame: pl.DataFrame, schema: Schema, target: str) -> list[str]:
    """The columns that are learned from: what is published of the schema's, less target and sampling weights."""
    sets = schema.columns(Role.ITEMS)  # of which classifiers learn nothing
    published = [name for name in frame.columns if name in schema and schema[name].is_published and name not in sets]
    return [name for name in published if name not in (target, schema.weight)]
