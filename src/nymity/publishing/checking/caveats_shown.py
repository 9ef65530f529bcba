"""Warnings about persons, households and dates that whoever checks a release finds again, as far as it shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.privacy import PrivacyModel
from nymity.publishing.caveats import Caveat
from nymity.publishing.caveats.checked import ShownCaveats
from nymity.publishing.caveats.of_people import ALIKE, SEVERAL, several_records, spelled_alike
from nymity.publishing.caveats.of_persons import (
    FILLED,
    INTERSECTED,
    LINKED,
    MEMBERS,
    caveats_of_households,
    caveats_of_persons,
    is_intersected,
)
from nymity.publishing.certificates.certificate_form import Certificate2
from nymity.publishing.certificates.contradictions import StatedJob
from nymity.publishing.certificates.verify import PersonFigures
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.registry import Method, is_private
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.released_files import ReleasedFiles
from nymity.publishing.steps.shifts import SHIFTED, caveats_of_dates
from nymity.table.bucket_recoding import BUCKET
from nymity.table.encoding import person_ids
from nymity.table.schema import Schema


def shown_caveats(
    table: pl.DataFrame,
    schema: Schema,
    models: Sequence[PrivacyModel],
    method: Method | None,
    stated: Certificate2 | None,
    owners: pl.Series | None,
    figures: PersonFigures | None,
) -> ShownCaveats:
    """Look for warnings by persons and by dates in a table.

    ``owners`` says of whom its rows are, and ``figures`` what was counted of them, where that is shown or was given;
    else the figures of the certificate count. How many persons several classes make certain takes the owners.
    """
    if is_private(method):
        return ShownCaveats()
    withheld = Withheld.of(schema, models, method)
    # Counted on the rows where these show whose they are; else the certificate's word is compared with itself alone.
    share = None if figures is None else figures.row_share
    if figures is None and stated is not None and stated.unit is not None:
        share = stated.unit.largest_share_of_a_class
    found: list[Caveat] = []
    keys = {FILLED, LINKED}
    if schema.unit is not None:
        found += caveats_of_persons(table, owners, share, schema, models, withheld)
    if schema.unit is None or owners is not None or withheld.counts:
        keys.add(INTERSECTED)
    try:
        shown = table[schema.person] if schema.person in table.columns else None
        found, keys = [*found, *caveats_of_dates(schema.shifted, table, shown)], {*keys, SHIFTED}
    except TableError:  # dates with a time of day, which a file of text does not show as such
        pass
    problems = () if stated is None or INTERSECTED in keys else tuple(_impossible(stated, schema, table))
    return ShownCaveats(found=tuple(found), keys=frozenset(keys), problems=problems)


def _impossible(stated: Certificate2, schema: Schema, table: pl.DataFrame) -> Iterator[str]:
    """Return which warnings of several classes that make values certain cannot be, whoever the rows are of."""
    units = None if stated.unit is None else stated.unit.units
    for one in stated.not_protected:
        caveat = Caveat(key=one.warning, says=one.says, figures=one.figures)
        if one.warning == INTERSECTED and not is_intersected(caveat, schema.sensitive, table, units):
            yield f"it has a warning that cannot be: {one.says}"


def shown_by_original(
    shown: ShownCaveats,
    records: tuple[pl.DataFrame, NDArray[np.int64]] | None,
    files: ReleasedFiles,
    stated: Certificate2,
    job: Job | None,
    own: StatedJob,
) -> ShownCaveats:
    """Add the warnings that take the original: households, names that look alike, and people with several records.

    ``records`` are those of the original that the job publishes, and which of them each row is of. By which column
    people are known only the job says: without it the column that a warning names is looked at, or the identifying ones
    where there are no earlier releases, for which a job may name another.
    """
    schema, models, method = own.schema, own.models, own.method
    withheld = Withheld.of(schema, models, method)
    if records is None or is_private(method):
        return shown
    source, rows = records
    found, keys, table = [*shown.found], {*shown.keys}, files.table
    if schema.household is not None and method.makes.has_classes:
        homes = person_ids(source[schema.household])[rows]
        found, keys = [*found, *caveats_of_households(table, homes, schema, models, withheld)], {*keys, MEMBERS}
    if (unit := schema.unit) is not None:
        if not withheld.loss:
            everybody = person_ids(source[unit])
            found, keys = [*found, *spelled_alike(everybody, schema, table, everybody[rows], withheld)], {*keys, ALIKE}
        return ShownCaveats(found=tuple(found), keys=frozenset(keys), problems=shown.problems)
    named = [one.figures.get("column") for one in stated.not_protected if one.warning == SEVERAL and one.figures]
    columns: list[str | None] = [str(name) for name in named if name in source.columns]
    if job is not None:
        columns = [job.people_known_by]
    elif not named and not stated.earlier_releases:
        columns = [None]
    group = ([BUCKET] if files.counts is not None else schema.quasi) if method.makes.has_classes else ()
    for person in columns:
        found += several_records(
            source, schema, person=person, released=table, group=group, source_rows=rows, withheld=withheld
        )
    keys |= {SEVERAL} if columns or named else set()
    return ShownCaveats(found=tuple(found), keys=frozenset(keys), problems=shown.problems)
