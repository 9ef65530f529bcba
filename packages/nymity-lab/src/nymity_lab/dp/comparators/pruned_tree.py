"""A pruned decision tree of noisy counts, in the manner of C4.5 (Quinlan 1993): what is learned from DiffGen.

Bild, Kuhn and Prasser (2018, section 8.7.1) train C4.5 on DiffGen's records, and C4.5 prunes. In a fine table most
cells hold noise alone. Taken as records where they are positive, they outnumber the real ones. Here cells are summed as
they are, those below 0 too: noise then has mean 0 in every sum, and its variance is known from the promise.

A node is divided into one value of an attribute and all others, by information gain. A subtree stays if it answers
more records right than a leaf by more than ``deviations`` standard deviations of the noise in that difference, where
C4.5 has an upper limit of the error. Nothing but published counts and public parameters is used: it is post-processing,
and costs no budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.validation import number, whole_number
from nymity_lab.dp.comparators.cell_noise import noise_variance
from nymity_lab.dp.comparators.diffgen import GeneralizedCounts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class PrunedTree:
    """``leaf`` records at least on either side of a division, by their counts; ``deviations`` a subtree must gain."""

    leaf: int = 10
    deviations: float = 2.0

    def __post_init__(self) -> None:
        whole_number("leaf", self.leaf, at_least=1)
        number("deviations", self.deviations, at_least=0)

    def learn(self, counts: GeneralizedCounts) -> LearnedTree:
        """Grow a tree, then prune it from its leaves up."""
        cells, sizes = counts.cells, [len(cut) for cut in counts.cuts.values()]
        places = np.stack(np.unravel_index(np.arange(len(cells)), sizes), axis=1).astype(np.int16)
        grown = self._grow(cells.astype(np.float64), places, sizes)
        unit = self.deviations * sqrt(2 * noise_variance(counts.noise_scale))
        return LearnedTree(counts=counts, root=_pruned(grown, unit)[0])

    def _grow(self, cells: Floats, places: NDArray[np.int16], sizes: list[int]) -> _Node:
        """Divide while some division gains; cells: (n, classes), places: (n, attributes)."""
        totals = cells.sum(axis=0)
        leaf = _Node(totals=totals, cells=len(cells))
        best = max(
            ((*self._best(cells, places[:, at], size, totals), at) for at, size in enumerate(sizes) if size > 1),
            default=(0.0, 0, 0),
        )
        gain, value, at = best
        if gain <= 1e-9:
            return leaf
        inside = places[:, at] == value
        parts = tuple(self._grow(cells[part], places[part], sizes) for part in (inside, ~inside))
        return leaf._replace(attribute=at, value=value, parts=parts)

    def _best(self, cells: Floats, places: NDArray[np.int16], size: int, totals: Floats) -> tuple[float, int]:
        """Return the largest gain of one value against the rest, and the value; a gain of 0 if there is none."""
        here: Floats = np.stack([np.bincount(places, weights=column, minlength=size) for column in cells.T], axis=1)
        there: Floats = totals - here
        present = np.bincount(places, minlength=size)
        allowed = (present > 0) & (present < len(cells))
        allowed &= (_records(here) >= self.leaf) & (_records(there) >= self.leaf)
        if not allowed.any():
            return 0.0, 0
        gains = np.where(allowed, _bits(totals[None]) - _bits(here) - _bits(there), -np.inf)
        return float(gains.max()), int(gains.argmax())


class _Node(NamedTuple):
    """Sums of counts by class and the number of cells below; what it is divided by, unless it is a leaf."""

    totals: Floats
    cells: int
    attribute: int = -1
    value: int = -1
    parts: tuple[_Node, ...] = ()

    @property
    def answer(self) -> int:
        return int(self.totals.argmax())


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedTree:
    """What was learned from counts."""

    counts: GeneralizedCounts
    root: _Node

    @property
    def leaves(self) -> int:
        """How many leaves pruning left."""
        return _leaves(self.root)

    def predict(self, table: pl.DataFrame) -> list[str]:
        """Return the class of each record, by the values in use."""
        places, answers = self.counts.places(table), np.zeros(table.height, dtype=np.int64)
        _answer(self.root, places, np.arange(table.height), answers)
        return [self.counts.classes[answer] for answer in answers.tolist()]


def _pruned(node: _Node, unit: float) -> tuple[_Node, float]:
    """Return the pruned subtree, and how many records it answers right by the counts."""
    own = float(node.totals[node.answer])
    if not node.parts:
        return node, own
    parts, right = zip(*(_pruned(part, unit) for part in node.parts), strict=True)
    kept = node._replace(parts=parts)
    if sum(right) - own <= unit * sqrt(_cells_otherwise(kept, node.answer)):
        return node._replace(parts=()), own
    return kept, sum(right)


def _cells_otherwise(node: _Node, answer: int) -> int:
    """Return how many cells are answered otherwise: the noise of their two sums is what the gain consists of."""
    if node.parts:
        return sum(_cells_otherwise(part, answer) for part in node.parts)
    return 0 if node.answer == answer else node.cells


def _leaves(node: _Node) -> int:
    return sum(map(_leaves, node.parts)) if node.parts else 1


def _answer(node: _Node, places: Ints, rows: Ints, answers: Ints) -> None:
    if not node.parts:
        answers[rows] = node.answer
        return
    inside = places[rows, node.attribute] == node.value
    for part, chosen in zip(node.parts, (rows[inside], rows[~inside]), strict=True):
        _answer(part, places, chosen, answers)


def _records(counts: Floats) -> Floats:
    """Return the records of each row of counts, (n,): classes with a sum below 0 have none."""
    return np.asarray(np.maximum(counts, 0).sum(axis=1))


def _bits(counts: Floats) -> Floats:
    """Return records times entropy of their class, of each row of counts, (n,)."""
    positive = np.maximum(counts, 0)
    total = positive.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(positive > 0, positive * np.log2(positive / total), 0.0)
    return np.asarray(-terms.sum(axis=1))
