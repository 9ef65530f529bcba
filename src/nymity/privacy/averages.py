"""Limits on a mean over all published records: what has to be left out so that the rest keeps one.

Such a promise is about the classes together, the masked rows being one. Each class adds some weight, and the weights of
the published classes may sum to at most limit times the published records. A class's *excess* is what it adds beyond
that,

    weight * denominator - size * numerator    for limit = numerator / denominator,

so the promise is kept when the excesses of the published classes sum to at most 0. They are integers below 2**62.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.validation import exact_fraction, short_fraction
from nymity.privacy.groups import Groups
from nymity.privacy.model import Measured, NothingOnPresence, NothingOnValues
from nymity.table.classes import Classes


@dataclass(frozen=True, kw_only=True)
class MeanLimit(NothingOnValues, NothingOnPresence):
    """The weights of the published classes sum to at most ``limit`` times the published records, or their persons.

    Decided in integers, with the limit as the decimal written.
    """

    limit: float = field(kw_only=False)

    monotone_generalization = False
    monotone_suppression = False
    bounds_parts = True
    over_persons = "shares"

    def __post_init__(self) -> None:
        short_fraction(f"{self.key}.limit", self.limit)

    @abstractmethod
    def weights(self, classes: Classes) -> NDArray[np.bool_]:
        """Return which classes weigh 1; the others weigh nothing."""

    @classmethod
    @abstractmethod
    def weighed(cls, groups: Groups) -> int:
        """Return what the classes of a written table weigh together."""

    def is_empty(self, rarest: Fraction | None) -> bool:
        """Every record may be a class of its own."""
        return exact_fraction(self.limit) == 1

    def accepts(self, classes: Classes) -> NDArray[np.bool_]:
        """Any class can be part of a good mean."""
        return np.ones(len(classes), dtype=np.bool_)

    def together(self, classes: Classes, published: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Take the smallest classes out until the mean of the others is within the limit."""
        return without_smallest(classes, published, self._excess(classes))

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Nothing of a class that is too much even beside all that bring the mean down, by records.

        A person may be in several parts of a class, which have more persons together than the class has.
        """
        if classes.persons is not None:
            return classes.sizes.astype(np.int64)
        return most_kept_together(classes, self._excess(classes))

    def _excess(self, classes: Classes) -> NDArray[np.int64]:
        limit = exact_fraction(self.limit)
        return self.weights(classes) * np.int64(limit.denominator) - classes.units * limit.numerator

    @classmethod
    def measure(cls, groups: Groups, attribute: str | None = None) -> Measured:
        """Return the mean over the records, masked ones among them."""
        return {"limit": cls.weighed(groups) / int(groups.people.sum()) if len(groups.people) else None}

    def holds(self, groups: Groups) -> bool:
        """The classes weigh little enough for the records in them; without any class they weigh nothing."""
        return self.weighed(groups) <= exact_fraction(self.limit) * int(groups.people.sum())


def without_smallest(classes: Classes, published: NDArray[np.bool_], excess: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Take the smallest classes out of those kept until the others keep the promise, all classes of a size together.

    By size alone, so that neither the order of classes nor their labels make a difference. Nothing may be left.
    """
    sizes = classes.units[published]
    order = np.argsort(sizes)[::-1]
    ordered, total = sizes[order], np.cumsum(excess[published][order])  # from the largest class down to each
    ends = np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)]
    possible = ordered[ends & (total <= 0)]
    return published & (classes.units >= possible[-1]) if len(possible) else np.zeros_like(published)


def most_kept_together(classes: Classes, excess: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bound the records of each class that any finer partition can publish: all of them or none, (n_classes,).

    Let a finer partition publish some classes that keep the promise, and T be the classes here they are parts of. If
    no class weighs more than any parts of it together, the weights of T sum to no more than theirs, and T has at
    least their records, so the excesses of T sum to at most 0 as well. The least sum with a class in it is its own
    excess and all negative ones: where that is above 0, no part of the class is ever published.
    """
    relief = -excess[excess < 0].sum()
    return np.where(excess <= relief, classes.sizes.astype(np.int64), 0)
