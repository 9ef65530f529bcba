"""Holders: of whom the records of each value are, so that what few people have is not shown by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Holders:
    """Who has which value: codes (n,) of values, -1 for what is no category, and persons (n,), -1 for nobody.

    ``persons`` is None where each record is of its own: then nobody is to be found twice, and records are counted.
    """

    codes: Ints
    persons: Ints | None

    def among(self, values: NDArray[np.bool_]) -> int:
        """Count the persons who have one of these values, (n_values,)."""
        return self._different((self.codes >= 0) & values[self.codes])

    def outside(self, values: NDArray[np.bool_]) -> int:
        """Count the persons who have another value than these, (n_values,), or what is no category."""
        return self._different((self.codes < 0) | ~values[self.codes])

    def each(self, n_values: int) -> Ints:
        """Count the persons who have each value, (n_values,)."""
        if self.persons is None:
            return np.bincount(self.codes[self.codes >= 0], minlength=n_values).astype(np.int64)
        listed = (self.codes >= 0) & (self.persons >= 0)
        pairs = np.unique(np.stack([self.codes[listed], self.persons[listed]]), axis=1)
        return np.bincount(pairs[0], minlength=n_values).astype(np.int64)

    def _different(self, records: NDArray[np.bool_]) -> int:
        """Count the persons of some records, (n,)."""
        if self.persons is None:
            return int(np.count_nonzero(records))
        persons = self.persons[records]
        return len(np.unique(persons[persons >= 0]))
