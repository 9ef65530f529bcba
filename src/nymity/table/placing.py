"""Placing: the values of a new column on the levels of a hierarchy, also those that it does not list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.table.encoding import codes_of
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.rule import NOWHERE
from nymity.table.text import as_text

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Level:
    """A level for a column: its labels, those of the hierarchy first, and the label of each value, -1 for none.

    of_value (n_listed + n_others,): of all values. of_others (n_others,): of those that are not listed.
    """

    labels: tuple[Label, ...]
    of_value: Ints
    of_others: Ints


@dataclass(frozen=True, eq=False)
class Placed:
    """The cells of a column as numbers of values: those that the hierarchy lists, then others.

    values (n_rows,): below ``hierarchy.domain_size`` it is the code of a listed one. others: the rest, sorted.
    """

    hierarchy: Hierarchy
    values: NDArray[np.int32]
    others: tuple[Label, ...]

    @staticmethod
    def of(column: pl.Series, hierarchy: Hierarchy) -> Placed:
        """Number the cells of a column."""
        values = codes_of(column.alias("cell"), None, hierarchy.index)
        unknown = np.flatnonzero(values < 0)
        if not len(unknown):
            return Placed(hierarchy, values, ())
        values = values.copy()  # it may be a view of the table
        texts = as_text(column[unknown])
        others = texts.unique().sort().to_list()  # a missing one first
        numbers = texts.rank("dense").cast(pl.Int64) - (0 if others[0] is None else 1)
        values[unknown] = hierarchy.domain_size + numbers.fill_null(0).to_numpy()
        return Placed(hierarchy, values, tuple(others))

    def at(self, level: int) -> Level:
        """Return a level of the hierarchy with what others become there."""
        index = {label: code for code, label in enumerate(self.hierarchy.labels[level])}
        found = (row[level] for row in self._rows)
        places = [-1 if label == NOWHERE else index.setdefault(label, len(index)) for label in found]
        others = np.array(places, dtype=np.int64)
        return Level(tuple(index), np.concatenate([self.hierarchy.codes[level], others]), others)

    def with_others(self, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say of each row whether its value is one of some others, (n_others,)."""
        listed = np.zeros(self.hierarchy.domain_size, dtype=np.bool_)
        return np.concatenate([listed, marked])[self.values]

    @cached_property
    def _rows(self) -> list[list[Label]]:
        return self.hierarchy.rows_of_others(self.others)
