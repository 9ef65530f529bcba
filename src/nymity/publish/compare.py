"""compare: what a release lost, by every loss, from the original and the released table alone.

The statistics are counted from the released cells with plain numpy, not taken from the search: a released row counts
as kept unless all its quasi-identifiers are masked, and records missing from the release count as suppressed. Records
that the schema drops for their gaps are left out of the original first, as in the search.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.io import to_polars
from nymity.publish.pipeline import without_dropped
from nymity.publish.release import Release
from nymity.quality import LOSSES, NodeStatistics
from nymity.quality.domain_share import ArithmeticLoss
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema, check_columns
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
    known = release if isinstance(release, Release) else None
    released = to_polars(release) if known is None else known.frame
    schema = schema if known is None else known.job.schema
    if schema is None:
        raise TableError("compare", expected="the schema the table was released by", got="none")
    source = to_polars(original)
    check_columns(schema, source.columns)
    encoded = encode(without_dropped(source, schema)[0], schema)
    for name in encoded.names:
        if name not in released.columns:
            raise TableError("released table", expected=f"the quasi-identifier {name!r}", got="no such column")
    found = _released_statistics(encoded, released, known)
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


def _released_statistics(table: EncodedTable, released: pl.DataFrame, known: Release | None) -> NodeStatistics:
    """Count the released rows; levels and masked rows are found from the cells unless they are ``known``."""
    hierarchies = dict(zip(table.names, table.hierarchies, strict=True))
    text = {name: as_text(released[name]) for name in hierarchies}
    masked = np.logical_and.reduce([(cells == MASK).fill_null(False).to_numpy() for cells in text.values()])
    kept = pl.Series(~masked if known is None else ~known.log.masked)
    levels, codes = [], []
    for name, hierarchy in hierarchies.items():
        cells = text[name].filter(kept)
        level = _find_level(cells, hierarchy, name) if known is None else known.levels[name]
        levels.append(level)
        codes.append(_codes(cells, hierarchy, level, name))
    return _count(table, levels, np.stack(codes, axis=1))


def _find_level(cells: pl.Series, hierarchy: Hierarchy, name: str) -> int:
    """Return the lowest level whose labels include every cell; the top when there are none."""
    distinct = set(cells.unique())
    if not distinct:
        return hierarchy.height
    for level, labels in enumerate(hierarchy.labels):
        if distinct <= set(labels):
            return level
    strange = next((v for v in distinct if all(v not in labels for labels in hierarchy.labels)), None)
    raise TableError(
        f"released column {name!r}",
        expected="cells that all lie on one level of its hierarchy",
        got=f"the unknown value {shown(strange)}" if strange is not None else "cells of several levels",
    )


def _codes(cells: pl.Series, hierarchy: Hierarchy, level: int, name: str) -> NDArray[np.int64]:
    """Translate cells to their codes at a level."""
    index = {label: code for code, label in enumerate(hierarchy.labels[level])}
    strange = set(cells.unique()) - index.keys()
    if strange:
        raise TableError(
            f"released column {name!r}",
            expected=f"cells of level {level} of its hierarchy",
            got=shown(next(iter(strange))),
            hint="compare with the table the release was made from",
        )
    return np.array([index[value] for value in cells.to_list()], dtype=np.int64)


def _count(table: EncodedTable, levels: list[int], codes: NDArray[np.int64]) -> NodeStatistics:
    """Statistics of kept rows with these codes (n_kept, m); what is not kept is suppressed."""
    suppressed = table.n_records - len(codes)
    rows = pl.DataFrame({f"q{a}": column for a, column in enumerate(codes.T)})
    sizes = rows.group_by(rows.columns).len()["len"].to_numpy()
    leaves = [h.leaves[level][codes[:, a]] for a, (h, level) in enumerate(zip(table.hierarchies, levels, strict=True))]
    lost_leaves, lost_entropy = [], []
    for a, (hierarchy, level) in enumerate(zip(table.hierarchies, levels, strict=True)):
        everyone = table.frequencies_at(a, level)
        gone = everyone - np.bincount(codes[:, a], minlength=len(everyone))
        if (gone < 0).any():
            worst = int(np.argmin(gone))
            raise TableError(
                f"released column {table.names[a]!r}",
                expected=f"at most {everyone[worst]:,} records with {shown(hierarchy.labels[level][worst])}",
                got=f"{everyone[worst] - gone[worst]:,}",
                hint="compare with the table the release was made from",
            )
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
