"""Transform: changes cells of published columns, after the search, on the rows that are published.

Codings (``is_coding``) are functions of a column and come first: what they leave is true, and less exact. All others
draw: what they change is not true any more, no promise is about it, and none of them promises k-anonymity or
differential privacy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from nymity.core.draws import Draws
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given


@dataclass(frozen=True, kw_only=True)
class Transform(ABC):
    """What is done to ``columns``, together where it matters.

    A subclass has a ``key``, a ``title`` for sentences, and ``keeps``: what is as it was afterwards, in words.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    keeps: ClassVar[str]
    is_coding: ClassVar[bool] = False
    #: Whether it only moves cells: a column holds what it held.
    moves: ClassVar[bool] = False
    #: Whether groups of records, by all columns together, share one number in each.
    groups: ClassVar[bool] = False

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", names_of("columns", self.columns))
        if not self.columns:
            raise ParameterError("columns", expected="at least one column", got="none")

    @property
    def compared(self) -> tuple[str, ...]:
        """Columns that are looked at and stay as they are."""
        return ()

    @property
    def of_cells(self) -> bool:
        """Whether what becomes of a cell is said by this cell alone, so that further rows are coded alike."""
        return False

    @abstractmethod
    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Return the columns as they are published, by their names.

        Rows come in an order that the source has no part in; each ``purpose`` of a draw begins with the given one.
        ``units`` says of which person each row is, where somebody counts these.
        """

    def contradicted(self, table: pl.DataFrame) -> str:
        """Return what its columns, as published, have that it never leaves; nothing where they could come of it."""
        del table
        return ""


class ColumnTransform(Transform):
    """What is done to each column by itself."""

    def changed(
        self, table: pl.DataFrame, draws: Draws, purpose: str, units: pl.Series | None = None
    ) -> Mapping[str, pl.Series]:
        """Change one column after the other."""
        return {name: self.changed_column(table[name], draws, purpose, units) for name in self.columns}

    @abstractmethod
    def changed_column(self, cells: pl.Series, draws: Draws, purpose: str, units: pl.Series | None) -> pl.Series:
        """Return one column as it is published; a ``purpose`` of a draw is followed by the column's name."""


def names_of(where: str, given: object) -> tuple[str, ...]:
    """Return names of columns, each once; a single one may stand by itself."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ParameterError(where, expected="a list of names of columns", got=as_given(given))
    if len(set(names)) < len(names):
        raise ParameterError(where, expected="each column once", got=as_given(given))
    return tuple(names)
