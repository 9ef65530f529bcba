"""PartitionRecoding: classes of records, each published with cells of its own.

A row belongs to the class of its profile, which is its quasi-identifier values together with its sensitive values.
Where rows of one profile belong to several classes, each class has a quota of them, and who fills which place is drawn:
the rows may differ in other columns, which would show their order in the source.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.custodian import SEEN_NAME
from nymity.core.draws import Draws, KeyedDraws
from nymity.core.errors import ParameterError
from nymity.kernels.grouping import distinct
from nymity.table.builders.flat import Flat
from nymity.table.cell_reading import whole_intervals
from nymity.table.cells import Cells, whole_numbers
from nymity.table.content_order import content_order
from nymity.table.encoding import codes_of, labelled
from nymity.table.hierarchy import Hierarchy, Label, label_texts
from nymity.table.packing import KeyLayout
from nymity.table.recoding import (
    OF_LINKED_ROWS,
    Outliers,
    Recoded,
    Recoding,
    Unseen,
    check_places,
    refuse_further,
    refuse_unseen,
    written_alike,
)
from nymity.table.rule import Rule
from nymity.table.span import spanned
from nymity.table.text import MASK, as_text

#: What is drawn before a method looks at anything: a permutation of all records.
EQUAL_RECORDS = "order of the records with equal quasi-identifiers"
#: What is drawn for freeform rows, where there are several ways to give each a record of its own.
LINKS = "which of the records that fit a row its other columns come from"
#: What is drawn when rows are published: who fills the places of a profile that classes share, and where rows go that
#: no place is left for.
PLACES = "which of the records with equal quasi-identifiers and sensitive values is in which class"
FURTHER = "classes of further rows"
SPANNED = "class of further values"
_AT_A_TIME = 1000


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


@dataclass(frozen=True, eq=False, repr=False)
class PartitionRecoding(Recoding):
    """The published columns, hierarchies that list the raw values, the cells of each class, and who belongs to it.

    cells: by quasi-identifier. cell_of (n_classes, n_quasi): number of the cell each class is published with. sizes
    (n_classes,): records of each, where nobody knows which they are.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    cells: Mapping[str, Cells]
    cell_of: NDArray[np.int64]
    quotas: Quotas
    outliers: Outliers = "mask"
    sizes: NDArray[np.int64] | None = None
    beside: Mapping[str, str] = field(default_factory=dict)
    #: Whether rows of equal quasi-identifier values all go to one class, as those of other tables do.
    by_values: bool = False
    #: Whether rows are linked, one of each person.
    linked: bool = False

    kind: ClassVar[str] = "partition"
    has_own_cells: ClassVar[bool] = True
    may_draw: ClassVar[tuple[str, ...]] = (EQUAL_RECORDS, PLACES)
    #: A row may be published like any class whose cells span its values, whoever had them.
    by_span: ClassVar[bool] = True

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Publish rows with the cells of their class.

        Rows whose values no class has are masked or removed; they cannot be kept as they are. The rows of a profile
        fill the places its classes have for it, drawn among all places. Rows beyond these, and such whose profile is
        not known, go to a class drawn among those with records of the same quasi-identifier values, in proportion to
        the number of these records: as if one of them were drawn, and the row published like it. Rows whose values
        nobody had together go to a class whose cells span all of them, drawn in proportion to its size by these values
        and nothing else: wherever they occur again, they go to the same.
        """
        self._refuse_linked(further=self.is_partial)
        codes, draws = self._codes(table, "mask"), draws or KeyedDraws.fresh()
        unplaced = self._unplaced(table, codes, unseen)
        classes = self._class_of(table, codes, draws)
        # ``lasting`` draws depend on the values alone, so that the same row comes to the same class in every table.
        if self.by_span and len(rest := np.flatnonzero(classes < 0)):
            classes[rest] = self._spanning(table, rest, draws.lasting)
        outside = classes < 0
        kept = np.flatnonzero(~outside) if outliers == "remove" else np.arange(table.height)
        rows, classes = (table if len(kept) == table.height else table[kept]), classes[kept]
        published = {
            name: self._publish(rows[name], name, classes) if name in self.cells else rows[name]
            for name in self.columns
        }
        return Recoded(pl.DataFrame(published), kept, outside[kept], unplaced=unplaced)

    @property
    def drawn(self) -> tuple[str, ...]:
        """Nothing, unless classes share records with equal quasi-identifiers.

        Whether records that are equal in sensitive values too were divided is told by nobody: it depends on who has
        which value.
        """
        codes, sizes = list(self.quotas.codes.T), [h.domain_size + 1 for h in self.hierarchies.values()]
        divided = _Matched.of(codes, codes, sizes).divided(self.quotas.classes)
        return (EQUAL_RECORDS, PLACES) if divided.any() else ()

    def of_linked_rows(self, column: str) -> PartitionRecoding:
        """Note it."""
        del column
        return replace(self, linked=True)

    def for_further_rows(self) -> PartitionRecoding:
        """Return what publishes rows of other tables: by their quasi-identifiers alone, wherever they occur.

        The places of this table's records are known by sensitive values, too. Where a further row went would tell where
        the record with its value is. And somebody whose rows went to several classes in several tables would be one of
        the few whom the cells of all of them fit.
        """
        self._refuse_linked()
        known = self.quotas
        unknown = replace(known, sensitive=known.sensitive[:, :0], labels={})
        return replace(self, columns=self.further_columns, quotas=unknown, by_values=True)

    def as_function(self) -> PartitionRecoding:
        """Return the classes with their cells and sizes, told by values; no sensitive value among them."""
        if self.is_partial:
            return self
        nobody = np.empty((0, len(self.hierarchies)), dtype=np.int64)
        none = np.empty(0, dtype=np.int64)
        return replace(
            self,
            columns=self.further_columns,
            hierarchies={name: self._function_of(name, hierarchy) for name, hierarchy in self.hierarchies.items()},
            cells={name: self.cells[name].without_codes(hierarchy) for name, hierarchy in self.hierarchies.items()},
            quotas=Quotas(codes=nobody, sensitive=nobody[:, :0], labels={}, classes=none, records=none),
            sizes=self._sizes,
        )

    @property
    def is_partial(self) -> bool:
        """Whether nobody knows who is in the classes."""
        return self.sizes is not None

    def class_cells(self, name: str) -> Cells:
        """Return the cells of a column."""
        return self.cells[name]

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
        """The number of different cells, as they are written."""
        return {"cells": len({label or "" for label in self.cells[name].labels})}

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
        told = {
            **self._described(),
            "cells": {name: cells.to_dict() for name, cells in self.cells.items()},
            "cell_of": self.cell_of.tolist(),
            **({"linked": True} if self.linked else {}),
        }
        if self.sizes is not None:
            return {**told, "sizes": self.sizes.tolist()}
        return {
            **told,
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
        if "sizes" in data:
            return cls._function(data, columns, hierarchies)
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
        return cls(columns, hierarchies, cells, cell_of, quotas, data["outliers"], linked="linked" in data)

    @classmethod
    def _function(
        cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]
    ) -> PartitionRecoding:
        """Rebuild from what :meth:`to_dict` returned of a function."""
        cells = {name: Cells.from_dict(data["cells"][name]) for name in hierarchies}
        cell_of, sizes = whole_numbers(data["cell_of"]).reshape(-1, len(cells)), whole_numbers(data["sizes"])
        for a, (name, of_column) in enumerate(cells.items()):
            _check_number(f"cell of {name!r}", cell_of[:, a], len(of_column.labels))
        check_places(sizes)
        if sizes.shape != (len(cell_of),) or (sizes < 1).any():
            raise ValueError("classes without a size")
        nobody, none = np.empty((0, len(cells)), dtype=np.int64), np.empty(0, dtype=np.int64)
        quotas = Quotas(codes=nobody, sensitive=nobody[:, :0], labels={}, classes=none, records=none)
        return cls(columns, hierarchies, cells, cell_of, quotas, data["outliers"], sizes, linked="linked" in data)

    # -- inside ----------------------------------------------------------------------------------------

    def _refuse_linked(self, *, further: bool = True) -> None:
        refuse_further(OF_LINKED_ROWS if self.linked and further else "")

    @property
    def _sizes(self) -> NDArray[np.int64]:
        """Records of each class, (n_classes,)."""
        if self.sizes is not None:
            return self.sizes
        quotas = self.quotas
        return np.bincount(quotas.classes, weights=quotas.records, minlength=len(self.cell_of)).astype(np.int64)

    def _function_of(self, name: str, hierarchy: Hierarchy) -> Hierarchy:
        """What nodes need to know of a hierarchy; cells of other kinds say themselves what they span."""
        if self.cells[name].kind != "nodes":
            return Hierarchy.of_rule(Rule(builder=Flat(), height=1), {})
        if hierarchy.rule is None:  # the list that it was given as
            return hierarchy
        labels = dict.fromkeys(range(hierarchy.height + 1), self.cells[name].labels)
        return Hierarchy.of_rule(hierarchy.rule.for_labels(labels), {})

    def _spans(self, name: str, values: Sequence[Label]) -> NDArray[np.bool_]:
        """Return which cell of a column spans which value, (n_values, n_cells)."""
        hierarchy = self.hierarchies[name]
        cells = self.cells[name] if self.cells[name].spans else self.cells[name].without_codes(hierarchy)
        return spanned(cells.labels, cells.spans, cells.kind, hierarchy, values)

    def _unplaced(self, table: pl.DataFrame, codes: NDArray[np.int64], unseen: Unseen) -> dict[str, int]:
        """Count the rows, by column, with a value that is not listed and that no cell spans."""
        found = {}
        for a, name in enumerate(self.hierarchies):
            if len(rows := np.flatnonzero(codes[a] < 0)):
                labels, values = labelled(table[name].alias("cell")[rows])
                outside = np.ones(len(labels), dtype=np.bool_)
                if self.by_span:
                    outside[self._spans(name, labels).any(axis=1)] = False
                if n := int(outside[values].sum()):
                    if unseen == "error":
                        refuse_unseen(name, [labels[number] for number in np.flatnonzero(outside).tolist()])
                    found[name] = n
        return found

    def _spanning(self, table: pl.DataFrame, rows: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Give each of the rows a class whose cells span its values, drawn by these alone; -1 where there is none."""
        columns = {name: labelled(table[name].alias("cell")[rows]) for name in self.cells}
        layout = KeyLayout.for_sizes([len(labels) for labels, _ in columns.values()])
        group, first = distinct(layout.pack([values for _, values in columns.values()]))
        sizes, found = self._sizes, np.full(len(first), -1, dtype=np.int64)
        for start, inside in self._fitting(columns, first):
            for number in np.flatnonzero(inside.any(axis=1)).tolist():
                classes = np.flatnonzero(np.unpackbits(inside[number], count=len(sizes)))
                cells = [labels[values[first[start + number]]] for labels, values in columns.values()]
                found[start + number] = _drawn_by(cells, SPANNED, classes, sizes[classes], draws)
        return np.asarray(found[group])

    def _fitting(
        self, columns: Mapping[str, tuple[tuple[Label, ...], NDArray[np.int64]]], rows: NDArray[np.int64]
    ) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield which classes span the values of some rows, a bit for each, and the number of the first of them."""
        spans = [
            (values, np.packbits(self._spans(name, labels)[:, self.cell_of[:, a]], axis=1))
            for a, (name, (labels, values)) in enumerate(columns.items())
        ]
        for start in range(0, len(rows), _AT_A_TIME):
            some = rows[start : start + _AT_A_TIME]
            yield start, reduce(np.bitwise_and, [bits[values[some]] for values, bits in spans])

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
        if self.by_values:
            classes[several] = self._of_values(alike.take(several), codes[:, several], draws.lasting)
            return classes
        sizes += [len(labels) + 1 for labels in quotas.labels.values()]
        values = [*codes[:, several], *self._sensitive_codes(table)[:, several]]
        exact = _Matched.of([*quotas.codes.T, *quotas.sensitive.T], values, sizes)
        room = np.bincount(exact.entries, weights=quotas.records, minlength=exact.n_groups).astype(np.int64)
        # Where all rows of a profile fit into its one class, nothing needs to be drawn.
        wanted = np.bincount(exact.rows, minlength=exact.n_groups)
        drawn = exact.divided(quotas.classes) | (wanted > room)[exact.rows]
        classes[several[~drawn]] = exact.only(quotas.classes)[~drawn]
        places = np.flatnonzero(drawn)
        # In the order of their content: the order of the file must not decide who gets which place.
        if others := [name for name in self.columns if name not in self.hierarchies and name not in quotas.labels]:
            places = places[content_order(table, others, several[places])]
        classes[several[places]] = exact.take(places).filled(quotas, draws)
        rest = several[places][classes[several[places]] < 0]
        if len(rest):
            rest = rest[content_order(table, self.columns, rest)]
            classes[rest] = alike.take(rest).like_one(quotas, draws)
        return classes

    def _of_values(self, alike: _Matched, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Give rows of values that several classes have one of these, drawn by the values and nothing else."""
        quotas, found = self.quotas, np.full(alike.n_groups, -1, dtype=np.int64)
        order = np.argsort(alike.entries, kind="stable")
        starts = np.searchsorted(alike.entries[order], np.arange(alike.n_groups + 1))
        for group, row in zip(*np.unique(alike.rows, return_index=True), strict=True):
            entries = order[starts[group] : starts[group + 1]]
            values = [h.values[code] for h, code in zip(self.hierarchies.values(), codes[:, row].tolist(), strict=True)]
            found[group] = _drawn_by(values, FURTHER, quotas.classes[entries], quotas.records[entries], draws)
        return np.asarray(found[alike.rows])

    def _publish(self, raw: pl.Series, name: str, classes: NDArray[np.int64]) -> pl.Series:
        """Return the published cells; a column left as it is keeps its type."""
        cells, at = self.cells[name], list(self.cells).index(name)
        if cells.as_in_source(self.hierarchies[name].values) and (classes >= 0).all():
            return written_alike(raw.alias("cell")).alias(name)
        numbers = np.append(self.cell_of[:, at], len(cells.labels))[classes]  # the last one where there is no class
        return pl.Series("cell", [*cells.labels, MASK], dtype=pl.String)[numbers].alias(name)


