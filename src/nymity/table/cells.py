"""Cells: what classes of a partition are published with in one column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.table.hierarchy import Label, label_texts


@dataclass(frozen=True, eq=False)
class Cells:
    """Different cells of a column: their labels, and the raw values each stands for, whether they occur or not.

    covered: codes of raw values, those of one cell after those of another; starts (n_cells + 1,): where each begins.
    """

    labels: tuple[Label, ...]
    covered: NDArray[np.int64]
    starts: NDArray[np.int64]

    @staticmethod
    def of(labels: list[Label], covered: list[NDArray[np.int64]]) -> Cells:
        """Put the covered values of each cell one after another."""
        starts = np.cumsum([0, *(len(codes) for codes in covered)])
        return Cells(tuple(labels), np.concatenate([np.empty(0, np.int64), *covered]), starts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many raw values each cell stands for."""
        return np.diff(self.starts)

    @cached_property
    def raw(self) -> bool:
        """Whether every cell stands for one value, so that the column is published as it is."""
        return bool((self.sizes == 1).all())

    def codes(self, cell: int) -> NDArray[np.int64]:
        """Return the raw values a cell stands for."""
        return self.covered[self.starts[cell] : self.starts[cell + 1]]

    def by_label(self) -> dict[Label, NDArray[np.int64]]:
        """Return what each label stands for: all of it where cells of several meanings are written alike."""
        meant: dict[Label, NDArray[np.int64]] = {}
        for number, label in enumerate(self.labels):
            codes = self.codes(number)
            meant[label] = np.union1d(meant[label], codes) if label in meant else codes
        return meant

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "labels": list(self.labels),
            "covered": [self.codes(cell).tolist() for cell in range(len(self.labels))],
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Cells:
        """Rebuild from :meth:`to_dict`."""
        labels, covered = label_texts("cells", data["labels"]), data["covered"]
        if len(labels) != len(covered):
            raise ValueError(f"{len(labels)} cells, and what {len(covered)} stand for")
        return Cells.of(list(labels), [whole_numbers(codes).reshape(-1) for codes in covered])


def whole_numbers(values: Any) -> NDArray[np.int64]:
    """Return an array of the whole numbers a file lists; numpy alone would cut 0.5 to 0."""
    listed = np.array(values)
    if listed.size and listed.dtype.kind != "i":
        others = [value for value in np.array(values, dtype=object).flat if type(value) is not int]
        raise ValueError(f"{repr(others[0])[:40] if others else 'too large ones'} where whole numbers are expected")
    return listed.astype(np.int64)
