"""Consistency: which source records fit which published rows, and how many ways there are to match them all.

A record *fits* a row if every one of its values is covered by the row's cell. This needs the source beside the release;
cells are taken for what their text says (:mod:`nymity.table.cell_reading`), and nothing of the search is used.

**Matchings are flows.** Let G be the bipartite graph of n rows and N >= n records, an edge for each pair that fits. We
ask for k matchings of G that each give every row a record of its own, no pair being in two of them. Put equal rows
together (c of them in class R) and equal records (d of them in class S), and send a flow from row classes to record
classes: c k out of R, at most d k into S, at most c d between R and S if they fit. *The matchings exist just when there
is such a flow.*

- From matchings: count their pairs between R and S. Each of the c d pairs is in one matching at most, each row is in k
  pairs, each record in at most k.
- From a flow f: give each of the c d pairs the share f(R, S) / (c d) <= 1. Then the shares of a row sum up to k and
  those of a record to at most k. That is a fractional point of a polytope with a totally unimodular matrix (the
  incidence matrix of a bipartite graph) and whole bounds, so there is an integral one: a subgraph of G in which every
  row has k edges and every record at most k. A bipartite graph with at most k edges at each node is the union of k
  matchings (König 1916), and a row with k edges is in all of them.

With n = N each matching is perfect, so every record is in k pairs too. With k matchings there are k - 1, so the largest
k is found by bisection. A flow that proves k is checked again by plain sums before it is believed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import InputError, TableError
from nymity.core.quoting import quoted
from nymity.kernels.matching import Network, RowsAndRecords, find_fits, saturate
from nymity.table.cell_reading import read_cells
from nymity.table.cells import Cells
from nymity.table.encoding import codes_of, distinct_values
from nymity.table.hierarchy import Hierarchy
from nymity.table.recoding import Recoding
from nymity.table.text import as_text
from nymity.table.value_order import value_order

Ints = NDArray[np.int64]

#: Pairs of distinct rows and records that are held at most; each takes some 40 bytes.
MOST_FITS = 2**25


@dataclass(frozen=True, eq=False)
class Originals:
    """The records a release was made from, by their quasi-identifiers, with the hierarchies that list their values.

    ``cells`` are those of the recoding, where it is known, for text that can be read in several ways.
    """

    table: pl.DataFrame
    hierarchies: Mapping[str, Hierarchy]
    cells: Mapping[str, Cells] = field(default_factory=dict)

    @staticmethod
    def of(table: pl.DataFrame, recoding: Recoding) -> Originals:
        """Return the source of a release beside what its recoding knows."""
        return Originals(table, recoding.hierarchies, {name: recoding.cells_of(name) for name in recoding.hierarchies})


@dataclass(frozen=True, eq=False)
class Consistency:
    """Distinct rows and records with their counts, and the pairs that fit."""

    boxes: RowsAndRecords
    row_counts: Ints
    record_counts: Ints

    @staticmethod
    def of(released: Sequence[pl.Series], names: Sequence[str], originals: Originals) -> Consistency:
        """Compare released columns with those of the source."""
        columns = [_column(cells, name, originals) for name, cells in zip(names, released, strict=True)]
        offsets = np.cumsum([0, *(len(column.cells) for column in columns)])
        rows, row_counts = _counted([c.rows + at for c, at in zip(columns, offsets[:-1], strict=True)])
        records, record_counts = _counted([column.records for column in columns])
        parts = [part for column in columns for part in column.cells]
        return Consistency(_boxes(rows, records, parts, offsets), row_counts, record_counts)

    def holds(self, k: int) -> bool:
        """Return whether k matchings without a common pair give every row a record of its own."""
        if int(self.row_counts.sum()) > int(self.record_counts.sum()) or k > self._most:
            return False
        net = self._network(k)
        saturate(net, np.argsort(self._fits[0], kind="stable"))  # rows with few fits first
        return not net.need[: net.n_rows].any() and self._proves(net, k)

    @cached_property
    def largest(self) -> int:
        """The largest k that holds; 0 if rows and records cannot be matched at all."""
        most = self._most
        if self.holds(most):  # mostly it is
            return most
        return bisect_left(range(1, most), True, key=lambda k: not self.holds(k))

    @cached_property
    def _fits(self) -> tuple[Ints, NDArray[np.int32]]:
        """Return how many records fit each row, (n_rows,), and which, one row after the other."""
        counts: Ints = find_fits(self.boxes, np.empty(0, dtype=np.int32))
        total = int(counts.sum())
        if total > MOST_FITS:
            raise InputError(
                "verification",
                expected=f"at most {MOST_FITS:,} pairs of a row and a record that fits it",
                got=f"{total:,}",
                hint="a smaller k or fewer records; cells as wide as these fit too many records to match them all",
            )
        records = np.empty(total, dtype=np.int32)
        # Twice: once to count, which takes no memory, and once to write, now that the room is known.
        find_fits(self.boxes, records)
        return counts, records

    @cached_property
    def records_of_rows(self) -> Ints:
        """How many records fit each row, (n_rows,)."""
        counts, records = self._fits
        rows = np.repeat(np.arange(len(counts)), counts)
        return np.bincount(rows, self.record_counts[records], len(counts)).astype(np.int64)

    @cached_property
    def rows_of_records(self) -> Ints:
        """How many rows each record fits, (n_records,)."""
        counts, records = self._fits
        of_edges = np.repeat(self.row_counts, counts)
        return np.bincount(records, of_edges, len(self.record_counts)).astype(np.int64)

    @property
    def _most(self) -> int:
        """No more matchings than this: records that fit a row, and where all are published rows that fit a record."""
        fits = [self.records_of_rows]
        if self.row_counts.sum() == self.record_counts.sum():
            fits.append(self.rows_of_records)
        return int(np.concatenate(fits).min())

    def _network(self, k: int) -> Network:
        counts, records = self._fits
        n_rows, n_edges = len(self.row_counts), len(records)
        nodes = np.concatenate([self.row_counts, self.record_counts])
        of_records = np.bincount(records, minlength=len(self.record_counts))
        return Network(
            n_rows=n_rows,
            row=np.repeat(np.arange(n_rows, dtype=np.int32), counts),
            record=records + np.int32(n_rows),
            flow=np.zeros(n_edges, dtype=np.int64),
            first=np.cumsum(np.concatenate([[0], counts, of_records])),
            edges=np.concatenate([np.arange(n_edges), np.argsort(records, kind="stable")]).astype(np.int32),
            counts=nodes,
            need=k * nodes,
            level=np.empty(len(nodes), dtype=np.int64),
            next=np.empty(len(nodes), dtype=np.int64),
            way=np.empty(len(nodes), dtype=np.int64),
        )

    def _proves(self, net: Network, k: int) -> bool:
        """Check by plain sums that a flow is what it must be."""
        used = np.flatnonzero(net.flow)
        row, record, flow = net.row[used], net.record[used] - net.n_rows, net.flow[used]
        # The kernel is not trusted with a promise: sums over the edges show that every row sends k times its records.
        sent = np.bincount(row, flow, len(self.row_counts))
        taken = np.bincount(record, flow, len(self.record_counts))
        return bool(
            (flow > 0).all()
            and (flow <= self.row_counts[row] * self.record_counts[record]).all()
            and (sent == k * self.row_counts).all()
            and (taken <= k * self.record_counts).all()
            and self._all_fit(row, record)
        )

    def _all_fit(self, row: NDArray[np.int32], record: NDArray[np.int32]) -> bool:
        """Look every value up among those its cell stands for."""
        boxes = self.boxes
        width = int(boxes.value_starts.shape[1])
        owner = np.repeat(np.arange(len(boxes.low)), np.diff(boxes.starts))
        listed = owner * width + boxes.ranks  # ascending
        for a in range(boxes.rows.shape[1]):
            asked = boxes.rows[row, a] * width + boxes.records[record, a]
            place = np.searchsorted(listed, asked)
            if (place == len(listed)).any() or (listed[place] != asked).any():
                return False
        return True


# -- laying out ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Column:
    """A quasi-identifier: the rank of each record, the cell of each row, and the ranks each cell stands for."""

    records: Ints
    rows: Ints
    cells: list[Ints]


def _column(released: pl.Series, name: str, originals: Originals) -> _Column:
    hierarchy, raw = originals.hierarchies[name], originals.table[name].alias("cell")
    codes = codes_of(raw, distinct_values(raw), hierarchy.index).astype(np.int64)
    if (codes < 0).any():
        raise TableError(
            f"original, column {name!r}",
            expected="values that its hierarchy lists",
            got=quoted(as_text(raw)[int(np.argmin(codes))]),
            hint="give the table the release was made from",
        )
    occurring = np.unique(codes)
    rank = np.full(hierarchy.domain_size, -1, dtype=np.int64)
    rank[value_order(hierarchy, occurring).codes] = np.arange(len(occurring))
    text = as_text(released)
    labels = text.unique(maintain_order=True).to_list()
    known, where = originals.cells.get(name), f"released column {name!r}"
    cells = read_cells(labels, hierarchy, occurring, published=known, where=where)
    ranks = [np.sort(rank[cells.codes(cell)]) for cell in range(len(labels))]
    return _Column(
        records=rank[codes],
        rows=codes_of(text, text.unique(), {label: number for number, label in enumerate(labels)}).astype(np.int64),
        cells=[found[found >= 0] for found in ranks],
    )


def _counted(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the distinct rows of some columns (n, m) and how often each occurs."""
    table = pl.DataFrame({f"c{a}": column for a, column in enumerate(columns)})
    counted = table.group_by(table.columns, maintain_order=True).len("n")
    return counted.drop("n").to_numpy().astype(np.int64), counted["n"].to_numpy().astype(np.int64)


def _boxes(rows: Ints, records: Ints, cells: list[Ints], offsets: Ints) -> RowsAndRecords:
    """Lay rows and records out for comparison; offsets (m + 1,): the first cell of each attribute."""
    width = int(records.max()) + 1
    counts = np.stack([np.bincount(column, minlength=width) for column in records.T])  # (m, width)
    starts = np.cumsum([0, *(len(cell) for cell in cells)])
    ranks = np.concatenate(cells)
    attribute = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))  # of each cell
    inside = np.concatenate([[0], np.cumsum(counts[np.repeat(attribute, np.diff(starts)), ranks])])
    candidates = inside[starts[1:]] - inside[starts[:-1]]  # records with a value of the cell
    return RowsAndRecords(
        rows=rows,
        records=records,
        low=np.array([cell[0] if len(cell) else 0 for cell in cells], dtype=np.int64),
        high=np.array([cell[-1] if len(cell) else -1 for cell in cells], dtype=np.int64),
        starts=starts,
        ranks=ranks,
        by_value=np.argsort(records, axis=0, kind="stable").T.astype(np.int32),
        value_starts=np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1),
        narrowest=np.argmin(candidates[rows], axis=1),
    )
