"""Distinct rows with their counts, in bounded memory: parts are merged, and divided by a hash once too large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from nymity.engines.engine_rows import RECORDS

#: Distinct rows that are kept together in memory; beyond them rows are divided into files.
MOST_ROWS = 6_000_000
_BUCKETS = 64
#: Rows that wait at least before they are merged: more of them take memory, fewer take time.
_WAITING = 4_000_000


class DistinctRows:
    """Counted rows that come in parts: :meth:`add` them, then go through :meth:`parts`, no row in two of these."""

    def __init__(self, folder: Path, columns: Sequence[str], *, most: int = MOST_ROWS) -> None:
        self._folder, self._columns, self._most = folder, list(columns), most
        self._pending: list[pl.DataFrame] = []
        self._rows = self._merged_rows = 0
        self._spilled: dict[int, list[Path]] = {}

    def add(self, part: pl.DataFrame) -> None:
        """Add rows with their counts; a row may have been there before."""
        self._pending.append(part)
        self._rows += part.height
        if self._rows > min(2 * self._most, max(_WAITING, 2 * self._merged_rows)):
            self._merge()
            if self._rows > self._most:
                self._spill()

    def parts(self) -> Iterator[pl.DataFrame]:
        """Return the distinct rows with their counts."""
        if not self._spilled:
            self._merge()
            yield from self._pending
            return
        self._spill()
        for files in self._spilled.values():
            yield self._merged([pl.read_ipc(file) for file in files])

    def _merge(self) -> None:
        if len(self._pending) > 1:
            self._pending = [self._merged(self._pending)]
            self._rows = self._merged_rows = self._pending[0].height

    def _merged(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        return pl.concat(parts).group_by(self._columns).agg(pl.col(RECORDS).sum())

    def _spill(self) -> None:
        if not self._pending:
            return
        rows = pl.concat(self._pending)
        self._pending, self._rows, self._merged_rows = [], 0, 0
        # The hash only divides; equal rows have equal hashes, whatever part they come in.
        bucket = rows.select(self._columns).hash_rows(seed=0) % _BUCKETS
        for (number,), part in rows.with_columns(bucket.alias("bucket")).partition_by("bucket", as_dict=True).items():
            files = self._spilled.setdefault(int(number), [])
            path = self._folder / f"distinct-{id(self)}-{number}-{len(files)}.arrow"
            part.drop("bucket").write_ipc(path)
            files.append(path)
