"""Fingerprints of tables and files: what a certificate pins down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from nymity.core.csv_lines import csv_rows
from nymity.engines import table_hash
from nymity.publishing.sealing.numbered_lines import numbered_lines

_TRIAL_ROWS = 256


def fingerprint(table: pl.DataFrame, *, salt: str = "") -> str:
    """SHA-256 over column names and cells as text, row by row; a missing cell and an empty text are the same."""
    digest = hashlib.sha256(bytes.fromhex(salt))
    digest.update(json.dumps(table.columns, ensure_ascii=False).encode() + b"\n")
    for lines in numbered_lines(table, as_any_file_tells) or _lines(table):
        digest.update(lines)
    return digest.hexdigest()


def _lines(table: pl.DataFrame) -> Iterator[bytes]:
    return csv_rows(pl.DataFrame({f"c{i}": as_any_file_tells(one.alias("c")) for i, one in enumerate(table)}))


def content_hash(table: pl.DataFrame, content_format: str | None, *, salt: str = "") -> str:
    """Return the hash of a table that certificates have: of rows in their order, unless they say another format."""
    return fingerprint(table, salt=salt) if content_format is None else table_hash(table, salt=salt)


def file_fingerprint(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def as_any_file_tells(cells: pl.Series) -> pl.Series:
    """Return cells in the form they have whatever the file's format: times in ISO form, whole floats as integers.

    A spreadsheet does not tell 1.0 from 1, and a text file does not tell 1.0 from the text "1.0".
    """
    if cells.dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    if cells.dtype == pl.String:
        empty = cells == ""
        cells = cells.set(empty, None) if empty.any() else cells  # a replacement is a join, and costs like one
        cells = _number_of(cells) if _are_numbers(cells.head(_TRIAL_ROWS)) and _are_numbers(cells) else cells
    if cells.dtype.is_float():
        is_whole = cells.is_finite() & (cells.abs() <= 2**53) & (cells == cells.round())
        return cells.cast(pl.Int64) if is_whole.all() else cells
    if cells.dtype.is_temporal():
        return cells.dt.to_string("iso")
    if cells.dtype.is_nested():
        return cells.to_frame().select(pl.struct(pl.all()).struct.json_encode()).to_series()
    if cells.dtype == pl.Binary:
        return cells.bin.encode("hex")
    return pl.Series(list(map(str, cells)), dtype=pl.String) if cells.dtype == pl.Object else cells


def _number_of(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Float64, strict=False)


def _are_numbers(texts: pl.Series) -> bool:
    """Return whether every text is how a float is written."""
    return bool(_number_of(texts).cast(pl.String).eq_missing(texts).all())
