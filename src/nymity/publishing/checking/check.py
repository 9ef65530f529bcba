"""check: hold a released table against a job or its certificate, knowing nothing else.

Three answers: something *holds*, *does not hold*, or *cannot be seen* from what was given. A table does not show how
its rows were drawn, a certificate not when it was made; what nobody can see is said to be so, and never to hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.card import Card, Carded, CardTable, Tone
from nymity.core.commit import refuse_between
from nymity.core.errors import FileError, InputError, ParameterError
from nymity.engines import Engine
from nymity.io import read_table
from nymity.privacy import PrivacyModel, plain_measured
from nymity.publishing.caveats import Caveat, CheckedCaveats, checked_caveats, foreseen
from nymity.publishing.certificates.certificate import Certificate, measured_section
from nymity.publishing.certificates.certificate_form import Certificate2, CertificateForm, read_bytes
from nymity.publishing.certificates.certificate_form import read_certificate as read_certificate
from nymity.publishing.certificates.contradictions import contradictions
from nymity.publishing.certificates.item_sets import item_problems
from nymity.publishing.certificates.star_count import miscounted_stars
from nymity.publishing.certificates.stated import Stated
from nymity.publishing.certificates.verify import Verification, VerifiedPromise, verify
from nymity.publishing.checking.caveats_shown import shown_by_original, shown_caveats
from nymity.publishing.checking.remeasured import (
    FurtherTables,
    Linked,
    Measuring,
    mismeasured,
    mismeasured_by_rows,
    mismeasured_whole,
    original_table,
    other_original,
    other_population,
)
from nymity.publishing.checking.stated_caveats import impossible_caveats
from nymity.publishing.jobs.codec import dump_piece
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_checks import takes_single_rows
from nymity.publishing.jobs.job_tables import public_model, refuse_children
from nymity.publishing.jobs.promise_sentence import promise_of
from nymity.publishing.jobs.registry import is_private
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.releases.opened import OpenedRelease
from nymity.publishing.releases.opened import open as open_release
from nymity.publishing.releases.released_files import TABLE, ReleasedFiles
from nymity.publishing.sealing.signing import VerifyingKey
from nymity.publishing.steps.pseudonyms import misshapen
from nymity.publishing.steps.transforming import caveats_of_transforms, contradicted_transforms
from nymity.table.builders import HierarchyFile, HierarchyRows, Taxonomy
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.schema import Schema


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


@dataclass(frozen=True, kw_only=True, repr=False)
class CheckResult(Carded):
    """The answers, promises first; ``verification`` is what was measured of the promises that could be.

    ``key`` is the fingerprint that a signature beside the certificate names. It proves nothing by itself.
    ``warnings`` say what someone could still find out although every promise holds, the worst first.
    """

    verification: Verification
    findings: tuple[Checked, ...]
    key: str | None = None
    warnings: tuple[Caveat, ...] = ()

    def card(self) -> Card:
        """Return what is shown: every answer, those that went wrong first, then promises."""
        order = [Answer.BROKEN, Answer.HOLDS, Answer.UNSEEN]
        found = sorted(
            self.findings, key=lambda f: (f.answer is not Answer.BROKEN, f.about != PROMISE, order.index(f.answer))
        )
        tone: dict[Answer, Tone] = {Answer.HOLDS: "good", Answer.UNSEEN: "warned", Answer.BROKEN: "bad"}
        return Card(
            title="Check",
            verdict=str(self.answer),
            tone=tone[self.answer],
            facts=[("signed by", self.key)],
            warnings=[one.says for one in self.warnings],
            tables=[
                CardTable(columns=("answer", "about", "says"), rows=[(str(f.answer), f.about, f.says) for f in found])
            ],
        )

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


#: What findings are about that are no fields of a certificate, beside the table.
PROMISE, SIGNATURE = "promise", "signature"
_ANOTHER_ORIGINAL = (
    "the original that was given is not the table that the release was made from (hash of the custodian's log)"
)


def check(
    release: Any,
    *,
    job: Job | None = None,
    certificate: Certificate | str | Path | None = None,
    source: Any = None,
    original: Any = None,
    key: VerifyingKey | str | Path | None = None,
    engine: Engine | str | None = None,
) -> CheckResult:
    """Check a release, as :func:`nymity.open` opens it or takes it, against a job, its certificate, or both.

    Promises about a population need it beside the table: the ``job`` names it and the recoding of the release, from
    the custodian's folder, generalizes it as that was. ``source`` is the job's source, where that is the population
    and the job names no file.

    ``original`` is the table the release was made from, a frame or a path. Promises about matching it with the rows
    need it, and the job, whose hierarchies tell what cells stand for; the recoding tells it where text is ambiguous.
    A promise that needs what was not given cannot be seen, and the check does not succeed.

    ``key`` is a public key, or its path: the certificate file must be signed by it. ``engine`` checks the folder of a
    release that an engine wrote against its certificate, in bounded memory.
    """
    if engine is not None:
        return _by_engine(release, engine, key, job, certificate, source, original)
    opened = _opened(release, job, certificate)
    files, job, stated = opened.files, opened.job, opened.stated
    # Where both are given the job decides what is promised: whoever sent the certificate may have weakened it.
    promised = _Promised.of(job, stated)
    if original is not None:
        refuse_children("original", opened.children)
        # An engine numbers no rows: which record a row is of is found by the cells, where that can be found.
        if stated is not None and stated.form.input is not None and stated.form.input.content_format is not None:
            original = original_table(original, job, stated.reading)
            opened = opened.linked_to(original)
    if isinstance(original, str | Path) and job is None and stated is not None:
        original = read_table(original, stated.reading)  # as the source was read
    further = FurtherTables.given(
        promised.models,
        job,
        lambda: opened.recoding,
        source,
        original,
        schema=opened.schema,
        links=lambda: _linked(opened),
        released=files.table,
        hashed=None if original is None else _hashed(opened),
    )
    # What lacks a table is answered "unseen", never "holds": silence must not pass for a check.
    unseen = {model: why for model in promised.models if (why := further.missing(model))}
    measuring = Measuring(
        files=files,
        quasi=promised.quasi,
        hierarchies=promised.hierarchies,
        further=further,
        items=promised.schema.item_column,
        perturbed=promised.schema.perturbed,
    )
    measured, verified = measuring.all_but(promised.models, unseen)
    findings = [
        *_promises(promised.models, measured, verified, unseen, measuring, stated),
        *_broken(_table_problems(files, promised, job, stated, verified)),
        *_whole(files, promised, stated),
    ]
    findings += _broken((TABLE, says) for says in _linked_rows(promised, job, stated, further.persons))
    if further.another:
        findings += _broken([("input", _ANOTHER_ORIGINAL)])
    if stated is not None:
        findings += _broken(_certificate_problems(stated, job, promised, measured, verified, measuring, unseen))
        findings += [one for one in unseen_fields(stated.form) if one.about not in further.compared]
        findings += _unseen_database(files, stated.form)
    findings += foreseen_draws(promised.models, seeded=_is_seeded(job, stated))
    findings += signed(stated, key)
    named = stated.signature.key if stated is not None and stated.signature is not None else None
    caveats = _caveats(measuring, verified, promised, job, stated)
    findings += _broken(("not_protected", says) for says in caveats.problems)
    found = CheckResult(verification=verified, findings=tuple(findings), key=named, warnings=caveats.warnings)
    # What looks like tampering may be another release that took the place of this one while it was read.
    if found.answer is Answer.BROKEN:
        _refuse_exchanged(stated)
    return found


def _opened(release: Any, job: Job | None, certificate: Any) -> OpenedRelease:
    """Open what is to be checked; something must say what is promised."""
    if isinstance(release, OpenedRelease) and (job is not None or certificate is not None):
        raise ParameterError(
            "check",
            expected="job and certificate given to nymity.open",
            got="a release that is opened, and one of them",
        )
    opened = release if isinstance(release, OpenedRelease) else open_release(release, job=job, certificate=certificate)
    if opened.job is None and opened.stated is None:
        raise InputError(
            "check", expected="a job or a certificate to check against", got="neither", hint="certificate=..."
        )
    return opened


def _broken(problems: Iterable[tuple[str, str]]) -> Iterator[Checked]:
    """Turn problems, each with what it is about, into findings."""
    for about, says in problems:
        yield Checked(about=about, says=says, answer=Answer.BROKEN)


def _table_problems(
    files: ReleasedFiles, promised: _Promised, job: Job | None, stated: Stated | None, verified: Verification
) -> Iterator[tuple[str, str]]:
    """Say what is wrong with the table, and with the files it lies in."""
    yield from files.problems(job, stated)
    for says in (
        *files.told_apart(promised.quasi),
        *verified.problems,
        *misshapen(files.table, promised.schema),
    ):
        yield TABLE, says
    yield from (("items", says) for says in _items(files, promised, stated))


def _linked_rows(
    promised: _Promised, job: Job | None, stated: Stated | None, persons: pl.Series | None
) -> Iterator[str]:
    """Return how many rows are of somebody with others, where a value may be published in several ways."""
    linked = any(model.over_persons == "links" for model in promised.models)
    methods = (None if job is None else job.method, None if stated is None else stated.job.method)
    if persons is None or not linked or not any(map(takes_single_rows, methods)):
        return
    if several := int(persons.is_duplicated().sum()):
        yield f"{several:,} rows are linked with others, and their method takes one of each: cells may intersect"


def _certificate_problems(
    stated: Stated,
    job: Job | None,
    promised: _Promised,
    measured: Sequence[PrivacyModel],
    verified: Verification,
    measuring: Measuring,
    unseen: Mapping[PrivacyModel, str],
) -> Iterator[tuple[str, str]]:
    """Say where the certificate contradicts itself, the job, the table, or what was given beside it."""
    form, own, further, table = stated.form, stated.job, measuring.further, measuring.files.table
    yield from (("certificate", says) for says in contradictions(form, own))
    yield from (("certificate", says) for says in _unlike_job(job, stated))
    yield from (("columns", says) for says in _other_heights(job, stated))
    # Its figures are of its own promises: with others they cannot be compared.
    if not promised.differ:
        withheld = Withheld.of(own.schema, own.models, own.method)
        yield from (("measured", says) for says in mismeasured(form, measured, verified, measuring, withheld))
        yield from (("measured", says) for says in mismeasured_by_rows(form, unseen, measuring))
    yield from (("loss", says) for says in miscounted_stars(form, own, table))
    yield from (("job", says) for says in contradicted_transforms(own.transforms, table, own.schema))
    yield from (("input", says) for says in other_original(further.originals, form))
    yield from (("population", says) for says in other_population(further, form))


def _by_engine(release: Any, engine: Engine | str, key: Any, *more: object) -> CheckResult:
    from nymity.publishing.checking.check_folder import check_folder

    if not isinstance(release, str | Path) or any(one is not None for one in more):
        raise ParameterError(
            "engine", expected="the folder of a release, and at most a key", got="a table in memory, a job or more"
        )
    return check_folder(release, engine=engine, key=key)


def _whole(files: ReleasedFiles, promised: _Promised, stated: Stated | None) -> Iterator[Checked]:
    """Measure what is promised on all batches of a table that grows."""
    database = None if stated is None else stated.form.output.database
    if files.whole is None or database is None or database.whole is None:
        return
    verified = verify(
        files.whole,
        promised.quasi,
        promised.models,
        hierarchies=promised.hierarchies,
        items=promised.schema.item_column,
    )
    if not verified.holds:
        says = "the whole table, with all its batches, breaks a promise that the batch keeps"
        yield Checked(about=TABLE, says=says, answer=Answer.BROKEN)
    elif not promised.differ:
        for says in mismeasured_whole(database.whole.measured, measured_section(verified, promised.models)):
            yield Checked(about="output", says=says, answer=Answer.BROKEN)


def _unseen_database(files: ReleasedFiles, form: CertificateForm) -> Iterator[Checked]:
    """Say what nobody sees of a table of a database in a copy of it."""
    database = form.output.database
    if database is None or files.database is not None:
        return
    says = f"that it is the table {database.table!r} of a database ({database.kind})"
    if database.whole is not None:
        says += ", and what all batches of that are like"
    yield Checked(about="output", says=says, answer=Answer.UNSEEN, why="a copy was given, and not the database")


def _items(files: ReleasedFiles, promised: _Promised, stated: Stated | None) -> Iterator[str]:
    form = None if stated is None else stated.form
    return item_problems(files.table, promised.schema, None if form is None else form.items)


def _linked(opened: OpenedRelease) -> Linked | None:
    """Return the records that rows were made from, where somebody has as many links as there are rows."""
    rows, height = opened.links, opened.files.table.height
    return None if rows is None or len(rows) != height else Linked(rows, opened.released.masked)


def _hashed(opened: OpenedRelease) -> tuple[str, str, str | None] | None:
    """Return the custodian's salt, the hash of what was read with it and its format, where they are there."""
    log, stated = opened.custodian_log, opened.stated
    if log is None or stated is None or stated.form.input is None:
        return None
    return log.salt, stated.form.input.salted_sha256, stated.form.input.content_format


