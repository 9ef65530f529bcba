"""Verification: does a finished table keep its promises?

Nothing here knows how the table was made. It groups the cells as they are written and asks each model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from nymity.privacy import Groups, Measured, PrivacyModel
from nymity.publish.population import Population
from nymity.table.hierarchy import HierarchySource


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
    table: pl.DataFrame,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel],
    *,
    strict: bool = False,
    hierarchies: Mapping[str, HierarchySource] | None = None,
    population: Population | None = None,
) -> Verification:
    """Measure every model on a table, beside its population where models count one.

    ``strict`` counts the masked rows as a class. ``hierarchies`` are those of sensitive attributes.
    """
    beside = {} if population is None else {"population": population.cells, "members": population.members}
    groups = Groups(table, quasi, strict=strict, hierarchies=hierarchies, **beside)  # type: ignore[arg-type]
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
