"""CountedPlan: a release that is a number of each published row, decided where combinations were counted.

No row of the source has a part in it any more, so nothing is asked of an engine; rows are written by their counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import Draws
from nymity.engines.engine_rows import RECORDS, Rows
from nymity.engines.failures import told
from nymity.engines.parquet_writing import write_parts
from nymity.engines.recoding_plan import RowOrder
from nymity.engines.row_layout import expanded
from nymity.engines.shuffled_rows import ShuffledRows


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedPlan:
    """The distinct ``rows`` that are published, and how often each is."""

    rows: pl.DataFrame
    counts: NDArray[np.int64]
    order: RowOrder
    draws: Draws
    masked: ClassVar[int] = 0

    @property
    def records(self) -> int:
        """How many rows are published."""
        return int(self.counts.sum())

    def write(self, rows: Rows, path: Path) -> None:
        """Write them as a Parquet file, sorted or shuffled."""
        with told(rows.kind, "apply"):
            parts = self._in_order()
            if self.order == "shuffled":
                fitting = max(1, rows.memory // (100 * (1 + self.rows.width)))
                shuffle = ShuffledRows(rows.folder, fitting, self.records, self.draws)
                for part in parts:
                    shuffle.add(part)
                parts = shuffle.parts()
            names = self.rows.columns
            named = (pl.DataFrame({n: part[f"c{i}"].alias(n) for i, n in enumerate(names)}) for part in parts)
            write_parts(path, self.rows.schema, named)

    def _in_order(self) -> Iterator[pl.DataFrame]:
        cells = {f"c{i}": column for i, column in enumerate(self.rows)}  # some names are patterns
        ordered = pl.DataFrame({**cells, RECORDS: self.counts}).sort(list(cells))
        return expanded(ordered)
