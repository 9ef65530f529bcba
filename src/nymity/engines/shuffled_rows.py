"""Shuffling more rows than fit into memory, exactly uniformly.

Every row goes to a bucket of its own draw, and each bucket is permuted by itself: all orders of all rows are then
equally likely, whatever the order they came in. Draws are the release's own, never an engine's. Whoever knows them, by
a seed, undoes them, and whoever draws again under the same key draws the same: so rows come sorted, and each draw
belongs to the place of its row among all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.draws import Draws

_PURPOSE = "order of rows"
#: Rows that are drawn for together.
_BATCH = 250_000


class ShuffledRows:
    """Sorted rows without counts: :meth:`add` some at a time, then go through :meth:`parts`."""

    def __init__(self, folder: Path, rows: int, expected: int, draws: Draws) -> None:
        self._folder, self._draws = folder, draws
        self._n_buckets = max(1, -(-expected // max(1, rows // 2)))
        self._files: dict[int, list[Path]] = {}
        self._batches = 0
        self._held: list[pl.DataFrame] = []

    def add(self, rows: pl.DataFrame) -> None:
        """Send each row to a bucket."""
        self._held.append(rows)
        if sum(held.height for held in self._held) < _BATCH:
            return
        held = pl.concat(self._held)
        whole = held.height - held.height % _BATCH
        for batch in held[:whole].iter_slices(_BATCH):
            self._send(batch)
        self._held = [held[whole:]]

    def _send(self, batch: pl.DataFrame) -> None:
        limits = np.full(batch.height, self._n_buckets, dtype=np.int64)
        bucket = self._draws.numbers(f"{_PURPOSE}, buckets of batch {self._batches}", limits)
        self._batches += 1
        marked = batch.with_columns(pl.Series("bucket", bucket))
        for (number,), part in marked.partition_by("bucket", as_dict=True, maintain_order=True).items():
            files = self._files.setdefault(int(number), [])
            path = self._folder / f"shuffled-{id(self)}-{number}-{len(files)}.arrow"
            part.drop("bucket").write_ipc(path)
            files.append(path)

    def parts(self) -> Iterator[pl.DataFrame]:
        """Return the buckets one after another, each in a drawn order."""
        for held in filter(len, [pl.concat(self._held)] if self._held else []):
            self._send(held)
        self._held = []
        for number in sorted(self._files):
            rows = pl.concat([pl.read_ipc(path) for path in self._files[number]])
            yield rows[self._draws.permutation(f"{_PURPOSE}, bucket {number}", rows.height)]
