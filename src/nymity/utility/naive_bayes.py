"""Learnability: how well naive Bayes learns from the cells of a release, as a metric that asks what it is for.

Whether there is a metric that predicts usefulness is the open question of de Spoelberch's thesis (section 6.3). This is
our candidate, measured beside all others in docs/studies/metrics.md: the area under the ROC curve of naive Bayes,
trained on released rows and tested on original records whose rows it was not trained on, by cross-validation. A cell
that stands for several values is counted as an equal share of each, so rows of any recoding can be learned from;
nothing depends on how many records there are, and counting is all the training there is. It needs the original and the
column to predict, as the classification metric does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.utility.learner import Examples, Learner
from nymity.utility.scoring import area, roc_curve

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FOLDS = 5
#: Records that every class is given beforehand, spread over the values of a column.
SMOOTHING = 1.0


def area_of(learner: Learner, examples: Examples, *, seed: int = 0) -> float:
    """Return the learnability of rows with links, which the learner encoded as ``binary``."""
    assert examples.records is not None, "rows without links"
    original = learner.original.rows
    vectors = [vector.toarray() for vector in examples.rows.vectors]
    shares = [vector / vector.sum(axis=1, keepdims=True) for vector in vectors]
    places = [vector.toarray().argmax(axis=1) for vector in original.vectors]  # a raw value has a single 1
    values = np.stack([place[original.cells[:, a]] for a, place in enumerate(places)], axis=1)
    records = np.flatnonzero(learner.usable)
    place = np.full(len(learner.usable), -1)
    place[records] = np.arange(len(records))
    return naive_bayes_area(
        examples.rows.cells.astype(np.int64),
        shares,
        values[records],
        learner.original.labels[records],
        place[examples.records],
        seed=seed,
    )


def naive_bayes_area(
    cells: Ints, shares: Sequence[Floats], values: Ints, classes: Ints, records: Ints, *, seed: int = 0
) -> float:
    """Return the held-out AUROC of naive Bayes, averaged over parts and over classes (one against the rest).

    Within a part, because the shares of classes differ between parts: cells that tell nothing have 0.5 then. cells
    (n_rows, m): the number of a row's cell in each column; shares (n_cells, n_values) per column: what each cell counts
    for each value; values (n, m) and classes (n,) of the original's records; records (n_rows,): which of these each row
    came from.
    """
    n_classes = int(classes.max()) + 1
    fold = np.random.default_rng(seed).permutation(len(classes)) % FOLDS
    areas: list[float] = []
    for here in range(FOLDS):
        # Rows by the fold of their record: nobody is tested by what was learned from their own row.
        seen, tested = fold[records] != here, fold == here
        known = classes[records[seen]]
        priors = np.bincount(known, minlength=n_classes) + SMOOTHING
        logs = np.tile(np.log(priors), (int(tested.sum()), 1))
        for a, share in enumerate(shares):
            table = _counts(cells[seen, a], known, len(share), n_classes)
            logs += _likelihoods(share.T @ table)[values[tested, a]]
        areas += _areas(np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None]), classes[tested])
    if not areas:
        raise TableError(
            "learnability", expected=f"records of two classes in one of {FOLDS} parts", got=f"{len(classes)} records"
        )
    return float(np.mean(areas))


def _areas(scores: Floats, classes: Ints) -> list[float]:
    """The AUROC of each class that some but not all records have; of two classes, that of the second alone."""
    wanted = range(scores.shape[1]) if scores.shape[1] > 2 else (1,)
    there = [(classes == c, scores[:, c]) for c in wanted]
    return [area(*roc_curve(positive, score)) for positive, score in there if positive.any() and not positive.all()]


def _counts(cells: Ints, classes: Ints, n_cells: int, n_classes: int) -> Floats:
    """Records of each cell and class, (n_cells, n_classes)."""
    both = np.bincount(cells * n_classes + classes, minlength=n_cells * n_classes)
    return both.reshape(n_cells, n_classes).astype(np.float64)


def _likelihoods(counts: Floats) -> Floats:
    """Logarithm of the share of each value among the records of a class, smoothed; (n_values, n_classes)."""
    return np.asarray(np.log((counts + SMOOTHING / len(counts)) / (counts.sum(axis=0) + SMOOTHING)))