@dataclass(frozen=True, eq=False, repr=False)
class CentreRecoding(PartitionRecoding):
    """Classes whose cells are means, medians or most frequent values of what their records have.

    A cell stands for everything from the least to the greatest value of its class, which the release does not show.
    """

    kind: ClassVar[str] = "centres"
    unprotected: ClassVar[tuple[str, ...]] = (
        "centres of groups: cells are means, medians or most frequent values of their class, not what its records have",
    )
    is_readable: ClassVar[bool] = False
    no_further: ClassVar[str] = "cells are made of all records of a class"
    by_span: ClassVar[bool] = False

    def published_as(self, name: str) -> dict[str, Any]:
        """Beside the number of cells, that they are centres where they are."""
        centres = {"centres": True} if self.cells[name].kind == "centres" else {}
        return {**super().published_as(name), **centres}

    def _publish(self, raw: pl.Series, name: str, classes: NDArray[np.int64]) -> pl.Series:
        """Means of numbers are numbers, where these are written as the cells are; text stays text."""
        made, labels = super()._publish(raw, name, classes), pl.Series(self.cells[name].labels, dtype=pl.String)
        numbers = labels.cast(pl.Float64, strict=False)
        if not raw.dtype.is_numeric() or made.dtype != pl.String or numbers.null_count():
            return made
        # Not `in`: polars takes names of columns for patterns there.
        if not as_text(numbers).equals(labels) or (made == MASK).any():
            return made
        whole = raw.dtype.is_integer() and (numbers == numbers.floor()).all()  # as medians of whole numbers are
        return made.cast(raw.dtype if whole else pl.Float64, strict=False)


