"""Countable: a table, a release or a bucketized release, in the one form that count queries are answered on.

Records are in groups of rows and entries (see :mod:`nymity.kernels.queries`). What these are depends on the table:

* a table as it is: one group, all columns in its entries. The answer is the count.
* a recoded release: a group for each combination of published cells, the other columns in its entries. A cell stands
  for a set of values, any of which is taken to be equally likely, in each column independently.
* buckets: a group for each, quasi-identifiers in its rows, sensitive values in its entries. Any way to assign the
  values of a bucket to its rows is taken to be equally likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.validation import nearest
from nymity.kernels.grouping import distinct
from nymity.kernels.queries import GroupedRows
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.cells import Cells
from nymity.table.encoding import codes_of, labelled
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.packing import KeyLayout
from nymity.table.published_cells import ReadCells, as_they_are
from nymity.table.text import as_text

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Countable:
    """The values of each column, its cells with the values they stand for, and the records in groups.

    Rows and entries refer to cells by number, those of one column after those of another, in the order of ``cells``.
    """

    domains: Mapping[str, tuple[Label, ...]]
    cells: Mapping[str, Cells]
    rows: GroupedRows
    entries: GroupedRows


@dataclass(frozen=True, eq=False)
class RecodedTable:
    """A release in one table: columns with a hierarchy have cells that ``read`` knows, others are as they were."""

    frame: pl.DataFrame
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    read: ReadCells = as_they_are

    @property
    def columns(self) -> list[str]:
        """What can be asked for."""
        return self.frame.columns

    def countable(self, names: Sequence[str]) -> Countable:
        """Take some columns."""
        recoded = {name: self._recoded(name) for name in names if name in self.hierarchies}
        columns = recoded | {name: _raw(_found(self.frame, name)) for name in names if name not in recoded}
        cells, records = _tallied(_numbered(columns))
        own, others = cells[: len(recoded)], cells[len(recoded) :]
        first = np.append(True, (own[:, 1:] != own[:, :-1]).any(axis=0))[: len(records)]  # equal ones are adjacent
        starts = np.append(np.flatnonzero(first), len(records))
        wide = np.flatnonzero([not column.cells.raw for column in recoded.values()])
        rows = GroupedRows(own[:, first], np.add.reduceat(records, starts[:-1]), np.arange(len(starts)), wide)
        return _countable(columns, rows, GroupedRows(others, records, starts, wide[:0]))

    def _recoded(self, name: str) -> _Column:
        column, hierarchy = _found(self.frame, name), self.hierarchies[name]
        labels, numbers = labelled(column)
        return _Column(hierarchy.values, self.read(name, labels), numbers)


@dataclass(frozen=True, eq=False, kw_only=True)
class BucketizedTables:
    """A bucketized release: ``quasi`` (columns …, bucket) and ``counts`` (bucket, sensitive columns …, count)."""

    quasi: pl.DataFrame
    counts: pl.DataFrame

    @property
    def quasi_columns(self) -> list[str]:
        """Columns beside the number of the bucket."""
        return [name for name in self.quasi.columns if name != BUCKET]

    @property
    def sensitive_columns(self) -> list[str]:
        """Columns whose values lie apart."""
        return [name for name in self.counts.columns if name not in (BUCKET, COUNT)]

    @property
    def columns(self) -> list[str]:
        """What can be asked for."""
        return self.quasi_columns + self.sensitive_columns

    def countable(self, names: Sequence[str]) -> Countable:
        """Take some columns."""
        apart = [name for name in names if name in self.sensitive_columns]
        columns = {name: _raw(_found(self.quasi, name)) for name in names if name not in apart}
        columns |= {name: _raw(self.counts[name]) for name in apart}
        numbered, n_quasi = _numbered(columns), len(columns) - len(apart)
        buckets = self.counts[BUCKET].unique().sort()
        index = {label: number for number, label in enumerate(as_text(buckets))}
        rows = _in_groups(codes_of(self.quasi[BUCKET], buckets, index), numbered[:n_quasi])
        records = self.counts[COUNT].to_numpy()
        entries = _in_groups(codes_of(self.counts[BUCKET], buckets, index), numbered[n_quasi:], records)
        return _countable(columns, rows, entries)


# -- columns -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: its values, its cells, and the number of the cell in each row."""

    domain: tuple[Label, ...]
    cells: Cells
    numbers: Ints


def _found(table: pl.DataFrame, name: str) -> pl.Series:
    if name not in table.columns:
        raise TableError(
            "table",
            expected=f"a column {name!r}",
            got=f"the columns {', '.join(map(repr, table.columns))}",
            hint=nearest(name, table.columns),
        )
    return table[name]


def _raw(column: pl.Series) -> _Column:
    """A column as it is: each cell stands for its own value."""
    labels, numbers = labelled(column)
    return _Column(labels, as_they_are("", labels), numbers)


# -- records -------------------------------------------------------------------------------------------------


def _countable(columns: Mapping[str, _Column], rows: GroupedRows, entries: GroupedRows) -> Countable:
    return Countable(
        {name: column.domain for name, column in columns.items()},
        {name: column.cells for name, column in columns.items()},
        rows,
        entries,
    )


def _numbered(columns: Mapping[str, _Column]) -> list[Ints]:
    """The number of each row's cell, those of one column after those of another."""
    before = accumulate((len(column.cells.labels) for column in columns.values()), initial=0)
    return [column.numbers + first for column, first in zip(columns.values(), before, strict=False)]


def _in_groups(group: NDArray[np.int32], cells: Sequence[Ints], records: NDArray[Any] | None = None) -> GroupedRows:
    different, counts = _tallied([group, *cells], records)
    starts = np.searchsorted(different[0], np.arange(group.max(initial=-1) + 2))
    return GroupedRows(different[1:], counts, starts, np.empty(0, dtype=np.int64))


def _tallied(columns: Sequence[NDArray[Any]], records: NDArray[Any] | None = None) -> tuple[NDArray[np.int32], Ints]:
    """Count equal rows: different ones in ascending order, (n_columns, n), and the records of each (default: 1)."""
    backwards = columns[::-1]  # the last one packed weighs most
    keys = KeyLayout.for_sizes([int(column.max(initial=0)) + 1 for column in backwards]).pack(backwards)
    group, first = distinct(keys)
    order = np.lexsort(keys[first].T)
    counts = np.bincount(group, weights=records, minlength=len(first))[order]
    return np.array([column[first[order]] for column in columns], dtype=np.int32), counts.astype(np.int64)
