"""What published cells stand for: by the recoding they were made by, or by what is written in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.table.cell_reading import nodes_on, read_cells
from nymity.table.cells import Cells
from nymity.table.encoding import distinct_values
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.recoding import Recoding
from nymity.table.text import MASK, as_text

#: Told the name of a column and labels of its cells, returns which codes of the column's hierarchy they stand for.
ReadCells = Callable[[str, Sequence[Label]], Cells]


def as_they_are(_: str, labels: Sequence[Label]) -> Cells:
    """Each cell stands for its own value."""
    starts = np.arange(len(labels) + 1)
    return Cells(tuple(labels), starts[:-1], starts)


def by_recoding(recoding: Recoding) -> ReadCells:
    """Look cells up in a recoding; masked ones stand for everything its hierarchies list."""

    def read(name: str, labels: Sequence[Label]) -> Cells:
        known = recoding.meaning(name, set(labels) - {MASK})
        return looked_up(labels, known | {MASK: np.arange(recoding.hierarchies[name].domain_size)}, name)

    return read


@dataclass(frozen=True)
class StatedLevels:
    """The levels that a certificate says a column is published on, of a hierarchy of this height."""

    levels: tuple[int, ...]
    height: int | None

    def of(self, hierarchy: Hierarchy) -> tuple[int, ...]:
        """Return the levels; none if the hierarchy is another, as where a certificate leaves its rows out."""
        there = all(level <= hierarchy.height for level in self.levels)
        return self.levels if there and self.height in (None, hierarchy.height) else ()


def looked_up(labels: Sequence[Label], codes_by_label: Mapping[Label, NDArray[np.int64]], name: str) -> Cells:
    """Return what labels of a column stand for, or say which one a recoding does not know."""
    for label in labels:
        if label not in codes_by_label:
            raise TableError(
                f"released column {name!r}",
                expected="cells of the recoding",
                got=f"the unknown value {quoted(label)}",
                hint="give the recoding of this release",
            )
    return Cells.of(list(labels), [codes_by_label[label] for label in labels])


def by_text(
    hierarchies: Mapping[str, Hierarchy], original: pl.DataFrame, stated: Mapping[str, StatedLevels] | None = None
) -> ReadCells:
    """Look cells up on the levels that a certificate states; where it states none, read them as anyone would.

    Sets then name values of the original table, and intervals stand for all that is listed.
    """

    def read(name: str, labels: Sequence[Label]) -> Cells:
        hierarchy = hierarchies[name]
        if stated is not None and (levels := stated[name].of(hierarchy)):
            known = nodes_on(hierarchy, levels, set(labels) - {MASK})
            return looked_up(labels, known | {MASK: np.arange(hierarchy.domain_size)}, name)
        index = hierarchy.index
        occurring = sorted({index[label] for label in as_text(distinct_values(original[name])) if label in index})
        return read_cells(labels, hierarchy, np.array(occurring), where=f"released column {name!r}")

    return read
