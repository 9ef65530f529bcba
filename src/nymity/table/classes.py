"""Classes: the equivalence classes of one partition as arrays, which is all a privacy model gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nymity.table.encoding import SensitiveColumn


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, as the entries that are not zero.

    classes, codes, counts (n_entries,): class, value and records of an entry; entries of a class are adjacent.
    column: the attribute as encoded, with its labels and hierarchy. overall (n_values,): records of each value in the
    table that classes are compared with; that of all classes together unless given.
    """

    n_classes: int
    n_values: int
    classes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    column: SensitiveColumn | None = None
    overall: NDArray[np.int64] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.overall is None:
            object.__setattr__(self, "overall", self.totals())

    def totals(self, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Records of each value in the chosen classes together, (n_values,)."""
        entries = slice(None) if chosen is None else chosen[self.classes]
        counts = np.bincount(self.codes[entries], weights=self.counts[entries], minlength=self.n_values)
        return counts.astype(np.int64)

    @cached_property
    def distinct(self) -> NDArray[np.int64]:
        """Number of different values in each class, (n_classes,)."""
        return np.bincount(self.classes, minlength=self.n_classes)

    @cached_property
    def largest(self) -> NDArray[np.int64]:
        """Records of the most frequent value in each class, (n_classes,)."""
        largest = np.zeros(self.n_classes, dtype=np.int64)
        if len(self.classes):
            first = np.flatnonzero(np.diff(self.classes, prepend=self.classes[0] + np.uint32(1)))
            largest[self.classes[first]] = np.maximum.reduceat(self.counts, first)
        return largest


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes of a partition: sizes (n_classes,) and a histogram per sensitive attribute asked for.

    population (n_classes,): records of the population that fall into each class, where a model asks for them;
    outside: those that fall into none, because their combination has no record here.
    stars: the class whose published cells are all ``*``, -1 for none: masked rows look like it.
    """

    sizes: NDArray[np.uint32]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    population: NDArray[np.int64] | None = None
    outside: int = 0
    stars: int = -1

    def __len__(self) -> int:
        return len(self.sizes)

    def merged(self, chosen: NDArray[np.bool_]) -> Classes:
        """Return the chosen classes as one, still compared with the same table, and the people outside as its own."""
        histograms, people = {}, None
        if self.population is not None:
            people = self.population[chosen].sum(keepdims=True) + self.outside
        for name, histogram in self.histograms.items():
            totals = histogram.totals(chosen)
            codes = np.flatnonzero(totals).astype(np.uint32)
            counts, one = totals[codes].astype(np.uint32), np.zeros_like(codes)
            histograms[name] = replace(histogram, n_classes=1, classes=one, codes=codes, counts=counts)
        return Classes(self.sizes[chosen].sum(keepdims=True, dtype=np.uint32), histograms, people)

    def compared_with(self, chosen: NDArray[np.bool_]) -> Classes:
        """Return the same classes, compared with the table that consists of the chosen ones."""
        histograms = {name: replace(h, overall=h.totals(chosen)) for name, h in self.histograms.items()}
        return replace(self, histograms=histograms)
