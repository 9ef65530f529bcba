"""Classes: the equivalence classes of one partition as arrays, which is all a privacy model gets to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each sensitive value occurs in each class, as the entries that are not zero.

    classes, codes, counts (n_entries,): class, value and records of an entry; entries of a class are adjacent.
    """

    n_classes: int
    n_values: int
    classes: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    counts: NDArray[np.uint32]

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
    """Equivalence classes of a partition: sizes (n_classes,) and a histogram per sensitive attribute asked for."""

    sizes: NDArray[np.uint32]
    histograms: Mapping[str, Histogram] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sizes)
