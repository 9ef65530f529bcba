"""open: a release on disk, or a table that somebody received, with all that is known of it.

What is not known is looked for when it is asked for: the certificate beside the table, the recoding and the links of
rows in the custodian's folder, hierarchies and a population in the job.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.card import Card, Carded
from nymity.core.commit import refuse_between
from nymity.core.custodian import LOG_NAME, NODES_NAME, custody_has_ended, refuse_ended
from nymity.core.errors import FileError, ParameterError, TableError
from nymity.core.html_page import Page, page_of
from nymity.core.paths import path_text
from nymity.core.quoting import as_given
from nymity.core.row_runs import are_numbers
from nymity.database import DatabaseOutput
from nymity.io import ReadOptions, Taken, format_of, read_table, to_polars
from nymity.privacy import Groups, PrivacyModel
from nymity.publishing.caveats import Caveat, verdict
from nymity.publishing.certificates.certificate import Certificate
from nymity.publishing.certificates.certificate_form import (
    Certificate2,
    CertificateForm,
    ItemsSection,
    Promise,
    UnitSection,
)
from nymity.publishing.certificates.stated import Stated
from nymity.publishing.custodian.custodian_log import CustodianLog
from nymity.publishing.custodian.custody import Custody, KeptLog, read_log
from nymity.publishing.jobs.children import Children
from nymity.publishing.jobs.counted_unit import counted_by
from nymity.publishing.jobs.job import Job, Output
from nymity.publishing.jobs.job_tables import population_of
from nymity.publishing.jobs.registry import Method
from nymity.publishing.releases.release import Release
from nymity.publishing.releases.released_files import ReleasedFiles
from nymity.publishing.releases.relinking import relinked, source_hash
from nymity.publishing.sealing.fingerprint import file_fingerprint, fingerprint
from nymity.publishing.sealing.signing import CERTIFICATE_NAME
from nymity.table.attribute import Role
from nymity.table.published_cells import StatedLevels
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema
from nymity.table.text import MASK, as_text
from nymity.utility.released import Released


def open(
    release: Any,
    *,
    job: Job | str | Path | None = None,
    schema: Schema | None = None,
    certificate: Certificate | str | Path | None = None,
    sensitive: Any = None,
    recoding: Recoding | str | Path | None = None,
    links: Any = None,
    population: Any = None,
    custodian: str | Path | None = None,
    url: str | None = None,
) -> OpenedRelease:
    """Open a release: its folder, its table or its certificate by path, a table in any kind of frame, or a Release.

    ``certificate`` is looked for beside the table unless it or a ``job`` is given. ``sensitive`` is the second table of
    a bucketized release, looked for beside the first. ``custodian`` is the custodian's folder; the one beside the
    release is taken if it keeps a log of this very table. It tells the ``recoding`` and the ``links``, the source row
    of each released row; both can be given, too, as they are or by their file. ``schema`` and ``population`` are those
    of the job unless given. ``url`` is the database that the table lies in, where the job does not name it: a
    certificate that somebody gives you never says where to connect to.
    """
    if isinstance(release, Release):
        further = (job, schema, certificate, sensitive, recoding, links, population, custodian)
        if any(given is not None for given in further):
            raise ParameterError("open", expected="only a Release, which has everything", got="more than that")
        return OpenedRelease(
            files=ReleasedFiles(release.frame, None, release.counts),
            stated=Stated.read(release.certificate),
            job=release.job,
            given_recoding=release.recoding,
            given_log=release.log,
        )
    described = Job.load(job) if isinstance(job, str | Path) else job
    if described is not None:
        validation.instance("job", described, Job, expected="a Job, or the path of its file")
    if isinstance(recoding, str | Path):
        recoding = Path(path_text("recoding", recoding))
    elif recoding is not None:
        validation.instance("recoding", recoding, Recoding, expected="a Recoding, or the path of its file")
    if isinstance(release, str | Path):
        release, certificate = _found(Path(path_text("release", release)), certificate, described)
    stated = Stated.read(certificate)
    output = _written_as(_output(described, stated, url), described, stated, release)
    second, key = _second_table(described, stated), _key(described, stated)
    # Parents without children have gaps in the join, which are * where a column is at its top: see rejoined.
    top = None if stated is None else [one.name for one in stated.form.columns if one.is_at_top]
    if isinstance(output, DatabaseOutput) and isinstance(release, Path) and release.is_dir():
        files = ReleasedFiles.in_database(output, second, key, top, folder=release, stated=stated)
    else:
        files = ReleasedFiles.read(release, sensitive, output, second, key=key, top=top)
    return OpenedRelease(
        files=files,
        stated=stated,
        job=described,
        given_schema=None if schema is None else Schema.of(schema),
        given_recoding=recoding,
        given_links=_given_links(links),
        given_population=None if population is None else to_polars(population),
        custodian=None if custodian is None else Custody(Path(path_text("custodian", custodian))),
    )


def _given_links(links: Any) -> NDArray[np.int64] | Path | None:
    """Return links as numbers, or the file they lie in."""
    if links is None or isinstance(links, str | Path):
        return None if links is None else Path(path_text("links", links))
    try:
        numbers = np.asarray(links)
        return numbers.astype(np.int64, casting="safe" if numbers.size else "unsafe")  # an empty list has no type
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            "links", expected="the source row of each released row, or their file", got=as_given(links)
        ) from error


def _found(path: Path, certificate: Any, job: Job | None) -> tuple[Path, Any]:
    """Return the table and the certificate that a path leads to."""
    if path.name == CERTIFICATE_NAME and path.is_file():
        path = path.parent
    if not path.exists() and not path.suffix:
        raise FileError(str(path), expected="a folder of a release, or the file of a table", got="nothing there")
    if not path.is_dir():
        if path.suffix == ".json" and path.is_file():
            raise FileError(
                str(path),
                expected=f"a release, its table, or its {CERTIFICATE_NAME} with the table beside it",
                got="another file of JSON",
                hint=f"nymity.open(table, certificate={str(path)!r}), if it is a certificate",
            )
        beside = path.with_name(CERTIFICATE_NAME)
        return path, beside if certificate is None and job is None and beside.is_file() else certificate
    return _found_in(path, certificate)


def _found_in(path: Path, certificate: Any) -> tuple[Path, Any]:
    """Return the table and the certificate of a folder."""
    refuse_between(path)
    certificate = path / CERTIFICATE_NAME if certificate is None else certificate
    if isinstance(certificate, Path) and not certificate.is_file():
        here = (path / LOG_NAME).is_file()
        raise FileError(
            str(path),
            expected=f"a release: a folder with a {CERTIFICATE_NAME}",
            got="the custodian's folder of one" if here else "none",
            hint="the folder of the release; this one is its custodian=" if here else "",
        )
    stated = Stated.read(certificate)
    assert stated is not None
    if stated.form.output.database is not None:
        return path, certificate
    table = path / (stated.form.output.file or stated.job.output.file_name)
    if not table.exists():
        raise FileError(
            str(path),
            expected=f"the table {table.name!r} beside {CERTIFICATE_NAME}",
            got="no such file",
            hint=f"nymity.open(table, certificate={str(path / CERTIFICATE_NAME)!r}), wherever it lies",
        )
    return table, certificate


def _output(job: Job | None, stated: Stated | None, url: str | None = None) -> Output | DatabaseOutput:
    """Return how the table was written; where a database is, the caller or the job says, and no certificate."""
    output = Output() if job is None else job.output
    if stated is None or (output == stated.job.output and url is None):
        return output
    named = output.url if isinstance(output, DatabaseOutput) else None
    return stated.job.output.at(url if url is not None else named)


def _written_as(
    output: Output | DatabaseOutput, job: Job | None, stated: Stated | None, release: Any
) -> Output | DatabaseOutput:
    """Return how a file was written; like its source, where a job says so and nothing tells how that was."""
    unknown = stated is None and job is not None and job.source is not None and job.source.options.delimiter is None
    if unknown and isinstance(release, Path) and release.is_file():
        like_source = ReadOptions(header=True, decimal=job.source.options.decimal)  # type: ignore[union-attr]
        return output.like(format_of(release).found_options(release, like_source))
    return output


def _second_table(job: Job | None, stated: Stated | None) -> str | None:
    """Return the name of the file with sensitive values, where they lie apart, or with children, where there are."""
    if stated is not None and (children := stated.form.output.child_table) is not None:
        return children.file or _output(job, stated).children_file_name
    described = None if stated is None else stated.form.output.sensitive_table
    if described is not None:
        return described.file or _output(job, stated).sensitive_file_name
    return job.table_names[1] if job is not None and len(job.table_names) > 1 else None


def _key(job: Job | None, stated: Stated | None) -> str | None:
    """Return what joins two tables of the same people; None where there is one table."""
    described = job if stated is None else stated.job
    return None if described is None or described.children is None else described.schema.person


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OpenedRelease(Carded):
    """A release as it lies there; make it with :func:`open`."""

    _instead: ClassVar = {
        **dict.fromkeys(("df", "data", "frame", "frames", "to_polars"), ".table"),
        "to_pandas": ".table.to_pandas()",
        **dict.fromkeys(("to_csv", "to_parquet", "save"), "ny.write_table(opened.table, path)"),
        **dict.fromkeys(("head", "columns", "shape", "describe"), ".table, which is a frame of Polars"),
        **dict.fromkeys(("check", "verify"), "ny.check(folder)"),
        "compare": "ny.compare(df, opened)",
        "attack": "ny.risk.attack(opened, df)",
        "measure": "ny.measure(opened)",
        "risk": "ny.measure_risk(opened)",
    }

    files: ReleasedFiles
    stated: Stated | None = None
    job: Job | None = None
    given_schema: Schema | None = None
    given_recoding: Recoding | Path | None = None
    given_links: NDArray[np.int64] | Path | _Mapping | None = None
    given_population: pl.DataFrame | None = None
    given_log: CustodianLog | None = None
    custodian: Custody | None = None
    #: Promises that a check found broken, by their number, with what it measured.
    broken: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    @staticmethod
    def of(release: Release | OpenedRelease | str | Path) -> OpenedRelease:
        """Return a release as opened, whichever way it is given."""
        return release if isinstance(release, OpenedRelease) else open(release)

    def card(self) -> Card:
        """Return what is shown: what anybody may know who has the table and its certificate."""
        from nymity.publishing.releases.release_card import release_card  # it speaks of releases

        return release_card(self)

    def plot(self) -> Any:
        """Return a bar chart of the records by the size of their class (altair, extra ``plot``)."""
        from nymity.publishing.releases.release_card import sizes_of

        return sizes_of(self).plot()

    def report(self, original: Any = None) -> Page:
        """Return the page on this release: for its recipients, or with the ``original`` table for its custodian."""
        return page_of(self, original)

    @property
    def table(self) -> pl.DataFrame:
        """The released table."""
        return self.files.table

    @property
    def sensitive_table(self) -> pl.DataFrame | None:
        """The sensitive values of each bucket; None unless values lie apart."""
        return self.files.counts

    @property
    def certificate(self) -> CertificateForm:
        """What its publisher certified, or an error where there is no certificate."""
        if self.stated is None:
            raise FileError(
                str(self.files.path or "release"),
                expected=f"a {CERTIFICATE_NAME} next to it",
                got="none",
                hint="nymity.open(table, certificate=path)",
            )
        return self.stated.form

    @property
    def schema(self) -> Schema | None:
        """What each column is: as given, by the job, or by the certificate, which withholds values and paths."""
        if self.given_schema is not None:
            return counted_by(self.given_schema, self.promises)
        if self.job is not None:
            return self.job.schema
        return None if self.stated is None else self.stated.job.schema

    @property
    def promises(self) -> tuple[PrivacyModel, ...]:
        """The models that its job demands, or that its certificate promises."""
        if self.job is not None:
            return self.job.privacy
        return () if self.stated is None else self.stated.job.models

    @property
    def method(self) -> Method | None:
        """How it was made."""
        if self.job is not None:
            return self.job.method
        return None if self.stated is None else self.stated.job.method

    @property
    def minimized(self) -> Any:
        """What its method kept small: a loss, or its like; None of a private method, and where none is known."""
        method = self.method if self.stated is None else self.stated.job.method
        return getattr(method, "minimized", None)

    @property
    def warnings(self) -> tuple[Caveat, ...]:
        """What its certificate says that someone could still find out, the worst first."""
        form = self.certificate
        if not isinstance(form, Certificate2):  # version 1 has plain sentences
            return tuple(Caveat.by_nature(text) for text in getattr(form, "not_protected", ()))
        return tuple(Caveat(key=one.warning, says=one.says, figures=one.figures) for one in form.not_protected)

    @property
    def verdict(self) -> str:
        """Return whether it held when it was measured, and with how many warnings."""
        return verdict(self.holds, len(self.warnings))

    @property
    def holds(self) -> bool:
        """Whether every promise was kept when it was measured, and no check since found otherwise."""
        return self.certificate.measured.holds and not self.is_foreseeable and not self.broken

    @cached_property
    def log(self) -> KeptLog | None:
        """The custodian's log of this release: in the folder that was given, or in the one beside it if it is there."""
        here, folder = self.files.path, self.files.place
        if self.custodian is not None:
            return self.custodian.log_of(self.table if here is None else here)
        if folder is None or not _may_look(custody := Custody.of_release(folder.absolute())):
            return None
        fitting = custody.with_content(*([] if here is None else [file_fingerprint(here)]), fingerprint(self.table))
        if fitting is None and not custody.logs[0].released:
            fitting = custody.logs[0]  # of a version whose logs did not say what they belong to
        return fitting

    @cached_property
    def recoding(self) -> Recoding | None:
        """How values were generalized, as given or by the custodian's log; None where nobody has it."""
        given = self.given_recoding
        if given is None and (log := self.log) is not None and not log.ended and log.recoding.exists():
            given = log.recoding
        return Recoding.load(given).with_values(str(given)) if isinstance(given, Path) else given

    @property
    def links(self) -> NDArray[np.int64] | None:
        """The source row of each released row, as given or by the custodian's log; None where nobody has it."""
        return self._mapping.source_rows

    def is_made_of(self, original: pl.DataFrame) -> bool:
        """Whether a table has the hash of the source that the certificate states; the custodian has the salt."""
        stated, log, schema = self.certificate.input, self.custodian_log, self.schema
        if stated is None or log is None or schema is None:
            return False
        return source_hash(original, schema, stated.content_format, salt=log.salt) == stated.salted_sha256

    def linked_to(self, original: pl.DataFrame) -> OpenedRelease:
        """Return it with links to the records of its original, where an engine wrote it and numbered no rows."""
        stated, schema = self.stated, self.schema
        by_engine = stated is not None and stated.form.input is not None and stated.form.input.content_format
        if not by_engine or self.links is not None or self.recoding is None or schema is None:
            return self
        found = relinked(self.recoding, self.table, original, schema)
        return self if found is None else replace(self, given_links=_Mapping(*found))

    @cached_property
    def custodian_log(self) -> CustodianLog | None:
        """What the custodian keeps of it: as it was made, or read from the folder; None where nobody has it."""
        if self.given_log is not None or (log := self.log) is None:
            return self.given_log
        if log.ended is not None:
            raise custody_has_ended(str(log.folder), log.ended)
        return _read_log(log, self._mapping)

    @cached_property
    def _mapping(self) -> _Mapping:
        if self.given_log is not None:
            return _Mapping(self.given_log.source_rows, self.given_log.masked)
        given = self.given_links
        if given is None and (log := self.log) is not None and not log.ended and log.mapping.exists():
            given = log.mapping
        if isinstance(given, _Mapping):
            return given
        return _read_mapping(given) if isinstance(given, Path) else _Mapping(given)

    @cached_property
    def released(self) -> Released:
        """What queries, learning, attacks and comparisons take."""
        recoding, population = self.recoding, self.given_population
        known = self.job if self.job is not None else None if self.stated is None else self.stated.job
        if population is None and recoding is None and self.job is not None:
            population = population_of(self.job)
        return Released(
            frame=self.table,
            counts=self.sensitive_table,
            schema=self.schema,
            models=self.promises,
            method=self.method,
            recoding=recoding,
            source_rows=self._mapping.source_rows,
            masked=self._mapping.masked,
            population=population,
            minimized=self.minimized,
            levels=self._levels,
            transforms=() if known is None else known.transforms,
        )

    @property
    def _levels(self) -> dict[str, StatedLevels] | None:
        """The levels that the certificate says quasi-identifiers are published on; None without one."""
        if self.stated is None:
            return None
        quasi = [column for column in self.certificate.columns if column.role == "quasi"]
        return {column.name: StatedLevels(column.levels_in_use, column.height) for column in quasi}

    @property
    def unit(self) -> UnitSection | None:
        """What its promises count; None of releases whose certificates do not say it, and count records."""
        return self.certificate.unit

    @property
    def items(self) -> ItemsSection | None:
        """What became of sets of items; None where there are none."""
        return self.certificate.items

    @property
    def signed_by(self) -> str | None:
        """The fingerprint of the key that a signature beside the certificate names; it proves nothing by itself."""
        return None if self.stated is None or self.stated.signature is None else self.stated.signature.key

    @property
    def file_name(self) -> str:
        """Name of the table's file, or of the table in a database."""
        output = self.certificate.output
        return output.file or ("the table" if output.database is None else output.database.table)

    @property
    def file_names(self) -> list[str]:
        """Names of both tables' files where there are two."""
        output = self.certificate.output
        second = output.sensitive_table or output.child_table
        return [self.file_name, *([] if second is None else [second.file or "the second table"])]

    @property
    def children(self) -> Children | None:
        """What its job says of the second of two tables of the same people; None where there is one table."""
        described = self.job if self.stated is None else self.stated.job
        return None if described is None else described.children

    @property
    def quasi(self) -> list[str]:
        """Quasi-identifiers that are published."""
        return [column.name for column in self.certificate.columns if column.role == "quasi"]

    @property
    def left_out(self) -> list[str]:
        """Columns that are not published: identifying ones, those of persons and households, dropped weights."""
        there = {column.name for column in self.certificate.columns}
        apart = (Role.IDENTIFYING, Role.PERSON, Role.HOUSEHOLD, Role.WEIGHT)
        schema = self.certificate.job.schema_.items()
        return [name for name, one in schema if one.get("role") in apart and name not in there]

    @property
    def is_private(self) -> bool:
        """Whether it is differentially private."""
        return self.certificate.differential_privacy is not None

    @property
    def kind(self) -> str:
        """One of private, buckets, matching and classes: what records are protected by."""
        if self.is_private:
            return "private"
        if self.sensitive_table is not None:
            return "buckets"
        return "matching" if any(one.model == "k-matching" for one in self.certificate.promised) else "classes"

    @property
    def is_seeded(self) -> bool:
        """Whether draws can be repeated by whoever knows the seed, so that what is promised does not hold."""
        return self.certificate.is_seeded

    @property
    def is_foreseeable(self) -> bool:
        """Whether it was to be differentially private, and its draws are from a known seed: then it is not."""
        return self.is_private and self.is_seeded

    @property
    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier, where all rows have the same."""
        return {column.name: column.level for column in self.certificate.columns if column.level is not None}

    @cached_property
    def masked_rows(self) -> int:
        """Rows with ``*`` in every quasi-identifier."""
        rows = pl.Series([True]).new_from_index(0, self.table.height)
        for name in self.quasi:
            cells = self.table[name]
            rows = rows & ((cells if are_numbers(cells) else as_text(cells)) == MASK).fill_null(False)
        return int(rows.sum()) if self.quasi else 0

    @cached_property
    def class_sizes(self) -> tuple[int | None, int]:
        """The records, or persons, of the smallest class, and how many classes there are: as certified.

        A class of a differentially private release has as many rows as persons. They are counted again where a check
        found a promise about classes broken, by the rule of today.
        """
        measured = self.certificate.measured
        if (unit := self.unit) is not None and unit.units is not None:
            return unit.fewest_in_a_class, measured.classes
        if self.hides_persons:
            return None, measured.classes
        if self.broken and self.kind == "classes":
            groups = Groups(self.table, self.quasi)
            return groups.smallest, len(groups.sizes)
        return measured.smallest_class, measured.classes

    @property
    def linking(self) -> PrivacyModel | None:
        """The promise that reckons with several rows of one person, or household; None without one."""
        return next((model for model in self.promises if model.links_known is not None), None)

    @property
    def unit_word(self) -> str:
        """What promises count, in the singular."""
        return "record" if self.unit is None else self.unit.counts[:-1]

    @property
    def hides_persons(self) -> bool:
        """Whether promises count persons, and how many there are is what is protected; rows say nothing about them."""
        unit = self.unit
        return unit is not None and unit.counts != "records" and unit.units is None and unit.records_per_person is None

    @property
    def highest_risk(self) -> tuple[int, int] | None:
        """Numerator and denominator of the largest chance to pick anybody's row, where that was measured."""
        unit = self.unit
        share = None if unit is None else unit.largest_share_of_a_class
        if share is not None:  # one person may have most rows of a class
            return ceil(share * 10**6), 10**6
        smallest: Any = self.class_sizes[0]
        if self.kind == "matching":
            reached = (self.reached(number) for number in range(len(self.certificate.promised)))
            smallest = next((found.get("k") for promised, found, _ in reached if promised.model == "k-matching"), None)
        return (1, smallest) if isinstance(smallest, int) and smallest > 0 else None

    @property
    def average_risk(self) -> tuple[int, int] | None:
        """One over the rows of a class, on average over rows; or over the persons of a class, over those of all."""
        unit = self.unit
        persons = None if unit is None else unit.summed_over_classes
        records = self.certificate.measured.records if persons is None else persons
        if self.hides_persons:
            return None
        return (self.class_sizes[1], records) if records and self.kind != "matching" else None

    def reached(self, number: int) -> tuple[Promise, Mapping[str, Any], bool]:
        """Return a promise with the parameters that were measured, and whether they suffice."""
        promised, models = self.certificate.promised[number], self.certificate.measured.models
        if number in self.broken:
            return promised, self.broken[number], False
        found = models[number] if number < len(models) else None
        return promised, {} if found is None else found.parameters, found is not None and found.holds


