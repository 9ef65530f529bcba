"""LevelRecoding: quasi-identifiers at levels of their hierarchies.

A full-domain recoding has one layer: every quasi-identifier is published at one level of its hierarchy. With several
layers a row is published by the first one that has its class. Rows whose generalized combination is not among the
published classes of any layer are masked or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.kernels.grouping import distinct
from nymity.table.cells import whole_numbers
from nymity.table.encoding import AlikeRows, person_ids
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.item_recoding import ItemRecoding
from nymity.table.packing import KeyLayout
from nymity.table.placing import Placed
from nymity.table.recoding import (
    OF_LINKED_ROWS,
    Outliers,
    Recoded,
    Recoding,
    Unseen,
    refuse_further,
    refuse_unseen,
    written_alike,
)
from nymity.table.text import MASK, gathered

#: Makes a column of labels, from which cells are taken.
_Listed = Callable[[Sequence[Label]], pl.Series]


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
        theirs = person_ids(table[self.column]).is_in(pl.Series(self.persons, dtype=pl.String).implode())
        return theirs.fill_null(False).to_numpy()


@dataclass(frozen=True, eq=False, repr=False)
class LevelRecoding(Recoding):
    """The published columns in order, hierarchies by quasi-identifier, layers, and what happens to other rows.

    ``left_out``: persons who are not published at all, where rows of a person are linked. ``items``: what becomes of a
    column of sets. ``closed``: why it publishes no rows, where it is what is left of such a one.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    layers: tuple[Layer, ...]
    outliers: Outliers = "mask"
    left_out: PersonsLeftOut | None = None
    items: ItemRecoding | None = None
    closed: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)

    kind: ClassVar[str] = "levels"

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier; the coarsest one in use where layers differ."""
        return {name: max(layer.levels[name] for layer in self.layers) for name in self.hierarchies}

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Generalize rows, and suppress those whose combination is not a published class.

        ``keep`` publishes these as they are generalized by the last layer, without values that nobody had.
        """
        return self._recoded(table, unseen, outliers, _texts)

    def apply_coded(self, table: pl.DataFrame, draws: Draws | None, alike: AlikeRows | None = None) -> Recoded:
        """Publish rows without making text of the codes that labels have: it takes 16 bytes for each cell."""
        self._check(table, "error", None)
        if alike is None or not set(alike.names).issuperset(self._needed()):
            return self._recoded(table, "error", self.outliers, _ranked)
        kinds = pl.DataFrame({name: gathered(table[name], alike.first) for name in self._needed()})
        found = self._recoded(kinds, "error", self.outliers, _ranked)
        place = np.full(kinds.height, -1, dtype=np.int32)
        place[found.source_rows] = np.arange(len(found.source_rows))
        at = place[alike.kind]
        rows = np.flatnonzero(at >= 0)
        at = at if len(rows) == len(at) else at[rows]
        published = {one.name: gathered(one, at) for one in found.table.get_columns()}
        return Recoded(pl.DataFrame(published), rows, found.masked[at])

    def _recoded(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, listed: _Listed) -> Recoded:
        refuse_further(self.closed)
        places = {name: Placed.of(table[name], hierarchy) for name, hierarchy in self.hierarchies.items()}
        unplaced = self._unplaced(places, unseen)
        layer = self._layer_of(places)
        outside = layer < 0
        gone = np.zeros(table.height, np.bool_) if self.left_out is None else self.left_out.rows_of(table)
        kept = np.flatnonzero(~(outside | gone) if outliers == "remove" else ~gone)
        masked = outside[kept] if outliers == "mask" else np.zeros(len(kept), dtype=np.bool_)
        rows = table if len(kept) == table.height else table[kept]
        # Rows of no class, where outliers are kept, are published at the levels of the last layer.
        layer = np.where(outside, len(self.layers) - 1, layer)[kept]
        published = {
            name: self._publish(rows[name], name, places[name], kept, layer, masked, listed)
            if name in self.hierarchies
            else rows[name]
            for name in self.columns
        }
        if self.items is not None and (name := self.items.column.name) in published:
            published[name] = self.items.recode(rows[name], [published[quasi] for quasi in self.hierarchies])
        return Recoded(pl.DataFrame(published), kept, masked, unplaced=unplaced)

    def layer_of(self, table: pl.DataFrame) -> NDArray[np.int64]:
        """Return which layer publishes each row, -1 where none does."""
        self._check(table, "mask", None)
        return self._layer_of({name: Placed.of(table[name], h) for name, h in self.hierarchies.items()})

    def deciding_codes(self, name: str) -> NDArray[np.int64] | None:
        """Those of the level, where there is one."""
        if len(self.layers) > 1:
            return None
        return self.hierarchies[name].codes[self.layers[0].levels[name]].astype(np.int64)

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
        closed = {"closed": self.closed} if self.closed else {}
        return {**self._described(), "layers": layers, **left_out, **items, **closed}

    def as_function(self) -> LevelRecoding:
        """Return the rules of the columns and the published classes; labels of classes that are not out are gone."""
        without = all(hierarchy.rule is None for hierarchy in self.hierarchies.values()) and not self._closed
        if self.is_partial or (without and not self.beside):
            return self
        hierarchies, numbers = {}, {}
        for a, (name, hierarchy) in enumerate(self.hierarchies.items()):
            used = {level: self._published(a, name, level) for level in self.levels_in_use(name)}
            hierarchies[name], numbers[name] = _function_of(hierarchy, used)
        layers = tuple(
            Layer(
                layer.levels,
                np.stack([numbers[n][layer.levels[n]][layer.classes[:, a]] for a, n in enumerate(numbers)], axis=1),
            )
            for layer in self.layers
        )
        return replace(
            self,
            columns=self.further_columns,
            hierarchies=hierarchies,
            layers=layers,
            left_out=None,
            items=None,
            closed=self._closed,
        )

    @property
    def is_partial(self) -> bool:
        """Whether it is a function alone, or less than that."""
        return super().is_partial or bool(self.closed)

    def leaving_out(self, column: str, persons: pl.Series) -> LevelRecoding:
        """Return the recoding that publishes no row of these persons; ``column`` tells of whom a row is."""
        return replace(self, left_out=PersonsLeftOut(column, tuple(persons.to_list())))

    def of_linked_rows(self, column: str) -> LevelRecoding:
        """As it is, where the persons who are left out are known; else nobody is."""
        return self if self.left_out is not None else self.leaving_out(column, pl.Series(dtype=pl.String))

    def for_further_rows(self) -> Recoding:
        """Return this, unless a promise is about all rows together: where rows are linked, or hold sets of items."""
        refuse_further(self._closed)
        return replace(self, columns=self.further_columns)

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
        closed = data.get("closed", "")
        if not isinstance(closed, str):
            raise ValueError("a reason that is no text")
        left_out, items = _left_out(data.get("left_out")), _items(data)
        return LevelRecoding(columns, hierarchies, layers, data["outliers"], left_out, items, closed)

    # -- inside ----------------------------------------------------------------------------------------

    @property
    def _closed(self) -> str:
        """Why no further row can be published; empty where it can."""
        if self.items is not None:
            return "that of a release with sets of items, where a further row can hold a set that no other row has"
        if self.left_out is not None:
            return OF_LINKED_ROWS
        return self.closed

    def _published(self, a: int, name: str, level: int) -> NDArray[np.int64]:
        """The labels of a column that classes on a level are published with, as numbers of the hierarchy's."""
        codes = [layer.classes[:, a] for layer in self.layers if layer.levels[name] == level]
        return np.unique(np.concatenate([np.empty(0, np.int64), *codes]))

    def _unplaced(self, places: Mapping[str, Placed], unseen: Unseen) -> dict[str, int]:
        """Count the rows, by column, with a value that is not listed and falls into no published cell."""
        found = {}
        for a, (name, placed) in enumerate(places.items()):
            outside = np.ones(len(placed.others), dtype=np.bool_)
            for level in self.levels_in_use(name):
                outside &= ~np.isin(placed.at(level).of_others, self._published(a, name, level))
            if rows := int(placed.with_others(outside).sum()):
                if unseen == "error":
                    refuse_unseen(name, [v for v, out in zip(placed.others, outside.tolist(), strict=True) if out])
                found[name] = rows
        return found

    def _layer_of(self, places: Mapping[str, Placed]) -> NDArray[np.int64]:
        """The layer that publishes each row, -1 for none, (n_rows,)."""
        n = len(next(iter(places.values())).values)
        found, left = np.full(n, -1, dtype=np.int64), np.arange(n)
        for number, layer in enumerate(self.layers):
            sizes = [len(placed.hierarchy.labels[layer.levels[name]]) for name, placed in places.items()]
            all_rows = len(left) == n  # then nothing is copied to choose among them
            chosen = [placed.values if all_rows else placed.values[left] for placed in places.values()]
            levels = [placed.at(layer.levels[name]).of_value for name, placed in places.items()]
            known = np.ones(len(left), np.bool_)
            for values, of_value, size in zip(chosen, levels, sizes, strict=True):
                known &= ((of_value >= 0) & (of_value < size))[values]
            chosen = chosen if known.all() else [values[known] for values in chosen]
            layout = KeyLayout.for_sizes(sizes)
            rows = layout.pack_values(levels, chosen)
            group, first = distinct(np.concatenate([layout.pack(list(layer.classes.T)), rows]))
            inside = first[group[len(layer.classes) :]] < len(layer.classes)  # a class has the same key
            found[left[known][inside]] = number
            left = left[found[left] < 0]
        return found

    def _publish(
        self,
        raw: pl.Series,
        name: str,
        placed: Placed,
        kept: NDArray[np.int64],
        layer: NDArray[np.int64],
        masked: NDArray[np.bool_],
        listed: _Listed,
    ) -> pl.Series:
        """Return the published cells of the kept rows; a column left as it is keeps its type."""
        a, values, suppressed = list(self.hierarchies).index(name), placed.values[kept], masked.copy()
        in_layers = np.array([part.levels[name] for part in self.layers])
        labels: list[Label] = []
        at = np.zeros(len(values), dtype=np.int64)
        for level in np.unique(in_layers).tolist():
            here = slice(None) if (in_layers == level).all() else in_layers[layer] == level
            known = placed.at(level)
            at[here] = known.of_value[values[here]] + len(labels)
            if placed.others:  # what nobody had is shown in published cells alone
                outside = ~np.isin(known.of_others, self._published(a, name, level))
                suppressed[here] |= placed.with_others(outside)[kept][here]
            # Labels of all levels in one list; the places of each level begin where those before it end.
            labels += known.labels
        if not in_layers[layer].any() and not suppressed.any():
            return written_alike(raw.alias("cell")).alias(name)
        at[suppressed] = len(labels)
        return listed([*labels, MASK]).gather(at).alias(name)


def _texts(labels: Sequence[Label]) -> pl.Series:
    """Return labels as a column."""
    return pl.Series("cell", labels, dtype=pl.String)


def _ranked(labels: Sequence[Label]) -> pl.Series:
    """Return labels as numbers of the different ones in their order."""
    return pl.Series("cell", labels, dtype=pl.Enum(sorted({label for label in labels if label is not None})))


def _function_of(
    hierarchy: Hierarchy, used: Mapping[int, NDArray[np.int64]]
) -> tuple[Hierarchy, dict[int, NDArray[np.int64]]]:
    """Return the hierarchy that knows some codes of its levels alone, and the numbers that these codes have in it.

    One without a rule is the list it was given as, and stays.
    """
    if hierarchy.rule is None:
        return hierarchy, {level: np.arange(len(hierarchy.labels[level])) for level in used}
    labels = {level: [hierarchy.labels[level][code] for code in codes.tolist()] for level, codes in used.items()}
    numbers = {}
    for level, codes in used.items():
        numbers[level] = np.full(len(hierarchy.labels[level]), -1, dtype=np.int64)
        numbers[level][codes] = np.arange(len(codes))
    return Hierarchy.of_rule(hierarchy.rule.for_labels(labels), labels), numbers


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
