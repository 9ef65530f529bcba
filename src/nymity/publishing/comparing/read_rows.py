"""Rows: a released table read as different rows of cells, each cell a set of raw values.

Counted from the released text alone, not taken from the search. Cells on levels are found in the hierarchies; what a
cell of a class stands for is told by its text, and exactly by the recoding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.core.row_runs import are_numbers, run_starts
from nymity.quality.published_rows import Ints, PublishedRows, covering_levels, majority, node_cells, rows_of
from nymity.table.cell_reading import read_cells
from nymity.table.cells import Cells
from nymity.table.encoding import EncodedTable, codes_of, labelled
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.published_cells import StatedLevels, looked_up
from nymity.table.recoding import Recoding
from nymity.table.text import MASK, as_text, gathered


@dataclass(frozen=True, eq=False)
class ReadRows:
    """What was published, which of its rows each released row is (-1: suppressed), and the cells behind labels."""

    published: PublishedRows
    row_of: Ints
    index: tuple[Mapping[Label, int], ...]

    def numbered(self, table: pl.DataFrame) -> Ints:
        """Return the number of each cell of another table with the same labels, (n, m); -1 for others."""
        names = self.published.table.names
        columns = [codes_of(as_text(table[n]), None, i) for n, i in zip(names, self.index, strict=True)]
        return np.stack(columns, axis=1).astype(np.int64)


def read_rows(
    table: EncodedTable,
    released: pl.DataFrame,
    recoding: Recoding | None,
    masked: NDArray[np.bool_] | None,
    levels: Mapping[str, StatedLevels] | None = None,
) -> ReadRows:
    """Read released rows: by their recoding or the levels of a certificate, else by hierarchies and what cells say.

    Rows that are not known to be masked are, if all their cells are and no class was published so.
    """
    cells = [released[name] for name in table.names]
    text = {one.name: one if are_numbers(one) else as_text(one) for one in cells}
    kept = ~(_masked(text, recoding) if masked is None else masked)
    first = run_starts([*text.values(), pl.Series(kept)])  # equal rows follow each other: only the first is read
    inside = kept[first]
    starts = {name: gathered(cells, first[inside]) for name, cells in text.items()}
    labels = {name: cells.unique().to_list() for name, cells in starts.items()}
    columns = _columns(table, labels, recoding, levels)
    numbers = np.empty((np.count_nonzero(inside), len(columns)), dtype=np.int64)
    for place, (name, column) in enumerate(zip(table.names, columns, strict=True)):
        numbers[:, place] = codes_of(starts[name], None, column.index)
    rows, of_starts = rows_of(numbers, [len(column.cells.labels) for column in columns])
    of_runs = np.full(len(first), -1, dtype=np.int64)
    of_runs[inside] = of_starts
    row_of = np.repeat(of_runs, np.diff(first, append=len(kept)))
    of_kept = row_of[kept]
    targets = {name: released[name].filter(pl.Series(kept)) for name in table.sensitive if name in released.columns}
    published = PublishedRows(
        table=table,
        cells=tuple(column.cells for column in columns),
        levels=tuple(column.levels for column in columns),
        rows=rows,
        counts=np.bincount(of_kept, minlength=len(rows)),
        on_levels=all(column.on_levels for column in columns),
        majorities={name: _majority(of_kept, values) for name, values in targets.items()},
    )
    return ReadRows(published, row_of, tuple(column.index for column in columns))


@dataclass(frozen=True, eq=False)
class _Column:
    """The cells of one column, and which of them each label stands for."""

    cells: Cells
    levels: Ints
    index: Mapping[Label, int]
    on_levels: bool


def _columns(
    table: EncodedTable,
    labels: Mapping[str, list[Label]],
    recoding: Recoding | None,
    levels: Mapping[str, StatedLevels] | None,
) -> list[_Column]:
    """Read the labels of each column: as nodes of hierarchies if all of them are, else as cells of classes."""
    known = list(zip(table.names, table.hierarchies, strict=True))
    if recoding is not None and recoding.has_own_cells:
        return [_of_classes(looked_up(labels[n], recoding.class_cells(n).by_label(), n), h) for n, h in known]
    if recoding is None and levels is not None and all(levels[n].of(h) for n, h in known):
        return [_on_levels(labels[n], h, levels[n].of(h), n) for n, h in known]
    # Without a recoding all columns are read in one way: as nodes only if every label of the table is one.
    nodes = [{label for level in hierarchy.labels for label in level} for hierarchy in table.hierarchies]
    if recoding is not None or all(n.issuperset(labels[name]) for n, name in zip(nodes, table.names, strict=True)):
        return [_on_levels(labels[n], h, None if recoding is None else recoding.levels_in_use(n), n) for n, h in known]
    return [
        _of_classes(
            read_cells(labels[n], h, np.flatnonzero(table.frequencies[a]), where=f"released column {n!r}"), h
        )
        for a, (n, h) in enumerate(known)
    ]  # fmt: skip


def _of_classes(read: Cells, hierarchy: Hierarchy) -> _Column:
    """Number cells by what they stand for, so that neither labels nor their order matter."""
    keys = [np.sort(read.codes(cell)).astype(">i8").tobytes() for cell in range(len(read.labels))]
    order = {key: number for number, key in enumerate(sorted(set(keys)))}
    first = {key: cell for cell, key in reversed(list(enumerate(keys)))}
    chosen = [first[key] for key in order]
    cells = Cells.of([read.labels[cell] for cell in chosen], [np.sort(read.codes(cell)) for cell in chosen])
    index = {label: order[key] for label, key in zip(read.labels, keys, strict=True)}
    return _Column(cells, covering_levels(cells, hierarchy), index, on_levels=False)


def _on_levels(labels: list[Label], hierarchy: Hierarchy, in_use: Sequence[int] | None, name: str) -> _Column:
    """Find labels on one level for all if there is one, else each on its lowest."""
    index = [{label: code for code, label in enumerate(level)} for level in hierarchy.labels]
    levels = in_use or range(hierarchy.height + 1)
    # The lowest level that has all labels: one that is the same on several levels costs no more than it must.
    common = next((level for level in levels if all(label in index[level] for label in labels)), None)
    found: dict[tuple[int, int], Label] = {}
    for label in labels:
        level = common if common is not None else next((level for level in levels if label in index[level]), None)
        if level is None:
            place = f"level {levels[0]}" if len(levels) == 1 else f"levels {levels[0]} to {levels[-1]}"
            raise TableError(
                f"released column {name!r}",
                expected=f"cells of {place} of its hierarchy",
                got=f"the unknown value {quoted(label)}",
                hint="compare with the table the release was made from",
            )
        found[level, index[level][label]] = label
    places = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
    cells = node_cells(hierarchy, places[:, 0], places[:, 1])
    return _Column(cells, places[:, 0], {found[place]: n for n, place in enumerate(sorted(found))}, on_levels=True)


def _masked(text: Mapping[str, pl.Series], recoding: Recoding | None) -> NDArray[np.bool_]:
    masked: NDArray[np.bool_] = np.logical_and.reduce(
        [(cells == MASK).fill_null(False).to_numpy() for cells in text.values()]
    )
    if recoding is None or not recoding.has_own_cells:
        return masked
    is_a_class = all(MASK in recoding.class_cells(name).labels for name in text)
    return np.zeros_like(masked) if is_a_class else masked


def _majority(row_of: Ints, values: pl.Series) -> int:
    return majority(row_of, labelled(values)[1], np.ones_like(row_of))
