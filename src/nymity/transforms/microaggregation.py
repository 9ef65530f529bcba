"""Microaggregation: groups of at least k near records share their mean in place of their numbers.

The mean is computed once for each group, in whole units, rounded to two decimals more than the column has, and so is
the same number in each record. In the columns that are grouped *together*, each published combination is that of at
least k records. Columns of several transforms, and all other columns, may still tell them apart: this alone promises
nothing about combinations. A mean of few shows who stands far out: code the ends first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import ParameterError, TableError
from nymity.core.validation import exact_fraction
from nymity.kernels.point_tree import PointMetric
from nymity.table.text import as_text, check_comparable
from nymity.transforms.column_numbers import ColumnNumbers
from nymity.transforms.transform import Transform

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: Decimals that a mean has beyond those of its column, as a factor.
_FINER, _DECIMALS = 100, 2


@dataclass(frozen=True, kw_only=True)
class _Grouped(Transform):
    """``dominance``: the largest share that a record may have in the sum of its group's numbers, without their signs.

    Groups with a larger one join their nearest until there is none.
    """

    keeps: ClassVar[str] = "means are as they were, but for rounding"
    groups: ClassVar[bool] = True

    k: int
    dominance: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number("k", self.k, at_least=2)
        if self.dominance is not None:
            validation.number("dominance", self.dominance, above=0, at_most=1)

    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Group the records, and put means in their place; equally near ones are told apart by a draw."""
        columns = self._read(table)
        present = columns[0].present
        self._check(columns, present, units)
        n = int(present.sum())
        order = draws.permutation(purpose, n)
        groups = np.empty(n, dtype=np.int64)
        groups[order] = np.unique(self._groups([one.taken(order) for one in columns]), return_inverse=True)[1]
        if self.dominance is not None and n:
            groups = _without_dominance(columns, groups, exact_fraction(self.dominance))
        return {one.cells.name: one.shared(groups) for one in columns}

    def _read(self, table: pl.DataFrame) -> list[_Numbers | _Words]:
        return [_Numbers.read(table[name]) for name in self.columns]

    def _check(self, columns: list[_Numbers | _Words], present: Bools, units: pl.Series | None) -> None:
        where, n = f"columns {', '.join(map(repr, self.columns))}", int(present.sum())
        if any((one.present != present).any() for one in columns):
            raise TableError(
                where,
                expected="a value in each of them or in none, for records that are grouped by all of them",
                got="records with some",
                hint="one transform for each column, or missing = 'drop'",
            )
        if 0 < n < self.k:
            raise TableError(where, expected=f"at least k = {self.k} records with values", got=f"{n}")
        if units is not None and units.filter(pl.Series(present)).is_duplicated().any():
            raise TableError(
                where,
                expected="one record of each person or household: the mean of k records of one of them hides nobody",
                got="several",
                hint="transform = 'rank-swapping', or publish one record of each",
            )

    def contradicted(self, table: pl.DataFrame) -> str:
        """Fewer than k records with the same cells in all of its columns."""
        cells = pl.DataFrame({f"c{i}": as_text(table[name]) for i, name in enumerate(self.columns)})
        sizes = cells.drop_nulls().group_by(pl.all()).len()["len"]
        if len(sizes) and (fewest := int(sizes.min())) < self.k:  # type: ignore[arg-type]
            return f"{fewest} records share their cells in {', '.join(map(repr, self.columns))}, k = {self.k}"
        return ""

    @abstractmethod
    def _groups(self, columns: list[_Numbers | _Words]) -> Ints:
        """Return the group of each record; there are at least k, or none."""


@dataclass(frozen=True, kw_only=True)
class Microaggregation(_Grouped):
    """Groups by all ``columns`` together: MDAV, or V-MDAV (:mod:`nymity.kernels.mdav`).

    Numbers are measured in their standard deviations. Where some columns are no numbers, all are compared by Gower's
    distance, numbers by their range, and groups share the most frequent value of these columns. ``variable``: groups
    take further near records, up to 2k - 1, where these are nearer to it than so many times their distance from others.
    """

    key: ClassVar[str] = "microaggregation"
    title: ClassVar[str] = "microaggregation"
    keeps: ClassVar[str] = "means of numbers are as they were, but for rounding"

    variable: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variable is not None:
            validation.number("variable", self.variable, above=0)

    def _read(self, table: pl.DataFrame) -> list[_Numbers | _Words]:
        return [
            _Numbers.read(table[name]) if table[name].dtype.is_numeric() else _Words.read(table[name])
            for name in self.columns
        ]

    def _groups(self, columns: list[_Numbers | _Words]) -> Ints:
        from nymity.kernels.mdav import mdav, variable_groups

        points, metric = _points(columns)
        if not len(points):
            return np.zeros(0, dtype=np.int64)
        if self.variable is not None:
            return np.asarray(variable_groups(points, metric, self.k, float(self.variable)))
        return np.asarray(mdav(points, metric, self.k))


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

    def _groups(self, columns: list[_Numbers | _Words]) -> Ints:
        from nymity.kernels.mdav import best_groups

        units = columns[0].units
        order = np.argsort(units, kind="stable")
        groups = np.empty(len(order), dtype=np.int64)
        groups[order] = best_groups(units[order], self.k)
        return groups


