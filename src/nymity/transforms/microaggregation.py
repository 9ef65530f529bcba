"""Microaggregation: groups of at least k near records share their mean in place of their numbers.

The mean is computed once for each group, in whole units, rounded to two decimals more than the column has, and so is
the same number in each record. In the columns that are grouped *together*, each published combination is that of at
least k records. Columns of several transforms, and all other columns, may still tell them apart: this alone promises
nothing about combinations. A mean of few shows who stands far out: code the ends first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import ParameterError, TableError
from nymity.transforms.column_numbers import ColumnNumbers
from nymity.transforms.transform import Transform

Ints = NDArray[np.int64]
#: Decimals that a mean has beyond those of its column, as a factor.
_FINER, _DECIMALS = 100, 2


@dataclass(frozen=True, kw_only=True)
class _Grouped(Transform):
    keeps: ClassVar[str] = "means are as they were, but for rounding"

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number("k", self.k, at_least=2)

    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Group the records, and put means in their place; equally near ones are told apart by a draw."""
        numbers = [ColumnNumbers.of(table[name]) for name in self.columns]
        present = numbers[0].present
        n = int(present.sum())
        if any((one.present != present).any() for one in numbers):
            raise TableError(
                f"columns {', '.join(map(repr, self.columns))}",
                expected="a number in each of them or in none, for records that are grouped by all of them",
                got="records with some",
                hint="one transform for each column, or missing = 'drop'",
            )
        if 0 < n < self.k:
            raise TableError(
                f"columns {', '.join(map(repr, self.columns))}",
                expected=f"at least k = {self.k} records with numbers",
                got=f"{n}",
            )
        if units is not None and units.filter(pl.Series(present)).is_duplicated().any():
            raise TableError(
                f"columns {', '.join(map(repr, self.columns))}",
                expected="one record of each person or household: the mean of k records of one of them hides nobody",
                got="several",
                hint="transform = 'rank-swapping', or publish one record of each",
            )
        order = draws.permutation(purpose, n)
        groups = np.empty(n, dtype=np.int64)
        groups[order] = np.unique(self._groups([one.units[order] for one in numbers]), return_inverse=True)[1]
        return {one.cells.name: _means(one, groups) for one in numbers}

    @abstractmethod
    def _groups(self, columns: list[Ints]) -> Ints:
        """Return the group of each record; there are at least k, or none."""


@dataclass(frozen=True, kw_only=True)
class Microaggregation(_Grouped):
    """Groups by all ``columns`` together, each in its standard deviations: MDAV (:mod:`nymity.kernels.mdav`)."""

    key: ClassVar[str] = "microaggregation"
    title: ClassVar[str] = "microaggregation"

    def _groups(self, columns: list[Ints]) -> Ints:
        from nymity.kernels.mdav import mdav

        points = np.array(columns, dtype=np.float64).T
        deviations = points.std(axis=0) if len(points) else np.ones(len(columns))
        found: Ints = mdav(np.ascontiguousarray(points / np.where(deviations > 0, deviations, 1)), self.k)
        return found


@dataclass(frozen=True, kw_only=True)
class OptimalMicroaggregation(_Grouped):
    """The groups of one column that lose least: the sum of squared distances to means is proved to be the smallest."""

    key: ClassVar[str] = "optimal-microaggregation"
    title: ClassVar[str] = "optimal microaggregation"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.columns) != 1:
            raise ParameterError(
                "columns",
                expected="one column: the best groups of several cannot be found in reasonable time",
                got=f"{len(self.columns)}",
                hint="transform = 'microaggregation'",
            )

    def _groups(self, columns: list[Ints]) -> Ints:
        from nymity.kernels.mdav import best_groups

        order = np.argsort(columns[0], kind="stable")
        groups = np.empty(len(order), dtype=np.int64)
        groups[order] = best_groups(columns[0][order].astype(np.float64), self.k)
        return groups


def _means(numbers: ColumnNumbers, groups: Ints) -> pl.Series:
    """Return the mean of each record's group, halves to the even unit: whole numbers all the way."""
    sizes = np.bincount(groups)
    sums = np.zeros(len(sizes), dtype=object)  # exact, however large
    np.add.at(sums, groups, numbers.units.astype(object))
    means = [_half_even(int(total) * _FINER, int(size)) for total, size in zip(sums, sizes, strict=True)]
    finer = ColumnNumbers(cells=numbers.cells, units=numbers.units, decimals=numbers.decimals + _DECIMALS)
    return finer.with_units(np.array(means, dtype=np.float64)[groups])


def _half_even(total: int, size: int) -> int:
    below, rest = divmod(total, size)
    up = 2 * rest > size or (2 * rest == size and below % 2 == 1)
    return below + up
