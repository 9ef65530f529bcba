"""Flat: a value is published as it is or as ``*``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from nymity.core import validation
from nymity.table.builders.column import distinct
from nymity.table.hierarchy import Hierarchy


@dataclass(frozen=True, kw_only=True)
class Flat:
    """The hierarchy of a column without one: the raw values, then ``*``.

    ``of_codes``: numbers and dates in it are names of something, so that methods that make ranges of values make sets.
    """

    key: ClassVar[str] = "flat"

    of_codes: bool = False

    def __post_init__(self) -> None:
        validation.instance("flat.of_codes", self.of_codes, bool, expected="true or false")

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the two levels for a column of any type."""
        column = distinct(values)
        return column.hierarchy([[text] for text in column.texts], levels=1, where=where, rule=(self, {}))

    def between(self, text: str, fixed: Mapping[str, Any]) -> list[str]:
        """Nothing is between."""
        return []
