"""Learner: an original table, encoded once, and what classifiers learn from any number of its releases.

A record of the original is never tested by a classifier that was trained on its released row: each released row is
linked to the record it came from, and the rows of the tested records are left out of training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError, TableError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.quoting import quoted
from nymity.io import to_polars
from nymity.table.attribute import Role
from nymity.table.encoding import codes_of, distinct_values, labelled
from nymity.table.hierarchy import Label
from nymity.table.schema import Schema
from nymity.table.text import MASK, as_text
from nymity.utility.classifiers import Classifier, Fitted, chosen, fit
from nymity.utility.feature_encoding import Encoding, FeatureRows, FeatureSpace, Matrix
from nymity.utility.released import CellReading, Released
from nymity.utility.scoring import Performance, Predictions
from nymity.utility.splits import UNUSED

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Where the labels of released rows come from: what is published, or the original by the links of rows.
LabelSource = Literal["released", "original"]

#: Test records of a fold that columns are shuffled among.
_SHUFFLED = 1000


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to learn from or to be tested on: features, classes (n_rows,), and the record each came from, if known."""

    rows: FeatureRows
    labels: Ints
    records: Ints | None

    def at(self, rows: Ints) -> Examples:
        """Return some of the rows."""
        return Examples(self.rows.at(rows), self.labels[rows], None if self.records is None else self.records[rows])

    def where(self, wanted: NDArray[np.bool_]) -> Examples:
        """Return the rows of some of the original's records, which ``wanted`` (n_records,) marks."""
        assert self.records is not None, "rows without links"
        return self.at(np.flatnonzero(wanted[self.records]))

    @property
    def features(self) -> Matrix:
        """Features of all rows, (n_rows, n_features)."""
        return self.rows.take(np.arange(len(self.labels)))


