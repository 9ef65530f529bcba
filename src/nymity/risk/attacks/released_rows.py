"""ReleasedRows: the rows of a release as classes of equal cells, and which of them fit a person.

Everything works on distinct classes, never on rows. A class fits a person if its cells cover the person's values in the
columns that are known; masked cells cover everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.kernels.fits import fitted, fitting
from nymity.kernels.grouping import distinct
from nymity.table.cells import Cells
from nymity.table.encoding import labelled
from nymity.table.hierarchy import Label
from nymity.table.packing import KeyLayout
from nymity.table.published_cells import ReadCells
from nymity.table.text import MASK

Ints = NDArray[np.int64]

#: Classes that are looked at in one go, and people: both bound the memory.
CLASSES, PEOPLE = 2**16, 2**10


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedRows:
    """Different rows over some columns: labels by column, which of them each class has, and its number of rows.

    cell_of (n_columns, n_classes): number of the label. sizes (n_classes,). class_of (n_rows,): the class of each row.
    suppressed: the class of rows with every cell masked, -1 for none. They are of the people whom no other fits.
    """

    labels: Mapping[str, tuple[Label, ...]]
    cell_of: Ints
    sizes: Ints
    class_of: Ints
    suppressed: int = -1

    @staticmethod
    def of(frame: pl.DataFrame, names: Sequence[str]) -> ReleasedRows:
        """Group the rows of a table by what is written in some columns."""
        columns = [labelled(frame[name]) for name in names]
        keys = KeyLayout.for_sizes([len(labels) for labels, _ in columns]).pack([numbers for _, numbers in columns])
        group, first = distinct(keys)
        cell_of = np.stack([numbers[first] for _, numbers in columns])
        every = np.ones(len(first), dtype=np.bool_)
        for (labels, _), cells in zip(columns, cell_of, strict=True):
            every &= np.array([label == MASK for label in labels], dtype=np.bool_)[cells]
        return ReleasedRows(
            labels={name: labels for name, (labels, _) in zip(names, columns, strict=True)},
            cell_of=cell_of,
            sizes=np.bincount(group, minlength=len(first)).astype(np.int64),
            class_of=group.astype(np.int64),
            suppressed=int(np.flatnonzero(every)[0]) if every.any() else -1,
        )

    @cached_property
    def published(self) -> Ints:
        """Rows of each class, none for the suppressed ones: what somebody looks at first."""
        sizes = self.sizes.copy()
        if self.suppressed >= 0:
            sizes[self.suppressed] = 0
        return sizes


@dataclass(frozen=True, eq=False)
class Matcher:
    """Rows with what their cells stand for: codes of values by column, -1 being a value that nothing lists."""

    rows: ReleasedRows
    cells: Mapping[str, Cells]

    @staticmethod
    def of(rows: ReleasedRows, read: ReadCells) -> Matcher:
        """Read the cells of every column."""
        return Matcher(rows, {name: read(name, labels) for name, labels in rows.labels.items()})

    def counts(self, codes: Ints, weights: Ints, subsets: NDArray[np.bool_] | None = None) -> Ints:
        """Sum up the weights of the classes that fit each person, (n_people, n_subsets).

        codes (n_columns, n_people); weights (n_classes,), such as their sizes; subsets (n_subsets, n_columns): the
        columns that are known, all of them unless given.
        """
        known = np.ones((1, len(codes)), dtype=np.bool_) if subsets is None else subsets
        found = np.zeros((codes.shape[1], len(known)), dtype=np.int64)
        # Blocks of classes and of people: bits of all classes for all people would not fit into memory.
        for start in range(0, len(weights), CLASSES):
            some = slice(start, start + CLASSES)
            patterns = _patterns(weights[some])
            for first in range(0, codes.shape[1], PEOPLE):
                people = slice(first, first + PEOPLE)
                bits, rows = self._bits(codes[:, people], some)
                found[people] += fitting(bits, rows, known, patterns)
        return found

    def unexplained(self, codes: Ints) -> NDArray[np.bool_]:
        """Return which classes fit nobody, (n_classes,); those that fit somebody are not looked at again."""
        left = np.arange(len(self.rows.sizes))
        for first in range(0, codes.shape[1], PEOPLE):
            if not len(left):
                break
            parts = []
            for start in range(0, len(left), CLASSES):
                some = left[start : start + CLASSES]
                bits, rows = self._bits(codes[:, first : first + PEOPLE], some)
                parts.append(some[np.unpackbits(fitted(bits, rows), count=len(some)) == 0])
            left = np.concatenate(parts)
        # Only classes that fitted nobody so far are left after each block of people: mostly none after the first.
        missing = np.zeros(len(self.rows.sizes), dtype=np.bool_)
        missing[left] = True
        return missing

    def fit(self, codes: Ints, classes: Ints) -> NDArray[np.bool_]:
        """Return whether each person fits one class, (n_people,)."""
        return np.asarray(self.fit_by_column(codes, classes).all(axis=0))

    def fit_by_column(self, codes: Ints, classes: Ints) -> NDArray[np.bool_]:
        """Return in which columns each person fits one class, (n_columns, n_people)."""
        fits = np.ones((len(codes), len(classes)), dtype=np.bool_)
        for a, cells in enumerate(self.cells.values()):
            cell, width = self.rows.cell_of[a, classes], 2 + max(cells.covered.max(initial=0), codes[a].max(initial=0))
            stands = cells.covered + np.repeat(np.arange(len(cells.labels)), cells.sizes) * width
            fits[a] = (np.isin(codes[a] + cell * width, stands) & (codes[a] >= 0)) | self._masked(a)[cell]
        return fits

    def _bits(self, codes: Ints, some: slice | Ints) -> tuple[NDArray[np.uint8], Ints]:
        """Lay out which of some classes cover which value, for the values these people have."""
        bits, rows, before = [], np.empty((codes.shape[1], len(codes)), dtype=np.int64), 0
        for a, cells in enumerate(self.cells.values()):
            values, place = np.unique(codes[a], return_inverse=True)
            covers = np.zeros((len(values), len(cells.labels)), dtype=np.bool_)
            at = np.searchsorted(values, cells.covered)
            listed = (at < len(values)) & (values[np.minimum(at, len(values) - 1)] == cells.covered)
            # covers (n_values, n_cells): whether a cell stands for a value, for the values that occur among these
            # people alone.
            covers[at[listed], np.repeat(np.arange(len(cells.labels)), cells.sizes)[listed]] = True
            covers |= self._masked(a)
            bits.append(np.packbits(covers[:, self.rows.cell_of[a, some]], axis=1))
            rows[:, a] = place + before
            before += len(values)
        return np.concatenate(bits), rows

    def _masked(self, a: int) -> NDArray[np.bool_]:
        labels = list(self.rows.labels.values())[a]
        return np.array([label == MASK for label in labels], dtype=np.bool_)


def _patterns(weights: Ints) -> Ints:
    """Sum up the weights of eight classes for each pattern of bits, (n_bytes, 256); the first class is the high bit."""
    padded = np.zeros(-(-len(weights) // 8) * 8, dtype=np.int64)
    padded[: len(weights)] = weights
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)  # (256, 8)
    return np.ascontiguousarray(padded.reshape(-1, 8) @ patterns.T)