@dataclass(frozen=True, eq=False, repr=False)
class FreeformRecoding(PartitionRecoding):
    """Rows with cells of their own: a class is the rows whose cells happen to be equal, and promises nothing.

    Which record of those that fit a row its other columns come from was drawn; the quotas say how it fell out.
    """

    kind: ClassVar[str] = "freeform"
    unprotected: ClassVar[tuple[str, ...]] = ("equal rows: a row may look like no other, so k-anonymity does not hold",)
    has_classes: ClassVar[bool] = False
    #: Values that nobody had may fit fewer rows than was promised of everybody.
    by_span: ClassVar[bool] = False

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Publish rows with the cells of one that a record with the same values has; others have no class."""
        if self.is_partial:
            raise ParameterError(
                "recoding",
                expected=f"one with the values it was decided on ({SEEN_NAME} next to it)",
                got="only that of a freeform release, which does not say which rows fit a record",
                hint="take the custodian's folder of the release, or publish the whole table again",
            )
        return super().recode(table, unseen, outliers, draws)

    @property
    def drawn(self) -> tuple[str, ...]:
        """Above all, whose other columns a row has."""
        return (LINKS, *super().drawn)


@dataclass(frozen=True, eq=False)
class SuppressedRowsRecoding(FreeformRecoding):
    """Rows with suppressed cells of their own; each has the other columns of the record it was made from."""

    kind: ClassVar[str] = "suppressed-rows"
    may_draw: ClassVar[tuple[str, ...]] = ()

    @property
    def drawn(self) -> tuple[str, ...]:
        """Nothing: records with equal quasi-identifiers are published alike."""
        return ()


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


def _drawn_by(
    values: Sequence[Label], purpose: str, classes: NDArray[np.int64], records: NDArray[np.int64], draws: Draws
) -> int:
    """Return a class, each as likely as its records are many: wherever these values are drawn for, the same."""
    upto = np.cumsum(records)
    drawn = draws.below(f"{purpose} {json.dumps(values)}")(int(upto[-1])) if len(classes) > 1 else 0
    return int(classes[np.searchsorted(upto, drawn, side="right")])


def _check_number(what: str, numbers: NDArray[np.int64], n: int) -> None:
    """Refuse numbers of things that are not there."""
    if ((numbers < 0) | (numbers >= n)).any():
        raise ValueError(f"the number of a {what} that is not there")
