"""All warnings of a release, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from nymity.publishing.caveats.caveat import Caveat, worst_first
from nymity.publishing.caveats.of_method import by_nature, chosen_by_hand, optimality
from nymity.publishing.caveats.of_people import several_records, spelled_alike
from nymity.publishing.caveats.of_persons import caveats_of_households, caveats_of_persons
from nymity.publishing.caveats.of_schema import caveats_of_schema
from nymity.publishing.caveats.of_table import caveats_of_table, empty_promises
from nymity.publishing.jobs.differential import WITHOUT_LEDGER
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.withheld import Withheld
from nymity.table.attribute import Role
from nymity.table.bucket_recoding import BUCKET
from nymity.table.encoding import person_ids
from nymity.table.outcome import Outcome
from nymity.table.recoding import Recoded


def caveats_of(
    job: Job,
    outcome: Outcome,
    recoded: Recoded,
    released: pl.DataFrame,
    source: pl.DataFrame,
    *,
    owners: pl.Series | None = None,
    share: float | None = None,
    people: pl.DataFrame | None = None,
    earlier: Sequence[Caveat] = (),
) -> tuple[Caveat, ...]:
    """Return every warning; of a differentially private release only what does not depend on the records.

    ``recoded`` are the published rows with their source rows in ``source``, ``released`` the same rows in the order
    in which they are published, by which equal ones are found faster; ``owners`` says of whom each is, where
    records are of persons, ``share`` the largest one of a class that one person has, and ``people`` the population
    where there is one; ``earlier`` are warnings about earlier releases of the same people.
    """
    always = [*earlier, *by_nature(type(outcome.recoding), job.privacy), *caveats_of_schema(job.schema, job.privacy)]
    if outcome.recoding.is_private:
        # No record is looked at: a warning that came and went with one of them would break the promise.
        without = [Caveat.by_nature(WITHOUT_LEDGER)] if job.ledger is None else []
        return worst_first([*always, *without, *empty_promises(job.privacy, {})])
    schema, buckets = job.schema, recoded.counts is not None
    seen = caveats_of_table(
        released,
        quasi=schema.quasi,
        sensitive=schema.sensitive,
        insensitive=[n for n in (*schema.columns(Role.INSENSITIVE), *schema.raw_weights) if n not in schema.shifted],
        models=job.privacy,
        counts=recoded.counts,
        classes=outcome.recoding.has_classes,
        persons=owners is not None,
    )
    group = ([BUCKET] if buckets else schema.quasi) if outcome.recoding.has_classes else ()
    homes: list[Caveat] = []
    withheld = Withheld.of(schema, job.privacy, job.method)
    if schema.household is not None and outcome.recoding.has_classes:
        members = person_ids(source[schema.household])[recoded.source_rows]
        homes = caveats_of_households(recoded.table, members, schema, job.privacy, withheld)
    if owners is not None:
        found = caveats_of_persons(recoded.table, owners, share, schema, job.privacy, withheld)
        assert schema.unit is not None
        everybody = people if withheld.loss else source  # who is in the table is not to be told
        if everybody is not None and schema.unit in everybody.columns:
            names = person_ids(everybody[schema.unit])
            found += spelled_alike(names, schema, recoded.table, owners, withheld)
    else:
        found = several_records(
            source,
            schema,
            person=job.people_known_by,
            released=recoded.table,
            group=group,
            source_rows=recoded.source_rows,
            withheld=withheld,
        )
    chosen = [*optimality(outcome, job.privacy, schema), *chosen_by_hand(job.method)]
    return worst_first([*always, *seen, *homes, *found, *chosen])
