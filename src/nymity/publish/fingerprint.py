"""Fingerprints of tables and files: what a certificate pins down."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl

_ROWS_AT_A_TIME = 100_000


def fingerprint(table: pl.DataFrame, *, salt: str = "") -> str:
    """SHA-256 over column names and cells as text, row by row; a missing cell and an empty text are the same."""
    digest = hashlib.sha256(bytes.fromhex(salt))
    digest.update(json.dumps(table.columns, ensure_ascii=False).encode() + b"\n")
    for start in range(0, table.height, _ROWS_AT_A_TIME):
        part = table[start : start + _ROWS_AT_A_TIME]
        cells = [series.replace("", None) if series.dtype == pl.String else series for series in part]
        plain = pl.DataFrame({f"c{i}": series for i, series in enumerate(cells)})
        digest.update(plain.write_csv(include_header=False).encode())
    return digest.hexdigest()


def file_fingerprint(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