def _may_look(custody: Custody) -> bool:
    """Return whether there are logs in a folder that nobody named; it is closed to all but the custodian."""
    try:
        return custody.has_logs and os.access(custody.folder, os.R_OK | os.X_OK)
    except OSError:
        return False


class _Mapping(NamedTuple):
    """The source row of each released row, and which rows are suppressed, where these are known."""

    source_rows: NDArray[np.int64] | None = None
    masked: NDArray[np.bool_] | None = None


def _read_log(log: KeptLog, mapping: _Mapping) -> CustodianLog:
    """Read a log with what lies beside it."""
    plain, nodes = read_log(log.folder / LOG_NAME), log.folder / NODES_NAME
    if mapping.source_rows is None and "mapping" not in plain:  # an engine numbers no rows, and says so
        raise FileError(str(log.mapping), expected="the links of released rows", got="no such file")
    rows = np.empty(0, dtype=np.int64) if mapping.source_rows is None else mapping.source_rows
    return CustodianLog(
        source_rows=rows,
        masked=np.zeros(len(rows), dtype=np.bool_) if mapping.masked is None else mapping.masked,
        salt=str(plain.get("salt", "")),
        seconds=dict(plain.get("seconds", {})),
        nodes=read_table(nodes) if nodes.is_file() else None,
        nodes_checked=plain.get("nodes_checked", plain.get("nodes_evaluated")),
        dropped_records=int(plain.get("dropped_records", 0)),
        taken_as_missing=_taken(plain.get("taken_as_missing")),
    )


