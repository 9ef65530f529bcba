"""PartitionRecoding: classes of records, each published with cells of its own.

A row belongs to the class of its profile, which is its quasi-identifier values together with its sensitive values.
Where rows of one profile belong to several classes, each class has a quota of them; rows of a profile are all alike, so
which of them goes where tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.kernels.grouping import distinct
from nymity.table.cells import Cells
from nymity.table.encoding import codes_of
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Outliers, Recoded, Recoding, Unseen, written_alike
from nymity.table.text import MASK


@dataclass(frozen=True, eq=False)
class Quotas:
    """How many records of each profile belong to which class; entries of a profile are adjacent.

    codes (n_entries, n_quasi): raw values. sensitive (n_entries, n_sensitive): sensitive values, as numbers of
    ``labels``. classes, records (n_entries,).
    """

    codes: NDArray[np.int64]
    sensitive: NDArray[np.int64]
    labels: Mapping[str, tuple[Label, ...]]
    classes: NDArray[np.int64]
    records: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PartitionRecoding(Recoding):
    """The published columns, hierarchies that list the raw values, the cells of each class, and who belongs to it.

    cells: by quasi-identifier. cell_of (n_classes, n_quasi): number of the cell each class is published with.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    cells: Mapping[str, Cells]
    cell_of: NDArray[np.int64]
    quotas: Quotas
    outliers: Outliers = "mask"

    kind: ClassVar[str] = "partition"

    def apply(self, table: pl.DataFrame, *, unseen: Unseen = "error", outliers: Outliers | None = None) -> Recoded:
        """Publish rows with the cells of their class.

        Rows whose values no class has are masked or removed; they cannot be kept as they are.
        """
        self._check(table, unseen, outliers)
        codes = self._codes(table, unseen)
        classes = self._class_of(codes, self._sensitive_codes(table))
        chosen, outside = outliers or self.outliers, classes < 0
        kept = np.flatnonzero(~outside) if chosen == "remove" else np.arange(table.height)
        rows, classes = (table if len(kept) == table.height else table[kept]), classes[kept]
        published = {
            name: self._publish(rows[name], name, classes) if name in self.cells else rows[name]
            for name in self.columns
        }
        return Recoded(pl.DataFrame(published), kept, outside[kept])

    def published_as(self, name: str) -> dict[str, Any]:
        """The number of different cells."""
        return {"cells": len(self.cells[name].labels)}

    def mapping(self) -> pl.DataFrame:
        """Return what raw values are published as: column, value, published, one row for each pair that occurs."""
        rows = []
        for a, (name, cells) in enumerate(self.cells.items()):
            values = self.hierarchies[name].values
            pairs = np.unique(np.stack([self.quotas.codes[:, a], self.cell_of[self.quotas.classes, a]], axis=1), axis=0)
            rows += [{"column": name, "value": values[v], "published": cells.labels[c]} for v, c in pairs.tolist()]
        return pl.DataFrame(rows, schema={"column": str, "value": str, "published": str})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        quotas = self.quotas
        return {
            **self._described(),
            "cells": {name: cells.to_dict() for name, cells in self.cells.items()},
            "cell_of": self.cell_of.tolist(),
            "profiles": {
                "codes": quotas.codes.tolist(),
                "sensitive": quotas.sensitive.tolist(),
                "labels": {name: list(labels) for name, labels in quotas.labels.items()},
                "classes": quotas.classes.tolist(),
                "records": quotas.records.tolist(),
            },
        }

    @classmethod
    def _rebuilt(
        cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]
    ) -> PartitionRecoding:
        known, width = data["profiles"], len(hierarchies)
        labels = {name: tuple(values) for name, values in known["labels"].items()}
        entries = len(known["codes"])
        quotas = Quotas(
            codes=np.array(known["codes"], dtype=np.int64).reshape(entries, width),
            sensitive=np.array(known["sensitive"], dtype=np.int64).reshape(entries, len(labels)),
            labels=labels,
            classes=np.array(known["classes"], dtype=np.int64).reshape(entries),
            records=np.array(known["records"], dtype=np.int64).reshape(entries),
        )
        cells = {name: Cells.from_dict(data["cells"][name]) for name in hierarchies}
        cell_of = np.array(data["cell_of"], dtype=np.int64).reshape(-1, width)
        _check_number("class", quotas.classes, len(cell_of))
        for a, (name, hierarchy) in enumerate(hierarchies.items()):
            _check_number(f"cell of {name!r}", cell_of[:, a], len(cells[name].labels))
            _check_number(f"value of {name!r}", quotas.codes[:, a], hierarchy.domain_size)
            _check_number(f"value of {name!r}", cells[name].covered, hierarchy.domain_size)
        return cls(columns, hierarchies, cells, cell_of, quotas, data["outliers"])

    # -- inside ----------------------------------------------------------------------------------------

    def _sensitive_codes(self, table: pl.DataFrame) -> NDArray[np.int64]:
        """Numbers of the sensitive values, (n_sensitive, n_rows); -1 where the table has others or none."""
        codes = np.full((len(self.quotas.labels), table.height), -1, dtype=np.int64)
        for i, (name, labels) in enumerate(self.quotas.labels.items()):
            if name in table.columns:
                column = table[name].alias("cell")
                codes[i] = codes_of(column, None, {label: n for n, label in enumerate(labels)})
        return codes

    def _class_of(self, codes: NDArray[np.int64], sensitive: NDArray[np.int64]) -> NDArray[np.int64]:
        """The class of each row, -1 for none.

        The rows of a profile fill its classes in turn, the last one takes what is beyond all quotas; rows whose profile
        is not known go to the first class that has their quasi-identifier values.
        """
        quotas = self.quotas
        sizes = [h.domain_size + 1 for h in self.hierarchies.values()]
        further = [len(labels) + 1 for labels in quotas.labels.values()]
        own, rows = [*quotas.codes.T, *quotas.sensitive.T], [*codes, *sensitive]
        classes = _matched(own, rows, [*sizes, *further], quotas.classes, quotas.records)
        lost = np.flatnonzero((classes < 0) & (codes >= 0).all(axis=0))
        if len(lost):
            anything = np.full(len(quotas.classes), np.iinfo(np.int64).max)  # the first class takes all of them
            classes[lost] = _matched(list(quotas.codes.T), [c[lost] for c in codes], sizes, quotas.classes, anything)
        return classes

    def _publish(self, raw: pl.Series, name: str, classes: NDArray[np.int64]) -> pl.Series:
        """Return the published cells; a column left as it is keeps its type."""
        cells, at = self.cells[name], list(self.cells).index(name)
        if cells.raw and (classes >= 0).all():
            return written_alike(raw.alias("cell")).alias(name)
        numbers = np.append(self.cell_of[:, at], len(cells.labels))[classes]  # the last one where there is no class
        return pl.Series("cell", [*cells.labels, MASK], dtype=pl.String)[numbers].alias(name)


