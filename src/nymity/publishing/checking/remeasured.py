"""What a check measures anew, with what was given beside the table, and where a certificate tells other figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import InputError, TableError
from nymity.io import ReadOptions, read_table, to_polars
from nymity.privacy import PrivacyModel, plain_measured
from nymity.privacy.consistency import Originals
from nymity.publishing.certificates.certificate import PersonsTouched, measured_section
from nymity.publishing.certificates.certificate_form import (
    Certificate2,
    CertificateForm,
    MeasuredSection,
    MeasuredSection1,
    UnitSection,
)
from nymity.publishing.certificates.item_sets import one_record_each
from nymity.publishing.certificates.verify import PersonFigures, Verification, VerifiedPromise, verify
from nymity.publishing.jobs.codec import dump_piece
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import (
    Population,
    Tables,
    beside_population,
    load_source,
    public_model,
    tables_of,
)
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.released_files import ReleasedFiles
from nymity.publishing.releases.relinking import source_hash
from nymity.table.encoding import distinct_values, person_ids
from nymity.table.hierarchy import HierarchySource
from nymity.table.item_cells import ItemColumn
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import MASK


@dataclass(frozen=True, eq=False, kw_only=True)
class Measuring:
    """Measures models on the released files."""

    files: ReleasedFiles
    quasi: tuple[str, ...]
    hierarchies: Mapping[str, HierarchySource]
    further: FurtherTables
    items: ItemColumn | None = None
    perturbed: tuple[str, ...] = ()

    def all_but(
        self, models: Sequence[PrivacyModel], unseen: dict[PrivacyModel, str]
    ) -> tuple[list[PrivacyModel], Verification]:
        """Measure the models that can be seen, and add those to ``unseen`` that need a hierarchy nobody gave."""
        items = [] if self.items is None else [self.items.name]
        self.files.check_columns(self.quasi, [*items, *(name for model in models for name in model.sensitive)])
        while True:
            seen = [model for model in models if model not in unseen]
            try:
                return seen, self(self.files.table, seen)
            except InputError as error:
                # One model at a time, until what is left can be measured: the error names the hierarchy that is
                # missing.
                lacking = [m for m in seen for name in m.sensitive if error.where == f"hierarchy of {name!r}"]
                if not lacking or lacking[0].sensitive[0] in self.hierarchies:
                    raise
                unseen[lacking[0]] = (
                    "it measures distances in a hierarchy that the certificate does not hold: give the job"
                )

    def __call__(self, table: pl.DataFrame, models: Sequence[PrivacyModel]) -> Verification:
        """Measure models on a table, which stands for the released one."""
        return verify(
            table,
            self.quasi,
            models,
            hierarchies=self.hierarchies,
            population=self.further.population,
            counts=self.files.counts,
            originals=self.further.originals,
            persons=self.further.persons,
            unit=self.further.counts,
            items=self.items,
            perturbed=self.perturbed,
        )

    def by_records(self, model: PrivacyModel) -> VerifiedPromise:
        """Measure a promise to persons as if every record were one of another person."""
        found = verify(
            self.files.table,
            self.quasi,
            [model],
            hierarchies=self.hierarchies,
            counts=self.files.counts,
            items=self.items,
        )
        return found.findings[0]

    def without_masked(self, models: Sequence[PrivacyModel]) -> Verification:
        """Measure as if the masked rows had been removed; there are some, so that quasi-identifiers are text."""
        texts = pl.DataFrame({f"q{i}": self.files.table[name] for i, name in enumerate(self.quasi)})
        masked = texts.select(pl.all_horizontal(pl.all() == MASK).fill_null(False)).to_series()
        return self(self.files.table.filter(~masked), models)


class Linked(NamedTuple):
    """The source row of each released row, and which of these are masked, where that is known."""

    rows: NDArray[np.int64]
    masked: NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class FurtherTables:
    """What promises need beside the released table, where it was given: population, original, whose each row is.

    ``counts``: what promises are about, as the schema says: records, persons or households.
    """

    tables: Tables | None = None
    population: Population | None = None
    originals: Originals | None = None
    persons: pl.Series | None = None
    counts: str = "records"
    #: How many persons, or households, the original has, and how many lost records; None where nobody can tell.
    touched: PersonsTouched | None = None
    #: The original is not the table that the release was made from, by its hash.
    another: bool = False
    #: What the certificate says of the original that was compared with it: ``unit``, ``input``.
    compared: frozenset[str] = frozenset()
    #: The records to publish of the original, and which of them each row is of, where somebody can tell.
    records: tuple[pl.DataFrame, NDArray[np.int64]] | None = None

    @staticmethod
    def given(
        models: Sequence[PrivacyModel],
        job: Job | None,
        recoding: Callable[[], Recoding | None],
        source: Any,
        original: Any,
        *,
        schema: Schema | None = None,
        links: Callable[[], Linked | None] = lambda: None,
        released: pl.DataFrame | None = None,
        hashed: tuple[str, str, str | None] | None = None,
    ) -> FurtherTables:
        """Read what promises need, as far as it was given; ``links`` are the source rows of released ones, and which
        of these are masked.

        ``hashed`` are the custodian's salt, the hash of the table that was read and its format. Pseudonyms in the
        ``released`` table show by themselves which rows are of one person.
        """
        tables = population = originals = persons = touched = None
        another, compared = False, set[str]()
        if any(model.second_table for model in models) and job is not None and (known := recoding()) is not None:
            tables, population = _population(models, job, known, source)
        if any(model.needs_source for model in models) and original is not None:
            originals = _originals(original, job, recoding())
        drawn = any(model.about_draws for model in models)  # of such a release no class has two rows of one person
        person = None if schema is None or drawn else schema.unit
        if released is not None and person is not None and pseudonymized(schema, released):
            persons = released[person]
        if schema is not None and person is not None and original is not None:
            table, linked = original_table(original, job), links()
            if linked is not None:
                persons = _persons(table, person, linked.rows) if persons is None else persons
                touched = _touched(table, schema, person, linked)
            if hashed is not None:
                # Salted, so that only the custodian can compare: a plain hash would confirm any guess of the original.
                another = source_hash(table, schema, hashed[2], salt=hashed[0]) != hashed[1]
            compared = {"unit"} if touched is not None else set()
            compared |= {"input"} if hashed is not None else set()
        records = None
        if schema is not None and not drawn and original is not None and (linked := links()) is not None:
            records = _records(original_table(original, job), schema, linked.rows)
        return FurtherTables(
            tables=tables,
            population=population,
            originals=originals,
            persons=persons,
            counts="records" if schema is None or drawn else schema.counts,
            touched=touched,
            another=another,
            compared=frozenset(compared),
            records=records,
        )

    def missing(self, model: PrivacyModel) -> str:
        """Return what a promise needs that was not given."""
        if self.counts != "records" and self.persons is None:
            whose = "of whom" if self.counts == "persons" else "of which household"
            return (
                f"it is about {self.counts}, and the release does not show {whose} its rows are: give the original "
                "where the custodian's folder is (--original)"
            )
        if model.needs_source and self.originals is None:
            return "it is about matching rows with the original: give that and the job (--original, --job)"
        if model.second_table and self.population is None:
            return (
                "it is about a population: give the job that names it and the recoding of the release (--job, "
                "--recoding)"
            )
        return ""


def pseudonymized(schema: Schema | None, released: pl.DataFrame) -> bool:
    """Return whether a released table has the pseudonyms that its schema speaks of."""
    person = None if schema is None else schema.unit
    return schema is not None and person in released.columns and schema[person].pseudonym is not None


def mismeasured(
    form: CertificateForm,
    models: Sequence[PrivacyModel],
    verified: Verification,
    measuring: Measuring,
    withheld: Withheld,
) -> Iterator[str]:
    """Return where a certificate tells other figures than are measured now, but for those that it withholds."""
    now = measured_section(verified, models, withheld)
    if isinstance(form.measured, MeasuredSection1):
        # In version 1 masked rows were no class of their own: its figures are measured by its own rule.
        now = _by_rule_1(now, models, measuring) if verified.masked else now
        if form.measured.masked_records_form_a_class:
            yield "it says that masked rows are a class, which they were not (measured.masked_records_form_a_class)"
    yield from _misstated(form.measured, now, "the table")
    if form.unit is not None:
        yield from _miscounted(form, form.unit, verified.persons, measuring.further.touched)
    figures = dict(zip(models, now["models"], strict=True))
    for told, model in zip(form.measured.models, _in_order(form, models), strict=False):
        if model is None:
            continue
        reached = {name: value for name, value in figures[model].items() if name not in ("model", "holds")}
        if not _alike(dict(told.parameters), reached):
            was, is_now = _written(told.parameters), _written(reached)
            yield f"the certificate measured {was} of {told.model}, the table has {is_now}"


def mismeasured_whole(told: MeasuredSection, now: Mapping[str, Any]) -> Iterator[str]:
    """Return where a certificate tells other figures of all batches of a table than are measured now."""
    whole = "the whole table, with all its batches,"
    yield from _misstated(told, now, whole)
    for one, found in zip(told.models, now["models"], strict=False):  # that both are of the same promises is told apart
        reached = {name: value for name, value in found.items() if name not in ("model", "holds")}
        if not _alike(dict(one.parameters), reached):
            yield f"the certificate measured {_written(one.parameters)} of {one.model}, {whole} has {_written(reached)}"


def _misstated(told: MeasuredSection, now: Mapping[str, Any], table: str) -> Iterator[str]:
    for name in ("records", "classes", "smallest_class", "masked_records"):
        if getattr(told, name) != now[name]:
            yield f"the certificate measured {name} = {getattr(told, name)}, {table} has {now[name]}"


def mismeasured_by_rows(form: CertificateForm, unseen: Collection[PrivacyModel], measuring: Measuring) -> Iterator[str]:
    """Return where what was counted by persons, whom nobody shows, is not what the rows leave of it.

    Different values of a class are the same by persons, and of sets of items each person has one: what distinct
    l-diversity reaches is the least of those values and of the persons of a class, whom the certificate counts.
    """
    unit = form.unit
    if unit is None or unit.units is None:
        return
    for told, model in zip(form.measured.models, _in_order(form, [*unseen]), strict=False):
        if model is None or model.over_persons != "number" or model.second_table:
            continue
        reached = plain_measured(measuring.by_records(model).measured)
        if reached.get("l") is not None and unit.fewest_in_a_class is not None:
            reached["l"] = min(reached["l"], unit.fewest_in_a_class)
        elif not model.about_items:
            continue
        if not _alike(dict(told.parameters), reached):
            yield f"the certificate measured {_written(told.parameters)} of {told.model}, rows have {_written(reached)}"


def _miscounted(
    form: Certificate2, unit: UnitSection, shown: PersonFigures | None, touched: PersonsTouched | None
) -> Iterator[str]:
    """Return where it counts other persons, or households, than rows show to be there, or the original."""
    if unit.units is None:
        return
    if shown is not None:
        before = (unit.fewest_in_a_class, unit.summed_over_classes, unit.largest_share_of_a_class)
        if before != (shown.fewest, shown.in_classes, shown.row_share):
            yield f"it counts other {unit.counts} in its classes than the table has (unit)"
        left, masked = unit.units - (unit.lost_to_suppression or 0), form.suppressed is None or form.suppressed.masked
        if not left <= shown.persons <= (unit.units if masked else left):
            yield f"it leaves {left:,} of {unit.units:,} {unit.counts}, and rows are of {shown.persons:,} (unit)"
    told = (unit.units, unit.touched_by_suppression, unit.lost_to_suppression)
    if touched is not None and told != (touched.persons, touched.touched, touched.lost):
        yield (
            f"it counts other {unit.counts} than the original has: there are {touched.persons:,}, of whom "
            f"{touched.touched:,} lost records and {touched.lost:,} all of them (unit)"
        )


def _in_order(form: CertificateForm, models: Sequence[PrivacyModel]) -> list[PrivacyModel | None]:
    """Return the measured model of each promise, None where it was not measured."""
    left = list(models)
    found: list[PrivacyModel | None] = []
    for promise in form.promised:
        plain = {**promise.plain}
        match = next((m for m in left if dump_piece(public_model(m), tag="model") == plain), None)
        if match is not None:
            left.remove(match)
        found.append(match)
    return found


def _by_rule_1(now: dict[str, Any], models: Sequence[PrivacyModel], measuring: Measuring) -> dict[str, Any]:
    """Return what 0.1.0 measured: masked rows were a class only for models on sensitive values."""
    before = measured_section(measuring.without_masked(models), models)
    whole = [bool(m.sensitive) or m.needs_source or m.about_draws for m in models]
    figures = [a if keep else b for keep, a, b in zip(whole, now["models"], before["models"], strict=True)]
    return {**now, "classes": before["classes"], "smallest_class": before["smallest_class"], "models": figures}


def _alike(told: Any, now: Any) -> bool:
    """Compare figures; sums of floating-point numbers differ in their last digits from machine to machine."""
    if isinstance(told, Mapping) and isinstance(now, Mapping):
        return told.keys() == now.keys() and all(_alike(told[name], now[name]) for name in told)
    if isinstance(told, list | tuple) and isinstance(now, list | tuple):
        return len(told) == len(now) and all(map(_alike, told, now))
    if isinstance(told, bool) or isinstance(now, bool):
        return told is now
    if isinstance(told, float) or isinstance(now, float):
        numbers = isinstance(told, int | float) and isinstance(now, int | float)
        return numbers and math.isclose(told, now, rel_tol=1e-9, abs_tol=1e-12)
    return bool(told == now)


def _written(figures: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in figures.items())[:200] or "nothing"


def _population(models: Sequence[PrivacyModel], job: Job, recoding: Recoding, source: Any) -> tuple[Tables, Population]:
    """Read the tables a job names and generalize its population."""
    if not any(model.publishes_second for model in models):  # the source is not needed, and a checker may not have it
        tables = beside_population(job)
        published = None
    else:
        tables = tables_of(job, load_source(job) if source is None else to_polars(source))
        job.schema.check(tables.published)
        published = job.schema.without_gaps(tables.published)[0]
    people = tables.population(job.schema)
    assert people is not None
    return tables, Population.of(people, recoding, published, job.schema.person)


def _originals(original: Any, job: Job | None, recoding: Recoding | None) -> Originals:
    """Read the table a release was made from, without the records that the schema drops."""
    if job is None:
        raise InputError(
            "check",
            expected="the job as well as the original: its hierarchies say what cells stand for",
            got="no job",
            hint="check(release, job=job, original=table), or --job and --original",
        )
    source = original_table(original, job)
    job.schema.check(source)
    table, _ = job.schema.without_gaps(source)
    if recoding is not None:
        return Originals.of(table, recoding)
    return Originals(
        table, {name: job.schema.hierarchy(name, distinct_values(table[name])) for name in job.schema.quasi}
    )


def original_table(original: Any, job: Job | None, reading: ReadOptions | None = None) -> pl.DataFrame:
    """Return the original, read as the job's source is where it is a path, or as is said where there is no job."""
    if isinstance(original, str | Path):
        options = reading or ReadOptions()
        if job is not None:
            options = job.source.options if job.source is not None else ReadOptions()
        return read_table(original, options)
    return to_polars(original)