def _taken(plain: Any) -> Taken:
    """Read how many cells were taken as missing; what is no such table tells nothing."""
    if not isinstance(plain, Mapping):
        return {}
    return {
        str(column): {str(code): int(cells) for code, cells in counts.items() if isinstance(cells, int)}
        for column, counts in plain.items()
        if isinstance(counts, Mapping)
    }


def _read_mapping(path: Path) -> _Mapping:
    """Read what the custodian's log tells of each row."""
    refuse_ended(path)
    mapping = read_table(path)
    if not {"released_row", "source_row"} <= set(mapping.columns):
        raise TableError(
            str(path), expected="columns 'released_row' and 'source_row'", got=", ".join(map(repr, mapping.columns))
        )
    # By number and not as they lie there: a file of rows may have been written again by another tool.
    mapping = mapping.sort("released_row")
    rows = mapping["source_row"]
    if not rows.dtype.is_integer() or rows.has_nulls():
        raise TableError(str(path), expected="row numbers in 'source_row'", got=f"{rows.dtype} or gaps")
    masked = mapping["masked"] if "masked" in mapping.columns else None
    if masked is not None and (masked.dtype != pl.Boolean or masked.has_nulls()):
        raise TableError(str(path), expected="true or false in 'masked'", got=f"{masked.dtype} or gaps")
    return _Mapping(rows.to_numpy().astype(np.int64), None if masked is None else masked.to_numpy())
