"""A toy: capital letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from nymity.core.draws import Draws
from nymity.table.text import as_text
from nymity.transforms.transform import ColumnTransform


@dataclass(frozen=True, kw_only=True)
class ToyCapitals(ColumnTransform):
    """Each cell in capital letters."""

    key: ClassVar[str] = "toy-capitals"
    title: ClassVar[str] = "capital letters"
    keeps: ClassVar[str] = "each word is the same"
    is_coding: ClassVar[bool] = True

    @property
    def of_cells(self) -> bool:
        """Always."""
        return True

    def changed_column(self, cells: pl.Series, draws: Draws, purpose: str, units: pl.Series | None) -> pl.Series:
        """Return capitals."""
        return as_text(cells).str.to_uppercase()
