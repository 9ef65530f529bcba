"""check: hold a released table against a job or its certificate, knowing nothing else.

Three answers: something *holds*, *does not hold*, or *cannot be seen* from what was given. A table does not show how
its rows were drawn, a certificate not when it was made; what nobody can see is said to be so, and never to hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import polars as pl

from nymity.bucket.methods import BucketMethod
from nymity.core.errors import InputError
from nymity.core.validation import nearest
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.dp.private_method import PrivateMethod
from nymity.io import ReadOptions, read_table, to_polars
from nymity.partition.freeform import Freeform
from nymity.privacy import PrivacyModel, plain_measured
from nymity.privacy.consistency import Originals
from nymity.publish.bucket_tables import check_counts
from nymity.publish.caveats import Caveat, CheckedCaveats, checked_caveats
from nymity.publish.certificate import Certificate, measured_section
from nymity.publish.certificate_form import (
    Certificate1,
    Certificate2,
    CertificateForm,
    MeasuredSection1,
    OutputSection,
    SensitiveTable,
    certificate_form,
    parse_bytes,
    read_bytes,
)
from nymity.publish.certificate_form import read_certificate as read_certificate
from nymity.publish.codec import dump_piece
from nymity.publish.contradictions import StatedJob, contradictions
from nymity.publish.fingerprint import file_fingerprint, fingerprint
from nymity.publish.job import Job, Output
from nymity.publish.pipeline import load_source, without_dropped
from nymity.publish.population import Population, Tables, beside_population, public_model, tables_of
from nymity.publish.release import read_written
from nymity.publish.signing import Signature, VerifyingKey
from nymity.publish.verify import Verification, verify
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.encoding import distinct_values
from nymity.table.hierarchy import HierarchySource
from nymity.table.recoding import Recoding
from nymity.table.schema import Role, Schema
from nymity.table.text import MASK


class Answer(StrEnum):
    """What can be said about one thing."""

    HOLDS = "holds"
    BROKEN = "does not hold"
    UNSEEN = "cannot be seen"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """One thing that was looked at: what it is ``about``, what is said, the answer, and why where that is not plain.

    ``about`` is ``promise``, ``table``, ``signature``, or a field of the certificate such as ``loss``.
    """

    about: str
    says: str
    answer: Answer
    why: str = ""
    #: Of a promise: the key of its model, and what was measured, as JSON has it.
    model: str | None = None
    measured: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """The answers, promises first; ``verification`` is what was measured of the promises that could be.

    ``key`` is the fingerprint that a signature beside the certificate names. It proves nothing by itself.
    ``warnings`` say what someone could still find out although every promise holds, the worst first.
    """

    verification: Verification
    findings: tuple[Checked, ...]
    key: str | None = None
    warnings: tuple[Caveat, ...] = ()

    @property
    def answer(self) -> Answer:
        """Broken if anything is; else unseen if a promise is. What else cannot be seen is only told."""
        if any(finding.answer is Answer.BROKEN for finding in self.findings):
            return Answer.BROKEN
        unseen = any(finding.answer is Answer.UNSEEN for finding in self.promises)
        return Answer.UNSEEN if unseen else Answer.HOLDS

    @property
    def holds(self) -> bool:
        """Whether every promise was checked and is kept, and nothing else is wrong."""
        return self.answer is Answer.HOLDS

    @property
    def promises(self) -> tuple[Checked, ...]:
        """The promises."""
        return tuple(finding for finding in self.findings if finding.about == PROMISE)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong besides broken promises: tampering, contradictions, columns that must not be there."""
        return tuple(f.says for f in self.findings if f.answer is Answer.BROKEN and f.about != PROMISE)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The promises that cannot be seen from what was given."""
        return tuple(finding.says for finding in self.promises if finding.answer is Answer.UNSEEN)


PROMISE, TABLE, SIGNATURE = "promise", "table", "signature"


def check(
    release: Any,
    *,
    job: Job | None = None,
    certificate: Certificate | str | Path | None = None,
    recoding: Recoding | str | Path | None = None,
    source: Any = None,
    sensitive: Any = None,
    original: Any = None,
    key: VerifyingKey | str | Path | None = None,
) -> CheckResult:
    """Check a released table (a frame or a path) against a job, a certificate, or both.

    Promises about a population need it beside the table: the ``job`` names it and the ``recoding`` generalizes it as
    the release was. ``source`` is the job's source, where that is the population and the job names no file.
    ``sensitive`` is the second table of a bucketized release, looked for beside the first unless given.

    ``original`` is the table the release was made from, a frame or a path. Promises about matching it with the rows
    need it, and the job, whose hierarchies tell what cells stand for; the recoding tells it where text is ambiguous.
    A promise that needs what was not given cannot be seen, and the check does not succeed.

    ``key`` is a public key, or its path: the certificate file must be signed by it.
    """
    stated = _Stated.read(certificate)
    if job is None and stated is None:
        raise InputError("check", expected="a job or a certificate to check against", got="neither")
    files = _Files.read(release, sensitive, job, stated)
    promised = _Promised.of(job, stated)
    beside = _Beside.given(promised.models, job, recoding, source, original)
    unseen = {model: why for model in promised.models if (why := beside.missing(model))}
    measuring = _Measuring(files=files, quasi=promised.quasi, hierarchies=promised.hierarchies, beside=beside)
    measured, verified = measuring.all_but(promised.models, unseen)
    findings = [
        *_promises(promised.models, measured, verified, unseen, measuring, stated),
        *(Checked(about=about, says=says, answer=Answer.BROKEN) for about, says in files.problems(job, stated)),
        *(Checked(about=TABLE, says=says, answer=Answer.BROKEN) for says in verified.problems),
    ]
    if stated is not None:
        problems = [("certificate", says) for says in contradictions(stated.form, stated.job)]
        problems += [("certificate", says) for says in _unlike_job(job, stated)]
        if not promised.differ:
            problems += [("measured", says) for says in _mismeasured(stated.form, measured, verified, measuring)]
        problems += [("input", says) for says in _other_original(beside.originals, stated.form)]
        problems += [("population", says) for says in _other_population(beside.tables, stated.form)]
        findings += [Checked(about=about, says=says, answer=Answer.BROKEN) for about, says in problems]
        findings += _unseen_fields(stated.form)
    if _is_seeded(job, stated):
        says = "all draws were from a known seed, so nothing is private"
        findings.append(Checked(about="random_sources", says=says, answer=Answer.BROKEN))
    findings += _signed(stated, key)
    named = stated.signature.key if stated is not None and stated.signature is not None else None
    caveats = _caveats(files, promised, job, stated)
    findings += [Checked(about="not_protected", says=says, answer=Answer.BROKEN) for says in caveats.problems]
    return CheckResult(verification=verified, findings=tuple(findings), key=named, warnings=caveats.warnings)


def _caveats(files: _Files, promised: _Promised, job: Job | None, stated: _Stated | None) -> CheckedCaveats:
    """Look for warnings that the table shows, beside those of the certificate."""
    schema = stated.job.schema if job is None and stated is not None else job.schema if job is not None else Schema({})
    method = job.method if job is not None else stated.job.method if stated is not None else None
    told = None if stated is None else stated.form.model_dump(mode="json", exclude_unset=True)
    return checked_caveats(
        files.table,
        files.counts,
        roles={name: attribute.role.value for name, attribute in schema.items()},
        models=promised.models,
        stated=told,
        private=isinstance(method, PrivateMethod),
        classes=not isinstance(method, Freeform),
    )


# -- what was given ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class _Stated:
    """A certificate: its form, the job in it, and the signature beside its file."""

    form: CertificateForm
    job: StatedJob
    content: bytes | None = None
    signature: Signature | None = None

    @staticmethod
    def read(certificate: Certificate | str | Path | None) -> _Stated | None:
        if certificate is None:
            return None
        if not isinstance(certificate, str | Path):
            form = certificate_form(certificate)
            return _Stated(form=form, job=StatedJob.of(form))
        where, content = str(certificate), read_bytes(certificate)
        form = certificate_form(parse_bytes(content, where), where)
        return _Stated(
            form=form, job=StatedJob.of(form, where), content=content, signature=Signature.beside(certificate)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Promised:
    """What is to be checked: the promises of the job, or those of the certificate where there is no job."""

    quasi: tuple[str, ...]
    models: tuple[PrivacyModel, ...]
    hierarchies: Mapping[str, HierarchySource]
    #: Whether job and certificate promise different things.
    differ: bool = False

    @staticmethod
    def of(job: Job | None, stated: _Stated | None) -> _Promised:
        if job is None:
            assert stated is not None
            own = stated.job
            found = _Promised(quasi=own.quasi, models=own.models, hierarchies=own.hierarchies)
        else:
            differ = stated is not None and _plain(job.privacy) != _plain(stated.job.models)
            hierarchies = job.schema.sensitive_hierarchies
            found = _Promised(quasi=job.schema.quasi, models=job.privacy, hierarchies=hierarchies, differ=differ)
        if not found.quasi:
            raise InputError(
                "check", expected="at least one quasi-identifier: without one nothing is promised", got="none"
            )
        return found


def _plain(models: Sequence[PrivacyModel]) -> list[dict[str, Any]]:
    return [dump_piece(public_model(model), tag="model") for model in models]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Beside:
    """What lies beside the table: the population and the original, where promises need them and they were given."""

    tables: Tables | None = None
    population: Population | None = None
    originals: Originals | None = None

    @staticmethod
    def given(
        models: Sequence[PrivacyModel],
        job: Job | None,
        recoding: Recoding | str | Path | None,
        source: Any,
        original: Any,
    ) -> _Beside:
        tables = population = originals = None
        if any(model.second_table for model in models) and job is not None and recoding is not None:
            tables, population = _population(models, job, recoding, source)
        if any(model.needs_source for model in models) and original is not None:
            originals = _originals(original, job, recoding)
        return _Beside(tables=tables, population=population, originals=originals)

    def missing(self, model: PrivacyModel) -> str:
        """Say what a promise needs that was not given."""
        if model.needs_source and self.originals is None:
            return "it is about matching rows with the original: give that and the job (--original, --job)"
        if model.second_table and self.population is None:
            return (
                "it is about a population: give the job that names it and the recoding of the release (--job, "
                "--recoding)"
            )
        return ""


@dataclass(frozen=True, eq=False)
class _Files:
    """What was released: the table and, where sensitive values lie apart, their counts; with the files of both."""

    table: pl.DataFrame
    path: Path | None
    counts: pl.DataFrame | None = None
    counts_path: Path | None = None
    #: Files whose cells are not written as they should be.
    odd: tuple[str, ...] = ()

    @staticmethod
    def read(release: Any, sensitive: Any, job: Job | None, stated: _Stated | None) -> _Files:
        """Read the table, and the second one of a bucketized release, which lies beside it unless it is given."""
        output = stated.job.output if stated is not None else job.output  # type: ignore[union-attr]
        table, path, odd = _read(release, output)
        described = None if stated is None else stated.form.output.sensitive_table
        if described is None and not (job is not None and isinstance(job.method, BucketMethod)):
            return _Files(table, path, odd=odd)
        if sensitive is None and path is not None:
            named = None if described is None else described.file
            sensitive = path.with_name(named or output.sensitive_file_name)
        if sensitive is None:
            raise InputError(
                "check",
                expected="both tables of a bucketized release",
                got="one of them",
                hint="check(release.table, sensitive=release.sensitive_table, ...)",
            )
        counts, counts_path, also_odd = _read(sensitive, output)
        check_counts(table, counts)
        return _Files(table, path, counts, counts_path, (*odd, *also_odd))

    def check_columns(self, quasi: Sequence[str], sensitive: Sequence[str]) -> None:
        """Refuse tables without a column that a promise speaks of."""
        if self.counts is None:
            _check_columns(self.table, [*quasi, *sensitive])
        else:
            _check_columns(self.table, quasi)
            _check_columns(self.counts, sensitive)

    def problems(self, job: Job | None, stated: _Stated | None) -> Iterator[tuple[str, str]]:
        """Say what is wrong beside broken promises."""
        for name in self.odd:
            yield TABLE, f"{name} has text that spreadsheets run as a formula, and should have none"
        if job is not None:
            yield from ((TABLE, says) for says in self._unlike_schema(job.schema))
        if stated is None:
            return
        output = stated.form.output
        names = [column.name for column in stated.form.columns]
        yield from (("output", says) for says in _tampering(self.table, self.path, output, names))
        if self.counts is not None and output.sensitive_table is not None:
            second = output.sensitive_table
            yield from (("output", says) for says in _tampering(self.counts, self.counts_path, second, second.columns))
            gaps = sum(column.null_count() for column in self.counts)
            if (second.missing_values == "count as a value of their own") != bool(gaps):
                yield "output", "the second table has gaps and the certificate does not say so, or the other way round"
        yield from (("files", says) for says in self._other_files(stated.form))

    def _unlike_schema(self, schema: Schema) -> Iterator[str]:
        """Say which columns should not be there, and which should."""
        there = {*self.table.columns, *(() if self.counts is None else self.counts.columns)}
        for name in self.table.columns:
            if name in schema and schema[name].role is Role.IDENTIFYING:
                yield f"identifying column {name!r} is in the release"
            elif name not in schema and not (self.counts is not None and name == BUCKET):
                yield f"column {name!r} is in the release, and the job does not know it"
        for name in () if self.counts is None else self.counts.columns:
            if name not in (BUCKET, COUNT) and (name not in schema or schema[name].role is not Role.SENSITIVE):
                yield f"column {name!r} is in the sensitive table, and is no sensitive column of the job"
        for name, attribute in schema.items():
            if attribute.role is not Role.IDENTIFYING and name not in there:
                yield f"column {name!r} is not in the release, and the job publishes it"

    def _other_files(self, form: CertificateForm) -> Iterator[str]:
        """Compare files that lie beside the table; which of them were received is not for us to say."""
        tables = {
            form.output.file,
            *(() if form.output.sensitive_table is None else [form.output.sensitive_table.file]),
        }
        if self.path is None or not isinstance(form, Certificate2):
            return
        for item in form.files or ():
            place = self.path.with_name(item.file)
            if item.file not in tables and place.is_file() and file_fingerprint(place) != item.sha256:
                yield f"{item.file} is not the file the certificate was made for (sha256 differs)"


def _read(release: Any, output: Output) -> tuple[pl.DataFrame, Path | None, tuple[str, ...]]:
    """Read a table the one way it is written; name the file if it cannot have been written so."""
    if not isinstance(release, str | Path):
        return to_polars(release), None, ()
    path = Path(release)
    table, is_as_written = read_written(path, output)
    return table, path, () if is_as_written else (path.name,)


def _check_columns(table: pl.DataFrame, needed: Sequence[str]) -> None:
    """Refuse a table without one of these columns."""
    for name in needed:
        if name not in table.columns:
            raise InputError(
                "release",
                expected=f"the columns {', '.join(map(repr, dict.fromkeys(needed)))}",
                got=f"no column {name!r}",
                hint=nearest(name, table.columns),
            )


# -- what holds ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class _Measuring:
    """Measures models on the released files."""

    files: _Files
    quasi: tuple[str, ...]
    hierarchies: Mapping[str, HierarchySource]
    beside: _Beside

    def all_but(
        self, models: Sequence[PrivacyModel], unseen: dict[PrivacyModel, str]
    ) -> tuple[list[PrivacyModel], Verification]:
        """Measure the models that can be seen, and add those to ``unseen`` that need a hierarchy nobody gave."""
        while True:
            seen = [model for model in models if model not in unseen]
            self.files.check_columns(self.quasi, [name for model in seen for name in model.sensitive])
            try:
                return seen, self(self.files.table, seen)
            except InputError as error:
                lacking = [m for m in seen for name in m.sensitive if error.where == f"hierarchy of {name!r}"]
                if not lacking or lacking[0].sensitive[0] in self.hierarchies:
                    raise
                unseen[lacking[0]] = (
                    "it measures distances in a hierarchy that the certificate does not hold: give the job"
                )

    def __call__(self, table: pl.DataFrame, models: Sequence[PrivacyModel]) -> Verification:
        return verify(
            table,
            self.quasi,
            models,
            hierarchies=self.hierarchies,
            population=self.beside.population,
            counts=self.files.counts,
            originals=self.beside.originals,
        )

    def without_masked(self, models: Sequence[PrivacyModel]) -> Verification:
        """Measure as if the masked rows had been removed."""
        texts = [self.files.table[name].alias(f"q{i}") for i, name in enumerate(self.quasi)]
        if any(column.dtype != pl.String for column in texts):
            return self(self.files.table, models)
        masked = pl.DataFrame(texts).select(pl.all_horizontal(pl.all() == MASK).fill_null(False)).to_series()
        return self(self.files.table.filter(~masked), models)


def _promises(
    models: Sequence[PrivacyModel],
    measured: Sequence[PrivacyModel],
    verified: Verification,
    unseen: Mapping[PrivacyModel, str],
    measuring: _Measuring,
    stated: _Stated | None,
) -> Iterator[Checked]:
    """Answer for each promise."""
    if not models:
        yield Checked(about=PROMISE, says="nothing is promised", answer=Answer.BROKEN)
    found = dict(zip(measured, verified.findings, strict=True))
    for model in models:
        if model in unseen:
            buckets = measuring.files.counts is not None
            words = model.promise_of_buckets() if buckets else model.promise()
            yield Checked(about=PROMISE, says=words, answer=Answer.UNSEEN, why=unseen[model], model=model.key)
            continue
        finding = found[model]
        answer, why = Answer.HOLDS, ""
        if not finding.holds:
            answer, why = Answer.BROKEN, _why(model, verified, measuring, stated)
        elif isinstance(model, DifferentialPrivacy):
            answer, why = Answer.UNSEEN, "how rows were drawn no table shows; this one can be such a release"
        reached = plain_measured(finding.measured)
        yield Checked(about=PROMISE, says=finding.promise, answer=answer, why=why, model=model.key, measured=reached)


def _why(model: PrivacyModel, verified: Verification, measuring: _Measuring, stated: _Stated | None) -> str:
    """Say what breaks a promise, where it is the masked rows alone."""
    if not verified.masked or measuring.files.counts is not None or model.needs_source:
        return ""
    if not measuring.without_masked([model]).holds:
        return ""
    rows = f"only the {verified.masked:,} masked rows break it: they are a class of those who fit no other"
    if stated is not None and isinstance(stated.form, Certificate1):
        made = stated.form.versions["nymity"]
        rows += (
            f"; made by {made}: the masked rows were judged by the rule of that version, by which they were no class"
        )
    return rows


def _mismeasured(
    form: CertificateForm, models: Sequence[PrivacyModel], verified: Verification, measuring: _Measuring
) -> Iterator[str]:
    """Say where a certificate tells other figures than are measured now."""
    now = measured_section(verified)
    if isinstance(form.measured, MeasuredSection1):
        now = _by_rule_1(now, models, measuring) if verified.masked else now
        if form.measured.masked_records_form_a_class:
            yield "it says that masked rows are a class, which they were not (measured.masked_records_form_a_class)"
    for name in ("records", "classes", "smallest_class", "masked_records"):
        if getattr(form.measured, name) != now[name]:
            yield f"the certificate measured {name} = {getattr(form.measured, name)}, the table has {now[name]}"
    figures = dict(zip(models, now["models"], strict=True))
    for told, model in zip(form.measured.models, _in_order(form, models), strict=False):
        if model is None:
            continue
        reached = {name: value for name, value in figures[model].items() if name not in ("model", "holds")}
        if not _alike(dict(told.parameters), reached):
            was, is_now = _written(told.parameters), _written(reached)
            yield f"the certificate measured {was} of {told.model}, the table has {is_now}"


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


def _by_rule_1(now: dict[str, Any], models: Sequence[PrivacyModel], measuring: _Measuring) -> dict[str, Any]:
    """Return what 0.1.0 measured: masked rows were a class only for models on sensitive values."""
    before = measured_section(measuring.without_masked(models))
    whole = [bool(m.sensitive) or m.needs_source or isinstance(m, DifferentialPrivacy) for m in models]
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


def _unlike_job(job: Job | None, stated: _Stated) -> Iterator[str]:
    """Say where a certificate speaks of another job than the one given; how that searched is its own affair."""
    if job is None:
        return
    if _plain(job.privacy) != _plain(stated.job.models):
        yield "the certificate does not promise what the job demands"
    roles = {name: attribute.role for name, attribute in job.schema.items()}
    told = {name: attribute.role for name, attribute in stated.job.schema.items()}
    if unlike := sorted(name for name in roles.keys() | told.keys() if roles.get(name) != told.get(name)):
        yield f"certificate and job give {', '.join(map(repr, unlike))} different roles"


def _is_seeded(job: Job | None, stated: _Stated | None) -> bool:
    """Say whether a method drew what anybody can draw again."""
    told = stated is not None and stated.form.is_seeded
    return told or (job is not None and getattr(job.method, "not_private_seed", None) is not None)


# -- what cannot be seen -------------------------------------------------------------------------------------------


def _unseen_fields(form: CertificateForm) -> Iterator[Checked]:
    """Name what the certificate says and nobody can see from the files: it is as good as who wrote it."""
    salted = "only the custodian, who has the salt, can compare it"
    told: dict[str, tuple[str, str]] = {
        "created": (f"it was made on {form.created}", "a date can be written by anybody"),
        "versions": (f"it was made by nymity {form.versions['nymity']}", "a version can be written by anybody"),
        "columns": ("the levels, numbers of cells and hashes of hierarchies of its columns", salted),
        "job": ("parameters of its method, hierarchies, and bounds of levels", "the search is not repeated"),
        "random_sources": ("where its draws came from", "draws leave no trace in a table"),
        "not_protected": ("what it warns of", "some of it is about the original; measure the rest"),
        "earlier_releases": ("which earlier releases there are", "they were not given"),
    }
    if form.input is not None:
        told["input"] = ("the hash of what was read", salted)
        told["suppressed"] = ("how many of the records were suppressed", "the original was not compared")
    if form.loss is not None:
        told["loss"] = ("what was lost, and whether that is the least", "it takes the original, and the search")
    if form.population is not None:
        told["population"] = ("the population it counted", salted)
    if form.differential_privacy is not None:
        told["differential_privacy"] = ("how its levels were drawn", "draws leave no trace in a table")
    if isinstance(form, Certificate2) and form.redrawn is not None:
        told["redrawn"] = ("that draws of an earlier release were used again", "draws leave no trace in a table")
    if isinstance(form, Certificate1):
        words = f"made by {form.versions['nymity']}: read by the rules of that version, masked rows were no class"
        told["format"] = (words, "later versions count them as one")
    for about, (says, why) in told.items():
        yield Checked(about=about, says=says, answer=Answer.UNSEEN, why=why)


def _signed(stated: _Stated | None, key: VerifyingKey | str | Path | None) -> Iterator[Checked]:
    """Answer for the signature: without a key it only names one."""
    if key is None:
        if stated is not None and stated.signature is not None:
            says = f"signed, as it says, by the key {stated.signature.key}"
            yield Checked(
                about=SIGNATURE, says=says, answer=Answer.UNSEEN, why="no key was given to check it with (--key)"
            )
        return
    if stated is None or stated.content is None:
        raise InputError("check", expected="the certificate file beside a key: its bytes are signed", got="none")
    public = key if isinstance(key, VerifyingKey) else VerifyingKey.load(key)
    problem = public.problem(stated.content, stated.signature)
    if problem:
        yield Checked(about=SIGNATURE, says=problem, answer=Answer.BROKEN)
    else:
        says = f"signed by the key {public.fingerprint}"
        why = "this proves the key, not the person or the date"
        yield Checked(about=SIGNATURE, says=says, answer=Answer.HOLDS, why=why)


# -- tables beside the release ---------------------------------------------------------------------------------------


def _population(
    models: Sequence[PrivacyModel], job: Job, recoding: Recoding | str | Path, source: Any
) -> tuple[Tables, Population]:
    """Read the tables a job names and generalize its population."""
    decided = recoding if isinstance(recoding, Recoding) else Recoding.load(recoding)
    if not any(model.publishes_second for model in models):  # the source is not needed, and a checker may not have it
        tables = beside_population(job)
        members = None
    else:
        tables = tables_of(job, load_source(job) if source is None else to_polars(source))
        job.schema.check(tables.published)
        members = without_dropped(tables.published, job.schema)[0].height
    people = tables.population(job.schema)
    assert people is not None
    return tables, Population.of(people, decided, members)


def _originals(original: Any, job: Job | None, recoding: Recoding | str | Path | None) -> Originals:
    """Read the table a release was made from, without the records that the schema drops."""
    if job is None:
        raise InputError(
            "check",
            expected="the job beside the original: its hierarchies tell what cells stand for",
            got="no job",
            hint="check(release, job=job, original=table), or --job and --original",
        )
    if isinstance(original, str | Path):
        original = read_table(original, job.source.options if job.source is not None else ReadOptions())
    source = to_polars(original)
    job.schema.check(source)
    table, _ = without_dropped(source, job.schema)
    if recoding is not None:
        return Originals.of(table, recoding if isinstance(recoding, Recoding) else Recoding.load(recoding))
    return Originals(
        table, {name: job.schema.hierarchy(name, distinct_values(table[name])) for name in job.schema.quasi}
    )


def _other_original(originals: Originals | None, form: CertificateForm) -> Iterator[str]:
    """Say whether the original is not of the size the certificate tells; only the custodian can compare its hash."""
    if originals is None or form.input is None or form.suppressed is None:
        return
    told = form.input.records - form.suppressed.dropped_for_missing_values
    if told != originals.table.height:
        yield (
            f"the certificate speaks of an original of {told} records to publish, the one given has "
            f"{originals.table.height}"
        )


def _other_population(tables: Tables | None, form: CertificateForm) -> Iterator[str]:
    """Say whether the population is not of the size the certificate tells; only the custodian can compare its hash."""
    if tables is None or tables.everyone is None or form.population is None:
        return
    if form.population.records != tables.everyone.height:
        yield (
            f"the certificate speaks of a population of {form.population.records} records, "
            f"the one given has {tables.everyone.height}"
        )


def _tampering(
    table: pl.DataFrame, path: Path | None, expected: OutputSection | SensitiveTable, names: Sequence[str]
) -> list[str]:
    """Say where a table differs from what the certificate describes."""
    problems = []
    if table.height != expected.records:
        problems.append(f"the certificate speaks of {expected.records:,} records, the table has {table.height:,}")
    if list(table.columns) != list(names):
        problems.append(
            f"the certificate lists the columns {', '.join(names)}, the table has {', '.join(table.columns)}"
        )
    if fingerprint(table) != expected.content_sha256:
        problems.append("the cells are not those the certificate was made for (content_sha256 differs)")
    elif path is not None and expected.file_sha256 not in (None, file_fingerprint(path)):
        problems.append("the file is not the one the certificate was made for (file_sha256 differs, same cells)")
    return problems
