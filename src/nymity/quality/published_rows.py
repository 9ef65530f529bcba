"""PublishedRows: a release as every metric sees it, whatever kind of recoding made it.

A cell stands for a set of raw values, a row is one cell per quasi-identifier, and equal rows are counted. Records that
are not kept, masked or removed, are suppressed: each counts as a row of cells that stand for everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.kernels.grouping import distinct, histograms
from nymity.table.cells import Cells
from nymity.table.content_order import order_of_ranks
from nymity.table.encoding import EncodedTable
from nymity.table.hierarchy import Hierarchy
from nymity.table.packing import KeyLayout
from nymity.table.value_order import days, numbers

#: Whole numbers up to this, and their differences, are floats.
_EXACT = 2**52

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Links:
    """How many records of which combination of the original became which row; all arrays (n_links,), in order.

    combination: its number in the encoded table; row: its number among the published ones, -1 for suppressed records.
    """

    combination: Ints
    row: Ints
    counts: Ints


@dataclass(frozen=True, eq=False)
class Tally:
    """How many records of which value became which cell; all arrays (n_pairs,), by cell, then value.

    cell: suppressed records have one of their own, after those of the column.
    """

    cell: Ints
    value: Ints
    counts: Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedRows:
    """Different rows of a release, in an order that does not depend on the table's, and what they were made from.

    cells: those of each attribute that occur in rows. levels: by attribute, the level of each cell's node, or of the
    smallest node that covers it where cells are not ``on_levels``. rows (n_rows, m): numbers of cells; counts
    (n_rows,): records of each. majorities: by sensitive column that is published beside, the records with the most
    frequent value of their row. ``links`` are None where rows cannot be matched with the original's, and ``unlinked``
    says why.
    """

    table: EncodedTable
    cells: tuple[Cells, ...]
    levels: tuple[Ints, ...]
    rows: Ints
    counts: Ints
    on_levels: bool = True
    majorities: Mapping[str, int] = field(default_factory=dict)
    links: Links | None = None
    unlinked: str = ""

    @cached_property
    def suppressed(self) -> int:
        """Records that are not kept."""
        return self.table.n_records - int(self.counts.sum())

    @cached_property
    def in_cells(self) -> tuple[Ints, ...]:
        """Records of each cell, per attribute (n_cells,)."""
        return tuple(
            np.bincount(self.rows[:, a], weights=self.counts, minlength=len(cells.labels)).astype(np.int64)
            for a, cells in enumerate(self.cells)
        )

    @cached_property
    def column_levels(self) -> list[int]:
        """The coarsest level in use of each attribute; the top where nothing is kept."""
        return [
            int(levels.max()) if len(levels) else hierarchy.height
            for levels, hierarchy in zip(self.levels, self.table.hierarchies, strict=True)
        ]

    @property
    def counted_levels(self) -> list[int]:
        """The level that all records are counted at: the coarsest in use, or the top where columns have none."""
        return self.column_levels if self.on_levels else [h.height for h in self.table.hierarchies]

    @cached_property
    def several_levels(self) -> str | None:
        """Return which column has no level of its own, if there is one."""
        if not self.on_levels:
            return "classes have cells of their own, and columns no levels"
        uneven = (
            name for name, levels in zip(self.table.names, self.levels, strict=True) if len(np.unique(levels)) > 1
        )
        name = next(uneven, None)
        return None if name is None else f"column {name!r} is published on several levels"

    @cached_property
    def places(self) -> tuple[Floats | None, ...]:
        """Where the values of each attribute lie, None where they have no order (:func:`places`)."""
        return tuple(map(places, self.table.hierarchies))

    @cached_property
    def tallies(self) -> tuple[Tally, ...]:
        """What values became, per attribute; rows must be linked."""
        assert self.links is not None
        return tuple(self._tally(a, self.links) for a in range(len(self.cells)))

    def _tally(self, attribute: int, links: Links) -> Tally:
        hidden, domain = len(self.cells[attribute].labels), self.table.hierarchies[attribute].domain_size
        cells = np.append(self.rows[:, attribute], hidden)[links.row].astype(np.uint32)
        values = self.table.combinations[:, attribute][links.combination].astype(np.uint32)
        cell, value, counts = histograms(cells, hidden + 1, values, links.counts.astype(np.uint32), domain)
        order = np.lexsort((value, cell))  # sums of floats depend on it
        return Tally(*(part[order].astype(np.int64) for part in (cell, value, counts)))

    def gone(self, attribute: int) -> Ints:
        """Count the suppressed records of each value, at the level that all records are counted at."""
        level, hierarchy = self.counted_levels[attribute], self.table.hierarchies[attribute]
        cells, everyone = self.cells[attribute], self.table.frequencies_at(attribute, level)
        # Of each cell the code of its first value: at the coarsest level all values of a cell share it.
        upwards = hierarchy.codes[level][cells.covered[cells.starts[:-1]]]
        kept = np.bincount(upwards, weights=self.in_cells[attribute], minlength=len(everyone)).astype(np.int64)
        gone: Ints = everyone - kept
        if (gone < 0).any():
            worst = int(np.argmin(gone))
            raise TableError(
                f"released column {self.table.names[attribute]!r}",
                expected=f"at most {everyone[worst]:,} records with {quoted(hierarchy.labels[level][worst])}",
                got=f"{kept[worst]:,}",
                hint="compare with the table the release was made from",
            )
        return gone

    def check_records(self) -> None:
        """Refuse rows that the table does not have: more of a value than there are records with it, or more at all."""
        for attribute in range(len(self.cells) if self.on_levels else 0):
            self.gone(attribute)
        if self.suppressed < 0:
            raise TableError(
                "released table",
                expected=f"at most the {self.table.n_records:,} records of the original",
                got=f"{self.counts.sum():,}",
                hint="compare with the table the release was made from",
            )

    def mean(self, attribute: int, each: Floats | Ints, suppressed: float) -> float:
        """Mean over all records of what their cells count, a suppressed one counting ``suppressed``."""
        return (float(self.in_cells[attribute] @ each) + self.suppressed * suppressed) / self.table.n_records

    def spread(self, attribute: int) -> Floats:
        """Records of each raw value, (domain_size,), if a cell's records are spread evenly over what it stands for."""
        cells, domain = self.cells[attribute], self.table.hierarchies[attribute].domain_size
        shares = np.repeat(self.in_cells[attribute] / cells.sizes, cells.sizes)
        found = np.bincount(cells.covered, weights=shares, minlength=domain) + self.suppressed / domain
        return np.asarray(found, dtype=np.float64)


