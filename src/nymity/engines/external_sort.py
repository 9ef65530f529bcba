"""Sorting more rows than fit into memory: sorted batches are cut at the same rows into files, and these sorted again.

Where to cut is learned from the first batches. Rows that are equal are counted, not repeated, so that a bucket grows
with different rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from nymity.engines.engine_rows import RECORDS

_CUT, _BUCKET = "cut", "bucket"


class ExternalSort:
    """Rows with counts in ``RECORDS``: :meth:`add` batches, then go through :meth:`sorted` ones, in order.

    All columns but the count are compared, the first one first, gaps before everything. ``rows``: how many fit.
    """

    def __init__(self, folder: Path, rows: int, expected: int) -> None:
        self._folder, self._most = folder, rows
        self._n_cuts = max(0, -(-expected // rows) - 1)
        self._cuts: pl.DataFrame | None = None
        self._held: list[pl.DataFrame] = []
        self._n_held = 0
        self._files: dict[int, list[Path]] = {}

    def add(self, batch: pl.DataFrame) -> None:
        """Add rows."""
        self._held.append(batch)
        self._n_held += batch.height
        if self._n_held >= self._most:
            self._write()

    def sorted(self) -> Iterator[pl.DataFrame]:
        """Return all rows in order; equal ones are adjacent, with a count each."""
        if not self._files:
            yield from _in_order(self._held)
            return
        self._write()
        for number in sorted(self._files):
            yield from _in_order([pl.read_ipc(path) for path in self._files[number]])

    def _write(self) -> None:
        """Sort what is held, cut it and put each piece to its bucket."""
        if not self._held:
            return
        rows = pl.concat(self._held).rechunk()
        self._held, self._n_held = [], 0
        columns = [name for name in rows.columns if name != RECORDS]
        if self._cuts is None:
            self._cuts = _cuts(rows, columns, self._n_cuts)
        marked = pl.concat([rows.with_columns(pl.lit(False).alias(_CUT)), self._cuts])
        marked = marked.sort([*columns, _CUT])  # a cut after the rows that equal it, in every batch
        marked = marked.with_columns(pl.col(_CUT).cast(pl.Int64).cum_sum().alias(_BUCKET)).filter(~pl.col(_CUT))
        for (number,), part in marked.partition_by(_BUCKET, as_dict=True, maintain_order=True).items():
            files = self._files.setdefault(int(number), [])
            path = self._folder / f"sorted-{id(self)}-{number}-{len(files)}.arrow"
            part.drop(_CUT, _BUCKET).write_ipc(path)
            files.append(path)


def _in_order(parts: Sequence[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    if parts:
        rows = pl.concat(parts)
        yield rows.sort([name for name in rows.columns if name != RECORDS])


def _cuts(rows: pl.DataFrame, columns: Sequence[str], number: int) -> pl.DataFrame:
    """Choose rows that divide a batch evenly."""
    ordered = rows.sort(columns)
    places = [(i + 1) * rows.height // (number + 1) for i in range(number)]
    return (
        ordered[places].with_columns(pl.lit(True).alias(_CUT))
        if places
        else ordered.clear().with_columns(pl.lit(True).alias(_CUT))
    )
