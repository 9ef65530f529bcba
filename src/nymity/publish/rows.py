"""Rows: what a release keeps of a table, read from its cells, as losses count it.

Counted with plain numpy and polars, not taken from the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.quality import BoundLoss, NodeStatistics
from nymity.quality.attribute_loss import BoundAttributeLoss, BoundCostLoss
from nymity.quality.precision import BoundPrecisionLoss
from nymity.table.cells import Cells
from nymity.table.encoding import EncodedTable, codes_of
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import LevelRecoding
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.reading import read_cells
from nymity.table.recoding import Recoding
from nymity.table.text import MASK, as_text, shown


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows a release keeps of a table: levels and codes of its cells (n_kept, m), and values to predict.

    What is not kept is suppressed.
    """

    table: EncodedTable
    cell_levels: NDArray[np.int64]
    codes: NDArray[np.int64]
    targets: dict[str, pl.Series]

    @property
    def suppressed(self) -> int:
        """Records that are not kept."""
        return self.table.n_records - len(self.codes)

    @cached_property
    def levels(self) -> list[int]:
        """The coarsest level in use of each attribute; the top where nothing is kept."""
        tops = [hierarchy.height for hierarchy in self.table.hierarchies]
        return self.cell_levels.max(axis=0).tolist() if len(self.codes) else tops

    @cached_property
    def one_level(self) -> bool:
        """Whether every attribute is published at one level."""
        return bool((self.cell_levels == np.array(self.levels)).all())

    def tells(self, bound: BoundLoss) -> bool:
        """Say whether a loss has a meaning for these rows: not all have where a column has several levels."""
        if self.one_level or not isinstance(bound, BoundAttributeLoss):
            return True
        return bound.factors == (1, 1) and isinstance(bound, BoundCostLoss | BoundPrecisionLoss)

    def statistics(self, bound: BoundLoss) -> NodeStatistics:
        """Count what a loss asks for."""
        classes, needs = self._grouped(), bound.needs
        sizes = classes["len"].to_numpy().astype(np.int64)
        covers = np.array([classes[f"v{a}"].to_numpy() for a in range(len(self.levels))], dtype=np.float64)
        extra: dict[str, NDArray[Any]] = {}
        if needs.costs is not None:
            extra["lost_costs"] = np.array([[self._lost(a, costs) for a, costs in enumerate(needs.costs)]])
        if "lost_entropy" in needs.statistics:
            extra["lost_entropy"] = np.array([[_entropy(self._gone(a)) for a in range(len(self.levels))]])
        if "covered" in needs.statistics:
            extra["covered"] = np.full((1, 2), float(sizes @ np.prod(covers, axis=0)))
        if needs.target is not None:
            extra["matched"] = np.full((1, 2), self._matched(needs.target))
        return NodeStatistics(
            levels=self._mean_levels() if isinstance(bound, BoundPrecisionLoss) else np.array([self.levels]),
            suppressed=np.array([self.suppressed]),
            kept=np.array([len(sizes)]),
            squares=np.array([int((sizes**2).sum())]),
            classes=np.array([len(sizes)]),
            smallest=np.array([sizes.min() if len(sizes) else 0]),
            lost_leaves=np.array([[self._lost(a, h.leaves) for a, h in enumerate(self.table.hierarchies)]]),
            spread=np.full((1, 2), self._spread(sizes, np.log2(covers).sum(axis=0))),
            **extra,
        )

    def _mean_levels(self) -> NDArray[Any]:
        """The mean level of each attribute's cells, (1, m)."""
        return self.cell_levels.mean(axis=0, keepdims=True) if len(self.codes) else np.array([self.levels])

    def _lost(self, attribute: int, tables: Sequence[NDArray[np.int64]]) -> int:
        """What all records' cells add up to at the coarsest level, less what the kept cells do at theirs."""
        level = self.levels[attribute]
        self._gone(attribute)  # refuses rows that the table does not have
        everyone = int(self.table.frequencies_at(attribute, level) @ tables[level])
        return everyone - int(self._values(attribute, tables).sum())

    def _values(self, attribute: int, tables: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """Look up each kept cell in a table per level."""
        values = np.zeros(len(self.codes), dtype=np.int64)
        for level in np.unique(self.cell_levels[:, attribute]):
            here = self.cell_levels[:, attribute] == level
            values[here] = tables[level][self.codes[here, attribute]]
        return values

    def _grouped(self, **further: pl.Series) -> pl.DataFrame:
        """Count rows with equal cells, with the raw values that each cell covers beside them."""
        columns: dict[str, Any] = {}
        for a, hierarchy in enumerate(self.table.hierarchies):
            columns |= {f"l{a}": self.cell_levels[:, a], f"q{a}": self.codes[:, a]}
            columns[f"v{a}"] = self._values(a, hierarchy.leaves)
        rows = pl.DataFrame(columns | further)
        return rows.group_by(rows.columns, maintain_order=True).len()  # sums of floats depend on the order

    def _gone(self, attribute: int) -> NDArray[np.int64]:
        """Count the suppressed records of each value at the coarsest level."""
        level, hierarchy = self.levels[attribute], self.table.hierarchies[attribute]
        upwards = [_between(hierarchy, low, level) for low in range(level + 1)]
        everyone = self.table.frequencies_at(attribute, level)
        gone = everyone - np.bincount(self._values(attribute, upwards), minlength=len(everyone))
        if (gone < 0).any():
            worst, labels = int(np.argmin(gone)), hierarchy.labels[level]
            raise TableError(
                f"released column {self.table.names[attribute]!r}",
                expected=f"at most {everyone[worst]:,} records with {shown(labels[worst])}",
                got=f"{everyone[worst] - gone[worst]:,}",
                hint="compare with the table the release was made from",
            )
        return gone

    def _matched(self, target: str) -> int:
        """Count the records with the most frequent value of their class."""
        counted = self._grouped(value=self.targets[target])
        largest = counted.group_by([c for c in counted.columns if c not in ("value", "len")]).agg(pl.col("len").max())
        return int(largest["len"].sum())

    def _spread(self, sizes: NDArray[np.int64], covered: NDArray[np.float64]) -> float:
        """Sum c * log2(c / V + S / all combinations) over classes; covered (n_classes,) is log2 V."""
        domain = sum(float(np.log2(h.domain_size)) for h in self.table.hierarchies)
        everywhere = np.log2(self.suppressed) - domain if self.suppressed else -np.inf
        return float(sizes @ np.logaddexp2(np.log2(sizes) - covered, everywhere))


@dataclass(frozen=True, eq=False)
class CellRows(Rows):
    """Rows of a partition: ``codes`` are numbers of the cells of each column."""

    cells: list[Cells]

    @cached_property
    def levels(self) -> list[int]:
        """There are no levels; losses that count cells compare them with the top."""
        return [hierarchy.height for hierarchy in self.table.hierarchies]

    @cached_property
    def one_level(self) -> bool:
        """Classes have cells of their own."""
        return False

    def tells(self, bound: BoundLoss) -> bool:
        """Losses of cells and of classes have a meaning, losses of levels have none."""
        if not isinstance(bound, BoundAttributeLoss):
            return True
        return bound.factors == (1, 1) and isinstance(bound, BoundCostLoss)

    def statistics(self, bound: BoundLoss) -> NodeStatistics:
        """Count what a loss asks for; cells cost what the values they stand for do."""
        counted = super().statistics(bound)
        if isinstance(bound, BoundCostLoss):
            lost = [self._lost_costs(a, bound) for a in range(len(self.cells))]
            if bound.needs.costs is not None:
                return replace(counted, lost_costs=np.array([lost]))
            return replace(counted, lost_leaves=np.array([lost]) + self.suppressed)
        return counted

    def _lost_costs(self, attribute: int, bound: BoundCostLoss) -> int:
        """What all records' cells cost at the top, less what the kept cells do."""
        top = bound.costs[attribute][self.levels[attribute]]
        everyone = int(self.table.frequencies_at(attribute, self.levels[attribute]) @ top)
        cells = self.cells[attribute]
        each = np.array([bound.cost_of(attribute, cells.codes(c)) for c in range(len(cells.labels))], dtype=np.int64)
        return everyone - int(each[self.codes[:, attribute]].sum())

    def _lost(self, attribute: int, tables: Sequence[NDArray[np.int64]]) -> int:
        return 0  # replaced where a loss asks for it

    def _values(self, attribute: int, tables: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """How many raw values each kept cell stands for."""
        return self.cells[attribute].sizes[self.codes[:, attribute]]

    def _grouped(self, **further: pl.Series) -> pl.DataFrame:
        columns: dict[str, Any] = {}
        for a in range(len(self.cells)):
            columns |= {f"q{a}": self.codes[:, a], f"v{a}": self._values(a, ())}
        rows = pl.DataFrame(columns | further)
        return rows.group_by(rows.columns, maintain_order=True).len()


def released_rows(
    table: EncodedTable, released: pl.DataFrame, recoding: Recoding | None, masked: NDArray[np.bool_] | None
) -> Rows:
    """Read released rows: by their recoding if it is known, else by the hierarchies and what cells say.

    Rows that are not known to be masked are, if all their cells are and no class was published so.
    """
    text = {name: as_text(released[name]) for name in table.names}
    if masked is None:
        masked = np.logical_and.reduce([(cells == MASK).fill_null(False).to_numpy() for cells in text.values()])
        if isinstance(recoding, PartitionRecoding):
            masked &= not all(MASK in cells.labels for cells in recoding.cells.values())
    kept = pl.Series(~masked)
    kept_cells = {name: cells.filter(kept) for name, cells in text.items()}
    targets = {name: as_text(released[name]).filter(kept) for name in table.sensitive if name in released.columns}
    cells_of = _cells_of_classes(table, kept_cells, recoding)
    if cells_of is not None:
        numbers = [_numbers(kept_cells[name], cells, name) for name, cells in zip(table.names, cells_of, strict=True)]
        return CellRows(table, np.zeros((0, 0), np.int64), np.stack(numbers, axis=1), targets, cells_of)
    in_use = {name: _levels_in_use(recoding, name) for name in table.names}
    places = [
        _places(kept_cells[name], hierarchy, in_use[name], name)
        for name, hierarchy in zip(table.names, table.hierarchies, strict=True)
    ]
    levels, codes = (np.stack(column, axis=1) for column in zip(*places, strict=True))
    return Rows(table, levels, codes, targets)


def _cells_of_classes(
    table: EncodedTable, released: dict[str, pl.Series], recoding: Recoding | None
) -> list[Cells] | None:
    """Return what the cells of each column stand for; None if they lie on levels."""
    if isinstance(recoding, PartitionRecoding):
        return [recoding.cells[name] for name in table.names]
    labels = [released[name].unique(maintain_order=True).to_list() for name in table.names]
    nodes = [{label for level in hierarchy.labels for label in level} for hierarchy in table.hierarchies]
    if recoding is not None or all(known.issuperset(found) for known, found in zip(nodes, labels, strict=True)):
        return None
    return [
        read_cells(labels[a], hierarchy, np.flatnonzero(table.frequencies[a]), where=f"released column {name!r}")
        for a, (name, hierarchy) in enumerate(zip(table.names, table.hierarchies, strict=True))
    ]


def _levels_in_use(recoding: Recoding | None, name: str) -> set[int] | None:
    return {layer.levels[name] for layer in recoding.layers} if isinstance(recoding, LevelRecoding) else None


def _numbers(column: pl.Series, cells: Cells, name: str) -> NDArray[np.int64]:
    """Return the number of each cell of a column among those that classes were published with."""
    index = {label: number for number, label in enumerate(cells.labels)}
    found = codes_of(column, column.unique(), index)
    if (found < 0).any():
        raise TableError(
            f"released column {name!r}",
            expected="cells of the recoding",
            got=f"the unknown value {shown(column[int(np.argmin(found))])}",
            hint="give the recoding of this release",
        )
    return found.astype(np.int64)


def _places(
    cells: pl.Series, hierarchy: Hierarchy, in_use: set[int] | None, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the level and the code of each cell: one level for all cells if there is one, else each cell's lowest."""
    index = [{label: code for code, label in enumerate(labels)} for labels in hierarchy.labels]
    levels = sorted(in_use) if in_use else range(hierarchy.height + 1)
    distinct = cells.unique().to_list()
    common = next((level for level in levels if all(value in index[level] for value in distinct)), None)
    found = {}
    for value in distinct:
        level = common if common is not None else next((level for level in levels if value in index[level]), None)
        if level is None:
            place = f"level {levels[0]}" if len(levels) == 1 else f"levels {levels[0]} to {levels[-1]}"
            raise TableError(
                f"released column {name!r}",
                expected=f"cells of {place} of its hierarchy",
                got=f"the unknown value {shown(value)}",
                hint="compare with the table the release was made from",
            )
        found[value] = (level, index[level][value])
    places = np.array([found[value] for value in cells.to_list()], dtype=np.int64).reshape(-1, 2)
    return places[:, 0], places[:, 1]


def _between(hierarchy: Hierarchy, low: int, high: int) -> NDArray[np.int64]:
    """Codes of level ``high`` for the codes of level ``low``."""
    table = np.zeros(len(hierarchy.labels[low]), dtype=np.int64)
    table[hierarchy.codes[low]] = hierarchy.codes[high]
    return table


def _entropy(counts: NDArray[np.int64]) -> float:
    """Return Σ f * log2(S / f)."""
    present = counts[counts > 0]
    return float(np.sum(present * np.log2(present.sum() / present)))
