"""StreamedRows: rows of Parquet files in batches, with polars: no more of a table is in memory than a batch.

Cells are numbered by the distinct values of their column, so that everything is counted, joined and sorted by whole
numbers; text is looked at once per batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from nymity.core.row_runs import run_starts
from nymity.engines.cell_forms import is_gap, one_form
from nymity.engines.distinct_rows import DistinctRows
from nymity.engines.engine_rows import RECORDS, Rows
from nymity.engines.failures import told
from nymity.engines.laid_out_rows import BATCH, write_laid_out
from nymity.engines.merged_cells import UNMERGED, Merged
from nymity.engines.numbering import Numbering
from nymity.engines.parquet_source import OfParquet, ParquetSource
from nymity.engines.recoding_plan import NOTHING, Dropping, RecodingPlan
from nymity.engines.row_layout import RowLayout, packed, summed


class StreamedRows(OfParquet, Rows):
    """Rows of Parquet files; what does not fit into ``memory`` goes to a private ``folder``."""

    kind: ClassVar[str] = "streaming"

    def __init__(self, source: ParquetSource, folder: Path, memory: int) -> None:
        self._source, self.folder, self.memory = source, folder, memory

    def head(self, columns: Sequence[str], rows: int) -> pl.DataFrame:
        """The first rows."""
        with told(self.kind, "read"):
            found = self._selected(columns, NOTHING).head(rows).collect()
        return pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(columns)})

    def gaps(self, columns: Sequence[str]) -> dict[str, int]:
        """Count them in one pass."""
        if not columns:
            return {}
        names = self._safe
        counts = [
            is_gap(pl.col(names[name]), self.columns[name]).sum().alias(f"c{i}") for i, name in enumerate(columns)
        ]
        with told(self.kind, "read"):
            found = self._source.scan().select(counts).collect(engine="streaming")
        return {name: int(found[f"c{i}"][0]) for i, name in enumerate(columns)}

    def counted(
        self, columns: Sequence[str], dropping: Dropping = NOTHING, merged: Merged = UNMERGED
    ) -> Iterator[pl.DataFrame]:
        """Find the distinct cells of each column, then count rows by their numbers."""
        with told(self.kind, "count"):
            known = [
                merged[name].numbering if name in merged else Numbering(name, self._values(name, dropping))
                for name in columns
            ]
            words = packed([one.size for one in known])
            keys = [f"k{i}" for i in range(1 + max(word for word, _ in words))]
            found = DistinctRows(self.folder, keys)
            for batch in self._batches(columns, dropping):
                codes = (one.of(batch[f"c{i}"]) for i, one in enumerate(known))
                rows = pl.DataFrame(summed(words, codes))
                found.add(rows.group_by(keys).agg(pl.len().cast(pl.Int64).alias(RECORDS)))
            none = pl.DataFrame(schema={**dict.fromkeys(keys, pl.Int64), RECORDS: pl.Int64})
            for part in chain([none], found.parts()):
                cells = {}
                for i, (one, (word, stride)) in enumerate(zip(known, words, strict=True)):
                    number = (part[keys[word]].to_numpy() // stride) % max(1, one.size)
                    cells[f"c{i}"] = one.values.gather(number)
                yield pl.DataFrame({**cells, RECORDS: part[RECORDS]})

    def apply(self, plan: RecodingPlan, path: Path) -> None:
        """Recode batches, bring rows into order in bounded memory, and write them."""
        layout = RowLayout.of(plan, self.columns)
        with told(self.kind, "apply"):
            batches = (layout.encoded(batch) for batch in self._batches(layout.needed, plan.dropping))
            write_laid_out(layout, batches, path, self.folder, self.memory)

    def measure(self, path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Group the cells of each batch of the file, and merge the groups."""
        return measured_parts(path, columns, self.folder, self.memory)

    def close(self) -> None:
        """Nothing is open; the folder of spilled rows is removed by who made it."""

    # -- inside ----------------------------------------------------------------------------------------

    @property
    def _safe(self) -> dict[str, str]:
        return dict(zip(self.columns, self._source.safe, strict=True))

    def _selected(self, columns: Sequence[str], dropping: Dropping) -> pl.LazyFrame:
        names, frame = self._safe, self._source.scan()
        for name, texts in dropping.items():
            frame = frame.filter(~is_gap(pl.col(names[name]), self.columns[name], texts))
        return frame.select(
            one_form(pl.col(names[name]), self.columns[name]).alias(f"c{i}") for i, name in enumerate(columns)
        )

    def _values(self, name: str, dropping: Dropping) -> pl.Series:
        return self._selected([name], dropping).unique().collect(engine="streaming").to_series()

    def _batches(self, columns: Sequence[str], dropping: Dropping) -> Iterator[pl.DataFrame]:
        frame = self._selected(columns, dropping)
        yield from frame.collect_batches(chunk_size=BATCH, maintain_order=False, engine="streaming")


def measured_parts(path: Path, columns: Sequence[str], folder: Path, memory: int) -> Iterator[pl.DataFrame]:
    """Count the distinct rows of some columns of a written file, as :meth:`Rows.measure` returns them."""
    written = ParquetSource.of(path)
    names = dict(zip(written.columns, written.safe, strict=True))
    chosen = [pl.col(names[name]).alias(f"c{i}") for i, name in enumerate(columns)]
    safe = [f"c{i}" for i in range(len(columns))]
    found = DistinctRows(folder, safe, most=max(BATCH, memory // (100 * (len(safe) + 1))))
    with told(StreamedRows.kind, "measure"):
        # Groups of rows of a release are batches: taken one by one, none is read ahead, which takes half the memory.
        for start in range(0, written.height, BATCH):
            batch = written.scan().slice(start, BATCH).select(chosen).collect(engine="streaming")
            found.add(_counted(batch))
        yield from found.parts()


def _counted(batch: pl.DataFrame) -> pl.DataFrame:
    """Count the distinct rows of a batch: of runs of equal ones, where there are few; a release is mostly sorted."""
    first = run_starts(batch.get_columns())
    names = batch.columns
    if 2 * len(first) > batch.height:
        return batch.group_by(names).agg(pl.len().cast(pl.Int64).alias(RECORDS))
    counts = np.diff(first, append=batch.height)
    runs = batch[first].with_columns(pl.Series(RECORDS, counts, dtype=pl.Int64))
    return runs.group_by(names).agg(pl.col(RECORDS).sum())