def _persons(original: pl.DataFrame, person: str, rows: NDArray[np.int64]) -> pl.Series:
    """Return of whom each released row is, by the row of the original that it was made from."""
    if person not in original.columns:
        raise TableError("original", expected=f"the column {person!r}, which says whose records are", got="none")
    if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < original.height:
        raise TableError(
            "original",
            expected=f"at least {int(rows.max()) + 1:,} records: the custodian's log names that row",
            got=f"{original.height:,}",
            hint="give the table that the release was made from",
        )
    return person_ids(original[person])[rows]


def _records(
    original: pl.DataFrame, schema: Schema, rows: NDArray[np.int64]
) -> tuple[pl.DataFrame, NDArray[np.int64]] | None:
    """Return the records that a job publishes, and which of them released rows are of; None of another table."""
    if not all(name in original.columns for name in schema) or not ((rows >= 0) & (rows < original.height)).all():
        return None
    table, kept = one_record_each(*schema.without_gaps(original), schema)
    place_of = np.full(original.height, -1, dtype=np.int64)
    place_of[kept] = np.arange(len(kept))
    places = place_of[rows]
    return None if (places < 0).any() else (table, places)


def _touched(original: pl.DataFrame, schema: Schema, unit: str, linked: Linked) -> PersonsTouched | None:
    """Count who lost records to suppression; None where nobody says which rows are masked."""
    if linked.masked is None:
        return None
    table, kept = one_record_each(*schema.without_gaps(original), schema)
    return PersonsTouched.of(person_ids(table[unit]), np.isin(kept, linked.rows[~linked.masked]))


def other_original(originals: Originals | None, form: CertificateForm) -> Iterator[str]:
    """Return whether the original is not of the size the certificate tells; only the custodian can compare its hash."""
    if originals is None or form.input is None or form.suppressed is None:
        return
    told = form.input.records - form.suppressed.dropped_for_missing_values
    if told != originals.table.height:
        yield (
            f"the certificate states an original of {told} records to publish, the one given has "
            f"{originals.table.height}"
        )


def other_population(further: FurtherTables, form: CertificateForm) -> Iterator[str]:
    """Return whether the population has not the size the certificate says; only the custodian can compare hashes."""
    tables, people = further.tables, None if further.population is None else further.population.people
    if tables is None or tables.everyone is None or form.population is None:
        return
    persons = None if people is None else people.n_unique()
    if form.population.persons != persons:
        told, now = (str(n) if n is not None else "no number of" for n in (form.population.persons, persons))
        yield f"the certificate states a population of {told} persons, the one given has {now}"
    if form.population.records != tables.everyone.height:
        yield (
            f"the certificate states a population of {form.population.records} records, "
            f"the one given has {tables.everyone.height}"
        )
