"""Run: the way of a table to its release, as a value that each stage fills: timed, observable, nothing done twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import DerivedDraws
from nymity.core.errors import PromiseError
from nymity.core.format_numbers import CONTENT
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.randomness import salt
from nymity.dp.ledger import Spending
from nymity.dp.private_method import the_promise
from nymity.dp.public_domain import public_schema
from nymity.dp.records import Records, others_of, read_columns
from nymity.engines import RECORDS, counted_hash
from nymity.io import Dictionary, Taken, compact, like, text_cells, to_polars
from nymity.lattice.default import default_search, said
from nymity.lattice.space import Space
from nymity.privacy.consistency import Originals
from nymity.publishing.caveats import Caveat, caveats_of
from nymity.publishing.caveats.of_persons import population_by_records
from nymity.publishing.certificates.bucket_tables import lost_records
from nymity.publishing.certificates.certificate import PersonsTouched, TableFigures, certify
from nymity.publishing.certificates.item_sets import ItemFigures, ItemSets, one_record_each, units_read
from nymity.publishing.certificates.verify import Verification, verify
from nymity.publishing.comparing.compare import Comparer, Comparison
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.redrawing import Log, drawn_anew, mark_of, release_draws, root_of
from nymity.publishing.intersecting.earlier import EarlierFindings, measure_earlier
from nymity.publishing.jobs.children import split
from nymity.publishing.jobs.differential import private_figures
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import Population, Tables, load_joined, load_valued, tables_of
from nymity.publishing.jobs.registry import Method
from nymity.publishing.jobs.transform_checks import check_perturbed
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.release import Release, broken
from nymity.publishing.running.stages import Staged
from nymity.publishing.steps.free_text_refused import refuse_free_text
from nymity.publishing.steps.pseudonyms import PSEUDONYMS, Pseudonyms, linked_deliveries, units_of
from nymity.publishing.steps.shifts import SHIFTS, Shifts, caveats_of_dates
from nymity.publishing.steps.starting_levels import Begun, Start, begins_at_levels, begun_in_memory
from nymity.publishing.steps.transforming import (
    caveats_of_transforms,
    made_by_transforms,
    purposes,
    refuse_linked,
    transformed,
)
from nymity.publishing.steps.undone import caveats_of_undone
from nymity.table.constant_columns import check_constant, check_households
from nymity.table.content_order import content_order, ranked_text
from nymity.table.encoding import EncodedTable, counted_cells, encode_counted, person_ids
from nymity.table.numbered_text import with_numbered_text, with_plain_text
from nymity.table.one_zero import with_one_zero
from nymity.table.outcome import Outcome
from nymity.table.recoding import Recoded
from nymity.table.schema import Schema
from nymity.table.text import as_text
from nymity.table.weights import class_means, weights_of

#: What is drawn where rows are shuffled.
ROWS = "order of rows"


class Run(Staged):
    """One run of a job, from its source to a verified release.

    ``given`` is the source where it is no file, ``children`` the table of children, ``log`` that of an earlier release
    to draw like, ``folder`` where the release will lie. Whatever can be refused without a record is refused when the
    run is made. :meth:`release` then goes through the stages in order; each reads what those before it left here, and
    ``seconds`` has what each took.
    """

    job: Job
    tables: Tables
    dictionary: Dictionary  #: labels that the source came with
    taken: Taken  #: cells of the source that were taken as missing, by column and code
    table: pl.DataFrame  #: the records to publish
    rows: NDArray[np.int64]  #: which rows of the source they are
    folded: int  #: records that were put together with another one of the same person
    records: Records | None  #: the records of a private release
    people: pl.DataFrame | None  #: the population, where a model counts it
    encoded: EncodedTable
    alike: Any  #: which records are, until they are recoded
    searched: EncodedTable  #: the same, or with fewer combinations where the job's engine keeps no more
    start: Start | None  #: where the search begins then
    begun: Begun | None  #: what is said of it
    sets: ItemSets | None  #: the column of sets of items
    items: ItemFigures | None  #: what became of these
    spending: Spending | None
    draws: DerivedDraws
    outcome: Outcome
    recoded: Recoded
    pseudonyms: Pseudonyms | None
    shifts: Shifts | None
    child_columns: tuple[str, ...]  #: those of children alone, where two tables are published
    undone: list[Caveat]  #: transforms whose changes other columns tell
    order: NDArray[np.int64]  #: of released rows
    frame: pl.DataFrame  #: the released table
    counts: pl.DataFrame | None  #: the sensitive table of buckets
    population: Population | None
    originals: Originals | None
    persons: pl.Series | None  #: of whom each released row is, where records are of persons or households
    verified: Verification
    drawn: tuple[str, ...]
    redrawn: bool
    earlier: EarlierFindings
    caveats: tuple[Caveat, ...]

    def __init__(
        self,
        job: Job,
        given: Any = None,
        observe: Observer = silent,
        *,
        log: Log | None = None,
        folder: str | Path | None = None,
        children: Any = None,
    ) -> None:
        self.job, self.given, self.observe, self.log, self.folder = job, given, observe, log, folder
        self.given_children, self.child_columns = children, ()
        self.taken, self.dictionary = {}, Dictionary()
        if job.is_private and job.source is not None:
            # Before anything is read: what is found out from private records is no parameter any more.
            job.source.check_stated()
        check_perturbed(job.transforms, job.schema)
        if job.ledger is not None:
            job.ledger.check(the_promise(job.privacy))
        self.schema = public_schema(job.schema) if job.is_private else job.schema
        self.root = root_of(job, log)
        self.salt = salt()
        self.counted_sha256: str | None = None  # of what engines count, where the job names one
        self.seconds = {}

    def release(self) -> Release:
        """Go through all stages; a promise that does not hold on what was made is an error."""
        self._stage("reading", self._read)
        self._stage("encoding", self._encode)
        method = self._enter()
        self._stage("searching", lambda: self._search(method))
        self._stage("recoding", self._recode)
        self._stage("verifying", self._verify)
        self._stage("looking for warnings", self._look_for_warnings)
        return self._made()

    @property
    def original(self) -> pl.DataFrame:
        """The table that is published, as it was read."""
        return with_plain_text(self.tables.published)

    def compared(self, release: Release, measures: Sequence[str] | None = None) -> Comparison:
        """Compare the release with the original, which is encoded already; ``measures`` as for :func:`compare`."""
        comparer = Comparer(self.tables.published, self.job.schema, population=self.people, encoded=self.encoded)
        return comparer.compare(release, measures=measures)

    # -- the stages, in order ------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read the tables, and leave out records as the schema says."""
        self.folded = 0
        if self.job.children is not None:
            self._join()
        else:
            self.tables = tables_of(self.job, self._source())
        if self.job.is_private:  # leaves out what has no place, and fails for no record
            self.records = Records.of(self.original, self.schema)
            table, self.rows = self.records.table, self.records.rows
        else:
            self.tables = replace(self.tables, published=with_numbered_text(self.tables.published))
            source = self.tables.published
            self.job.schema.check(source)
            self.job = replace(self.job, schema=self.job.schema.settled(source))
            self.schema = self.job.schema
            check_households(source, self.job.schema)
            check_constant(source, self.job.schema)
            refuse_free_text(source, self.job.schema)
            self.records = None
            whole, rows = self.job.schema.without_gaps(source)
            table, self.rows = one_record_each(whole, rows, self.job.schema)
            # Records of one person that were put together into one row are counted apart from those that were dropped.
            self.folded = whole.height - table.height
        self.table = with_one_zero(table)
        self.people = self.tables.population(self.job.schema)

    def _source(self) -> pl.DataFrame:
        if self.given is not None:
            return self._taken()
        # Whoever reads a second table beside it compares text with text.
        read = load_valued(self.job, text_as_numbers=not any(model.second_table for model in self.job.privacy))
        self.taken, self.dictionary = read.taken, read.dictionary
        self.job = replace(self.job, output=self.job.output.like(read.found))
        return read.table

    def _join(self) -> None:
        """Read two tables of the same people as one: from here to the files nothing else knows of two."""
        given = [None if one is None else to_polars(one) for one in (self.given, self.given_children)]
        joined = load_joined(self.job, *given)
        self.job = replace(self.job, schema=joined.schema)
        self.schema, self.child_columns = self.job.schema, joined.columns
        self.tables = Tables(published=joined.table, left_out=joined.left_out)

    def _encode(self) -> None:
        if self.records is None:
            cells, records, self.alike = counted_cells(self.table, self.schema)
            self.encoded = encode_counted(cells, records, self.schema, self.people)
            if self.job.engine is not None:  # as long as they are there, for they take much memory
                self.counted_sha256 = self._counted_hash(cells, records)
            del cells, records
        else:
            self.encoded, self.alike = self.records.encoded, None
        self.searched, self.start, self.begun = self.encoded, None, None
        if self.job.engine is not None and begins_at_levels(self.job.method):  # as other engines do
            most = self.job.engine.most_combinations
            self.searched, self.start = begun_in_memory(self.encoded, self.table, self.schema, self.people, most)
        self.sets = ItemSets.of(self.table, self.schema, self.job.privacy)

    def _enter(self) -> Method:
        """Choose the method where nobody names one, and enter the ledger: before the first draw, and for good."""
        method = self.job.method
        if method is None:
            nodes = Space.of(self.searched).size
            report(self.observe, Progress(stage=said(nodes)))
            method = default_search(nodes)
            self.job = replace(self.job, method=method)
        ledger = self.job.ledger
        self.spending = None if ledger is None else ledger.enter(the_promise(self.job.privacy), method.key)
        return method

    def _search(self, method: Method) -> None:
        weight = self.schema.coarsened_weight  # added to the published rows, whose classes its means are of
        # One key and the same published cells draw the same again; whatever else changed, what is drawn is unrelated.
        columns = [name for name in self.table.columns if self.schema[name].is_published and name != weight]
        self.draws = release_draws(self.root, self.job, self.table, self.encoded, columns)
        self.outcome = method.run(
            self.searched, self.job.privacy, columns=columns, observe=self.observe, draws=self.draws
        )
        if self.start is not None:
            self.outcome, self.begun = self.start.told(self.outcome, self.searched, self.job.privacy)
        self.items = None
        decided: Any = self.outcome  # kinds are dataclasses
        recoding = decided.recoding
        if self.records is not None:
            recoding = replace(recoding, others=others_of(self.schema))
        elif beside := {**_made_beside(self.job.schema), **made_by_transforms(self.job.transforms)}:
            recoding = recoding.with_beside(beside)
        if any(model.over_persons == "links" for model in self.job.privacy) and self.schema.unit is not None:
            recoding = recoding.of_linked_rows(self.schema.unit)
        if self.sets is not None:
            recoding, self.items = self.sets.decided(recoding, self.table, folded=self.folded)
        self.outcome = replace(decided, recoding=recoding)

    def _recode(self) -> None:
        """Publish the cells, in an order of rows that does not depend on that of the source."""
        self.recoded = self._with_weights(self._applied())
        if self.job.output.grows:  # another batch may have coarser cells, and a column of a table has one type
            texts = {name: as_text(self.recoded.table[name]).alias(name) for name in self.job.schema.quasi}
            cells = [texts.get(column.name, column) for column in self.recoded.table]
            self.recoded = replace(self.recoded, table=pl.DataFrame(cells))
        refuse_linked(self.job.transforms, self.job.schema, self._owners)
        # Before the order of rows, which would tell the old values.
        changed = transformed(
            self.recoded.table, self.job.transforms, self.draws, self._owners, self.job.schema.perturbed
        )
        self.undone = caveats_of_undone(self.recoded.table, changed, self.job.transforms, self.job.schema)
        self.recoded = replace(self.recoded, table=changed)
        self.pseudonyms = self._pseudonymized()
        self.shifts = self._shifted()
        if self.job.children is not None:
            self.child_columns = tuple(name for name in self.child_columns if name in self.recoded.table.columns)
        # All columns decide, as text: only rows that are equal in every file are left in the order of the source.
        ranked = pl.DataFrame({column.name: ranked_text(column) for column in self.recoded.table})
        order = content_order(ranked)
        shuffled = self.job.output.row_order == "shuffled"
        self.order = order[self.draws.permutation(ROWS, len(order))] if shuffled else order
        self.frame = compact(ranked, self.order, as_numbers=self._keeps_numbers)
        self.counts = None if self.recoded.counts is None else compact(self.recoded.counts)
        drawn = [PSEUDONYMS] if self.pseudonyms is not None and self.pseudonyms.key is None else []
        drawn += [SHIFTS] if self.shifts is not None and self.shifts.drawn else []
        drawn += purposes(self.job.transforms)
        recoding = self.outcome.recoding
        # Where classes of drawn records are secret, whether any record was divided is, too.
        secret = Withheld.of(self.job.schema, self.job.privacy, self.job.method).counts
        classes = recoding.may_draw or recoding.drawn if secret else recoding.drawn
        self.drawn = (*classes, *drawn, *([ROWS] if shuffled else []))

    @property
    def _keeps_numbers(self) -> bool:
        """Whether released text stays numbers until somebody asks for it: not where rows are given back or linked."""
        job = self.job
        linked = job.children is not None or job.schema.unit is not None or job.schema.item_column is not None
        return self.given is None and not linked and not any(model.needs_source for model in job.privacy)

    def _applied(self) -> Recoded:
        """Recode the table; as text where more is done with the rows than to order and to count them."""
        schema, recoding = self.job.schema, self.outcome.recoding
        linked = schema.unit is not None or schema.household is not None or bool(self.job.earlier_releases)
        if linked or self.schema.coarsened_weight is not None or self.job.transforms:
            return recoding.apply(self.table, draws=self.draws)
        recoded, self.alike = recoding.apply_coded(self.table, self.draws, self.alike), None  # which takes memory
        return recoded

    def _with_weights(self, recoded: Recoded) -> Recoded:
        """Add the mean weight of each class to its rows."""
        if (weight := self.schema.coarsened_weight) is None:
            return recoded
        means = class_means(weights_of(self.table[weight])[recoded.source_rows], recoded.table, self.schema.quasi)
        cells = {**{column.name: column for column in recoded.table}, weight: pl.Series(means)}
        order = [name for name in self.table.columns if name in cells]
        return replace(recoded, table=pl.DataFrame({name: cells[name] for name in order}))

    def _pseudonymized(self) -> Pseudonyms | None:
        """Put pseudonyms of persons into the rows, before these are ordered: equal rows are not equal any more."""
        schema, of_rows = self.job.schema, self._owners
        if of_rows is None or schema.unit is None or schema[schema.unit].pseudonym is None:
            return None
        made = Pseudonyms.of(schema.unit, schema[schema.unit], of_rows, self.draws, self.log)
        columns = [name for name in self.table.columns if schema[name].is_published]
        self.recoded = made.put_into(self.recoded, of_rows, columns)
        return made

    def _shifted(self) -> Shifts | None:
        """Move the dates of persons, before rows are ordered by them."""
        schema, of_rows = self.job.schema, self._people
        if of_rows is None or not schema.shifted:
            return None
        shifts = Shifts.of(schema, of_rows, self.draws, self.pseudonyms, self.log)
        assert shifts is not None
        self.recoded = shifts.move(self.recoded, of_rows)
        return shifts

    def _verify(self) -> None:
        """Measure every promise on the released cells, by themselves."""
        job, recoding = self.job, self.outcome.recoding
        person = job.schema.person
        self.population = None if self.people is None else Population.of(self.people, recoding, self.table, person)
        needed = any(model.needs_source for model in job.privacy)
        self.originals = Originals.of(self.table, recoding) if needed else None
        owners = self._owners
        # Verified by what is published: a pseudonym that two people share would make them one.
        self.persons = None if owners is None else owners[self.order]
        if self.pseudonyms is not None:
            self.persons = self.frame[self.pseudonyms.column]
        verified = verify(
            self.frame,
            job.schema.quasi,
            job.privacy,
            hierarchies=job.schema.sensitive_hierarchies,
            population=self.population,
            counts=self.counts,
            originals=self.originals,
            persons=self.persons,
            unit=job.schema.counts,
            items=job.schema.item_column,
            perturbed=job.schema.perturbed,
        )
        if self.counts is not None:
            # What transforms changed is not in the table any more, and was not promised to be.
            changed = {name for one in job.transforms for name in one.columns}
            problems = lost_records(self.frame.drop(changed), self.counts, self.table)
            verified = replace(verified, problems=(*verified.problems, *problems))
        if not verified.holds:
            raise PromiseError(broken(verified))
        self.verified = verified

    def _look_for_warnings(self) -> None:
        # The draws of that release again: whoever has both sees nothing that was drawn twice.
        mark = self.draws.mark
        self.redrawn = self.log is not None and mark is not None and mark == mark_of(self.log)
        self.earlier = measure_earlier(self.job, self.outcome.recoding, self.recoded, self.tables.published, self.rows)
        drawn = [what for what in self.drawn if what != PSEUDONYMS]  # those that differ are no loss
        apart = drawn_anew(self.job, drawn, self.log, self.folder, redrawn=self.redrawn)
        earlier = [
            *self.earlier.caveats,
            *apart,
            *linked_deliveries(self.job.schema, self.pseudonyms),
            *self._caveats_of_dates(),
        ]
        earlier += map(Caveat.by_nature, self.job.output.unprotected)
        earlier += [*caveats_of_transforms(self.job.transforms, self.job.schema), *self.undone]
        earlier += population_by_records(self.job.privacy, self.job.schema.person, self.people)
        share = None if self.verified.persons is None else self.verified.persons.row_share
        self.caveats = caveats_of(
            self.job,
            self.outcome,
            self.recoded,
            self.frame,
            self.table,
            owners=self._owners,
            share=share,
            people=self.people,
            earlier=earlier,
        )
        self.recoded = replace(self.recoded, table=self.recoded.table.clear())  # the released table has its rows

    def _caveats_of_dates(self) -> list[Caveat]:
        if self.shifts is None or (people := self._people) is None:
            return []
        linked = self.pseudonyms is not None and self.job.schema.unit == self.job.schema.person
        return list(caveats_of_dates(self.shifts.columns, self.recoded.table, people if linked else None))

    @cached_property
    def _who(self) -> pl.Series | None:
        """Of which person, or household, each record is, where promises count them; nobody, if that is private."""
        return None if self.job.is_private else units_of(self.table, self.job.schema)

    @property
    def _owners(self) -> pl.Series | None:
        """Of which person, or household, each recoded row is."""
        return None if self._who is None else self._who[self.recoded.source_rows]

    @property
    def _people(self) -> pl.Series | None:
        """Of which person each recoded row is, also where promises count households."""
        person = self.job.schema.person
        return None if person is None else person_ids(self.table[person])[self.recoded.source_rows]

    # -- what comes of it ----------------------------------------------------------------------------------

    def _made(self) -> Release:
        return Release(
            table=self.frame if self.given is None else like(self.given, self.frame),
            frame=self.frame,
            counts=self.counts,
            certificate=certify(
                job=self.job,
                tables=self.tables,
                read=self._read_figures,
                release=TableFigures.of(self.frame, self._content_format),
                frame=self.frame,
                counts=self.counts,
                outcome=self.outcome,
                masked=int(self.recoded.masked.sum()),
                dropped=self._units_read - self.table.height,
                verified=self.verified,
                salt=self.salt,
                caveats=self.caveats,
                earlier=self.earlier.entries,
                origin=self.draws.origin,
                drawn=self.drawn,
                redrawn=self.redrawn,
                spending=self.spending,
                touched=self._touched,
                people=None if self.population is None else self.population.people,
                children=None if self.job.children is None else self._split()[1],
                items=self.items,
                labels=self.dictionary,
                begun=self.begun,
            ),
            verification=self.verified,
            outcome=self.outcome,
            job=self.job,
            log=self._custodian_log(),
            population=self.population,
            originals=self.originals,
            persons=self.persons,
            child_columns=self.child_columns,
            dictionary=self.dictionary,
        )

    @property
    def _content_format(self) -> str | None:
        """How cells are hashed: where a job names an engine, so that the hash is the same with every other."""
        return None if self.job.engine is None else CONTENT.tag

    def _read_figures(self) -> TableFigures:
        """Return what is said of the source; with engines its hash is of the combinations that they count."""
        if self.counted_sha256 is None:
            return replace(TableFigures.of(self.tables.published, salt=self.salt), records=self._units_read)
        return TableFigures(
            records=self._units_read,
            columns=tuple(self.tables.published.columns),
            sha256=self.counted_sha256,
            content_format=CONTENT.tag,
        )

    def _counted_hash(self, cells: Mapping[str, pl.Series], records: NDArray[np.uint32]) -> str:
        names = (*self.job.schema.quasi, *self.job.schema.sensitive)
        rows = {f"c{i}": cells[name] for i, name in enumerate(names)}
        counted: str = counted_hash(names, [pl.DataFrame({**rows, RECORDS: records})], salt=self.salt)
        return counted

    @property
    def _units_read(self) -> int:
        return units_read(self.tables.published, self.job.schema) + self.tables.left_out

    def _split(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        assert self.pseudonyms is not None
        return split(self.frame, self.pseudonyms.column, self.child_columns)

    def _custodian_log(self) -> CustodianLog:
        private, outcome = self.records is not None, self.outcome
        return CustodianLog(
            source_rows=self.rows[self.recoded.source_rows[self.order]],
            masked=self.recoded.masked[self.order],
            salt=self.salt,
            seconds=self.seconds,
            nodes=outcome.trace(),
            nodes_checked=outcome.checks,
            dropped_records=self._dropped,
            figures=self._secret_figures(),
            draw_mark=None if private else self.draws.mark,
            draw_key=None if private or self.root.seed is not None else self.root.key.hex(),
            pseudonyms=self.pseudonyms,
            shifts=self.shifts,
            taken_as_missing=self.taken,
        )

    def _secret_figures(self) -> dict[str, Any]:
        """Return what the certificate does not tell, for the custodian."""
        if self.records is not None:
            return private_figures(self.outcome, self.records, self.frame.height)
        return {**self.earlier.withheld, **({} if self.items is None else self.items.withheld)}

    @property
    def _touched(self) -> PersonsTouched | None:
        """Return how many persons lost records, or all of them, to suppression."""
        if self._who is None:
            return None
        # (n_records,): has a row that is not masked
        whole = np.zeros(self.table.height, dtype=np.bool_)
        whole[self.recoded.source_rows[~self.recoded.masked]] = True
        return PersonsTouched.of(self._who, whole)

    @property
    def _dropped(self) -> int:
        """Records left out for their gaps before anything else."""
        return self.tables.published.height - self.table.height + self.tables.left_out - self.folded

    def _taken(self) -> pl.DataFrame:
        """Return the caller's frame as a table; of text cells where a private method is to publish it."""
        if self.job.is_private:
            return text_cells(self.given, read_columns(self.job.schema))
        return to_polars(self.given)


def _made_beside(schema: Schema) -> dict[str, str]:
    """Return the columns that are made of more than a row, and why further rows are published without them."""
    moved = dict.fromkeys(schema.shifted, "dates are moved by days that are drawn for one release")
    means = (
        {} if schema.coarsened_weight is None else {schema.coarsened_weight: "it is the mean of classes of a release"}
    )
    return {**moved, **means}