@dataclass(frozen=True, eq=False)
class Learner:
    """The original's records as examples, the classes of the target, and the space that releases are encoded in.

    ``usable`` marks the records that the schema does not drop for their gaps. ``as_published`` does not join features
    of values that no trained cell tells apart, as the thesis does not: only to repeat its figures.
    """

    source: pl.DataFrame
    schema: Schema
    target: str
    classes: tuple[Label, ...]
    space: FeatureSpace
    original: Examples
    usable: NDArray[np.bool_]
    as_published: bool = False

    @staticmethod
    def of(
        original: Any,
        schema: Schema,
        *,
        target: str,
        columns: Sequence[str] | None = None,
        encoding: Encoding = "binary",
        test: pl.DataFrame | None = None,
        as_published: bool = False,
    ) -> Learner:
        """Encode the original; ``columns`` are learned from: all but the target, identifying ones and sets by default.

        The values of ``test``, a table of further records, get features too.
        """
        source = to_polars(original)
        _check_target(target, schema)
        if columns is None:
            apart = (target, schema.weight, *schema.columns(Role.ITEMS))
            columns = [name for name in schema.published if name not in apart]
        _check_single(schema, [target, *columns])
        if not columns:
            raise TableError("release", expected=f"columns to learn {target!r} from", got="none")
        tables = [source] if test is None else [source, test]
        for table in tables:
            _check_columns("test records" if table is test else "original", [target, *columns], table)
        labels = {label for table in tables for label in as_text(distinct_values(table[target]))}
        classes = sorted(labels, key=lambda label: (label is not None, label))
        if len(classes) < 2:
            raise TableError(
                f"target {target!r}",
                expected="at least two classes",
                got=f"only {quoted(classes[0])}" if classes else "no records",
                hint="another column",
            )
        space = FeatureSpace.of(tables, columns, encoding)
        examples = _examples(space, target, classes, source)
        usable = ~schema.gaps(source)
        return Learner(source, schema, target, tuple(classes), space, examples, usable, as_published)

    def others(self, table: pl.DataFrame) -> Examples:
        """Take further original records, to be tested on."""
        return _examples(self.space, self.target, self.classes, table)

    def examples(self, release: Any, *, labels: LabelSource = "released") -> Examples:
        """Take the rows of a release, as ``publish`` returns or ``nymity.open`` opens it.

        Rows are put into the order of the records they came from, where that is not known into an order of their
        cells, so that theirs does not matter. Suppressed rows whose label is masked too are left out.
        """
        validation.one_of("labels", labels, ("released", "original"))
        released = Released.of(release)
        reading = self._reading(released)
        records = None if released.source_rows is None else self._checked(released.source_rows, released.frame.height)
        if labels == "released":
            known = self._labels(released.frame, reading, records)
        elif records is not None:
            known = self.original.labels[records]
        else:
            raise ParameterError("labels", expected="'released' where rows have no links", got="'original'")
        examples = Examples(self.space.encode(released.frame, reading.hierarchies, reading.read), known, records)
        keys = [*examples.rows.cells.T, known] if records is None else [records]
        order = np.lexsort(keys)
        return examples.at(order[known[order] >= 0])

    def score(
        self, examples: Examples, test: NDArray[np.bool_], classifiers: Sequence[str | Classifier], *, seed: int = 0
    ) -> dict[str, Performance]:
        """Train on the rows of all other records than the ``test`` ones (n_records,), and test on the original's."""
        fold = np.where(self.usable, np.where(test, 0, 1), UNUSED)
        trained, tested = examples.where(fold == 1), self.original.where(fold == 0)
        found = self.held_out(trained, tested, classifiers, seed=seed)
        return {key: answers.performance(self.classes) for key, answers in found.items()}

    def cross_validated(
        self,
        examples: Examples,
        fold: Ints,
        classifiers: Sequence[str | Classifier],
        *,
        seed: int = 0,
        importance: bool = False,
        observe: Observer = silent,
        stage: str = "learning",
    ) -> dict[str, Predictions]:
        """Predict each record from the rows of the records of all other folds.

        ``fold`` (n_records,) is the fold of each of the original's records (:mod:`nymity.utility.splits`).
        """
        parts = []
        for here in range(int(fold.max()) + 1):
            trained = examples.where((fold != here) & (fold != UNUSED))
            records = self.original.where(fold == here)
            step = FoldProgress(stage, here, int(fold.max()) + 1, observe)
            parts.append(self.held_out(trained, records, classifiers, seed=seed, importance=importance, step=step))
        return {key: Predictions.joined([part[key] for part in parts]) for key in parts[0]}

    def held_out(
        self,
        trained: Examples,
        tested: Examples,
        classifiers: Sequence[str | Classifier],
        *,
        seed: int = 0,
        importance: bool = False,
        step: FoldProgress | None = None,
    ) -> dict[str, Predictions]:
        """Train on some rows, predict others."""
        if not len(trained.labels) or not len(tested.labels):
            lacking = "training rows" if not len(trained.labels) else "test records"
            raise TableError(lacking, expected="at least one with a label", got="none", hint="fewer folds")
        if not self.as_published:
            rows = self.space.joined(trained.rows, tested.rows)
            trained, tested = replace(trained, rows=rows[0]), replace(tested, rows=rows[1])
        configured, found = chosen(classifiers), {}
        features, test_features = trained.features, tested.features
        for number, classifier in enumerate(configured):
            if step is not None:
                step.tell(number, len(configured))
            fitted = fit(classifier, features, trained.labels, len(self.classes), seed)
            lost = _importance(fitted, tested, seed) if importance else None
            answers = fitted.probabilities(test_features)
            found[classifier.key] = Predictions(tested.labels, answers, np.zeros(len(answers), np.int64), lost)
        return found

    # -- reading a release -----------------------------------------------------------------------------

    def _reading(self, released: Released) -> CellReading:
        """Return what cells stand for, or refuse a release without a column that is learned."""
        if released.counts is not None and self.target not in released.frame.columns:
            raise TableError(
                f"target {self.target!r}",
                expected="a column of the table that quasi-identifiers are published in",
                got="one whose values lie apart, by bucket",
                hint="who has which value is published nowhere: count queries can be asked instead",
            )
        _check_columns("released table", [self.target, *self.space.names], released.frame)
        known = released if released.schema is not None else replace(released, schema=self.schema)
        reading = known.reading(self.source)
        assert reading is not None
        return reading

    def _checked(self, links: Any, n_rows: int) -> Ints:
        given = np.asarray(links)
        whole = given.dtype.kind in "iu" or not given.size  # text, gaps and halves name no row
        records = given.astype(np.int64) if whole else np.full(given.shape, -1, dtype=np.int64)
        within = (records >= 0) & (records < self.source.height)
        if records.shape != (n_rows,) or not within.all() or len(np.unique(records)) < n_rows:
            raise TableError(
                "links",
                expected=f"the original's row of each of {n_rows:,} released rows, none twice, "
                f"from 0 to {self.source.height - 1:,}",
                got=f"{records.size:,} numbers" if records.shape != (n_rows,) else "others",
                hint="give the table the release was made from, and the links of this release",
            )
        return records

    def _labels(self, frame: pl.DataFrame, reading: CellReading, records: Ints | None) -> Ints:
        """The class of each released row, -1 where the row is suppressed with its label."""
        found = self._read_labels(frame, reading)
        if records is not None and (found != np.where(found < 0, found, self.original.labels[records])).any():
            raise TableError(
                f"released column {self.target!r}",
                expected="the labels of the records that rows are linked to",
                got="others",
                hint="give the table the release was made from, and the links of this release",
            )
        return found

    def _read_labels(self, frame: pl.DataFrame, reading: CellReading) -> Ints:
        labels, row = labelled(frame[self.target])
        hierarchy = reading.hierarchies.get(self.target)
        if hierarchy is not None:
            cells = reading.read(self.target, labels)
            values = [hierarchy.values[cells.codes(i)[0]] if size == 1 else MASK for i, size in enumerate(cells.sizes)]
            several = np.array([value == MASK for value in values], dtype=np.bool_)[row]
            self._refuse_generalized(frame, reading, several, labels, row)
            labels = tuple(values)
        index = {label: number for number, label in enumerate(self.classes)}
        for label in labels:
            if label not in index and (hierarchy is None or label != MASK):
                raise TableError(
                    f"released column {self.target!r}",
                    expected="classes of the original",
                    got=f"the unknown value {quoted(label)}",
                    hint="give the table the release was made from",
                )
        return np.array([index.get(label, -1) for label in labels], dtype=np.int64)[row]

    def _refuse_generalized(
        self,
        frame: pl.DataFrame,
        reading: CellReading,
        several: NDArray[np.bool_],
        labels: Sequence[Label],
        row: Ints,
    ) -> None:
        """Refuse labels that stand for several classes, unless their rows are suppressed as a whole."""
        masked = np.ones(frame.height, dtype=np.bool_)
        for name in reading.hierarchies:
            masked &= (as_text(frame[name]) == MASK).fill_null(False).to_numpy()
        open_ = np.flatnonzero(several & ~masked)
        if len(open_) or (len(several) and several.all()):
            example = labels[row[open_[0]]] if len(open_) else MASK
            raise TableError(
                f"target {self.target!r}",
                expected="labels that are published as they are",
                got=f"{quoted(example)}, which stands for several classes",
                hint="publish the target at level 0 (max_level = 0) or as insensitive, or take labels='original'",
            )


