"""FeatureSpace: original and released columns as vectors of numbers, in one space.

A cell stands for a set of values of the original table. How that becomes numbers is the encoding:

* ``binary``: a feature for each value, 1 if the cell may stand for it. A raw value has a single 1, a masked cell ones
  only (de Spoelberch, section 3.4.1, figure 3.5).
* ``interval``: numbers and dates become the low and the high end of the cell, other columns as in ``binary``.
* ``mean``: numbers and dates become the mean of the values the cell may stand for; in other columns these share a 1.

Numbers are scaled to [0, 1] over the values of the original. A column with a missing value and numbers has one further
feature for it. Columns with more than :data:`MOST_FEATURES` values are grouped first: numbers and dates into as many
ranges of about equally many records, other values by keeping the most frequent and joining the rest.

Different cells are encoded once, as sparse rows; the rows of a table refer to them.

Values that no cell of the training rows tells apart are one value to whoever learns from these, and
:meth:`FeatureSpace.joined` makes one feature of theirs. Without that a classifier trained on cells of twenty values,
whose features only ever come together, spreads what it learned over all twenty, and finds a twentieth of it in a test
record, which has one value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.table.encoding import codes_of, distinct_values, labelled
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.published_cells import ReadCells, as_they_are
from nymity.table.text import as_text
from nymity.table.value_order import days, numbers

Encoding = Literal["binary", "interval", "mean"]
ENCODINGS: tuple[Encoding, ...] = ("binary", "interval", "mean")

#: Features of one column at most.
MOST_FEATURES = 256

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: A scipy sparse matrix in rows, (n_rows, n_features).
Matrix = Any


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Rows of a table: the number of each row's cell in every column, (n_rows, n_columns), and each cell's vector."""

    cells: NDArray[np.int32]
    vectors: tuple[Matrix, ...]

    def take(self, rows: Ints, *, shuffled: int | None = None, order: Ints | None = None) -> Matrix:
        """Return the features of some rows, (n, n_features); column ``shuffled`` from the rows in ``order`` instead."""
        parts = [
            vectors[self.cells[rows if column != shuffled or order is None else rows[order], column]]
            for column, vectors in enumerate(self.vectors)
        ]
        return sparse().hstack(parts, format="csr")

    def at(self, rows: Ints) -> FeatureRows:
        """Return some of the rows."""
        return FeatureRows(self.cells[rows], self.vectors)


@dataclass(frozen=True, eq=False)
class FeatureColumn:
    """One column: its values, their numbers between 0 and 1 if they have any, and the feature of each value.

    numbers (n_values,): NaN for the missing value. features (n_values,): several values may share one.
    """

    name: str
    index: Mapping[Label, int]
    numbers: Floats | None
    features: Ints
    encoding: Encoding

    @property
    def numeric(self) -> bool:
        """Whether its features are ends or means of numbers, not values."""
        return self.encoding != "binary" and self.numbers is not None

    def vectors(self, covered: Ints, starts: Ints) -> Matrix:
        """Encode cells, (n_cells, n_features), by the values they stand for: those of one after those of another."""
        n_cells, sizes = len(starts) - 1, np.diff(starts)
        cell = np.repeat(np.arange(n_cells), sizes)
        if not self.numeric:
            shape = (n_cells, int(self.features.max()) + 1)
            # (n_cells, n_features): a cell counts for each value that it stands for with an equal share.
            shares = sparse().csr_matrix((1 / sizes[cell], (cell, self.features[covered])), shape=shape)
            return shares if self.encoding == "mean" else (shares > 0).astype(np.float64)
        assert self.numbers is not None
        ends = _ends if self.encoding == "interval" else _mean
        found = ends(self.numbers[covered], cell, n_cells)
        if np.isnan(self.numbers).any():
            gaps = np.bincount(cell, weights=np.isnan(self.numbers[covered]), minlength=n_cells)
            found.append(gaps / np.maximum(sizes, 1) if self.encoding == "mean" else (gaps > 0).astype(np.float64))
        return sparse().csr_matrix(np.stack(found, axis=1))