@dataclass(frozen=True, eq=False)
class _Numbers:
    """A column of numbers, whose groups share their mean: units (n,) of the records that have one."""

    cells: pl.Series
    units: Ints
    decimals: int

    @staticmethod
    def read(cells: pl.Series) -> _Numbers:
        numbers = ColumnNumbers.of(cells)
        return _Numbers(cells, numbers.units, numbers.decimals)

    @property
    def present(self) -> Bools:
        return self.cells.cast(pl.Float64).fill_nan(None).is_not_null().to_numpy()

    def taken(self, order: Ints) -> _Numbers:
        return replace(self, units=self.units[order])

    def shared(self, groups: Ints) -> pl.Series:
        """Return the mean of each record's group, halves to the even unit: whole numbers all the way."""
        sizes = np.bincount(groups)
        sums = np.zeros(len(sizes), dtype=object)  # exact, however large
        np.add.at(sums, groups, self.units.astype(object))
        means = [round(Fraction(int(total) * _FINER, int(size))) for total, size in zip(sums, sizes, strict=True)]
        finer = ColumnNumbers(cells=self.cells, units=self.units, decimals=self.decimals + _DECIMALS)
        return finer.with_units(np.array(means, dtype=np.float64)[groups])


@dataclass(frozen=True, eq=False)
class _Words:
    """A column without numbers, whose groups share their most frequent value: units (n,) are numbers of ``words``."""

    cells: pl.Series
    units: Ints
    words: pl.Series

    @staticmethod
    def read(cells: pl.Series) -> _Words:
        check_comparable(cells, where=f"column {cells.name!r}")
        there = cells.drop_nulls()
        words = there.unique().sort()
        places = there.replace_strict(words, pl.Series(np.arange(len(words))), return_dtype=pl.Int64)
        return _Words(cells, places.to_numpy().astype(np.int64), words)

    @property
    def present(self) -> Bools:
        return self.cells.is_not_null().to_numpy()

    def taken(self, order: Ints) -> _Words:
        return replace(self, units=self.units[order])

    def shared(self, groups: Ints) -> pl.Series:
        """Return the most frequent value of each record's group, the first in order of several."""
        pairs, counts = np.unique(groups * (len(self.words) + 1) + self.units, return_counts=True)
        group, unit = np.divmod(pairs, len(self.words) + 1)
        order = np.lexsort([unit, -counts, group])
        modes = unit[order][np.unique(group[order], return_index=True)[1]]
        places = np.full(len(self.cells), -1, dtype=np.int64)
        places[self.present] = modes[groups]
        return self.words.gather(pl.Series(places).replace(-1, None)).alias(self.cells.name)


def _points(columns: list[_Numbers | _Words]) -> tuple[Floats, PointMetric]:
    """Return records as points, numbers first, and their metric."""
    numbers = [one for one in columns if isinstance(one, _Numbers)]
    words = [one for one in columns if isinstance(one, _Words)]
    units = [*(one.units for one in numbers), *(one.units for one in words)]
    points = np.array(units, dtype=np.float64).T
    scaled = points[:, : len(numbers)]
    if len(points):
        widths = np.ptp(scaled, axis=0) if words else scaled.std(axis=0)
        scaled /= np.where(widths > 0, widths, 1)
    return np.ascontiguousarray(points), PointMetric(len(numbers), np.ones(len(columns)), not words)


def _without_dominance(columns: list[_Numbers | _Words], groups: Ints, limit: Fraction) -> Ints:
    """Join groups in whose sum one number has more than the limit with their nearest, until none is left."""
    numbers = [np.abs(one.units.astype(object)) for one in columns if isinstance(one, _Numbers)]
    points, metric = _points(columns)
    while True:
        over = _dominated(numbers, groups, limit)
        if not len(over):
            return groups
        if groups.max() == 0:
            raise TableError(
                f"columns {', '.join(repr(one.cells.name) for one in columns)}",
                expected=f"no record with more than {float(limit):g} of the sum of all records",
                got="one",
                hint="code the ends first (top-coding), or a larger dominance",
            )
        groups = _joined(points, metric, groups, int(over[0]))


def _dominated(numbers: list[NDArray[Any]], groups: Ints, limit: Fraction) -> Ints:
    """Return the groups in which a number has more than the limit of the sum, exactly."""
    found = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    for one in numbers:
        sums, most = (np.zeros(len(found), dtype=object) for _ in range(2))
        np.add.at(sums, groups, one)
        np.maximum.at(most, groups, one)
        found |= (most * limit.denominator > sums * limit.numerator).astype(np.bool_)
    return np.flatnonzero(found)


def _joined(points: Floats, metric: PointMetric, groups: Ints, group: int) -> Ints:
    """Join a group with the one of the record nearest to its own, and number groups anew."""
    from nymity.kernels.mdav import nearest_other

    other = int(groups[nearest_other(points, metric, groups == group)])
    return np.unique(np.where(groups == group, other, groups), return_inverse=True)[1].astype(np.int64)
