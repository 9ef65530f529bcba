"""Merging: classes that break a promise join their nearest until all promises are kept.

For methods that are made for k-anonymity alone. The nearest class is the one that costs least more together with it
than apart. A union of all classes keeps every promise, or the method would have refused before, so this ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.core.progress import Observer, Progress, report
from nymity.partition.problem import Assignment

Ints = NDArray[np.int64]


def merge_failing(assignment: Assignment, observe: Observer) -> tuple[Assignment, bool]:
    """Return the classes after those that break a promise have joined others, and whether there were any.

    Which classes fail is all that sensitive values decide: the nearest is found by quasi-identifiers, and the classes
    come numbered by these.
    """
    refused = False
    while True:
        failing = np.flatnonzero(~assignment.accepted())
        if not len(failing):
            return assignment, refused
        refused = True
        report(
            observe, Progress(stage="merging classes that break a promise", done=assignment.n_classes - len(failing))
        )
        assignment = assignment.merged(_joined(_Boxes(assignment), failing))


def _joined(boxes: _Boxes, failing: Ints) -> Ints:
    """Join each failing class with its nearest, the smallest first; each class takes part in one union at most."""
    into = np.arange(len(boxes.sizes))
    free = np.ones(len(into), dtype=np.bool_)
    for c in failing[np.argsort(boxes.sizes[failing], kind="stable")].tolist():
        if not free[c]:
            continue
        free[c] = False
        others = np.flatnonzero(free)
        if not len(others):
            break
        nearest = int(others[np.argmin(boxes.price(c, others))])
        free[nearest] = False
        # Each class is in one union at most, so this number stays its own and nothing leads on from it.
        into[max(c, nearest)] = min(c, nearest)
    _, numbers = np.unique(into, return_inverse=True)
    return numbers.astype(np.int64)


class _Boxes:
    """What each class covers: the ends on each axis (n_classes,), and the values of each set as bits."""

    def __init__(self, assignment: Assignment) -> None:
        n, attributes = assignment.n_classes, assignment.problem.attributes
        self.sizes = np.bincount(assignment.classes, weights=assignment.records, minlength=n)
        self.axes, self.sets = [], []
        for a, attribute in enumerate(attributes):
            ranks = attribute.rank[assignment.combinations[:, a]]
            if attribute.is_set:
                words = np.zeros((n, len(attribute.occurring) // 64 + 1), dtype=np.uint64)
                bits = np.uint64(1) << (ranks % 64).astype(np.uint64)
                np.bitwise_or.at(words, (assignment.classes, ranks // 64), bits)
                self.sets.append((words, attribute.scale, attribute.limit))
            else:
                low, high = np.full(n, np.inf), np.full(n, -np.inf)
                np.minimum.at(low, assignment.classes, attribute.position[ranks])
                np.maximum.at(high, assignment.classes, attribute.position[ranks])
                self.axes.append((low, high, attribute.scale))

    def price(self, c: int, others: Ints) -> NDArray[np.float64]:
        """What class c and each of the others lose more together than apart."""
        together, own, theirs = (np.zeros(len(others)) for _ in range(3))
        for low, high, scale in self.axes:
            together += scale * (np.maximum(high[c], high[others]) - np.minimum(low[c], low[others]))
            own += scale * (high[c] - low[c])
            theirs += scale * (high[others] - low[others])
        for words, scale, limit in self.sets:
            together += scale * _paid(words[others] | words[c], limit)
            own += scale * _paid(words[c : c + 1], limit)
            theirs += scale * _paid(words[others], limit)
        size, sizes = self.sizes[c], self.sizes[others]
        return np.asarray((size + sizes) * together - size * own - sizes * theirs)


def _paid(words: NDArray[np.uint64], limit: int) -> NDArray[np.int64]:
    """Count the values in each row of bits (n, n_words), from two on and up to a limit."""
    different = np.bitwise_count(words).sum(axis=1, dtype=np.int64)
    return np.where(different > 1, np.minimum(different, limit), 0)
