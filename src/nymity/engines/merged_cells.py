"""MergedCells: cells of a column that are counted as one, because nothing will tell them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.engines.numbering import Numbering


@dataclass(frozen=True, eq=False)
class MergedCells:
    """All cells of a column, sorted, gaps first, and the place (n,) of the one that is counted in place of each."""

    values: pl.Series
    places: NDArray[np.int64]

    @staticmethod
    def of(values: pl.Series, codes: NDArray[np.int32], groups: NDArray[np.int32]) -> MergedCells:
        """Merge the cells of a group: the one with the lowest code stands for all of them.

        ``groups`` are by code, which cells (n,) have in a hierarchy; values are distinct, in any order.
        """
        frame = pl.DataFrame({"value": values.alias("value"), "code": codes, "group": groups[codes]}).sort("value")
        frame = frame.with_row_index("place")
        places = frame.select(pl.col("place").sort_by("code", "place").first().over("group").cast(pl.Int64))
        return MergedCells(frame["value"], places.to_series().to_numpy())

    def counted(self, cells: pl.Series) -> pl.Series:
        """Return what is counted for each cell."""
        plain = cells.fill_nan(None) if cells.dtype.is_float() else cells
        return self.values.gather(self.numbering.of(plain))

    @property
    def numbering(self) -> Numbering:
        """The place that is counted for each cell."""
        return Numbering(self.values.name, self.values, self.places)

    @property
    def dictionary(self) -> pl.DataFrame:
        """Cells that are no gaps (v), and the place that is counted for each (code)."""
        known = self.values.is_not_null()
        return pl.DataFrame({"v": self.values, "code": self.places}).filter(known)

    @property
    def of_gap(self) -> int | None:
        """The place that is counted for a gap; None where there is none."""
        return int(self.places[0]) if self.values.null_count() else None


Merged = Mapping[str, MergedCells]
UNMERGED: Merged = {}