def _refuse_exchanged(stated: Stated | None) -> None:
    """Refuse an answer if another release took the place of this one: the files that were read are of both."""
    if stated is None or stated.path is None:
        return
    refuse_between(stated.path.parent)
    if read_bytes(stated.path) != stated.content:
        raise FileError(
            str(stated.path),
            expected="a release that stays as it is",
            got="another one, which took its place while it was read",
            hint="check again",
        )


def _caveats(
    measuring: Measuring, verified: Verification, promised: _Promised, job: Job | None, stated: Stated | None
) -> CheckedCaveats:
    """Look for warnings that the table shows, beside those of the certificate."""
    schema = stated.job.schema if job is None and stated is not None else job.schema if job is not None else Schema({})
    method = job.method if job is not None else None
    if method is None and stated is not None:
        method = stated.job.method
    told = None if stated is None else stated.form.model_dump(mode="json", exclude_unset=True)
    section = None if stated is None else stated.form.differential_privacy
    ledger = job is not None and job.ledger is not None if not section or stated is None else ledger_used(stated.form)
    seeded, files = _is_seeded(job, stated), measuring.files
    follows = [] if method is None else foreseen(method, promised.models, schema, seeded=seeded, ledger=ledger)
    output = stated.job.output if stated is not None else None if job is None else job.output
    transforms = stated.job.transforms if stated is not None else () if job is None else job.transforms
    follows += caveats_of_transforms(transforms, schema)
    follows += [] if output is None else [Caveat.by_nature(text) for text in output.unprotected]
    form = stated.form if stated is not None and isinstance(stated.form, Certificate2) else None
    owners = measuring.further.persons
    shown = shown_caveats(files.table, schema, promised.models, method, form, owners, verified.persons)
    if form is not None and stated is not None:
        own = stated.job
        follows_too = foreseen(own.method, own.models, own.schema, seeded=form.is_seeded, ledger=ledger)
        follows_too += [Caveat.by_nature(text) for text in own.output.unprotected]
        follows_too += caveats_of_transforms(own.transforms, own.schema)
        problems = impossible_caveats(form, own, follows_too)
        shown = replace(shown, problems=(*shown.problems, *problems))
        shown = shown_by_original(shown, measuring.further.records, files, form, job, own)
    passed = (schema.coarsened_weight, *schema.shifted)  # nobody knows a mean of a class, or a date that was moved
    return checked_caveats(
        files.table,
        files.counts,
        roles={name: item.role.value for name, item in schema.items() if name not in passed},
        models=promised.models,
        stated=told,
        private=is_private(method),
        classes=method is None or method.makes.has_classes,
        foreseen=follows,
        shown=shown,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Promised:
    """What is to be checked: the promises of the job, or those of the certificate where there is no job."""

    quasi: tuple[str, ...]
    models: tuple[PrivacyModel, ...]
    hierarchies: Mapping[str, HierarchySource]
    schema: Schema
    #: Whether job and certificate promise different things.
    differ: bool = False

    @staticmethod
    def of(job: Job | None, stated: Stated | None) -> _Promised:
        if job is None:
            assert stated is not None
            own = stated.job
            found = _Promised(quasi=own.quasi, models=own.models, hierarchies=own.hierarchies, schema=own.schema)
        else:
            differ = stated is not None and _plain(job.privacy) != _plain(stated.job.models)
            hierarchies = job.schema.sensitive_hierarchies
            found = _Promised(
                quasi=job.schema.quasi,
                models=job.privacy,
                hierarchies=hierarchies,
                schema=job.schema,
                differ=differ,
            )
        if not found.quasi:
            raise InputError(
                "check", expected="at least one quasi-identifier: without one nothing is promised", got="none"
            )
        return found


def _plain(models: Sequence[PrivacyModel]) -> list[dict[str, Any]]:
    return [dump_piece(public_model(model), tag="model") for model in models]


def _promises(
    models: Sequence[PrivacyModel],
    measured: Sequence[PrivacyModel],
    verified: Verification,
    unseen: Mapping[PrivacyModel, str],
    measuring: Measuring,
    stated: Stated | None,
) -> Iterator[Checked]:
    """Answer for each promise."""
    if not models:
        yield Checked(about=PROMISE, says="nothing is promised", answer=Answer.BROKEN)
    found = dict(zip(measured, verified.findings, strict=True))
    for model in models:
        if model in unseen:
            counts = measuring.further.counts
            words = promise_of(
                model, buckets=measuring.files.counts is not None, unit=counts, perturbed=measuring.perturbed
            )
            answer, why = Answer.UNSEEN, unseen[model]
            counted = counts != "records" and model.over_persons == "number" and not model.second_table
            # A class has no more persons than records: what fails by records fails by persons, whoever they are.
            if counted and not measuring.by_records(model).holds:
                answer = Answer.BROKEN
                why = f"not even the records would be enough, had each another {counts[:-1]}"
            yield Checked(about=PROMISE, says=words, answer=answer, why=why, model=model.key)
            continue
        yield answered(model, found[model], verified, stated)


def answered(model: PrivacyModel, finding: VerifiedPromise, verified: Verification, stated: Stated | None) -> Checked:
    """Answer for a promise that was measured."""
    answer, why = Answer.HOLDS, ""
    if not finding.holds:
        answer, why = Answer.BROKEN, _why(finding, stated)
    elif model.about_draws:
        answer, why = Answer.UNSEEN, "how rows were drawn no table shows; this one can be such a release"
    elif not verified.records:
        answer, why = Answer.UNSEEN, "the table has no rows, and what holds of nothing says nothing"
    reached = plain_measured(finding.measured)
    return Checked(about=PROMISE, says=finding.promise, answer=answer, why=why, model=model.key, measured=reached)


def foreseen_draws(models: Sequence[PrivacyModel], *, seeded: bool) -> Iterator[Checked]:
    """Say that a promise about draws is none where they are from a known seed."""
    if seeded and any(model.about_draws for model in models):
        says = "all draws were from a known seed, so nothing is private"
        yield Checked(about="random_sources", says=says, answer=Answer.BROKEN)


def ledger_used(form: CertificateForm) -> bool:
    """Whether a private release was entered into a ledger."""
    told = (form.differential_privacy or {}).get("ledger")
    return isinstance(told, dict) and told.get("used") is True


def _why(finding: VerifiedPromise, stated: Stated | None) -> str:
    """Return what breaks a promise, where more is known of it; releases of old versions were judged by their rules."""
    if finding.why is None or stated is None or not stated.form.is_first:
        return finding.why or ""
    return f"{finding.why}; this release was made by {stated.form.versions['nymity']}, by the rule of that version"


def _unlike_job(job: Job | None, stated: Stated) -> Iterator[str]:
    """Return where a certificate describes another job than the one given; how it searched may differ."""
    if job is None:
        return
    if _plain(job.privacy) != _plain(stated.job.models):
        yield "the certificate does not promise what the job demands"
    if job.transforms != stated.job.transforms:
        yield "the certificate names other transforms than the job (job.transforms)"
    roles = {name: attribute.role for name, attribute in job.schema.items()}
    told = {name: attribute.role for name, attribute in stated.job.schema.items()}
    if unlike := sorted(name for name in roles.keys() | told.keys() if roles.get(name) != told.get(name)):
        yield f"certificate and job give {', '.join(map(repr, unlike))} different roles"
    for name in (name for name in roles if name in told and name not in unlike):
        own, given = stated.job.schema[name], job.schema[name]
        if other := [field for field in _OF_CELLS if getattr(own, field) != getattr(given, field)]:
            yield f"certificate and job describe {name!r} in different ways: {', '.join(other)} (job.schema.{name})"


#: What an attribute says of cells and of whom they are, whatever is searched for.
_OF_CELLS = ("missing", "unlisted", "publish", "pseudonym", "pseudonym_bits", "recipient", "shift", "shift_days",
             "constant", "separator", "free_text")  # fmt: skip


def _other_heights(job: Job | None, stated: Stated) -> Iterator[str]:
    """Return where a certificate gives a column another height than the hierarchy that the job lists for it.

    Hierarchies that are built from the values of the original, or lie in a file that is not here, are passed over. A
    cut that is no level of a hierarchy stands between values and ``*``.
    """
    for column in stated.form.columns:
        if column.height is None or job is None or column.name not in job.schema:
            continue
        source = job.schema[column.name].hierarchy
        if source is not None and not isinstance(source, _LISTED):
            continue
        try:
            height = 1 if source is None else source.build(pl.Series([], dtype=pl.String)).height
        except FileError:
            continue
        own_cut = column.height == 2 and job.method is not None and getattr(job.method, "cuts_hierarchies", False)
        if height != column.height and not own_cut:
            yield (
                f"the hierarchy of {column.name!r} has {height} levels above the values in the job, and "
                f"{column.height} in the certificate"
            )


#: Hierarchies that are the same whatever values the column has.
_LISTED = (Hierarchy, HierarchyFile, HierarchyRows, Taxonomy)


def _is_seeded(job: Job | None, stated: Stated | None) -> bool:
    """Return whether a method drew what anybody can draw again."""
    told = stated is not None and stated.form.is_seeded
    if job is None:
        return told
    foretold = stated is None and job.seed is not None
    return told or foretold or getattr(job.method, "not_private_seed", None) is not None


def unseen_fields(form: CertificateForm) -> Iterator[Checked]:
    """Name what the certificate says and nobody can see from the files: it is as good as who wrote it."""
    salted = "only the custodian, who has the salt, can compare it"
    told: dict[str, tuple[str, str]] = {
        "created": (f"it was made on {form.created}", "a date can be written by anybody"),
        "versions": (f"it was made by nymity {form.versions['nymity']}", "a version can be written by anybody"),
        "columns": ("the levels of its columns, and hashes of their hierarchies", salted),
        "job": ("parameters of its method, hierarchies, and bounds of levels", "the search is not repeated"),
        "random_sources": ("where its draws came from", "draws leave no trace in a table"),
        "not_protected": ("what it warns of", "some of it is about the original; measure the rest"),
        "earlier_releases": ("which earlier releases there are", "they were not given"),
    }
    if not form.is_first:
        counts = form.unit.counts if form.unit else "records"
        told["unit"] = (f"that its promises count {counts}", "a table does not show whose its rows are")
    if form.input is not None:
        told["input"] = ("the hash of what was read", salted)
        told["suppressed"] = ("how many of the records were suppressed", "the original was not compared")
    if form.loss is not None:
        told["loss"] = ("what was lost, and whether that is the least", "it takes the original, and the search")
    if form.population is not None:
        told["population"] = ("the population it counted", salted)
    if form.differential_privacy is not None:
        told["differential_privacy"] = ("how its levels were drawn", "draws leave no trace in a table")
    if form.items is not None:
        told["items"] = ("whether no other choice of items loses less", "it takes the original, and the search")
    if form.redrawn is not None:
        told["redrawn"] = ("that draws of an earlier release were used again", "draws leave no trace in a table")
    if form.is_first:
        words = f"made by {form.versions['nymity']}: read by the rules of that version, masked rows were no class"
        told["format"] = (words, "later versions count them as one")
    for about, (says, why) in told.items():
        yield Checked(about=about, says=says, answer=Answer.UNSEEN, why=why)


def signed(stated: Stated | None, key: VerifyingKey | str | Path | None) -> Iterator[Checked]:
    """Answer for the signature: without a key it only names one."""
    if key is None:
        if stated is not None and stated.signature is not None:
            says = f"signed, as it says, by the key {stated.signature.key}"
            yield Checked(
                about=SIGNATURE, says=says, answer=Answer.UNSEEN, why="no key was given to check it with (--key)"
            )
        if stated is not None and stated.unsigned:
            why = "not checked, for no key was given (--key); with one this is a failed signature"
            yield Checked(about=SIGNATURE, says=stated.unsigned, answer=Answer.UNSEEN, why=why)
        return
    if stated is None or stated.content is None:
        raise InputError("check", expected="the certificate file with a key: its bytes are signed", got="none")
    # The bytes as they were read, not the parsed form: two texts can have one meaning, and one was signed.
    public = key if isinstance(key, VerifyingKey) else VerifyingKey.load(key)
    problem = stated.unsigned or public.problem(stated.content, stated.signature)
    if problem:
        yield Checked(about=SIGNATURE, says=problem, answer=Answer.BROKEN)
    else:
        says = f"signed by the key {public.fingerprint}"
        why = "this proves the key, not the person or the date"
        yield Checked(about=SIGNATURE, says=says, answer=Answer.HOLDS, why=why)
