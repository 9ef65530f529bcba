"""Recoding: a finished decision how to publish, which can be applied to any number of rows.

A full-domain recoding has one layer: every quasi-identifier is published at one level of its hierarchy. With several
layers a row is published by the first one that has its class. Rows whose generalized combination is not among the
published classes of any layer are masked or removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import FileError, SchemaError, TableError
from nymity.table.encoding import codes_of, distinct_values
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.text import MASK, as_text, shown

Outliers = Literal["mask", "remove", "keep"]
Unseen = Literal["error", "mask"]

_FORMAT = "nymity-recoding-1"


@dataclass(frozen=True, eq=False)
class Recoded:
    """Published rows and, for the custodian alone, which source row each came from; masked marks suppressed rows."""

    table: pl.DataFrame
    source_rows: NDArray[np.int64]
    masked: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layer:
    """Levels by quasi-identifier and the classes published at them: label codes (n_classes, n_quasi)."""

    levels: Mapping[str, int]
    classes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Recoding:
    """The published columns in order, hierarchies by quasi-identifier, layers, and what happens to other rows."""

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    layers: tuple[Layer, ...]
    outliers: Outliers = "mask"

    @cached_property
    def levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier; the coarsest one in use where layers differ."""
        return {name: max(layer.levels[name] for layer in self.layers) for name in self.hierarchies}

    def apply(self, table: pl.DataFrame, *, unseen: Unseen = "error", outliers: Outliers | None = None) -> Recoded:
        """Publish rows: drop what is not published, generalize, suppress rows outside the published classes.

        ``unseen`` values (not in the hierarchy) are an error or masked; ``outliers`` overrides what happens to rows
        whose combination is not a published class (``keep`` publishes them as they are generalized, by the last
        layer).
        """
        validation.one_of("unseen", unseen, ("error", "mask"))
        validation.one_of("outliers", outliers or self.outliers, ("mask", "remove", "keep"))
        self._check_columns(table)
        codes = self._codes(table, unseen)  # (n_quasi, n_rows) of raw values, -1 for unseen ones
        layer = self._layer_of(codes)
        chosen, outside = outliers or self.outliers, layer < 0
        kept = np.flatnonzero(~outside) if chosen == "remove" else np.arange(table.height)
        masked = outside[kept] if chosen == "mask" else np.zeros(len(kept), dtype=np.bool_)
        rows, layer = table[kept], np.where(outside, len(self.layers) - 1, layer)[kept]
        published = {
            name: self._publish(rows[name], name, codes[list(self.hierarchies).index(name)][kept], layer, masked)
            if name in self.hierarchies
            else rows[name]
            for name in self.columns
        }
        return Recoded(pl.DataFrame(published), kept, masked)

    def layer_of(self, table: pl.DataFrame) -> NDArray[np.int64]:
        """Return which layer publishes each row, -1 where none does."""
        self._check_columns(table)
        return self._layer_of(self._codes(table, "mask"))

    def mapping(self) -> pl.DataFrame:
        """Return what every raw value is published as, at each level in use: column, value, level, published."""
        rows = [
            {"column": name, "value": value, "level": level, "published": hierarchy.generalize(value, level)}
            for name, hierarchy in self.hierarchies.items()
            for level in sorted({layer.levels[name] for layer in self.layers})
            for value in hierarchy.values
        ]
        return pl.DataFrame(rows, schema={"column": str, "value": str, "level": int, "published": str})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            "format": _FORMAT,
            "columns": list(self.columns),
            "outliers": self.outliers,
            "hierarchies": {name: hierarchy.rows() for name, hierarchy in self.hierarchies.items()},
            "layers": [{"levels": dict(layer.levels), "classes": layer.classes.tolist()} for layer in self.layers],
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], *, where: str = "recoding") -> Recoding:
        """Rebuild from :meth:`to_dict`."""
        if data.get("format") != _FORMAT:
            raise FileError(where, expected=f"a recoding file ({_FORMAT})", got=f"format {data.get('format')!r}")
        try:
            hierarchies = {
                name: Hierarchy.from_rows(rows, where=f"hierarchy of {name!r}")
                for name, rows in dict(data["hierarchies"]).items()
            }
            layers = tuple(_layer(layer, hierarchies) for layer in data["layers"])
            if not layers:
                raise ValueError("no layers")
            validation.one_of("outliers", data["outliers"], ("mask", "remove", "keep"))
            columns = tuple(str(name) for name in data["columns"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            got = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise FileError(where, expected="a recoding file as nymity writes it", got=got) from error
        return Recoding(columns, hierarchies, layers, data["outliers"])

    def save(self, path: str | Path) -> None:
        """Write a JSON file. It lists raw values: keep it with the custodian."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise FileError(str(path), expected="a file that can be written", got=str(error.strerror)) from error

    @staticmethod
    def load(path: str | Path) -> Recoding:
        """Read what :meth:`save` wrote."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FileError(str(path), expected="a recoding file written by nymity", got=str(error)) from error
        if not isinstance(data, dict):
            raise FileError(str(path), expected="a recoding file written by nymity", got=type(data).__name__)
        return Recoding.from_dict(data, where=str(path))

    # -- inside ----------------------------------------------------------------------------------------

    def _check_columns(self, table: pl.DataFrame) -> None:
        needed = dict.fromkeys([*self.columns, *self.hierarchies])
        for name in needed:
            if name not in table.columns:
                raise SchemaError(
                    "table",
                    expected=f"the columns {', '.join(map(repr, needed))}",
                    got=f"no column {name!r}",
                    hint=validation.nearest(name, table.columns),
                )

    def _codes(self, table: pl.DataFrame, unseen: Unseen) -> NDArray[np.int64]:
        """Codes of the raw values, (n_quasi, n_rows)."""
        codes = np.empty((len(self.hierarchies), table.height), dtype=np.int64)
        for i, (name, hierarchy) in enumerate(self.hierarchies.items()):
            column = table[name].alias("cell")  # polars reads names like "^x$" as patterns
            values = distinct_values(column)
            codes[i] = codes_of(column, values, hierarchy.index)
            if unseen == "error" and (codes[i] < 0).any():
                _refuse_unseen(name, values, hierarchy)
        return codes

    def _layer_of(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The layer that publishes each row, -1 for none, (n_rows,)."""
        found = np.full(codes.shape[1], -1, dtype=np.int64)
        left = np.flatnonzero((codes >= 0).all(axis=0))
        for number, layer in enumerate(self.layers):
            general = {
                f"q{i}": hierarchy.codes[layer.levels[name]][codes[i, left]].astype(np.int64)
                for i, (name, hierarchy) in enumerate(self.hierarchies.items())
            }
            classes = pl.DataFrame(dict(zip(general, layer.classes.T, strict=True)))
            rows = pl.DataFrame(general).with_row_index("row")
            inside = rows.join(classes, on=list(general), how="semi")["row"].to_numpy()
            found[left[inside]] = number
            left = np.delete(left, inside)
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
        levels = np.array([part.levels[name] for part in self.layers])[layer]
        if not levels.any() and not suppressed.any():
            return _written_alike(raw.alias("cell")).alias(name)
        labels: list[Label] = []
        at = np.zeros(len(codes), dtype=np.int64)
        for level in np.unique(levels):
            here = (levels == level) & (codes >= 0)
            at[here] = hierarchy.codes[level][codes[here]] + len(labels)
            labels += hierarchy.labels[level]
        cells = pl.Series("cell", labels, dtype=pl.String).gather(at)
        return (
            cells.to_frame()
            .select(pl.when(pl.Series(suppressed)).then(pl.lit(MASK)).otherwise(cells))
            .to_series()
            .alias(name)
        )


def _layer(data: Mapping[str, Any], hierarchies: Mapping[str, Hierarchy]) -> Layer:
    """Rebuild a layer, its levels in the order of the hierarchies."""
    levels = {name: data["levels"][name] for name in hierarchies}
    for name, level in levels.items():
        validation.whole_number(f"level of {name!r}", level, at_least=0, at_most=hierarchies[name].height)
    return Layer(levels, np.array(data["classes"], dtype=np.int64).reshape(-1, len(levels)))


def _written_alike(raw: pl.Series) -> pl.Series:
    """Give what the encoding takes for one value one form: missing (null, NaN, empty text) and the two zeros.

    Otherwise records of one class could be told apart in the release.
    """
    if raw.dtype.is_float():
        return raw.fill_nan(None).set(raw == 0, 0.0)
    if raw.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return raw
    return raw.to_frame().select(pl.when(raw.cast(pl.String) != "").then(raw)).to_series()


def _refuse_unseen(name: str, values: pl.Series, hierarchy: Hierarchy) -> None:
    unknown = sorted((v for v in as_text(values).to_list() if v not in hierarchy.index), key=str)
    some = ", ".join(shown(value) for value in unknown[:5])
    raise TableError(
        f"column {name!r}",
        expected="values the recoding knows",
        got=f"{len(unknown)} it does not: {some}{' …' if len(unknown) > 5 else ''}",
        hint="mask rows with such values (unseen='mask', --unseen mask), or publish again with a wider hierarchy",
    )