@dataclass(frozen=True, eq=False)
class FeatureSpace:
    """The columns that are learned from, with the values of the original and of what it is tested on."""

    columns: tuple[FeatureColumn, ...]
    encoding: Encoding

    @staticmethod
    def of(tables: Sequence[pl.DataFrame], names: Sequence[str], encoding: Encoding = "binary") -> FeatureSpace:
        """Take the values of some columns from all of the tables."""
        validation.one_of("encoding", encoding, ENCODINGS)
        columns = tuple(_column(name, [table[name] for table in tables], encoding) for name in names)
        return FeatureSpace(columns, encoding)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def joined(self, trained: FeatureRows, tested: FeatureRows) -> tuple[FeatureRows, FeatureRows]:
        """Make one feature of values that are in the same cells of the trained rows, there and in the tested rows.

        It is 1 if any of them is, and with shares their sum.
        """
        before, after = [], []
        for place, column in enumerate(self.columns):
            both = [trained.vectors[place], tested.vectors[place]]
            if not column.numeric:
                joint = _alike(both[0][np.unique(trained.cells[:, place])])
                both = [vectors @ joint for vectors in both]
            if self.encoding != "mean" and not column.numeric:
                both = [(vectors > 0).astype(np.float64) for vectors in both]
            before.append(both[0])
            after.append(both[1])
        return FeatureRows(trained.cells, tuple(before)), FeatureRows(tested.cells, tuple(after))

    def encode(
        self, table: pl.DataFrame, hierarchies: Mapping[str, Hierarchy] | None = None, read: ReadCells = as_they_are
    ) -> FeatureRows:
        """Encode a table; columns with a hierarchy have cells that ``read`` knows, others are as they were.

        Values the space does not have stand for nothing.
        """
        numbers, vectors = [], []
        for column in self.columns:
            labels, cell = labelled(table[column.name])
            hierarchy = (hierarchies or {}).get(column.name)
            cells = as_they_are("", labels) if hierarchy is None else read(column.name, labels)
            values: Sequence[Label] = labels if hierarchy is None else hierarchy.values
            place = np.array([column.index.get(value, -1) for value in values], dtype=np.int64)
            known = place[cells.covered]
            before = np.concatenate([[0], np.cumsum(known >= 0)])
            vectors.append(column.vectors(known[known >= 0], before[cells.starts]))
            numbers.append(cell)
        cells_of = np.stack(numbers, axis=1) if numbers else np.empty((table.height, 0))
        return FeatureRows(cells_of.astype(np.int32), tuple(vectors))


def sparse() -> Any:
    """Return scipy's sparse matrices, imported where they are needed first."""
    from scipy import sparse

    return sparse


def _alike(vectors: Matrix) -> Matrix:
    """Which features are equal in all of these rows, (n_features, n_groups): a 1 for the group of each."""
    columns = vectors.tocsc()
    columns.sort_indices()
    parts = zip(columns.indptr[:-1], columns.indptr[1:], strict=True)
    keys = [(columns.indices[a:b].tobytes(), columns.data[a:b].tobytes()) for a, b in parts]
    group = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    entries = (np.ones(len(keys)), (np.arange(len(keys)), [group[key] for key in keys]))
    return sparse().csr_matrix(entries, shape=(len(keys), len(group)))


# -- values ----------------------------------------------------------------------------------------------------


def _column(name: str, columns: Sequence[pl.Series], encoding: Encoding) -> FeatureColumn:
    labels = sorted(
        {label for column in columns for label in as_text(distinct_values(column))},
        key=lambda label: (label is not None, label),
    )
    index = {label: place for place, label in enumerate(labels)}
    places = _places(labels)
    records = sum(np.bincount(codes_of(column, None, index), minlength=len(labels)) for column in columns)
    return FeatureColumn(name, index, places, _features(places, np.asarray(records)), encoding)


def _places(labels: Sequence[Label]) -> Floats | None:
    """Numbers or days of the values, scaled to [0, 1]; None if they are neither."""
    found = numbers(labels) or days(labels)
    if not found:
        return None
    low, high = min(found.values()), max(found.values())
    width = high - low or 1
    return np.array([float((found[label] - low) / width) if label in found else np.nan for label in labels])


def _features(places: Floats | None, records: Ints) -> Ints:
    """The feature of each value: its own, or one it shares where there are too many."""
    if len(records) <= MOST_FEATURES:
        return np.arange(len(records))
    features = np.empty(len(records), dtype=np.int64)
    if places is None:
        order = np.argsort(-records, kind="stable")
        features[order] = np.minimum(np.arange(len(records)), MOST_FEATURES - 1)
    else:
        order = np.argsort(places, kind="stable")  # a missing value is the last one
        before = np.cumsum(records[order]) - records[order]
        features[order] = np.unique(before * MOST_FEATURES // records.sum(), return_inverse=True)[1]
    return features


def _ends(numbers: Floats, cell: Ints, n_cells: int) -> list[Floats]:
    """The smallest and the largest number of each cell; the middle of all where it has none."""
    low, high = np.full(n_cells, np.inf), np.full(n_cells, -np.inf)
    np.fmin.at(low, cell, numbers)
    np.fmax.at(high, cell, numbers)
    return [np.where(np.isfinite(end), end, 0.5) for end in (low, high)]


def _mean(numbers: Floats, cell: Ints, n_cells: int) -> list[Floats]:
    """The mean of the numbers of each cell; the middle of all where it has none."""
    there = ~np.isnan(numbers)
    n = np.bincount(cell[there], minlength=n_cells)
    total = np.bincount(cell[there], weights=numbers[there], minlength=n_cells)
    return [np.where(n > 0, total / np.maximum(n, 1), 0.5)]
