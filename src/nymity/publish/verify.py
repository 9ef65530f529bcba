"""Verification: does a finished table keep its promises?

Nothing here knows how the table was made. It groups the cells as they are written and asks each model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from nymity.privacy import Groups, Measured, PrivacyModel
from nymity.privacy.consistency import Originals
from nymity.publish.bucket_tables import bucket_problems, members
from nymity.publish.population import Population
from nymity.table.bucket_recoding import BUCKET
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
    """What holds for a table; ``masked`` rows have every quasi-identifier suppressed and form no class.

    Classes are ``buckets`` where sensitive values lie in a table of their own; ``problems`` say where the two tables
    contradict each other.
    """

    records: int
    masked: int
    classes: int
    smallest_class: int | None
    strict: bool
    findings: tuple[Finding, ...]
    problems: tuple[str, ...] = ()
    buckets: bool = False

    @property
    def holds(self) -> bool:
        """Whether every promise is kept."""
        return all(finding.holds for finding in self.findings) and not self.problems


def verify(
    table: pl.DataFrame,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel],
    *,
    strict: bool = False,
    hierarchies: Mapping[str, HierarchySource] | None = None,
    population: Population | None = None,
    counts: pl.DataFrame | None = None,
    originals: Originals | None = None,
) -> Verification:
    """Measure every model on a table, beside its population where models count one.

    ``strict`` counts the masked rows as a class. ``hierarchies`` are those of sensitive attributes. ``counts`` is the
    sensitive table of a bucketized release: what its buckets hold is measured in place of classes. ``originals`` is the
    source, for promises about matching it with the rows.
    """
    problems = () if counts is None else bucket_problems(table, counts)
    if counts is not None:
        table, quasi = members(counts), (BUCKET,)
    beside = {} if population is None else {"population": population.cells, "members": population.members}
    groups = Groups(table, quasi, strict=strict, hierarchies=hierarchies, originals=originals, **beside)  # type: ignore[arg-type]
    return Verification(
        records=table.height,
        masked=groups.masked,
        classes=len(groups.sizes),
        smallest_class=groups.smallest,
        strict=strict,
        findings=tuple(
            Finding(
                model=model.key,
                promise=model.promise() if counts is None else model.promise_of_buckets(),
                measured=model.reached(groups),
                holds=model.holds(groups),
            )
            for model in models
        ),
        problems=problems,
        buckets=counts is not None,
    )
