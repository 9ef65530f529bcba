"""Recoding: a finished decision how to publish, which can be applied to any number of rows.

A full-domain recoding publishes every quasi-identifier at one level of its hierarchy. Rows whose generalized
combination is not among the published classes are masked or removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import FileError, SchemaError, TableError
from nymity.table.encoding import codes_of, distinct_values
from nymity.table.hierarchy import Hierarchy
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
class Recoding:
    """Levels per quasi-identifier, their hierarchies, the published classes and what happens to other rows.

    columns: the published columns in order; hierarchies and levels by quasi-identifier; classes
    (n_classes, n_quasi): label codes of the published classes, in the order of ``levels``.
    """

    columns: tuple[str, ...]
    levels: Mapping[str, int]
    hierarchies: Mapping[str, Hierarchy]
    classes: NDArray[np.int64]
    outliers: Outliers = "mask"

    def apply(self, table: pl.DataFrame, *, unseen: Unseen = "error", outliers: Outliers | None = None) -> Recoded:
        """Publish rows: drop what is not published, generalize, suppress rows outside the published classes.

        ``unseen`` values (not in the hierarchy) are an error or masked; ``outliers`` overrides what happens to rows
        whose combination is not a published class (``keep`` publishes them as they are generalized).
        """
        validation.one_of("unseen", unseen, ("error", "mask"))
        validation.one_of("outliers", outliers or self.outliers, ("mask", "remove", "keep"))
        self._check_columns(table)
        codes = self._generalized_codes(table, unseen)  # (n_quasi, n_rows), -1 for unseen values
        outside = ~self._published(codes) | (codes < 0).any(axis=0)
        chosen = outliers or self.outliers
        kept = np.flatnonzero(~outside) if chosen == "remove" else np.arange(table.height)
        masked = outside[kept] if chosen == "mask" else np.zeros(len(kept), dtype=np.bool_)
        rows = table[kept]
        published = [
            self._publish(rows[name], name, codes[list(self.levels).index(name)][kept], masked)
            if name in self.levels
            else rows[name]
            for name in self.columns
        ]
        return Recoded(pl.DataFrame(dict(zip(self.columns, published, strict=True))), kept, masked)

    def mapping(self) -> pl.DataFrame:
        """Return what every raw value is published as: column, value, level, published."""
        rows = [
            {"column": name, "value": value, "level": level, "published": hierarchy.generalize(value, level)}
            for name, level in self.levels.items()
            for hierarchy in (self.hierarchies[name],)
            for value in hierarchy.values
        ]
        return pl.DataFrame(rows, schema={"column": str, "value": str, "level": int, "published": str})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types."""
        return {
            "format": _FORMAT,
            "columns": list(self.columns),
            "outliers": self.outliers,
            "levels": dict(self.levels),
            "hierarchies": {name: hierarchy.rows() for name, hierarchy in self.hierarchies.items()},
            "classes": self.classes.tolist(),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], *, where: str = "recoding") -> Recoding:
        """Rebuild from :meth:`to_dict`."""
        if data.get("format") != _FORMAT:
            raise FileError(where, expected=f"a recoding file ({_FORMAT})", got=f"format {data.get('format')!r}")
        try:
            levels = dict(data["levels"])
            hierarchies = {
                name: Hierarchy.from_rows(data["hierarchies"][name], where=f"hierarchy of {name!r}") for name in levels
            }
            classes = np.array(data["classes"], dtype=np.int64).reshape(-1, len(levels))
            for name, level in levels.items():
                validation.whole_number(f"level of {name!r}", level, at_least=0, at_most=hierarchies[name].height)
            validation.one_of("outliers", data["outliers"], ("mask", "remove", "keep"))
            columns = tuple(str(name) for name in data["columns"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            got = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise FileError(where, expected="a recoding file as nymity writes it", got=got) from error
        return Recoding(columns, levels, hierarchies, classes, data["outliers"])

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
        needed = dict.fromkeys([*self.columns, *self.levels])
        for name in needed:
            if name not in table.columns:
                raise SchemaError(
                    "table",
                    expected=f"the columns {', '.join(map(repr, needed))}",
                    got=f"no column {name!r}",
                    hint=validation.nearest(name, table.columns),
                )

    def _generalized_codes(self, table: pl.DataFrame, unseen: Unseen) -> NDArray[np.int64]:
        codes = np.empty((len(self.levels), table.height), dtype=np.int64)
        for i, (name, level) in enumerate(self.levels.items()):
            column = table[name].alias("cell")  # polars reads names like "^x$" as patterns
            hierarchy, values = self.hierarchies[name], distinct_values(column)
            raw = codes_of(column, values, hierarchy.index)
            if unseen == "error" and (raw < 0).any():
                _refuse_unseen(name, values, hierarchy)
            codes[i] = np.where(raw < 0, -1, hierarchy.codes[level][raw])
        return codes

    def _published(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say which rows fall into a published class."""
        names = [f"q{i}" for i in range(len(codes))]
        rows = pl.DataFrame(dict(zip(names, codes, strict=True))).with_row_index("row")
        classes = pl.DataFrame(dict(zip(names, self.classes.T, strict=True)))
        inside = np.zeros(codes.shape[1], dtype=np.bool_)
        inside[rows.join(classes, on=names, how="semi")["row"].to_numpy()] = True
        return inside

    def _publish(self, raw: pl.Series, name: str, codes: NDArray[np.int64], masked: NDArray[np.bool_]) -> pl.Series:
        """Return the published cells; a column left as it is keeps its type."""
        suppressed = masked | (codes < 0)
        if self.levels[name] == 0 and not suppressed.any():
            return _written_alike(raw.alias("cell")).alias(name)
        labels = pl.Series("cell", self.hierarchies[name].labels[self.levels[name]], dtype=pl.String)
        cells = labels.gather(np.where(codes < 0, 0, codes))
        return (
            cells.to_frame()
            .select(pl.when(pl.Series(suppressed)).then(pl.lit(MASK)).otherwise(cells))
            .to_series()
            .alias(name)
        )


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
