"""What published cells stand for: by the recoding they were made by, or by what is written in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.table.cells import Cells
from nymity.table.encoding import distinct_values
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.level_recoding import LevelRecoding
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.reading import nodes_of, read_cells
from nymity.table.recoding import Recoding
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.text import MASK, as_text, shown

#: Told the name of a column and labels of its cells, returns which codes of the column's hierarchy they stand for.
ReadCells = Callable[[str, Sequence[Label]], Cells]


def as_they_are(_: str, labels: Sequence[Label]) -> Cells:
    """Each cell stands for its own value."""
    starts = np.arange(len(labels) + 1)
    return Cells(tuple(labels), starts[:-1], starts)


def by_recoding(recoding: Recoding) -> ReadCells:
    """Look cells up in a recoding; masked ones stand for everything its hierarchies list."""

    def read(name: str, labels: Sequence[Label]) -> Cells:
        if isinstance(recoding, PartitionRecoding):
            cells = recoding.cells[name]
            known = {label: cells.codes(number) for number, label in enumerate(cells.labels)}
        else:
            assert isinstance(recoding, LevelRecoding | SampledRecoding)
            known = _on_levels(recoding, name, set(labels) - {MASK})
        known[MASK] = np.arange(recoding.hierarchies[name].domain_size)
        for label in labels:
            if label not in known:
                raise TableError(
                    f"released column {name!r}",
                    expected="cells of the recoding",
                    got=f"the unknown value {shown(label)}",
                    hint="give the recoding of this release",
                )
        return Cells.of(list(labels), [known[label] for label in labels])

    return read


def by_text(hierarchies: Mapping[str, Hierarchy], original: pl.DataFrame) -> ReadCells:
    """Read cells as anyone would; intervals and sets are made of the values of the original table."""

    def read(name: str, labels: Sequence[Label]) -> Cells:
        index = hierarchies[name].index
        occurring = sorted({index[label] for label in as_text(distinct_values(original[name])) if label in index})
        return read_cells(labels, hierarchies[name], np.array(occurring), where=f"released column {name!r}")

    return read


def _on_levels(
    recoding: LevelRecoding | SampledRecoding, name: str, wanted: set[Label]
) -> dict[Label, NDArray[np.int64]]:
    """Find labels on the levels in use: on the lowest one that has all of them, and else on the lowest that has it."""
    hierarchy = recoding.hierarchies[name]
    chosen = [layer.levels for layer in recoding.layers] if isinstance(recoding, LevelRecoding) else [recoding.levels]
    levels = sorted({levels[name] for levels in chosen})
    levels.sort(key=lambda level: not wanted <= set(hierarchy.labels[level]))
    known: dict[Label, NDArray[np.int64]] = {}
    for level in levels:
        for label, codes in nodes_of(hierarchy, level):
            known.setdefault(label, codes)
    return known
