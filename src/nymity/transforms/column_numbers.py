"""The numbers of a column: whole multiples of its last decimal, so that nothing is rounded on the way."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.table.text import plainly_named

#: Decimals of a column; what has more is rounded to them.
MOST_DECIMALS = 9
_LARGEST, _MOST_DIGITS = 2**53, 15
_TEXT = "shown = 'limit' in a coding of its ends keeps them; decimal = ',' in [source] reads 1,5 as one"


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnNumbers:
    """Those of ``cells`` without gaps: ``units`` of ``10**-decimals`` each."""

    cells: pl.Series
    units: NDArray[np.int64]  # (numbers,)
    decimals: int

    @staticmethod
    def of(cells: pl.Series, *, decimals: int = 0) -> ColumnNumbers:
        """Read a column; it has at least so many ``decimals``."""
        if not cells.dtype.is_numeric():
            raise TableError(
                f"column {cells.name!r}",
                expected="numbers",
                got=f"{cells.dtype}",
                hint=_TEXT if cells.dtype == pl.String else "",
            )
        values = plainly_named(cells).cast(pl.Float64).fill_nan(None).drop_nulls().to_numpy()
        if not np.isfinite(values).all():
            raise TableError(f"column {cells.name!r}", expected="finite numbers", got="an infinite one")
        while decimals < MOST_DECIMALS and not np.array_equal(np.round(values, decimals), values):
            decimals += 1
        scaled = np.round(values * 10.0 ** min(decimals, _MOST_DIGITS))
        if decimals > _MOST_DIGITS or (len(scaled) and np.abs(scaled).max() >= _LARGEST):
            raise TableError(
                f"column {cells.name!r}",
                expected="numbers of at most 15 digits with their decimals",
                got=f"larger ones, with {decimals} decimals",
            )
        return ColumnNumbers(cells=cells, units=scaled.astype(np.int64), decimals=decimals)

    @property
    def values(self) -> NDArray[np.float64]:
        """The numbers."""
        return self.units / 10.0**self.decimals

    def in_units(self, number: float) -> int:
        """Return a parameter in the column's units; it must be a whole number of them."""
        units = Decimal(repr(number)).scaleb(self.decimals)
        if abs(units) >= _LARGEST:
            raise TableError(
                f"column {self.cells.name!r}",
                expected="a parameter of at most 15 digits with the column's decimals",
                got=f"{number}, with {self.decimals} decimals",
            )
        return int(units)

    def with_values(self, values: NDArray[np.float64]) -> pl.Series:
        """Return the column with other numbers, rounded to its decimals."""
        return self.with_units(np.round(values * 10.0**self.decimals))

    def with_units(self, units: NDArray[np.float64] | NDArray[np.int64]) -> pl.Series:
        """Return the column with other numbers, gaps as they were: whole ones where all are."""
        made = np.full(len(self.cells), np.nan)
        made[self.present] = units / 10.0**self.decimals + 0.0  # no zero below zero
        column = pl.Series(made).fill_nan(None).alias(self.cells.name)
        return column.cast(pl.Int64) if self.decimals == 0 else column

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which cells have a number."""
        return plainly_named(self.cells).cast(pl.Float64).fill_nan(None).is_not_null().to_numpy()


def decimals_of(number: float) -> int:
    """Return how many decimals a parameter is written with."""
    return max(0, -int(Decimal(repr(number)).normalize().as_tuple().exponent))