def rows_of(cells: Ints, sizes: list[int]) -> tuple[Ints, Ints]:
    """Find different rows of cell numbers (n, m): those in ascending order, and which of them each row is, (n,)."""
    sizes = [max(size, 1) for size in sizes]
    group, first = distinct(KeyLayout.for_sizes(sizes).pack(list(cells.T)))
    # Not by key: which column counts first there depends on how many codes it has.
    order = order_of_ranks(list(zip(cells[first].T, sizes, strict=True)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return cells[first[order]], place[group]


def majority(row_of: NDArray[Any], codes: NDArray[Any], weights: NDArray[Any]) -> int:
    """Count the records with the most frequent code of their row; all arrays (n,), weights records of each."""
    if not len(row_of):
        return 0
    row_of, codes, weights = (part.astype(np.uint32) for part in (row_of, codes, weights))
    rows, _, counts = histograms(row_of, int(row_of.max()) + 1, codes, weights, int(codes.max()) + 1)
    first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
    return int(np.maximum.reduceat(counts.astype(np.int64), first).sum())


def covering_levels(cells: Cells, hierarchy: Hierarchy) -> Ints:
    """Return the level of the smallest node that covers each cell, (n_cells,)."""
    levels = np.full(len(cells.labels), hierarchy.height, dtype=np.int64)
    if len(cells.labels):
        for level in reversed(range(hierarchy.height)):
            codes = hierarchy.codes[level][cells.covered]
            low, high = (reduce.reduceat(codes, cells.starts[:-1]) for reduce in (np.minimum, np.maximum))
            levels[low == high] = level
    return levels


def node_cells(hierarchy: Hierarchy, levels: Ints, codes: Ints) -> Cells:
    """Return nodes of a hierarchy, by level (n,) and code (n,), as cells."""
    labels = [hierarchy.labels[level][code] for level, code in zip(levels.tolist(), codes.tolist(), strict=True)]
    sizes, parts = np.zeros(len(labels), dtype=np.int64), []
    for level in np.unique(levels):
        here, of_level = np.flatnonzero(levels == level), hierarchy.codes[level]
        order = np.argsort(of_level, kind="stable")
        bounds = np.searchsorted(of_level[order], np.arange(len(hierarchy.labels[level]) + 1))
        sizes[here] = np.diff(bounds)[codes[here]]
        parts.append((here, order, bounds[codes[here]]))
    starts = np.append(0, np.cumsum(sizes))
    covered = np.empty(starts[-1], dtype=np.int64)
    for here, order, first in parts:  # the values of each node, one after another
        step = np.arange(sizes[here].sum()) - np.repeat(np.cumsum(sizes[here]) - sizes[here], sizes[here])
        covered[np.repeat(starts[here], sizes[here]) + step] = order[np.repeat(first, sizes[here]) + step]
    return Cells(tuple(labels), covered, starts)


def untouched(table: EncodedTable) -> PublishedRows:
    """Return the original as a release of itself."""
    present = np.flatnonzero(table.counts)
    raw = table.combinations if len(present) == len(table.counts) else table.combinations[present]
    occurs = [np.bincount(column, minlength=1) > 0 for column in raw.T]
    occurring = [np.flatnonzero(o) for o in occurs]
    numbers = [np.cumsum(o) - 1 for o in occurs]
    order = order_of_ranks((n[c], max(len(o), 1)) for n, c, o in zip(numbers, raw.T, occurring, strict=True))
    # A column at a time, which lies together: there may be as many combinations as records.
    rows = np.empty(raw.shape, dtype=np.int64, order="F")
    for a, (number, column) in enumerate(zip(numbers, raw.T, strict=True)):
        rows[:, a] = number[column[order]]
    row_of = np.empty(len(order), dtype=np.int64)
    row_of[order] = np.arange(len(order))
    counts = table.counts[present].astype(np.int64)
    levels = tuple(np.zeros(len(o), dtype=np.int64) for o in occurring)
    return PublishedRows(
        table=table,
        cells=tuple(node_cells(h, z, o) for h, z, o in zip(table.hierarchies, levels, occurring, strict=True)),
        levels=levels,
        rows=rows,  # combinations are different already
        counts=counts[order],
        majorities={name: majority(c.combination, c.codes, c.counts) for name, c in table.sensitive.items()},
        links=Links(present, row_of, counts),
    )


def nothing_left(table: EncodedTable) -> PublishedRows:
    """Return the release with every record suppressed."""
    none, present = np.empty(0, dtype=np.int64), np.flatnonzero(table.counts)
    return PublishedRows(
        table=table,
        cells=tuple(Cells.of([], []) for _ in table.names),
        levels=tuple(none for _ in table.names),
        rows=np.empty((0, len(table.names)), dtype=np.int64),
        counts=none,
        majorities=dict.fromkeys(table.sensitive, 0),
        links=Links(present, np.full(len(present), -1), table.counts[present].astype(np.int64)),
    )


def places(hierarchy: Hierarchy) -> NDArray[np.float64] | None:
    """Return the place of each value from 0 (smallest) to 1 (largest), (domain_size,); NaN for a missing one.

    None where values have no order: an attribute is ordered if its hierarchy lists nothing but numbers, or nothing but
    days, missing values aside, and these are no codes.
    """
    known = None if hierarchy.of_codes else numbers(hierarchy.values) or days(hierarchy.values)
    if known is None:
        return None
    lowest, highest = min(known.values()), max(known.values())
    span = (highest - lowest) or 1
    if max(-lowest, highest) < _EXACT and all(number.denominator == 1 for number in known.values()):
        above = np.array([np.nan if v is None else known[v].numerator for v in hierarchy.values]) - int(lowest)
        return above / int(span)  # whole numbers that floats hold: rounded once, as a fraction is
    return np.array([float((known[v] - lowest) / span) if v is not None else np.nan for v in hierarchy.values])
