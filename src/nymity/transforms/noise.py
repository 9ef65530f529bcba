"""AdditiveNoise: random numbers that are added to a column, or that it is multiplied with.

Standard deviations are those of the column, over what is published. With ``share`` s, independent noise leaves means
as they were on average and makes variances 1 + s^2 times as large, which weakens correlations; correlated noise has
s^2 times the columns' own covariances, so that correlations stay, on average (Kim 1986; Brand 2002). It hides little
where few values are possible, and nothing of who stands far from everybody else: measure it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import TableError
from nymity.transforms.column_numbers import ColumnNumbers
from nymity.transforms.transform import Transform

Floats = NDArray[np.float64]
_FINEST = 2**52


@dataclass(frozen=True, kw_only=True)
class _Noisy(Transform):
    share: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.number("share", self.share, above=0, at_most=10)

    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Draw for every row and column; gaps stay gaps."""
        del units
        numbers = [ColumnNumbers.of(table[name]) for name in self.columns]
        drawn = [_normal(draws, f"{purpose} {name!r}", table.height) for name in self.columns]
        return dict(zip(self.columns, self._noisy(numbers, drawn), strict=True))

    @abstractmethod
    def _noisy(self, numbers: Sequence[ColumnNumbers], drawn: Sequence[Floats]) -> list[pl.Series]:
        """Return the columns; ``drawn`` has a standard normal number for each row of each."""


@dataclass(frozen=True, kw_only=True)
class _NoisyAlone(_Noisy):
    """Noise that looks at no other column."""

    def _noisy(self, numbers: Sequence[ColumnNumbers], drawn: Sequence[Floats]) -> list[pl.Series]:
        return [
            one.with_values(self._changed(one, normal[one.present])) for one, normal in zip(numbers, drawn, strict=True)
        ]

    @abstractmethod
    def _changed(self, column: ColumnNumbers, normal: Floats) -> Floats:
        """Return the values of a column, given a standard normal number for each."""


@dataclass(frozen=True, kw_only=True)
class AdditiveNoise(_NoisyAlone):
    """Independent normal noise, whose standard deviation is a ``share`` of that of each column."""

    key: ClassVar[str] = "additive-noise"
    title: ClassVar[str] = "additive noise"
    keeps: ClassVar[str] = "means are right on average"

    def _changed(self, column: ColumnNumbers, normal: Floats) -> Floats:
        return column.values + self.share * _deviation(column) * normal


@dataclass(frozen=True, kw_only=True)
class MultiplicativeNoise(_NoisyAlone):
    """Every number is multiplied with 1 plus normal noise of standard deviation ``share``: zeros stay zeros."""

    key: ClassVar[str] = "multiplicative-noise"
    title: ClassVar[str] = "multiplicative noise"
    keeps: ClassVar[str] = "means are right on average, and zeros are zeros"

    def _changed(self, column: ColumnNumbers, normal: Floats) -> Floats:
        return column.values * (1 + self.share * normal)


@dataclass(frozen=True, kw_only=True)
class CorrelatedNoise(_Noisy):
    """Normal noise whose covariances are ``share`` squared times those of the columns, which have no gaps."""

    key: ClassVar[str] = "correlated-noise"
    title: ClassVar[str] = "correlated noise"
    keeps: ClassVar[str] = "means and correlations are right on average"

    def _noisy(self, numbers: Sequence[ColumnNumbers], drawn: Sequence[Floats]) -> list[pl.Series]:
        for one in numbers:
            if not one.present.all():
                raise TableError(
                    f"column {one.cells.name!r}",
                    expected="a number in every row, for noise that follows several columns",
                    got=f"{int((~one.present).sum()):,} gaps",
                    hint="transform = 'additive-noise', or missing = 'drop' for the column",
                )
        values = np.array([one.values for one in numbers])  # (columns, rows)
        if values.shape[1] < 2:
            return [one.with_values(one.values) for one in numbers]
        covariances = np.atleast_2d(np.cov(values))
        sizes, directions = np.linalg.eigh(covariances)
        # The symmetric root, root @ root are the covariances: it is the same whichever directions a machine finds, so
        # that the same key draws the same noise again, and nobody gets two to average.
        root = (directions * np.sqrt(np.maximum(sizes, 0))) @ directions.T
        noisy = values + self.share * (root @ np.array(drawn))
        return [one.with_values(row) for one, row in zip(numbers, noisy, strict=True)]


def _normal(draws: Draws, purpose: str, n: int) -> Floats:
    """Return standard normal numbers: the normal quantiles of uniform ones that are never 0 or 1."""
    from scipy.special import ndtri

    uniform = (draws.numbers(purpose, np.full(n, _FINEST, dtype=np.int64)) + 0.5) / _FINEST
    made: Floats = ndtri(uniform)
    return made


def _deviation(numbers: ColumnNumbers) -> float:
    return float(np.std(numbers.values, ddof=1)) if len(numbers.units) > 1 else 0.0
