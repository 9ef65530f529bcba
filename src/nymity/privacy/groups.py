"""Groups: the classes of a finished table, by plain group-bys.

This is what verification and measurement look at. It shares nothing with the encoding and the kernels of the search:
polars groups the cells as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import polars as pl

from nymity.table.text import MASK


class Groups:
    """Equivalence classes of a table over its quasi-identifiers.

    Rows with every quasi-identifier masked (``*``) say nothing that could single anyone out; they form no class and
    are counted apart, but models on sensitive values look at them as at one more class. ``strict`` counts them as a
    class for every model.
    """

    def __init__(self, table: pl.DataFrame, quasi: Sequence[str], *, strict: bool = False) -> None:
        # columns are renamed: polars reads names like "*" or "^x$" as patterns
        self._table = pl.DataFrame({f"q{i}": _with_gaps(table[name]) for i, name in enumerate(quasi)})
        self._source = table
        self._keys = self._table.columns
        self.strict = strict
        self.n_records = table.height

    @cached_property
    def _masked_rows(self) -> pl.Series:
        text = [name for name in self._keys if self._table[name].dtype == pl.String]
        if len(text) < len(self._keys):
            return pl.repeat(False, self.n_records, eager=True, dtype=pl.Boolean)
        return self._table.select(pl.all_horizontal(pl.col(text) == MASK).fill_null(False)).to_series()

    @cached_property
    def masked(self) -> int:
        """Number of rows with every quasi-identifier masked."""
        return int(self._masked_rows.sum())

    @cached_property
    def sizes(self) -> pl.Series:
        """Number of records of each class, masked rows left out unless strict."""
        rows = self._table if self.strict else self._table.filter(~self._masked_rows)
        return rows.group_by(self._keys).len()["len"]

    @property
    def smallest(self) -> int | None:
        """Records in the smallest class; None when there is no class."""
        return int(self.sizes.min()) if len(self.sizes) else None  # type: ignore[arg-type]

    def distinct_values(self, attribute: str) -> pl.Series:
        """Number of different values of an attribute in each class, masked rows as a class, missing as a value."""
        rows = self._table.with_columns(_with_gaps(self._source[attribute]).alias("value"))
        return rows.group_by(self._keys).agg(pl.col("value").n_unique().alias("values"))["values"]


def _with_gaps(cells: pl.Series) -> pl.Series:
    """Return cells with NaN and empty text as what they are in a written file: missing."""
    cells = cells.alias("cell")
    if cells.dtype.is_float():
        return cells.fill_nan(None)
    return cells.replace("", None) if cells.dtype == pl.String else cells
