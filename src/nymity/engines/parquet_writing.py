"""Writing a Parquet file part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

#: Rows and cells of a group of rows, at most: whoever reads a file in batches has one in memory.
_ROWS, _CELLS = 500_000, 2**26


def rows_a_group(columns: int) -> int:
    """Return how many rows of a table with so many columns are written as a group."""
    return min(_ROWS, max(1, _CELLS // max(1, columns)))


def write_parts(path: Path, columns: Mapping[str, pl.DataType], parts: Iterator[pl.DataFrame]) -> None:
    """Write parts of a table, one after another, in the order they come."""

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        del with_columns, predicate, n_rows, batch_size  # all of it is written
        yield from parts

    frame = register_io_source(source, schema=dict(columns))
    frame.sink_parquet(path, maintain_order=True, row_group_size=rows_a_group(len(columns)), mkdir=False)
