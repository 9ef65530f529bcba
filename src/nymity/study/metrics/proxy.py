"""A metric that asks what a release is for: how well a naive Bayes classifier learns from its cells.

Its own open question (section 6.3) is whether there is a metric that predicts usefulness. This is our candidate: the
area under the ROC curve of naive Bayes, trained on released rows and tested on original records whose rows it was not
trained on, by cross-validation. A cell that stands for several values is counted as an equal share of each, so rows of
any recoding can be learned from; nothing depends on how many records there are, and counting is all the training there
is. It needs the original and the column to predict, as the classification metric does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FOLDS = 5
#: Records that every class is given beforehand, spread over the values of a column.
SMOOTHING = 1.0


def learnability(cells: Ints, shares: Sequence[Floats], values: Ints, classes: Ints, seed: int = 0) -> float:
    """Return the held-out AUROC of naive Bayes, averaged over parts and over classes (one against the rest).

    Within a part, because the shares of classes differ between parts: cells that tell nothing have 0.5 then.
    cells, values (n, m): the number of a record's released cell and of its original value in each column; shares
    (n_cells, n_values) per column: what each cell counts for each value; classes (n,), 0 to n_classes - 1.
    """
    import numpy as np

    n, n_classes = len(classes), int(classes.max()) + 1
    fold = np.random.default_rng(seed).permutation(n) % FOLDS
    areas: list[float] = []
    for here in range(FOLDS):
        seen, tested = fold != here, fold == here
        priors = np.bincount(classes[seen], minlength=n_classes) + SMOOTHING
        logs = np.tile(np.log(priors), (int(tested.sum()), 1))
        for a, share in enumerate(shares):
            table = _counts(cells[seen, a], classes[seen], len(share), n_classes)
            logs += _likelihoods(share.T @ table)[values[tested, a]]
        areas += _areas(np.exp(logs - np.logaddexp.reduce(logs, axis=1)[:, None]), classes[tested])
    return float(np.mean(areas))


def _areas(scores: Floats, classes: Ints) -> list[float]:
    """The AUROC of each class that some but not all records have; of two classes, that of the second alone."""
    from nymity.utility.scoring import area, roc_curve

    wanted = range(scores.shape[1]) if scores.shape[1] > 2 else (1,)
    there = [(classes == c, scores[:, c]) for c in wanted]
    return [area(*roc_curve(positive, score)) for positive, score in there if positive.any() and not positive.all()]


def _counts(cells: Ints, classes: Ints, n_cells: int, n_classes: int) -> Floats:
    """Records of each cell and class, (n_cells, n_classes)."""
    import numpy as np

    both = np.bincount(cells * n_classes + classes, minlength=n_cells * n_classes)
    return both.reshape(n_cells, n_classes).astype(np.float64)


def _likelihoods(counts: Floats) -> Floats:
    """Logarithm of the share of each value among the records of a class, smoothed; (n_values, n_classes)."""
    import numpy as np

    return np.asarray(np.log((counts + SMOOTHING / len(counts)) / (counts.sum(axis=0) + SMOOTHING)))
