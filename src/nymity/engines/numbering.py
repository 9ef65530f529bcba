"""Numbering: the number that each cell of a batch has among known cells."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError


class Numbering:
    """Known cells, sorted, gaps first: cells are translated to the place they have there.

    ``codes`` may give places other numbers.
    """

    def __init__(self, name: str, values: pl.Series, codes: NDArray[np.int64] | None = None) -> None:
        self.name = name
        self.values = values.alias("cell").unique().sort()  # gaps first
        self.size = len(self.values)
        self._codes = np.arange(self.size, dtype=np.int64)
        if codes is not None:
            given = pl.DataFrame({"cell": values.alias("cell"), "code": codes})
            found = self.values.to_frame().join(given, on="cell", how="left", nulls_equal=True, maintain_order="left")
            self._codes = found["code"].to_numpy().astype(np.int64)
        self._gap = bool(self.values.null_count())
        self._known = self.values.drop_nulls()
        self._texts = pl.Enum(self._known) if self.values.dtype == pl.String else None
        dtype = self.values.dtype
        narrow = dtype.is_integer() and dtype not in (pl.Int128, pl.UInt128)
        self._sorted = None
        if narrow or dtype.is_float() or dtype in (pl.Date, pl.Time, pl.Datetime):
            self._sorted = self._known.to_physical().to_numpy()

    def of(self, cells: pl.Series) -> NDArray[np.int64]:
        """Return the number of each cell; one that is not known means that the source has changed."""
        found = self._places(cells.alias("cell"))
        return self._codes[found]

    def _places(self, cells: pl.Series) -> NDArray[np.int64]:
        gaps = cells.is_null().to_numpy() if cells.null_count() else None
        if self._texts is not None:
            places = cells.cast(self._texts, strict=False).to_physical().cast(pl.Int64)
            wrong = places.null_count() != cells.null_count()
            numbers = places.fill_null(0).to_numpy() + self._gap
        elif self._sorted is not None:
            plain = cells.to_physical()
            raw = (plain.fill_null(self._sorted[0] if len(self._sorted) else 0)).to_numpy()
            # Looked up by halving; whether the cell is really there is compared below, since a source may have changed.
            at = np.minimum(np.searchsorted(self._sorted, raw), max(0, len(self._sorted) - 1))
            same = self._sorted[at] == raw if len(self._sorted) else np.zeros(len(raw), np.bool_)
            if cells.dtype.is_float() and len(self._sorted):
                same |= np.isnan(self._sorted[at]) & np.isnan(raw)
            wrong = not (same if gaps is None else same | gaps).all()
            numbers = at.astype(np.int64) + self._gap
        else:
            known = self.values.to_frame().with_row_index("place")
            joined = cells.to_frame().join(known, on="cell", how="left", nulls_equal=True, maintain_order="left")
            places = joined["place"].cast(pl.Int64)
            if places.null_count():
                raise changed(self.name)
            return places.to_numpy()
        if wrong or (gaps is not None and not self._gap):
            raise changed(self.name)
        if gaps is not None:
            numbers = np.where(gaps, 0, numbers)
        return numbers.astype(np.int64)


def changed(name: str) -> TableError:
    """Return the error that a column has cells which it had not when it was looked at before."""
    return TableError(
        f"column {name!r}",
        expected="the cells that were counted",
        got="one that was not there then",
        hint="the source changed while it was read: publish again once nobody writes to it",
    )
