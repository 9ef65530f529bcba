"""LevelRecoding: quasi-identifiers at levels of their hierarchies.

A full-domain recoding has one layer: every quasi-identifier is published at one level of its hierarchy. With several
layers a row is published by the first one that has its class. Rows whose generalized combination is not among the
published classes of any layer are masked or removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import ParameterError
from nymity.kernels.grouping import distinct
from nymity.table.cells import whole_numbers
from nymity.table.encoding import person_ids
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.item_recoding import ItemRecoding
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Outliers, Recoded, Recoding, Unseen, written_alike
from nymity.table.text import MASK


@dataclass(frozen=True, eq=False)
class Layer:
    """Levels by quasi-identifier and the classes published at them: label codes (n_classes, n_quasi)."""

    levels: Mapping[str, int]
    classes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PersonsLeftOut:
    """Persons none of whose rows are published, by the column that tells of whom a row is, and who they are."""

    column: str
    persons: tuple[str, ...] = field(repr=False)

    def rows_of(self, table: pl.DataFrame) -> NDArray[np.bool_]:
        """Mark their rows, (n_rows,)."""
        return person_ids(table[self.column]).is_in(pl.Series(self.persons, dtype=pl.String).implode()).to_numpy()


@dataclass(frozen=True, eq=False)
class LevelRecoding(Recoding):
    """The published columns in order, hierarchies by quasi-identifier, layers, and what happens to other rows.

    ``left_out``: persons who are not published at all, where rows of a person are linked. ``items``: what becomes of a
    column of sets.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    layers: tuple[Layer, ...]
    outliers: Outliers = "mask"
    left_out: PersonsLeftOut | None = None
    items: ItemRecoding | None = None

    kind: ClassVar[str] = "levels"

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier; the coarsest one in use where layers differ."""
        return {name: max(layer.levels[name] for layer in self.layers) for name in self.hierarchies}

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Generalize rows, and suppress those whose combination is not a published class.

        ``keep`` publishes these as they are generalized by the last layer.
        """
        codes = self._codes(table, unseen)  # (n_quasi, n_rows) of raw values, -1 for unseen ones
        layer = self._layer_of(codes)
        outside = layer < 0
        gone = np.zeros(table.height, np.bool_) if self.left_out is None else self.left_out.rows_of(table)
        kept = np.flatnonzero(~(outside | gone) if outliers == "remove" else ~gone)
        masked = outside[kept] if outliers == "mask" else np.zeros(len(kept), dtype=np.bool_)
        rows = table if len(kept) == table.height else table[kept]
        layer = np.where(outside, len(self.layers) - 1, layer)[kept]
        published = {
            name: self._publish(rows[name], name, codes[list(self.hierarchies).index(name)][kept], layer, masked)
            if name in self.hierarchies
            else rows[name]
            for name in self.columns
        }
        if self.items is not None and (name := self.items.column.name) in published:
            published[name] = self.items.recode(rows[name], [published[quasi] for quasi in self.hierarchies])
        return Recoded(pl.DataFrame(published), kept, masked)

    def layer_of(self, table: pl.DataFrame) -> NDArray[np.int64]:
        """Return which layer publishes each row, -1 where none does."""
        self._check(table, "mask", None)
        return self._layer_of(self._codes(table, "mask"))

    def levels_in_use(self, name: str) -> list[int]:
        """Those of all layers."""
        return sorted({layer.levels[name] for layer in self.layers})

    def published_as(self, name: str) -> dict[str, Any]:
        """The level, all levels in use where there are several, and the height of the hierarchy."""
        used = self.levels_in_use(name)
        several = {"levels": used} if len(used) > 1 else {}
        return {"level": self.levels[name], **several, "height": self.hierarchies[name].height}

    def mapping(self) -> pl.DataFrame:
        """Return what every raw value is published as, at each level in use: column, value, level, published."""
        rows = [
            {"column": name, "value": value, "level": level, "published": hierarchy.generalize(value, level)}
            for name, hierarchy in self.hierarchies.items()
            for level in self.levels_in_use(name)
            for value in hierarchy.values
        ]
        return pl.DataFrame(rows, schema={"column": str, "value": str, "level": int, "published": str})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        layers = [{"levels": dict(layer.levels), "classes": layer.classes.tolist()} for layer in self.layers]
        out = self.left_out
        left_out = {} if out is None else {"left_out": {"column": out.column, "persons": list(out.persons)}}
        items = {} if self.items is None else {"items": self.items.to_dict()}
        return {**self._described(), "layers": layers, **left_out, **items}

    def leaving_out(self, column: str, persons: pl.Series) -> LevelRecoding:
        """Return the recoding that publishes no row of these persons; ``column`` tells of whom a row is."""
        return replace(self, left_out=PersonsLeftOut(column, tuple(persons.to_list())))

    def for_further_rows(self) -> Recoding:
        """Return this, unless a promise is about all rows together: where rows are linked, or hold sets of items."""
        if self.items is not None:
            raise ParameterError(
                "recoding",
                expected="one that publishes rows each by itself",
                got="that of a release with sets of items, where a further row can hold a set that no other row has",
                hint="publish the whole table again",
            )
        if self.left_out is not None:
            raise ParameterError(
                "recoding",
                expected="one that publishes rows each by itself",
                got="that of a release whose rows are linked, where a further row of a person can break the promise",
                hint="publish the whole table again",
            )
        return self

    def _needed(self) -> list[str]:
        """The published columns, and the one that tells who is left out."""
        return [*self.columns, *([] if self.left_out is None else [self.left_out.column])]

    @classmethod
    def _rebuilt(
        cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]
    ) -> LevelRecoding:
        layers = tuple(_layer(layer, hierarchies) for layer in data["layers"])
        if not layers:
            raise ValueError("no layers")
        return LevelRecoding(
            columns, hierarchies, layers, data["outliers"], _left_out(data.get("left_out")), _items(data)
        )

    # -- inside ----------------------------------------------------------------------------------------

    def _layer_of(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The layer that publishes each row, -1 for none, (n_rows,)."""
        found = np.full(codes.shape[1], -1, dtype=np.int64)
        left = np.flatnonzero((codes >= 0).all(axis=0))
        for number, layer in enumerate(self.layers):
            levels = [(hierarchy, layer.levels[name]) for name, hierarchy in self.hierarchies.items()]
            layout = KeyLayout.for_sizes([len(hierarchy.labels[level]) for hierarchy, level in levels])
            rows = layout.pack([h.codes[level][row[left]] for (h, level), row in zip(levels, codes, strict=True)])
            group, first = distinct(np.concatenate([layout.pack(list(layer.classes.T)), rows]))
            inside = first[group[len(layer.classes) :]] < len(layer.classes)  # a class has the same key
            found[left[inside]] = number
            left = left[~inside]
        return found

    def _publish(
        self,
        raw: pl.Series,
        name: str,
        codes: NDArray[np.int64],
        layer: NDArray[np.int64],
        masked: NDArray[np.bool_],
    ) -> pl.Series:
        """Return the published cells; a column left as it is keeps its type."""
        hierarchy, suppressed = self.hierarchies[name], masked | (codes < 0)
        in_layers = np.array([part.levels[name] for part in self.layers])
        if not in_layers[layer].any() and not suppressed.any():
            return written_alike(raw.alias("cell")).alias(name)
        labels: list[Label] = []
        at = np.zeros(len(codes), dtype=np.int64)
        for level in np.unique(in_layers):
            here = slice(None) if (in_layers == level).all() else in_layers[layer] == level
            at[here] = hierarchy.codes[level][codes[here]] + len(labels)  # that of another value where it is unseen
            labels += hierarchy.labels[level]
        cells = pl.Series("cell", labels, dtype=pl.String)[at]
        if not suppressed.any():
            return cells.alias(name)
        return (
            cells.to_frame()
            .select(pl.when(pl.Series(suppressed)).then(pl.lit(MASK)).otherwise(cells))
            .to_series()
            .alias(name)
        )


def _items(data: Mapping[str, Any]) -> ItemRecoding | None:
    """Rebuild what becomes of sets of items."""
    return ItemRecoding.from_dict(data["items"]) if "items" in data else None


def _left_out(data: Any) -> PersonsLeftOut | None:
    """Rebuild who is left out."""
    if data is None:
        return None
    column, persons = data["column"], data["persons"]
    if not isinstance(column, str) or not isinstance(persons, list) or not all(isinstance(p, str) for p in persons):
        raise ValueError("persons to leave out that are not text")
    return PersonsLeftOut(column, tuple(persons))


def _layer(data: Mapping[str, Any], hierarchies: Mapping[str, Hierarchy]) -> Layer:
    """Rebuild a layer, its levels in the order of the hierarchies."""
    levels = {name: data["levels"][name] for name in hierarchies}
    for name, level in levels.items():
        validation.whole_number(f"level of {name!r}", level, at_least=0, at_most=hierarchies[name].height)
    classes = whole_numbers(data["classes"]).reshape(-1, len(levels))
    sizes = [len(hierarchies[name].labels[level]) for name, level in levels.items()]
    if ((classes < 0) | (classes >= sizes)).any():
        raise ValueError("a class with the number of a value that is not there")
    return Layer(levels, classes)
