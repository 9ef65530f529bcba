"""Scales: the values on which a column can be counted before and after alike.

A quasi-identifier on levels has those of its level. One whose classes have cells of their own has a level of its
hierarchy, and each cell counts there by the shares of the values it stands for. Others are published as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.report.subject import Subject
from nymity.table.encoding import codes_of
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import LevelRecoding
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.text import as_text, gathered

Ints = NDArray[np.int64]
#: Values that a scale of cells has at most, where a hierarchy has a level of that few.
MOST_VALUES = 15


@dataclass(frozen=True, eq=False, kw_only=True)
class ScaledColumn:
    """A column by codes of ``labels``, -1 for none of them: ``before`` of the original, ``after`` of the release.

    Where ``spread`` is given, (n_cells, n_labels), ``after`` are numbers of cells, and each counts for the labels by
    these shares. Masked rows are -1.
    """

    labels: Sequence[str | None]
    before: Ints
    after: Ints
    spread: NDArray[np.float64] | None = None

    @cached_property
    def records_before(self) -> Ints:
        """The original's records of each label, (n_labels,)."""
        return np.bincount(self.before[self.before >= 0], minlength=len(self.labels)).astype(np.int64)

    @cached_property
    def records_after(self) -> Ints:
        """The release's records of each label, (n_labels,); rounded where cells are spread."""
        cells = len(self.labels) if self.spread is None else len(self.spread)
        counts = np.bincount(self.after[self.after >= 0], minlength=cells)
        return counts.astype(np.int64) if self.spread is None else np.rint(counts @ self.spread).astype(np.int64)


def quasi_scale(subject: Subject, recoding: LevelRecoding, name: str) -> ScaledColumn:
    """Return a quasi-identifier at its level; where levels differ, at the coarsest."""
    hierarchy, level, masked = recoding.hierarchies[name], recoding.levels[name], subject.log.masked
    labels, above = hierarchy.labels[level], np.append(hierarchy.codes[level], -1)
    if len(recoding.layers) == 1:
        shown = _codes(subject.frame[name], {label: code for code, label in enumerate(labels)})
    else:
        rows = gathered(subject.original[name], subject.log.source_rows)
        shown = above[_codes(rows, hierarchy.index)].astype(np.int64)
    before = above[raw_codes(subject, name)].astype(np.int64)
    return ScaledColumn(labels=labels, before=before, after=np.where(masked, -1, shown))


def cell_scale(subject: Subject, recoding: PartitionRecoding, name: str) -> ScaledColumn:
    """Return a quasi-identifier whose classes have cells of their own, at the finest level of few values."""
    hierarchy, meant = recoding.hierarchies[name], recoding.cells[name].by_label()
    few = [level for level, labels in enumerate(hierarchy.labels) if len(labels) <= MOST_VALUES]
    level = min(few[0], max(hierarchy.height - 1, 0)) if few else hierarchy.height
    labels, above = hierarchy.labels[level], hierarchy.codes[level].astype(np.int64)
    covered = [np.unique(codes) for codes in meant.values()]
    cell = np.repeat(np.arange(len(covered)), [len(codes) for codes in covered])
    spread = np.zeros((len(covered), len(labels)))
    np.add.at(spread, (cell, above[np.concatenate([np.empty(0, np.int64), *covered])]), 1.0)
    spread /= np.maximum(spread.sum(axis=1, keepdims=True), 1.0)
    after = _codes(subject.frame[name], {label: number for number, label in enumerate(meant)})
    before = np.append(above, -1)[raw_codes(subject, name)].astype(np.int64)
    return ScaledColumn(labels=labels, before=before, after=np.where(subject.log.masked, -1, after), spread=spread)


def plain_scale(subject: Subject, name: str) -> ScaledColumn:
    """Return a column that is published as it is, the most frequent value first."""
    cells = as_text(subject.original[name]).alias("cell")
    found = cells.value_counts(name="records").sort("records", "cell", descending=[True, False])
    labels = found["cell"].to_list()
    index = {label: code for code, label in enumerate(labels)}
    return ScaledColumn(labels=labels, before=_codes(cells, index), after=_codes(subject.frame[name], index))


def raw_codes(subject: Subject, name: str) -> NDArray[np.int64]:
    """Return the raw value of each of the original's records by its code in a hierarchy; -1 where it lists none."""
    if name not in subject.raw_codes:
        hierarchy: Hierarchy = subject.recoding.hierarchies[name]
        subject.raw_codes[name] = _codes(subject.original[name], hierarchy.index)
    return subject.raw_codes[name]


def _codes(cells: pl.Series, index: Mapping[str | None, int]) -> NDArray[np.int64]:
    """Return the code that the text of each cell has in ``index``; -1 where it lists none."""
    if not cells.dtype.is_float():
        return codes_of(cells, None, index).astype(np.int64)
    found = pl.DataFrame({"cell": cells}).with_row_index("row").group_by("cell").agg("row")
    known = [next((index[text] for text in texts if text in index), -1) for texts in _possible_texts(found["cell"])]
    codes = np.full(len(cells), -1, dtype=np.int64)
    codes[found["row"].explode().to_numpy()] = np.repeat(
        np.array(known, dtype=np.int64), found["row"].list.len().to_numpy()
    )
    return codes


def _possible_texts(values: pl.Series) -> list[tuple[str | None, ...]]:
    """Return how each float may be written: a whole one with ``.0`` or, if all are whole, without.

    Which of them it is depends on all rows of a column, and a release may have fewer.
    """
    plain = values.fill_nan(None).cast(pl.String)
    return list(zip(as_text(values), plain, plain.str.strip_suffix(".0"), strict=True))