@dataclass(frozen=True, eq=False)
class FoldProgress:
    """Where a run is: in which fold of how many."""

    stage: str
    fold: int
    folds: int
    observe: Observer

    def tell(self, number: int, classifiers: int) -> None:
        """Report that a classifier is about to be trained."""
        done, total = self.fold * classifiers + number, self.folds * classifiers
        report(self.observe, Progress(stage=self.stage, done=done, total=total))


def _examples(space: FeatureSpace, target: str, classes: Sequence[Label], table: pl.DataFrame) -> Examples:
    """Take original records."""
    index = {label: number for number, label in enumerate(classes)}
    labels = codes_of(table[target], None, index).astype(np.int64)
    return Examples(space.encode(table), labels, np.arange(table.height))


def _importance(fitted: Fitted, tested: Examples, seed: int) -> Floats:
    """Accuracy lost when one column's cells are shuffled among the test records, (n_columns,)."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(tested.labels))[:_SHUFFLED]
    order, labels = rng.permutation(len(rows)), tested.labels[rows]
    n_columns = tested.rows.cells.shape[1]

    def accuracy(shuffled: int | None) -> float:
        features = tested.rows.take(rows, shuffled=shuffled, order=order)
        return float((fitted.probabilities(features).argmax(axis=1) == labels).mean())

    whole = accuracy(None)
    return np.array([whole - accuracy(column) for column in range(n_columns)])


def _check_columns(where: str, names: Sequence[str], table: pl.DataFrame) -> None:
    for name in names:
        if name not in table.columns:
            raise TableError(
                where,
                expected=f"the column {name!r}",
                got=", ".join(map(repr, table.columns)),
                hint=validation.nearest(name, table.columns),
            )


def _check_single(schema: Schema, columns: Sequence[str]) -> None:
    for name in schema.columns(Role.ITEMS):
        if name in columns:
            raise ParameterError(
                "columns",
                expected="columns with one value in a cell",
                got=f"{name!r}, whose cells are sets of items",
                hint="learn from the others",
            )


def _check_target(target: str, schema: Schema) -> None:
    validation.one_of("target", target, list(schema))
    if not schema[target].is_published:
        raise ParameterError(
            "target",
            expected="a column that is published",
            got=f"{target!r}, which is identifying",
            hint="declare it sensitive or insensitive",
        )
