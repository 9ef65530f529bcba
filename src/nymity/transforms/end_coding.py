"""Top and bottom coding: the largest or smallest numbers of a column become one value, such as ``90+``.

The limit is given, or found by a rule: the outermost one beyond which there are at least so many records or persons
(``fewest``), or at least such a share of the records (``share``). Whoever is beyond it is among all of these, by this
column; other columns may still tell them apart.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from nymity.core import validation
from nymity.core.draws import Draws
from nymity.core.errors import ParameterError, TableError
from nymity.table.text import as_text, plainly_named
from nymity.transforms.column_numbers import ColumnNumbers, decimals_of
from nymity.transforms.transform import ColumnTransform


@dataclass(frozen=True, kw_only=True)
class _EndCoding(ColumnTransform):
    """One end: ``limit``, ``fewest`` or ``share`` says where it begins.

    ``shown`` says what stands in place of the numbers: a ``label``, which makes text of the column, or the ``limit``.
    """

    keeps: ClassVar[str] = "all other numbers are as they were"
    is_coding: ClassVar[bool] = True
    _sign: ClassVar[int]

    limit: float | None = None
    fewest: int | None = None
    share: float | None = None
    shown: Literal["label", "limit"] = "label"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [name for name in ("limit", "fewest", "share") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ParameterError(
                "limit", expected="one of limit, fewest and share", got=", ".join(given) or "none of them"
            )
        if self.limit is not None:
            validation.number("limit", self.limit)
        if self.fewest is not None:
            validation.whole_number("fewest", self.fewest, at_least=1)
        if self.share is not None:
            validation.number("share", self.share, above=0, at_most=1)
        validation.one_of("shown", self.shown, ("label", "limit"))

    @property
    def of_cells(self) -> bool:
        """With a limit that is given."""
        return self.limit is not None

    def changed_column(self, cells: pl.Series, draws: Draws, purpose: str, units: pl.Series | None) -> pl.Series:
        """Code what lies beyond the limit."""
        del draws, purpose
        numbers = ColumnNumbers.of(cells, decimals=0 if self.limit is None else decimals_of(self.limit))
        if not len(numbers.units):
            return cells
        limit = self._limit(numbers, units)
        beyond = self._sign * numbers.units >= self._sign * limit
        if self.shown == "limit":
            return numbers.with_units(np.where(beyond, limit, numbers.units))
        texts = numbers.with_units(numbers.units).cast(pl.String).to_list()
        shown = numbers.decimals if self.limit is None else decimals_of(self.limit)
        label = self._label(f"{limit / 10**numbers.decimals:.{shown}f}")
        for place in np.flatnonzero(numbers.present)[beyond].tolist():
            texts[place] = label
        return pl.Series(cells.name, texts, dtype=pl.String)

    def _limit(self, numbers: ColumnNumbers, units: pl.Series | None) -> int:
        """Return the limit in units of the column: the outermost that leaves enough beyond it, by a rule."""
        if self.limit is not None:
            return numbers.in_units(self.limit)
        owners = np.arange(len(numbers.units))
        wanted = self.fewest
        if self.fewest is not None and units is not None:
            owners = plainly_named(units).to_physical().rank("dense").to_numpy()[numbers.present]
        if self.share is not None:
            wanted = ceil(Fraction(repr(self.share)) * len(numbers.units))
        assert wanted is not None
        inwards = np.argsort(-self._sign * numbers.units, kind="stable")
        firsts = np.sort(np.unique(owners[inwards], return_index=True)[1])  # where each owner comes first
        if len(firsts) < wanted:
            raise TableError(
                f"column {numbers.cells.name!r}",
                expected=f"at least {wanted:,} with a number (fewest)",
                got=f"{len(firsts):,}",
                hint="a smaller `fewest`",
            )
        return int(numbers.units[inwards[firsts[wanted - 1]]])

    def contradicted(self, table: pl.DataFrame) -> str:
        """Fewer records beyond the limit than the rule leaves there, or numbers beyond a given one."""
        for name in self.columns:
            cells = as_text(table[name].alias("cell")).drop_nulls()
            numbers = cells.cast(pl.Float64, strict=False).drop_nulls().to_numpy() * self._sign
            last = numbers.max() if len(numbers) else -np.inf
            coded = int((numbers == last).sum()) if self.shown == "limit" else len(cells) - len(numbers)
            fewest = self.fewest or ceil(Fraction(repr(self.share or 0)) * len(cells))
            if len(cells) and coded < fewest:
                return f"{coded:,} cells of {name!r} are coded, at least {fewest:,} were asked for"
            if self.limit is None:
                continue
            edge = self._sign * self.limit
            if last > edge or (last == edge and self.shown == "label"):  # a label stands for the limit, too
                return f"{name!r} has numbers beyond {self.limit:g}"
        return ""

    @abstractmethod
    def _label(self, limit: str) -> str:
        """Return what stands in place of numbers beyond the limit."""


@dataclass(frozen=True, kw_only=True)
class TopCoding(_EndCoding):
    """Numbers of at least a limit become one value, such as ``90+``."""

    key: ClassVar[str] = "top-coding"
    title: ClassVar[str] = "top coding"
    _sign: ClassVar[int] = 1

    def _label(self, limit: str) -> str:
        return f"{limit}+"


@dataclass(frozen=True, kw_only=True)
class BottomCoding(_EndCoding):
    """Numbers of at most a limit become one value, such as ``up to 10``."""

    key: ClassVar[str] = "bottom-coding"
    title: ClassVar[str] = "bottom coding"
    _sign: ClassVar[int] = -1

    def _label(self, limit: str) -> str:
        return f"up to {limit}"
