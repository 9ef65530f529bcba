"""Cells: what classes of a partition are published with in one column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.table.hierarchy import Hierarchy, Label, label_texts
from nymity.table.span import CELL_KINDS, CellKind, Span, spans_of


@dataclass(frozen=True, eq=False)
class Cells:
    """Different cells of a column: their labels, and the raw values each stands for, whether they occur or not.

    covered: codes of raw values, those of one cell after those of another; starts (n_cells + 1,): where each begins.
    kind: what the cells are. spans: what each stands for, where nothing is known of codes.
    """

    labels: tuple[Label, ...]
    covered: NDArray[np.int64]
    starts: NDArray[np.int64]
    kind: CellKind = "values"
    spans: tuple[Span, ...] = ()

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
        """Whether every cell stands for one value, whatever it is written as."""
        return all(span.is_one for span in self.spans) if self.spans else bool((self.sizes == 1).all())

    def as_in_source(self, values: Sequence[Label]) -> bool:
        """Whether every cell is one of these values, written as it is: a level may have one value below a label."""
        if not self.raw:
            return False
        if self.spans:
            return all(
                label in (*span.values, *(span.ends or ())) for label, span in zip(self.labels, self.spans, strict=True)
            )
        return all(values[code] == label for code, label in zip(self.covered.tolist(), self.labels, strict=True))

    def without_codes(self, hierarchy: Hierarchy) -> Cells:
        """Return the same cells told by values."""
        cells = range(len(self.labels))
        spans = self.spans or spans_of(self.kind, hierarchy.values, [self.codes(cell) for cell in cells])
        return Cells(self.labels, np.empty(0, np.int64), np.zeros(len(cells) + 1, np.int64), self.kind, spans)

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
        cells = range(len(self.labels))
        covered = {"covered": [self.codes(cell).tolist() for cell in cells]}
        spans = {"spans": [span.to_dict() for span in self.spans]}
        kind = {} if self.kind == "values" else {"kind": self.kind}
        return {"labels": list(self.labels), **kind, **(spans if self.spans else covered)}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Cells:
        """Rebuild from :meth:`to_dict`."""
        labels, kind = label_texts("cells", data["labels"]), data.get("kind", "values")
        told = data["spans"] if "spans" in data else data["covered"]
        if len(labels) != len(told) or kind not in CELL_KINDS:
            raise ValueError(f"{len(labels)} cells, and what {len(told)} stand for")
        if "spans" not in data:
            return replace(Cells.of(list(labels), [whole_numbers(codes).reshape(-1) for codes in told]), kind=kind)
        nothing = np.empty(0, np.int64), np.zeros(len(labels) + 1, np.int64)
        return Cells(labels, *nothing, kind, tuple(Span.from_dict(one) for one in told))


def whole_numbers(values: Any) -> NDArray[np.int64]:
    """Return an array of the whole numbers a file lists; numpy alone would cut 0.5 to 0."""
    listed = np.array(values)
    if listed.size and listed.dtype.kind != "i":
        others = [value for value in np.array(values, dtype=object).flat if type(value) is not int]
        raise ValueError(f"{repr(others[0])[:40] if others else 'too large ones'} where whole numbers are expected")
    return listed.astype(np.int64)
