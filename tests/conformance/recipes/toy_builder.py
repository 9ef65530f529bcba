"""A toy: values by their first letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from nymity.table.builders.column import distinct
from nymity.table.hierarchy import Hierarchy


@dataclass(frozen=True, kw_only=True)
class ToyLetters:
    """The value, its first letter, ``*``."""

    key: ClassVar[str] = "toy-letters"

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return three levels."""
        column = distinct(values)
        return column.hierarchy([[text, f"{text[0]}…"] for text in column.texts], levels=2, where=where)
