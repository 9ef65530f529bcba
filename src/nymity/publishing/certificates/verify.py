"""Verification: does a finished table keep its promises?

Nothing here knows how the table was made. It groups the cells as they are written and asks each model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nymity.core.card import Card, Carded, CardTable, written
from nymity.core.row_runs import counted_runs
from nymity.privacy import Groups, Measured, PrivacyModel, plain_measured
from nymity.privacy.consistency import Originals
from nymity.publishing.certificates.bucket_tables import bucket_problems, members
from nymity.publishing.jobs.job_tables import Population
from nymity.publishing.jobs.promise_sentence import promise_of
from nymity.table.bucket_recoding import BUCKET
from nymity.table.hierarchy import HierarchySource
from nymity.table.item_cells import ItemColumn

_ONLY_MASKED = (
    "the masked rows alone break it: they are the rows of those who fit no published combination, and so a class of "
    "their own. nymity 0.1.0 counted them for diversity alone; publish again, which removes them, or take them out"
)


@dataclass(frozen=True, kw_only=True)
class VerifiedPromise:
    """One promise and what was measured.

    ``only_masked``: it is broken by the masked rows alone; without them the table would keep it.
    """

    model: str
    promise: str
    measured: Measured
    holds: bool
    only_masked: bool = False

    @property
    def why(self) -> str | None:
        """Return what is to be known of a broken promise beside what was measured; None where there is nothing."""
        return _ONLY_MASKED if self.only_masked else None


@dataclass(frozen=True, kw_only=True)
class PersonFigures:
    """The persons of a release: how many there are, fewest in a class, summed over classes, and the largest share.

    ``row_share`` is the largest share that one person has of the rows of a class: whoever picks one of these rows at
    random picks that person's with this chance, which k does not limit.
    """

    persons: int
    fewest: int | None
    in_classes: int
    row_share: float | None

    @staticmethod
    def of(groups: Groups) -> PersonFigures:
        """Count them."""
        assert groups.persons is not None
        share = groups.largest_person_share
        return PersonFigures(
            persons=groups.persons.n_unique(),
            fewest=groups.fewest,
            in_classes=int(groups.people.sum()),
            row_share=None if share is None else float(share),
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class Verification(Carded):
    """What holds for a table; ``masked`` rows, with ``*`` in every quasi-identifier, are one of its classes.

    Classes are ``buckets`` where sensitive values lie in a table of their own; ``problems`` say where the two tables
    contradict each other. ``starred``: single cells are masked, and ``*`` counted as a value like others.
    """

    records: int
    masked: int
    classes: int
    smallest_class: int | None
    findings: tuple[VerifiedPromise, ...]
    problems: tuple[str, ...] = ()
    buckets: bool = False
    persons: PersonFigures | None = None
    starred: bool = False

    @property
    def holds(self) -> bool:
        """Whether every promise is kept."""
        return all(finding.holds for finding in self.findings) and not self.problems

    def card(self) -> Card:
        """Return what is shown: every promise, and what was measured of it."""
        rows = [
            (
                one.model,
                "holds" if one.holds else "broken",
                ", ".join(f"{name} = {written(value)}" for name, value in plain_measured(one.measured).items()),
                one.promise,
            )
            for one in self.findings
        ]
        return Card(
            title="Verification",
            verdict="every promise holds" if self.holds else "a promise is broken",
            tone="good" if self.holds else "bad",
            facts=[
                ("records", self.records),
                ("masked", self.masked),
                ("buckets" if self.buckets else "classes", self.classes),
                ("smallest", self.smallest_class),
            ],
            warnings=self.problems,
            tables=[CardTable(columns=("model", "answer", "measured", "promise"), rows=rows)],
        )


def verify(
    table: pl.DataFrame,
    quasi: Sequence[str],
    models: Sequence[PrivacyModel],
    *,
    hierarchies: Mapping[str, HierarchySource] | None = None,
    population: Population | None = None,
    counts: pl.DataFrame | None = None,
    originals: Originals | None = None,
    persons: pl.Series | None = None,
    unit: str = "persons",
    items: ItemColumn | None = None,
    records: pl.Series | None = None,
    perturbed: Sequence[str] = (),
) -> Verification:
    """Measure every model on a table, beside its population where models count one.

    ``hierarchies`` are those of sensitive attributes. ``counts`` is the sensitive table of a bucketized release: what
    its buckets hold is measured in place of classes. ``originals`` is the source, for promises about matching it with
    the rows. ``persons`` says of whom each row is, where rows are of persons, or of which household: ``unit`` tells.
    ``items`` is the column that holds sets. ``records`` says for how many rows each one stands, where the table is one
    of distinct rows. ``perturbed`` are columns that others may know and that promises do not count: their words say so.
    """
    problems = () if counts is None else bucket_problems(table, counts)
    if counts is not None:
        # The first table says who is in which bucket, the second what a bucket holds: promises are about the second.
        table, quasi = members(counts, most=table.height), (BUCKET,)
    if all(one is None for one in (counts, originals, persons, items, records)):
        table, records = counted_runs(table, [*quasi, *(name for model in models for name in model.sensitive)])
    beside: dict[str, Any] = {}
    if population is not None:
        beside = {"population": population.cells, "members": population.members, "people": population.people}
        beside["owners"] = population.owners
    # Plain group-bys, which share no code with the search: an error there cannot hide here.
    groups = Groups(
        table,
        quasi,
        hierarchies=hierarchies,
        originals=originals,
        persons=persons,
        items=items,
        records=records,
        **beside,
    )
    return Verification(
        records=groups.n_records,
        masked=groups.masked,
        classes=len(groups.sizes),
        smallest_class=groups.smallest,
        findings=tuple(
            _finding(model, groups, buckets=counts is not None, unit=unit, perturbed=perturbed) for model in models
        ),
        problems=problems,
        buckets=counts is not None,
        persons=None if persons is None else PersonFigures.of(groups),
        starred=groups.starred,
    )


def _finding(
    model: PrivacyModel, groups: Groups, *, buckets: bool, unit: str, perturbed: Sequence[str]
) -> VerifiedPromise:
    holds = model.holds(groups)
    return VerifiedPromise(
        model=model.key,
        promise=promise_of(
            model, buckets=buckets, unit="records" if groups.persons is None else unit, perturbed=perturbed
        ),
        measured=model.reached(groups),
        holds=holds,
        # Told apart, because the remedy is another: without masked rows, the promise would hold.
        only_masked=not holds and 0 < groups.masked < groups.n_records and model.holds(groups.without_masked()),
    )
