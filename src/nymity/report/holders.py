"""Holders: of whom the records of each value are, so that what few people have is not shown by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Holders:
    """Who has which value: codes (n,) of values, -1 for what is no category, and persons (n,), -1 for nobody."""

    codes: Ints
    persons: Ints

    @staticmethod
    def of(codes: Ints, persons: Ints | None) -> Holders:
        """Return them for records of persons; without these each record is of its own."""
        return Holders(codes, np.arange(len(codes)) if persons is None else persons)

    def among(self, values: NDArray[np.bool_]) -> int:
        """Count the persons who have one of these values, (n_values,)."""
        return len(np.unique(self._known(self.persons[(self.codes >= 0) & values[self.codes]])))

    def outside(self, values: NDArray[np.bool_]) -> int:
        """Count the persons who have another value than these, (n_values,), or what is no category."""
        return len(np.unique(self._known(self.persons[(self.codes < 0) | ~values[self.codes]])))

    def each(self, n_values: int) -> Ints:
        """Count the persons who have each value, (n_values,)."""
        listed = (self.codes >= 0) & (self.persons >= 0)
        pairs = np.unique(np.stack([self.codes[listed], self.persons[listed]]), axis=1)
        return np.bincount(pairs[0], minlength=n_values).astype(np.int64)

    @staticmethod
    def _known(persons: Ints) -> NDArray[Any]:
        return persons[persons >= 0]
