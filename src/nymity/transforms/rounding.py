"""Rounding to multiples of a base: to the nearest one, or up or down by a draw, so that sums stay right on average."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.table.text import as_text
from nymity.transforms.column_numbers import ColumnNumbers, decimals_of
from nymity.transforms.transform import ColumnTransform


@dataclass(frozen=True, kw_only=True)
class _Rounded(ColumnTransform):
    base: float

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.number("base", self.base, above=0)

    def changed_column(self, cells: pl.Series, draws: Draws, purpose: str, units: pl.Series | None) -> pl.Series:
        """Round in whole units of the column's last decimal."""
        del units
        numbers = ColumnNumbers.of(cells, decimals=decimals_of(self.base))
        base = numbers.in_units(self.base)
        below, rest = np.divmod(numbers.units, base)
        return numbers.with_units((below + self._up(rest, base, draws, f"{purpose} {cells.name!r}")) * base)

    def contradicted(self, table: pl.DataFrame) -> str:
        """Numbers that are no multiples of the base."""
        base = Fraction(repr(self.base))
        for name in self.columns:
            numbers = as_text(table[name].alias("cell")).drop_nulls().unique().cast(pl.Float64, strict=False)
            whole = not numbers.null_count() and bool(numbers.is_finite().all())
            if not whole or any((Fraction(repr(number)) / base).denominator > 1 for number in numbers.to_list()):
                return f"{name!r} has numbers that are no multiples of {self.base:g}"
        return ""

    @abstractmethod
    def _up(self, rest: NDArray[np.int64], base: int, draws: Draws, purpose: str) -> NDArray[np.bool_]:
        """Return which numbers go up, by what they are above the multiple below."""


@dataclass(frozen=True, kw_only=True)
class Rounding(_Rounded):
    """Each number becomes the nearest multiple of ``base``; one half goes up."""

    key: ClassVar[str] = "rounding"
    title: ClassVar[str] = "rounding"
    keeps: ClassVar[str] = "each number is at most half the base away"
    is_coding: ClassVar[bool] = True

    @property
    def of_cells(self) -> bool:
        """Always."""
        return True

    def _up(self, rest: NDArray[np.int64], base: int, draws: Draws, purpose: str) -> NDArray[np.bool_]:
        del draws, purpose
        return 2 * rest >= base


@dataclass(frozen=True, kw_only=True)
class RandomRounding(_Rounded):
    """Each number becomes a multiple of ``base`` beside it, the nearer one more often: its mean is the number itself.

    A number r above the multiple below goes up with probability r / base, exactly.
    """

    key: ClassVar[str] = "random-rounding"
    title: ClassVar[str] = "random rounding"
    keeps: ClassVar[str] = "sums and means are right on average"

    def _up(self, rest: NDArray[np.int64], base: int, draws: Draws, purpose: str) -> NDArray[np.bool_]:
        return draws.numbers(purpose, np.full(len(rest), base, dtype=np.int64)) < rest
