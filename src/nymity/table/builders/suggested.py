"""Suggested: the hierarchy that nymity suggests for a column, where a caller says no more than its role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from nymity.table.builders.suggest import suggest
from nymity.table.given_column import to_series
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.text import plainly_named


@dataclass(frozen=True, kw_only=True)
class Suggested:
    """What ``Hierarchy.suggest`` says of the column: ages in bands, dates by year, codes from the left, or ``*``.

    It looks at the values, so differentially private methods refuse it. A release, its job and its certificate name
    what was suggested (:meth:`chosen`), not that it was.
    """

    key: ClassVar[str] = "suggested"

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the suggested hierarchy for these values."""
        values = to_series(values)
        return self.chosen(values, values.name).build(values, where=where)

    def chosen(self, values: pl.Series, name: str) -> HierarchySource:
        """Return what is suggested for a column of this name."""
        return suggest(plainly_named(values).unique(maintain_order=True), name=name)
