"""compare: what a release lost, by every loss, from the original and the released table alone.

The statistics are counted from the released cells with plain numpy, not taken from the search: a released row counts
as kept unless all its quasi-identifiers are masked, and records missing from the release count as suppressed. Records
that the schema drops for their gaps are left out of the original first, as in the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.io import to_polars
from nymity.publish.pipeline import without_dropped
from nymity.publish.release import Release
from nymity.quality import LOSSES, BoundLoss, DomainShareLoss, Loss, NodeStatistics
from nymity.quality.attribute_loss import BoundAttributeLoss, BoundCostLoss
from nymity.quality.precision import BoundPrecisionLoss
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema, check_columns
from nymity.table.text import MASK, as_text, shown


@dataclass(frozen=True, kw_only=True)
class LossValue:
    """One loss of a release: raw, and scaled so that 0 is the original and 1 full suppression.

    ``name`` is the key with the parameters that are not the default. ``scaled`` is None where the original and full
    suppression have the same value. ``attributes``: the loss of each attribute, where it is made of those.
    """

    key: str
    name: str
    title: str
    value: float
    original: float
    suppressed: float
    scaled: float | None
    attributes: dict[str, float] | None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Levels found in a release, its suppressed records, every loss, and the domain share lost per attribute."""

    records: int
    levels: dict[str, int]
    suppressed: int
    losses: tuple[LossValue, ...]
    attribute_loss: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return asdict(self)


def compare(
    original: Any, release: Any, schema: Schema | None = None, *, population: pl.DataFrame | None = None
) -> Comparison:
    """Compare an original table with a :class:`Release`, or with a released table and the schema it was made by.

    ``population`` are the quasi-identifiers of the second table it was released beside, if there was one: hierarchies
    are built for the values of both. A release knows its hierarchies.
    """
    known = release if isinstance(release, Release) else None
    released = to_polars(release) if known is None else known.frame
    if known is not None:
        schema = known.job.schema if known.population is None else _with_hierarchies(known)
    if schema is None:
        raise TableError("compare", expected="the schema the table was released by", got="none")
    source = to_polars(original)
    check_columns(schema, source.columns)
    encoded = encode(without_dropped(source, schema)[0], schema, population)
    for name in encoded.names:
        if name not in released.columns:
            raise TableError("released table", expected=f"the quasi-identifier {name!r}", got="no such column")
    found = _released_rows(encoded, released, known)
    untouched, nothing = _extremes(encoded)
    values = tuple(_loss_value(loss, found, untouched, nothing) for loss in _losses(found, known))
    return Comparison(
        records=encoded.n_records,
        levels=dict(zip(encoded.names, found.levels, strict=True)),
        suppressed=found.suppressed,
        losses=values,
        attribute_loss=next(value.attributes or {} for value in values if value.name == DomainShareLoss.key),
    )


def _losses(found: Rows, known: Release | None) -> list[Loss]:
    """Return every loss that can be told from the rows, and the one a release was made by."""
    losses = [loss for kind in LOSSES.values() for loss in kind.of_table(found.table)]
    if known is not None and known.outcome.minimized not in losses:
        losses.append(known.outcome.minimized)
    bound = [loss.bind(found.table) for loss in losses]
    return [
        loss
        for loss, b in zip(losses, bound, strict=True)
        if b.needs.target in (None, *found.targets) and found.tells(b)
    ]


def _loss_value(loss: Loss, found: Rows, untouched: Rows, nothing: Rows) -> LossValue:
    bound = loss.bind(found.table)
    here, low_end, high_end = (rows.statistics(bound) for rows in (found, untouched, nothing))
    value, low, high = (float(bound.value(nodes)[0]) for nodes in (here, low_end, high_end))
    attributes = None
    if isinstance(bound, BoundAttributeLoss):
        attributes = dict(zip(found.table.names, bound.per_attribute(here)[0].tolist(), strict=True))
    return LossValue(
        key=loss.key,
        name=loss.name,
        title=loss.title,
        value=value,
        original=low,
        suppressed=high,
        scaled=None if low == high else (value - low) / (high - low),
        attributes=attributes,
    )


def _with_hierarchies(release: Release) -> Schema:
    """Return the schema of a release with the hierarchies it was made by."""
    schema, hierarchies = release.job.schema, release.recoding.hierarchies
    return Schema({n: replace(a, hierarchy=hierarchies[n]) if n in hierarchies else a for n, a in schema.items()})


def _released_rows(table: EncodedTable, released: pl.DataFrame, known: Release | None) -> Rows:
    """Read the released rows; levels and masked rows are found from the cells unless they are ``known``."""
    text = {name: as_text(released[name]) for name in table.names}
    masked = np.logical_and.reduce([(cells == MASK).fill_null(False).to_numpy() for cells in text.values()])
    kept = pl.Series(~masked if known is None else ~known.log.masked)
    levels, codes = [], []
    for name, hierarchy in zip(table.names, table.hierarchies, strict=True):
        in_use = None if known is None else {layer.levels[name] for layer in known.recoding.layers}
        level, code = _places(text[name].filter(kept), hierarchy, in_use, name)
        levels.append(level)
        codes.append(code)
    targets = {name: as_text(released[name]).filter(kept) for name in table.sensitive if name in released.columns}
    return Rows(table, np.stack(levels, axis=1), np.stack(codes, axis=1), targets)


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


def _between(hierarchy: Hierarchy, low: int, high: int) -> NDArray[np.int64]:
    """Codes of level ``high`` for the codes of level ``low``."""
    table = np.zeros(len(hierarchy.labels[low]), dtype=np.int64)
    table[hierarchy.codes[low]] = hierarchy.codes[high]
    return table


def _entropy(counts: NDArray[np.int64]) -> float:
    """Return Σ f * log2(S / f)."""
    present = counts[counts > 0]
    return float(np.sum(present * np.log2(present.sum() / present)))


def _extremes(table: EncodedTable) -> tuple[Rows, Rows]:
    """Return the original table and the one with every record suppressed at the top."""
    rows = np.repeat(table.combinations, table.counts, axis=0).astype(np.int64)
    values = {name: pl.Series(np.repeat(column.codes, column.counts)) for name, column in table.sensitive.items()}
    nobody = {name: column[:0] for name, column in values.items()}
    return Rows(table, np.zeros_like(rows), rows, values), Rows(table, rows[:0], rows[:0], nobody)