@dataclass(frozen=True, eq=False)
class FreeformRecoding(PartitionRecoding):
    """Rows with cells of their own: a class is the rows whose cells happen to be equal, and promises nothing.

    Which record of those that fit a row its other columns come from was drawn; the quotas say how it fell out.
    """

    kind: ClassVar[str] = "freeform"
    drawn: ClassVar[tuple[str, ...]] = ("which of the records that fit a row its other columns come from",)
    unprotected: ClassVar[tuple[str, ...]] = ("equal rows: a row may look like no other, so k-anonymity does not hold",)
    has_classes: ClassVar[bool] = False


def _matched(
    own: list[NDArray[np.int64]],
    rows: list[NDArray[np.int64]],
    sizes: list[int],
    classes: NDArray[np.int64],
    records: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Give each row the class of an entry with the same values, entries in turn as far as their records go, else -1."""
    layout, n = KeyLayout.for_sizes(sizes), len(classes)
    keys = [layout.pack([column + 1 for column in columns]) for columns in (own, rows)]  # an unknown value is 0
    group, first = distinct(np.concatenate(keys))
    entries, seen = group[:n], group[n:].astype(np.int64)
    n_known = int(entries.max(initial=0)) + 1  # groups are numbered as they come up, entries first
    if n_known == n:
        return np.asarray(np.append(classes, np.full(len(first) - n, -1))[seen])
    order = np.argsort(entries, kind="stable")
    starts = np.searchsorted(entries[order], np.arange(len(first) + 1))  # where the entries of each group begin
    by_group = np.argsort(seen, kind="stable")
    turn = np.empty(len(seen), dtype=np.int64)  # how many rows of the same group come before
    turn[by_group] = np.arange(len(seen)) - np.searchsorted(seen[by_group], seen[by_group])
    upto = np.cumsum(np.minimum(records[order], len(seen) + 1))
    before = np.concatenate([[0], upto])[starts[seen]]
    place = np.searchsorted(upto, before + turn, side="right")
    place = np.minimum(place, starts[seen + 1] - 1)
    return np.where(seen < n_known, classes[order][np.clip(place, 0, n - 1)], -1)


def _check_number(what: str, numbers: NDArray[np.int64], n: int) -> None:
    """Refuse numbers of things that are not there."""
    if ((numbers < 0) | (numbers >= n)).any():
        raise ValueError(f"the number of a {what} that is not there")
