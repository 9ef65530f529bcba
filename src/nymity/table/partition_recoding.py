"""PartitionRecoding: classes of records, each published with cells of its own.

A row belongs to the class of its profile, which is its quasi-identifier values together with its sensitive values.
Where rows of one profile belong to several classes, each class has a quota of them, and who fills which place is drawn:
the rows may differ in other columns, which would show their order in the source.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import Draws, KeyedDraws
from nymity.kernels.grouping import distinct
from nymity.table.cell_reading import whole_intervals
from nymity.table.cells import Cells, whole_numbers
from nymity.table.content_order import content_order
from nymity.table.encoding import codes_of
from nymity.table.hierarchy import Hierarchy, Label, label_texts
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Outliers, Recoded, Recoding, Unseen, check_places, written_alike
from nymity.table.text import MASK

#: What is drawn before a method looks at anything: a permutation of all records.
EQUAL_RECORDS = "order of the records with equal quasi-identifiers"
#: What is drawn for freeform rows, where there are several ways to give each a record of its own.
LINKS = "which of the records that fit a row its other columns come from"
#: What is drawn when rows are published: who fills the places of a profile that classes share, and where rows go that
#: no place is left for.
PLACES = "which of the records with equal quasi-identifiers and sensitive values is in which class"
FURTHER = "classes of further rows"


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
    may_draw: ClassVar[tuple[str, ...]] = (EQUAL_RECORDS, PLACES)

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Publish rows with the cells of their class.

        Rows whose values no class has are masked or removed; they cannot be kept as they are. The rows of a profile
        fill the places its classes have for it, drawn among all places. Rows beyond these, and such whose profile is
        not known, go to a class drawn among those with records of the same quasi-identifier values, in proportion to
        the number of these records: as if one of them were drawn, and the row published like it.
        """
        classes = self._class_of(table, self._codes(table, unseen), draws or KeyedDraws.fresh())
        outside = classes < 0
        kept = np.flatnonzero(~outside) if outliers == "remove" else np.arange(table.height)
        rows, classes = (table if len(kept) == table.height else table[kept]), classes[kept]
        published = {
            name: self._publish(rows[name], name, classes) if name in self.cells else rows[name]
            for name in self.columns
        }
        return Recoded(pl.DataFrame(published), kept, outside[kept])

    @property
    def drawn(self) -> tuple[str, ...]:
        """Nothing, unless classes share records with equal quasi-identifiers.

        Whether records that are equal in sensitive values too were divided is told by nobody: it depends on who has
        which value.
        """
        codes, sizes = list(self.quotas.codes.T), [h.domain_size + 1 for h in self.hierarchies.values()]
        divided = _Matched.of(codes, codes, sizes).divided(self.quotas.classes)
        return (EQUAL_RECORDS, PLACES) if divided.any() else ()

    def for_further_rows(self) -> PartitionRecoding:
        """Return what publishes rows of other tables: by their quasi-identifiers alone.

        The places of this table's records are known by sensitive values, too. Where a further row went would tell where
        the record with its value is.
        """
        known = self.quotas
        unknown = replace(known, sensitive=known.sensitive[:, :0], labels={})
        return replace(self, quotas=unknown)

    def levels_in_use(self, name: str) -> list[int]:
        """None: cells are those of classes."""
        return []

    def cells_of(self, name: str) -> Cells:
        """Those of the classes."""
        return self.cells[name]

    def meaning(self, name: str, labels: Collection[Label]) -> dict[Label, NDArray[np.int64]]:
        """Look cells up."""
        return self.cells[name].by_label()

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
        labels = {name: label_texts("labels", values) for name, values in known["labels"].items()}
        entries = len(known["codes"])
        quotas = Quotas(
            codes=whole_numbers(known["codes"]).reshape(entries, width),
            sensitive=whole_numbers(known["sensitive"]).reshape(entries, len(labels)),
            labels=labels,
            classes=whole_numbers(known["classes"]).reshape(entries),
            records=whole_numbers(known["records"]).reshape(entries),
        )
        check_places(quotas.records)
        cells = {n: whole_intervals(Cells.from_dict(data["cells"][n]), h) for n, h in hierarchies.items()}
        cell_of = whole_numbers(data["cell_of"]).reshape(-1, width)
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

    def _class_of(self, table: pl.DataFrame, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """The class of each row, -1 for none.

        Most combinations lie in one class. Only rows of others are looked at by profile, and only those between whom a
        draw decides are brought into the order of their content. Those of a profile differ in other columns at most.
        """
        quotas = self.quotas
        sizes = [h.domain_size + 1 for h in self.hierarchies.values()]
        alike = _Matched.of(list(quotas.codes.T), list(codes), sizes)
        classes = alike.only(quotas.classes)
        several = np.flatnonzero(alike.divided(quotas.classes))
        if not len(several):
            return classes
        sizes += [len(labels) + 1 for labels in quotas.labels.values()]
        values = [*codes[:, several], *self._sensitive_codes(table)[:, several]]
        exact = _Matched.of([*quotas.codes.T, *quotas.sensitive.T], values, sizes)
        room = np.bincount(exact.entries, weights=quotas.records, minlength=exact.n_groups).astype(np.int64)
        wanted = np.bincount(exact.rows, minlength=exact.n_groups)
        drawn = exact.divided(quotas.classes) | (wanted > room)[exact.rows]
        classes[several[~drawn]] = exact.only(quotas.classes)[~drawn]
        places = np.flatnonzero(drawn)
        if others := [name for name in self.columns if name not in self.hierarchies and name not in quotas.labels]:
            places = places[content_order(table, others, several[places])]
        classes[several[places]] = exact.take(places).filled(quotas, draws)
        rest = several[places][classes[several[places]] < 0]
        if len(rest):
            rest = rest[content_order(table, self.columns, rest)]
            classes[rest] = alike.take(rest).like_one(quotas, draws)
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
    unprotected: ClassVar[tuple[str, ...]] = ("equal rows: a row may look like no other, so k-anonymity does not hold",)
    has_classes: ClassVar[bool] = False

    @property
    def drawn(self) -> tuple[str, ...]:
        """Above all, whose other columns a row has."""
        return (LINKS, *super().drawn)


@dataclass(frozen=True, eq=False)
class _Matched:
    """Entries and rows with the same values share a group: entries (n_entries,), rows (n_rows,), from 0."""

    entries: NDArray[np.int64]
    rows: NDArray[np.int64]
    n_groups: int

    @staticmethod
    def of(own: list[NDArray[np.int64]], rows: list[NDArray[np.int64]], sizes: list[int]) -> _Matched:
        """Compare the values of entries with those of rows, column by column; -1 is a value that is not known."""
        layout, n = KeyLayout.for_sizes(sizes), len(own[0])
        keys = [layout.pack([column + 1 for column in columns]) for columns in (own, rows)]
        group, first = distinct(np.concatenate(keys))
        return _Matched(group[:n].astype(np.int64), group[n:].astype(np.int64), len(first))

    def take(self, rows: NDArray[np.int64]) -> _Matched:
        """Return some of the rows."""
        return replace(self, rows=self.rows[rows])

    def only(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The class of each row's entries, one of them where there are several; -1 where there is no entry."""
        found = np.full(self.n_groups, -1, dtype=np.int64)
        found[self.entries] = classes
        return np.where(self.divided(classes), -1, found[self.rows])

    def divided(self, classes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return of each row whether its entries are of different classes."""
        some = np.full(self.n_groups, -1, dtype=np.int64)
        some[self.entries] = classes
        different = np.zeros(self.n_groups, dtype=np.bool_)
        different[self.entries[classes != some[self.entries]]] = True
        return different[self.rows]

    def filled(self, quotas: Quotas, draws: Draws) -> NDArray[np.int64]:
        """Give each row one of the places that entries of its group have, drawn among all; -1 beyond these."""
        used = np.zeros(self.n_groups, dtype=np.bool_)
        used[self.rows] = True
        entries = np.flatnonzero(used[self.entries])
        places = np.repeat(entries, quotas.records[entries])
        places = places[draws.permutation(PLACES, len(places))]
        places = places[np.argsort(self.entries[places], kind="stable")]
        starts = np.searchsorted(self.entries[places], np.arange(self.n_groups + 1))
        by_group = np.argsort(self.rows, kind="stable")
        turn = np.empty(len(self.rows), dtype=np.int64)  # how many rows of the same group come before
        turn[by_group] = np.arange(len(turn)) - np.searchsorted(self.rows[by_group], self.rows[by_group])
        place = starts[self.rows] + turn
        return np.where(
            place < starts[self.rows + 1], np.append(quotas.classes[places], -1)[np.minimum(place, len(places))], -1
        )

    def like_one(self, quotas: Quotas, draws: Draws) -> NDArray[np.int64]:
        """Give each row the class of a record drawn among those of its group, which has some."""
        order = np.argsort(self.entries, kind="stable")
        upto = np.cumsum(quotas.records[order])
        starts = np.searchsorted(self.entries[order], np.arange(self.n_groups + 1))
        before = np.append(0, upto)[starts]
        drawn = draws.numbers(FURTHER, before[self.rows + 1] - before[self.rows])
        return np.asarray(quotas.classes[order][np.searchsorted(upto, before[self.rows] + drawn, side="right")])


def _check_number(what: str, numbers: NDArray[np.int64], n: int) -> None:
    """Refuse numbers of things that are not there."""
    if ((numbers < 0) | (numbers >= n)).any():
        raise ValueError(f"the number of a {what} that is not there")
