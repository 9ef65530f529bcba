"""compare: what a release lost, by every loss, from the original and the released table alone.

The statistics are counted from the released cells with plain numpy, not taken from the search: a released row counts
as kept unless all its quasi-identifiers are masked, and records missing from the release count as suppressed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.io import to_polars
from nymity.publish.release import Release
from nymity.quality import LOSSES, NodeStatistics
from nymity.quality.domain_share import ArithmeticLoss
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity.table.text import MASK, as_text, shown


@dataclass(frozen=True, kw_only=True)
class LossValue:
    """One loss of a release: raw, and scaled so that 0 is the original and 1 full suppression.

    ``scaled`` is None where the original and full suppression have the same value.
    """

    key: str
    title: str
    value: float
    original: float
    suppressed: float
    scaled: float | None


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


def compare(original: Any, release: Any, schema: Schema | None = None) -> Comparison:
    """Compare an original table with a :class:`Release`, or with a released table and the schema it was made by."""
    if isinstance(release, Release):
        schema, released = release.job.schema, release.frame
    else:
        released = to_polars(release)
    if schema is None:
        raise TableError("compare", expected="the schema the table was released by", got="none")
    encoded = encode(to_polars(original), schema)
    for name in encoded.names:
        if name not in released.columns:
            raise TableError("released table", expected=f"the quasi-identifier {name!r}", got="no such column")
    found = _released_statistics(encoded, released)
    untouched, nothing = _extremes(encoded)
    values = []
    for key, loss in LOSSES.items():
        bound = loss().bind(encoded)
        raw, low, high = (float(bound.value(nodes)[0]) for nodes in (found, untouched, nothing))
        scaled = None if low == high else (raw - low) / (high - low)
        values.append(LossValue(key=key, title=loss.title, value=raw, original=low, suppressed=high, scaled=scaled))
    return Comparison(
        records=encoded.n_records,
        levels=dict(zip(encoded.names, found.levels[0].tolist(), strict=True)),
        suppressed=int(found.suppressed[0]),
        losses=tuple(values),
        attribute_loss=dict(
            zip(encoded.names, ArithmeticLoss().bind(encoded).per_attribute(found)[0].tolist(), strict=True)
        ),
    )


def _released_statistics(table: EncodedTable, released: pl.DataFrame) -> NodeStatistics:
    text = {name: as_text(released[name]) for name in table.names}
    masked = np.logical_and.reduce([(text[name] == MASK).fill_null(False).to_numpy() for name in table.names])
    levels, codes = [], []
    for name, hierarchy in zip(table.names, table.hierarchies, strict=True):
        level, column = _find_level(text[name].filter(pl.Series(~masked)), hierarchy, name)
        levels.append(level)
        codes.append(column)
    return _count(table, levels, np.stack(codes, axis=1))


def _find_level(cells: pl.Series, hierarchy: Hierarchy, name: str) -> tuple[int, NDArray[np.int64]]:
    """Return the lowest level whose labels include every cell, and the cells' codes there."""
    distinct = cells.unique().to_list()
    for level in range(hierarchy.height + 1):
        index = {label: code for code, label in enumerate(hierarchy.labels[level])}
        if all(value in index for value in distinct):
            return level, np.array([index[value] for value in cells.to_list()], dtype=np.int64)
    strange = next((v for v in distinct if all(v not in labels for labels in hierarchy.labels)), None)
    raise TableError(
        f"released column {name!r}",
        expected="cells that all lie on one level of its hierarchy",
        got=f"the unknown value {shown(strange)}" if strange is not None else "cells of several levels",
    )


def _count(table: EncodedTable, levels: list[int], codes: NDArray[np.int64]) -> NodeStatistics:
    """Statistics of kept rows with these codes (n_kept, m); what is not kept is suppressed."""
    suppressed = table.n_records - len(codes)
    _, sizes = np.unique(codes, axis=0, return_counts=True) if len(codes) else (codes, np.empty(0, dtype=np.int64))
    leaves = [h.leaves[level][codes[:, a]] for a, (h, level) in enumerate(zip(table.hierarchies, levels, strict=True))]
    lost_leaves, lost_entropy = [], []
    for a, (hierarchy, level) in enumerate(zip(table.hierarchies, levels, strict=True)):
        everyone = table.frequencies_at(a, level)
        gone = everyone - np.bincount(codes[:, a], minlength=len(everyone))
        lost_leaves.append(int(gone @ hierarchy.leaves[level]))
        present = gone[gone > 0]
        lost_entropy.append(float(np.sum(present * np.log2(suppressed / present))))
    covered = float(np.prod(np.array(leaves, dtype=np.float64), axis=0).sum())
    return NodeStatistics(
        levels=np.array([levels]),
        suppressed=np.array([suppressed]),
        kept=np.array([len(sizes)]),
        squares=np.array([int((sizes.astype(np.int64) ** 2).sum())]),
        classes=np.array([len(sizes)]),
        lost_leaves=np.array([lost_leaves]),
        covered=np.array([[covered, covered]]),
        lost_entropy=np.array([lost_entropy]),
    )


def _extremes(table: EncodedTable) -> tuple[NodeStatistics, NodeStatistics]:
    """Statistics of the original table and of the one with every record suppressed at the top."""
    rows = np.repeat(table.combinations, table.counts, axis=0).astype(np.int64)
    tops = [hierarchy.height for hierarchy in table.hierarchies]
    return _count(table, [0] * len(tops), rows), _count(table, tops, np.empty((0, len(tops)), dtype=np.int64))
