"""A toy: a JSON object in each line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from nymity.io.format import SpreadsheetFormat
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.text_cells import text_cells


@dataclass(frozen=True, kw_only=True)
class JsonLines(SpreadsheetFormat):
    """Read and written by Polars."""

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read lines."""
        return pl.read_ndjson(path)

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read lines as text."""
        return text_cells(self.read(path, options), columns)

    def write_cells(self, cells: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write lines."""
        cells.write_ndjson(path)


JSONL = JsonLines(suffix=".jsonl")
