"""Rows of a database as a table of cells: numbers, dates, times, truth values and text keep their types.

Decimal numbers (``numeric``) become whole numbers or 64-bit ones where their digits survive that, up to 15 of them, as
those of text files do; else they stay text. Identifiers of 128 bits and JSON become text; bytes, lists, intervals and
the like are refused.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.core.extras import require
from nymity.io import to_polars

#: Digits that a 64-bit number keeps, whichever they are.
_DIGITS = 15
#: Extensions of Arrow whose cells are text.
_TEXTS = ("arrow.json",)


def table_of(rows: Any, where: str, *, as_texts: bool = False) -> pl.DataFrame:
    """Return rows of Arrow as a table; ``as_texts`` leaves decimal numbers as text, each by itself."""
    _refuse_twins(rows.column_names, where)
    columns = [
        _column(name, cells, field, as_texts=as_texts)
        for name, cells, field in zip(rows.column_names, rows.columns, rows.schema, strict=True)
    ]
    return to_polars(pl.DataFrame(columns))


def _refuse_twins(names: list[str], where: str) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TableError(where, expected="columns of different names", got=f"{twice!r} twice", hint="name them with AS")


def _column(name: str, cells: Any, field: Any, *, as_texts: bool) -> pl.Series:
    arrow = require("pyarrow", extra="database", purpose="a database")
    kind = cells.type
    extension = getattr(kind, "extension_name", "")
    if extension:
        cells = arrow.chunked_array([chunk.storage for chunk in cells.chunks], type=kind.storage_type)
    declared = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
    if extension == "arrow.uuid":
        return _dashed(pl.Series(name, cells))
    if declared == "numeric" and arrow.types.is_string(cells.type):
        return _number(pl.Series(name, cells), as_texts=as_texts)
    if arrow.types.is_decimal(kind):
        return _number(pl.Series(name, cells).cast(pl.String), as_texts=as_texts)
    if (extension and extension not in _TEXTS) or declared == "money" or not _is_plain(arrow.types, cells.type):
        raise TableError(
            f"column {name!r}",
            expected="text, numbers, truth values, dates or times",
            got=declared or str(kind),
            hint="a query that leaves it out, or casts it to text",
        )
    series = pl.Series(name, cells)
    return series.alias("cells").str.strip_chars_end(" ").alias(name) if declared == "bpchar" else series


def _is_plain(types: Any, kind: Any) -> bool:
    asked = (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_integer,
        types.is_floating,
        types.is_boolean,
        types.is_date,
        types.is_time,
        types.is_timestamp,
        types.is_null,
    )
    return any(ask(kind) for ask in asked)


def _number(texts: pl.Series, *, as_texts: bool) -> pl.Series:
    """Return decimal numbers, without needless zeros, as numbers where these hold their digits."""
    name, cells = texts.name, texts.alias("cells")
    fraction = cells.str.contains(".", literal=True).fill_null(False)
    short = cells.str.replace(r"\.?0+$", "")
    plain = pl.select(pl.when(fraction).then(short).otherwise(cells)).to_series().alias("cells")
    plain = plain.set((plain == "NaN").fill_null(False), None)
    plain = plain.set((plain == "-0").fill_null(False), "0")
    if as_texts:
        return plain.alias(name)
    digits = plain.str.replace_all(r"[^0-9]", "").str.strip_chars_start("0").str.len_bytes()
    if not plain.str.contains(r"^-?[0-9]+(\.[0-9]+)?$").fill_null(True).all() or (digits > _DIGITS).any():
        return plain.alias(name)
    dtype = pl.Float64 if plain.str.contains(".", literal=True).any() else pl.Int64
    return plain.cast(dtype).alias(name)


def _dashed(cells: pl.Series) -> pl.Series:
    """Write identifiers of 128 bits as people do."""
    text, name = cells.alias("cells").cast(pl.Binary).bin.encode("hex"), cells.name
    parts = [text.str.slice(at, length) for at, length in ((0, 8), (8, 4), (12, 4), (16, 4), (20, 12))]
    frame = pl.DataFrame({f"p{i}": part for i, part in enumerate(parts)})
    return frame.select(pl.concat_str(pl.all(), separator="-")).to_series().alias(name)
