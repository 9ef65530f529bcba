"""Shuffling more rows than fit into memory, exactly uniformly.

Every row goes to a bucket of its own draw, and each bucket is permuted by itself: all orders of all rows are then
equally likely, whatever the order they came in. Draws are the release's own, never an engine's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from nymity.core.draws import Draws

_PURPOSE = "order of rows"


class ShuffledRows:
    """Rows without counts: :meth:`add` batches, then go through :meth:`parts`."""

    def __init__(self, folder: Path, rows: int, expected: int, draws: Draws) -> None:
        self._folder, self._draws = folder, draws
        self._n_buckets = max(1, -(-expected // max(1, rows // 2)))
        self._files: dict[int, list[Path]] = {}
        self._batches = 0

    def add(self, batch: pl.DataFrame) -> None:
        """Send each row to a bucket."""
        limits = np.full(batch.height, self._n_buckets, dtype=np.int64)
        bucket = self._draws.numbers(f"{_PURPOSE}, buckets of batch {self._batches}", limits)
        self._batches += 1
        marked = batch.with_columns(pl.Series("bucket", bucket))
        for (number,), part in marked.partition_by("bucket", as_dict=True).items():
            files = self._files.setdefault(int(number), [])
            path = self._folder / f"shuffled-{id(self)}-{number}-{len(files)}.arrow"
            part.drop("bucket").write_ipc(path)
            files.append(path)

    def parts(self) -> Iterator[pl.DataFrame]:
        """Return the buckets one after another, each in a drawn order."""
        for number in sorted(self._files):
            rows = pl.concat([pl.read_ipc(path) for path in self._files[number]])
            yield rows[self._draws.permutation(f"{_PURPOSE}, bucket {number}", rows.height)]
