"""check: hold a released table against a job or its certificate, knowing nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from nymity.bucket.methods import BucketMethod
from nymity.core.errors import FileError, InputError
from nymity.core.validation import nearest
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.io import ReadOptions, read_table, strip_neutralization, to_polars
from nymity.partition.freeform import Freeform
from nymity.privacy import PrivacyModel
from nymity.privacy.consistency import Originals
from nymity.publish.bucket_tables import check_counts
from nymity.publish.caveats import Caveat, checked_caveats
from nymity.publish.certificate import FORMAT, SENSITIVE_TABLE, VERIFIED, WITHHELD, Certificate
from nymity.publish.codec import check_fields, require_mapping
from nymity.publish.fingerprint import file_fingerprint, fingerprint
from nymity.publish.job import Job, Output, parse_models, parse_schema
from nymity.publish.pipeline import load_source, without_dropped
from nymity.publish.population import Population, Tables, beside_population, tables_of
from nymity.publish.registry import METHODS
from nymity.publish.release import read_release
from nymity.publish.verify import Verification, verify
from nymity.table.encoding import distinct_values
from nymity.table.hierarchy import HierarchySource
from nymity.table.recoding import Recoding
from nymity.table.schema import Role


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What holds for a table, and what is wrong besides broken promises (tampering, columns that must not be there).

    ``unchecked`` are promises that need the original, which was not given. ``warnings`` say what someone could still
    find out although every promise holds, the worst first.
    """

    verification: Verification
    problems: tuple[str, ...]
    unchecked: tuple[str, ...] = ()
    warnings: tuple[Caveat, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every promise was checked and is kept, and nothing else is wrong."""
        return self.verification.holds and not self.problems and not self.unchecked


def check(
    release: Any,
    *,
    job: Job | None = None,
    certificate: Certificate | str | Path | None = None,
    recoding: Recoding | str | Path | None = None,
    source: Any = None,
    sensitive: Any = None,
    original: Any = None,
    strict: bool = False,
) -> CheckResult:
    """Check a released table (a frame or a path) against a job, a certificate, or both.

    Promises about a population need it beside the table: the ``job`` names it and the ``recoding`` generalizes it as
    the release was. ``source`` is the job's source, where that is the population and the job names no file.
    ``sensitive`` is the second table of a bucketized release, looked for beside the first unless given. ``strict``
    counts rows with every quasi-identifier masked as a class.

    ``original`` is the table the release was made from, a frame or a path. Promises about matching it with the rows
    need it, and the job, whose hierarchies tell what cells stand for; the recoding tells it where text is ambiguous.
    Without the original they are named as unchecked, and the check does not succeed.
    """
    if job is None and certificate is None:
        raise InputError("check", expected="a job or a certificate to check against", got="neither")
    stated = read_certificate(certificate) if isinstance(certificate, str | Path) else certificate
    if stated is not None:
        _check_form(stated, "certificate")
    files = _Files.read(release, sensitive, job, stated)
    quasi, promised = _promises(job, stated)
    models = [model for model in promised if original is not None or not model.needs_source]
    files.check_columns(quasi, [name for model in models for name in model.sensitive])
    problems = files.problems(job, stated)
    population = None
    if any(model.second_table for model in models):
        tables, population = _population(models, job, recoding, source)
        problems += _other_population(tables, stated)
    originals = None
    if any(model.needs_source for model in models):
        originals = _originals(original, job, recoding)
        problems += _other_original(originals, stated)
    hierarchies = job.schema.sensitive_hierarchies if job is not None else _stated_hierarchies(stated)
    verified = verify(
        files.table,
        quasi,
        models,
        strict=strict,
        hierarchies=hierarchies,
        population=population,
        counts=files.counts,
        originals=originals,
    )
    unchecked = tuple(model.promise() for model in promised if model not in models)
    caveats = checked_caveats(
        files.table,
        files.counts,
        roles=_roles(job, stated),
        models=promised,
        stated=stated,
        private=any(isinstance(model, DifferentialPrivacy) for model in promised),
        classes=not _is_freeform(job, stated),
    )
    return CheckResult(
        verification=verified,
        problems=(*problems, *verified.problems, *caveats.problems),
        unchecked=unchecked,
        warnings=caveats.warnings,
    )


def _is_freeform(job: Job | None, stated: Certificate | None) -> bool:
    """Say whether rows have cells of their own, by the method."""
    named = METHODS.get(str((stated or {"job": {}})["job"].get("method", {}).get("name")))
    return issubclass(type(job.method) if job is not None else named or object, Freeform)


def _roles(job: Job | None, stated: Certificate | None) -> dict[str, str]:
    """Return the roles of columns as the job tells them, or the certificate."""
    if job is not None:
        return {name: attribute.role.value for name, attribute in job.schema.items()}
    assert stated is not None
    described = require_mapping(stated["job"].get("schema", {}), "certificate.job.schema")
    of_job = {name: str(require_mapping(item, name).get("role")) for name, item in described.items()}
    return of_job | {column["name"]: column["role"] for column in stated["columns"]}


@dataclass(frozen=True, eq=False)
class _Files:
    """What was released: the table and, where sensitive values lie apart, their counts; with the files of both."""

    table: pl.DataFrame
    path: Path | None
    counts: pl.DataFrame | None = None
    counts_path: Path | None = None

    @staticmethod
    def read(release: Any, sensitive: Any, job: Job | None, stated: Certificate | None) -> _Files:
        """Read the table, and the second one of a bucketized release, which lies beside it unless it is given."""
        table, path = _read(release, job, stated)
        described = None if stated is None else stated["output"].get(SENSITIVE_TABLE)
        if described is None and not (job is not None and isinstance(job.method, BucketMethod)):
            return _Files(table, path)
        if sensitive is None and path is not None:
            output = _stated_output(stated) if stated is not None else job.output  # type: ignore[union-attr]
            sensitive = path.with_name((described or {}).get("file") or output.sensitive_file_name)
        if sensitive is None:
            raise InputError(
                "check",
                expected="both tables of a bucketized release",
                got="one of them",
                hint="check(release.table, sensitive=release.sensitive_table, ...)",
            )
        counts, counts_path = _read(sensitive, job, stated)
        check_counts(table, counts)
        return _Files(table, path, counts, counts_path)

    def check_columns(self, quasi: Sequence[str], sensitive: Sequence[str]) -> None:
        """Refuse tables without a column that a promise speaks of."""
        if self.counts is None:
            _check_columns(self.table, [*quasi, *sensitive])
        else:
            _check_columns(self.table, quasi)
            _check_columns(self.counts, sensitive)

    def problems(self, job: Job | None, stated: Certificate | None) -> list[str]:
        """Say what is wrong beside broken promises."""
        forbidden = () if job is None else job.schema.columns(Role.IDENTIFYING)
        found = [f"identifying column {name!r} is in the release" for name in forbidden if name in self.table.columns]
        if stated is not None:
            output = stated["output"]
            found += _tampering(self.table, self.path, output, [column["name"] for column in stated["columns"]])
            if self.counts is not None and SENSITIVE_TABLE in output:
                described = output[SENSITIVE_TABLE]
                found += _tampering(self.counts, self.counts_path, described, described["columns"])
        if _is_seeded(job, stated):
            found.append("all draws were from a known seed, so nothing is private")
        return found


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


def _is_seeded(job: Job | None, stated: Certificate | None) -> bool:
    """Say whether a differentially private method drew what anybody can draw again."""
    section = (stated or {}).get("differential_privacy")
    said = isinstance(section, dict) and section.get("private") is not True
    return said or (job is not None and getattr(job.method, "not_private_seed", None) is not None)


def read_certificate(path: str | Path) -> Certificate:
    """Read a certificate file."""
    try:
        data: Certificate = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(str(path), expected="a certificate written by nymity", got=str(error)) from error
    _check_form(data, str(path))
    return data


def _check_form(data: Any, where: str) -> None:
    """Refuse anything that does not say what a certificate must."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError(where, expected=f"a certificate ({FORMAT})", got="something else")
    sections = {"promised": list, "columns": list, "job": dict, "output": dict}
    broken = [name for name, kind in sections.items() if not isinstance(data.get(name), kind)]
    if not broken and not {"records", "content_sha256"} <= data["output"].keys():
        broken = ["output"]
    if not broken and not all(isinstance(item, dict) and {"name", "role"} <= item.keys() for item in data["columns"]):
        broken = ["columns"]
    if not broken and not all(isinstance(item, dict) for item in data["promised"]):
        broken = ["promised"]
    if not broken and not _is_sensitive_section(data["output"].get(SENSITIVE_TABLE)):
        broken = [SENSITIVE_TABLE]
    if broken:
        raise FileError(where, expected=f"a whole {broken[0]!r} section", got="none or a broken one")


def _is_sensitive_section(data: Any) -> bool:
    """Say whether a section describes a second table; most certificates have none."""
    if data is None:
        return True
    whole = isinstance(data, dict) and {"records", "columns", "content_sha256"} <= data.keys()
    return whole and "/" not in str(data.get("file")) and "\\" not in str(data.get("file"))


def _read(release: Any, job: Job | None, stated: Certificate | None) -> tuple[pl.DataFrame, Path | None]:
    if not isinstance(release, str | Path):
        return to_polars(release), None
    path = Path(release)
    if job is not None and path.name.endswith(f".{job.output.format}"):
        return read_release(path, job.output), path
    if stated is not None:
        return read_release(path, _stated_output(stated)), path
    return strip_neutralization(read_table(path)), path


def _stated_output(stated: Certificate) -> Output:
    """How a certificate says the file was written."""
    settings = dict(stated["job"].get("output", {}))
    check_fields(settings, list(Output.__dataclass_fields__), "certificate.job.output")
    return Output(**{**settings, "name": "release"})


def _promises(job: Job | None, stated: Certificate | None) -> tuple[tuple[str, ...], tuple[PrivacyModel, ...]]:
    if job is not None:
        return job.schema.quasi, job.privacy
    assert stated is not None
    quasi = tuple(column["name"] for column in stated["columns"] if column["role"] == Role.QUASI.value)
    plain = [
        {key: value for key, value in promise.items() if key not in ("means", *VERIFIED)}
        for promise in stated["promised"]
    ]
    return quasi, parse_models(plain)


def _population(
    models: Sequence[PrivacyModel], job: Job | None, recoding: Recoding | str | Path | None, source: Any
) -> tuple[Tables, Population]:
    """Read the tables a job names and generalize its population, or say that a promise cannot be checked."""
    if job is None or recoding is None:
        missing = [f"no {name}" for name, given in (("job", job), ("recoding", recoding)) if given is None]
        raise InputError(
            "check",
            expected=f"the job that names the population, and the recoding: {_speaking(models)} cannot be checked "
            "from the table alone",
            got=" and ".join(missing),
            hint="check(release, job=job, recoding='release-custodian/recoding.json'), or --job and --recoding",
        )
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


def _other_original(originals: Originals, stated: Certificate | None) -> list[str]:
    """Say whether the original is not of the size the certificate tells; only the custodian can compare its hash."""
    told = (stated or {}).get("input", {}).get("records")
    dropped = (stated or {}).get("suppressed", {}).get("dropped_for_missing_values", 0)
    if told is None or told - dropped == originals.table.height:
        return []
    return [
        f"the certificate speaks of an original of {told - dropped} records to publish, the one given has "
        f"{originals.table.height}"
    ]


def _speaking(models: Sequence[PrivacyModel]) -> str:
    return " and ".join(model.title for model in models if model.second_table)


def _other_population(tables: Tables, stated: Certificate | None) -> list[str]:
    """Say whether the population is not of the size the certificate tells; only the custodian can compare its hash."""
    described = (stated or {}).get("population")
    if tables.everyone is None or not isinstance(described, dict) or described.get("records") == tables.everyone.height:
        return []
    return [
        f"the certificate speaks of a population of {described.get('records')} records, "
        f"the one given has {tables.everyone.height}"
    ]


def _stated_hierarchies(stated: Certificate | None) -> dict[str, HierarchySource]:
    """Return the hierarchies of sensitive columns that a certificate describes whole."""
    where = "certificate.job.schema"
    whole = {}
    for name, fields in require_mapping((stated or {"job": {}})["job"].get("schema", {}), where).items():
        attribute = require_mapping(fields, f"{where}.{name}")
        hierarchy = require_mapping(attribute.get("hierarchy", {}), f"{where}.{name}.hierarchy")
        if attribute.get("role") == Role.SENSITIVE and WITHHELD not in hierarchy:
            whole[name] = attribute
    return parse_schema(whole).sensitive_hierarchies


def _tampering(table: pl.DataFrame, path: Path | None, expected: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Say where a table differs from what the certificate describes."""
    problems = []
    if table.height != expected["records"]:
        problems.append(f"the certificate speaks of {expected['records']:,} records, the table has {table.height:,}")
    if list(table.columns) != list(names):
        problems.append(
            f"the certificate lists the columns {', '.join(names)}, the table has {', '.join(table.columns)}"
        )
    if fingerprint(table) != expected["content_sha256"]:
        problems.append("the cells are not those the certificate was made for (content_sha256 differs)")
    elif path is not None and "file_sha256" in expected and file_fingerprint(path) != expected["file_sha256"]:
        problems.append("the file is not the one the certificate was made for (file_sha256 differs, same cells)")
    return problems
