"""Shuffling a file of rows that an engine sorted."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from nymity.engines.parquet_source import ParquetSource
from nymity.engines.parquet_writing import write_parts
from nymity.engines.recoding_plan import RecodingPlan
from nymity.engines.shuffled_rows import ShuffledRows

_BATCH = 250_000


def shuffle_file(source: Path, target: Path, folder: Path, memory: int, plan: RecodingPlan) -> None:
    """Write the rows of Parquet files in a drawn order."""
    found = ParquetSource.of(source)
    shuffle = ShuffledRows(folder, max(_BATCH, memory // (100 * (1 + len(found.columns)))), plan.records, plan.draws)
    for batch in found.scan().collect_batches(chunk_size=_BATCH, maintain_order=True, engine="streaming"):
        shuffle.add(batch)
    schema = {name: found.columns[name] for name in plan.columns}
    parts = (
        pl.DataFrame({name: part[safe].alias(name) for name, safe in zip(found.columns, found.safe, strict=True)})
        for part in shuffle.parts()
    )
    write_parts(target, schema, parts)
