"""Verification: does a finished table keep its promises?

Nothing here knows how the table was made. It groups the cells as they are written and asks each model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from nymity.privacy import Groups, Measured, PrivacyModel


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One promise and what was measured."""

    model: str
    promise: str
    measured: Measured
    holds: bool


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What holds for a table; ``masked`` rows have every quasi-identifier suppressed and form no class."""

    records: int
    masked: int
    classes: int
    smallest_class: int | None
    strict: bool
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether every promise is kept."""
        return all(finding.holds for finding in self.findings)


def verify(
    table: pl.DataFrame, quasi: Sequence[str], models: Sequence[PrivacyModel], *, strict: bool = False
) -> Verification:
    """Measure every model on a table; ``strict`` counts the masked rows as a class."""
    groups = Groups(table, quasi, strict=strict)
    return Verification(
        records=table.height,
        masked=groups.masked,
        classes=len(groups.sizes),
        smallest_class=groups.smallest,
        strict=strict,
        findings=tuple(
            Finding(
                model=model.key,
                promise=model.promise(),
                measured=model.reached(groups),
                holds=model.holds(groups),
            )
            for model in models
        ),
    )
