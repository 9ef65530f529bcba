"""Limits on a mean over all published records: what has to be left out so that the rest keeps one.

Such a promise is about the classes together. Each class adds some weight, and the weights of the published classes may
sum to at most limit times the published records. A class's *excess* is what it adds beyond that,

    weight * denominator - size * numerator    for limit = numerator / denominator,

so the promise is kept when the excesses of the published classes sum to at most 0. They are integers below 2**62.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.table.classes import Classes


def excess(weights: NDArray[np.bool_], classes: Classes, limit: Fraction) -> NDArray[np.int64]:
    """Return the excess of each class, for weights of 0 and 1, (n_classes,)."""
    return weights * np.int64(limit.denominator) - classes.sizes.astype(np.int64) * limit.numerator


def without_smallest(classes: Classes, kept: NDArray[np.bool_], excess: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Take the smallest classes out of those kept until the others keep the promise, all classes of a size together.

    By size alone, so that neither the order of classes nor their labels make a difference. Nothing may be left.
    """
    sizes = classes.sizes[kept]
    order = np.argsort(sizes)[::-1]
    ordered, total = sizes[order], np.cumsum(excess[kept][order])  # from the largest class down to each
    ends = np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]
    possible = ordered[ends & (total <= 0)]
    return kept & (classes.sizes >= possible[-1]) if len(possible) else np.zeros_like(kept)


def most_kept_together(classes: Classes, excess: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bound the records of each class that any finer partition can publish: all of them or none, (n_classes,).

    Let a finer partition publish some classes that keep the promise, and T be the classes here they are parts of. If
    no class weighs more than any parts of it together, the weights of T sum to no more than theirs, and T has at
    least their records, so the excesses of T sum to at most 0 as well. The least sum with a class in it is its own
    excess and all negative ones: where that is above 0, no part of the class is ever published.
    """
    relief = -excess[excess < 0].sum()
    return np.where(excess <= relief, classes.sizes.astype(np.int64), 0)
