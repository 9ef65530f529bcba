"""Certificate: what was promised and measured, in a form anyone can check against the release.

It holds no path, no user name and no raw value of the input but those a promise names, and items that the release
shows: only column names, numbers, hashes and versions.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.format_numbers import CERTIFICATE
from nymity.dp.ledger import Spending
from nymity.io import Dictionary
from nymity.privacy import PrivacyModel, plain_measured
from nymity.publishing.caveats.caveat import Caveat, worst_first
from nymity.publishing.caveats.of_method import known_seed
from nymity.publishing.certificates.item_sets import ItemFigures, items_section
from nymity.publishing.certificates.verify import Verification
from nymity.publishing.jobs.codec import dump_piece
from nymity.publishing.jobs.differential import NOT_PRIVATE, private_unit, public_section
from nymity.publishing.jobs.job import Job
from nymity.publishing.jobs.job_tables import Tables, public_model
from nymity.publishing.jobs.withheld import NOTHING, Withheld
from nymity.publishing.sealing.fingerprint import content_hash, fingerprint
from nymity.publishing.steps.pseudonyms import pseudonym_section
from nymity.publishing.steps.starting_levels import Begun
from nymity.publishing.steps.transforming import not_promised_about
from nymity.table.bucket_recoding import BUCKET
from nymity.table.hierarchy import Hierarchy
from nymity.table.level_recoding import LevelRecoding
from nymity.table.outcome import Outcome
from nymity.table.recoding import Recoding
from nymity.table.schema import Schema

Certificate = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class PersonsTouched:
    """Of the persons, or households, in a table: how many lost records to suppression, and how many all they had."""

    persons: int
    touched: int
    lost: int

    @staticmethod
    def of(persons: pl.Series, whole: NDArray[np.bool_]) -> PersonsTouched:
        """Count them: of whom each record is, and which records are published as they could be."""
        of_record = pl.DataFrame({"person": persons, "whole": whole}).group_by("person").agg(pl.col("whole").mean())
        return PersonsTouched(
            persons=of_record.height,
            touched=int((of_record["whole"] < 1).sum()),
            lost=int((of_record["whole"] == 0).sum()),
        )


@dataclass(frozen=True, kw_only=True)
class TableFigures:
    """What a certificate says of a table: its records, its columns, and the hash of its cells.

    ``content_format``: how the hash is made, where not of all rows in their order (:mod:`nymity.engines.rows_hash`).
    """

    records: int
    columns: tuple[str, ...]
    sha256: str
    content_format: str | None = None

    @staticmethod
    def of(table: pl.DataFrame, content_format: str | None = None, *, salt: str = "") -> TableFigures:
        """Count a table that is in memory."""
        return TableFigures(
            records=table.height,
            columns=tuple(table.columns),
            sha256=content_hash(table, content_format, salt=salt),
            content_format=content_format,
        )

    @property
    def how(self) -> dict[str, str]:
        """How the hash is made, where that is to be said."""
        return {} if self.content_format is None else {"content_format": self.content_format}


#: Names the parameters of a hierarchy that a certificate leaves out.
WITHHELD = "withheld"
#: Names the second table of a bucketized release in a certificate's output section.
SENSITIVE_TABLE = "sensitive_table"
#: Names the second of two tables of the same people there; the section itself is about their join.
CHILD_TABLE = "child_table"
#: Said of promises that need the source.
VERIFIED = {"verified": "against the source at publishing; the release alone cannot show it"}
#: What the promises of a release begin with whose draws somebody can repeat.
SEEDED = "NOT PROTECTED AGAINST WHO KNOWS THE SEED: "
#: Said where the key of an earlier release was used again.
REDRAWN = "from the log of an earlier release of the same table"
_DEPENDENCIES = ("numpy", "numba", "polars", "pydantic")


def certify(
    *,
    job: Job,
    tables: Tables | None,
    read: Callable[[], TableFigures],
    release: TableFigures,
    counts: pl.DataFrame | None,
    outcome: Outcome,
    masked: int,
    dropped: int,
    verified: Verification,
    salt: str,
    caveats: Sequence[Caveat],
    earlier: Sequence[dict[str, Any]],
    origin: str,
    drawn: Sequence[str],
    redrawn: bool,
    spending: Spending | None = None,
    touched: PersonsTouched | None = None,
    people: pl.Series | None = None,
    children: pl.DataFrame | None = None,
    items: ItemFigures | None = None,
    frame: pl.DataFrame | None = None,
    labels: Dictionary | None = None,
    begun: Begun | None = None,
) -> Certificate:
    """Write the certificate of a release that was verified in memory; files are added when they are written.

    ``read`` returns figures of what was read, ``release`` are those of what is published, ``tables`` has the
    population, and ``frame`` is the release where sets of items are looked at. ``caveats`` are the warnings, to which a
    known seed is added; ``earlier`` says what earlier releases leave. ``drawn`` is what was decided at random,
    ``origin`` where that came from, ``redrawn`` whether the key was that of an earlier release. ``children`` is the
    second of two tables of the same people, whose join ``release`` is. ``labels`` are those that the source came with;
    those of published columns are told. ``begun`` says where a search began above the lowest levels.
    """
    recoding, nothing = outcome.recoding, NOT_PRIVATE if outcome.foreseen else ""
    # A known seed lets anybody repeat the draws, so what rests on them is no secret any more: words say so.
    foreseen, by_values = bool(drawn) and job.seed is not None, any(model.sensitive for model in job.privacy)
    # Second tables by the names of their files: paths of the custodian's machine have no place in a certificate.
    job = replace(job, privacy=tuple(public_model(model) for model in job.privacy))
    pseudonyms, withheld = pseudonym_section(job.schema), Withheld.of(job.schema, job.privacy, job.method)
    random_sources = [f"{'a known seed' if nothing and what in recoding.drawn else origin}: {what}" for what in drawn]
    return {
        "format": CERTIFICATE.tag,
        "created": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": dict(_versions()),
        "promised": [
            {
                **dump_piece(model, tag="model"),
                "means": nothing or (SEEDED if foreseen else "") + finding.promise,
                **(VERIFIED if model.needs_source or (touched is not None and pseudonyms is None) else {}),
            }
            for model, finding in zip(job.privacy, verified.findings, strict=True)
        ],
        **({"not_promised": void} if (void := not_promised_about(job.schema, job.transforms, job.privacy)) else {}),
        "measured": measured_section(verified, job.privacy, withheld),
        "unit": _unit(verified, touched, job.schema, outcome, withheld),
        **({} if pseudonyms is None else {"pseudonyms": pseudonyms}),
        **({} if frame is None else _items(job, recoding, items, frame, salt)),
        "columns": _columns(release.columns, job, recoding, salt, labels or Dictionary()),
        "job": public_job(job),
        **_about_records(outcome, read, masked, dropped, spending, withheld, by_values=by_values, begun=begun),
        **(
            {}
            if tables is None or tables.everyone is None
            else {"population": _population(tables.everyone, tables.file, salt, people)}
        ),
        "output": {
            "records": release.records,
            "columns": len(release.columns),
            "content_sha256": release.sha256,
            **release.how,
            "row_order": job.output.row_order,
            **({} if (star := getattr(job.method, "star", None)) is None else {"star": star}),
            **({} if counts is None else {SENSITIVE_TABLE: _described_counts(counts)}),
            **({} if children is None else {CHILD_TABLE: _described(children)}),
        },
        "random_sources": random_sources,
        **({"seeded": True} if nothing or foreseen else {}),
        **({"redrawn": REDRAWN} if redrawn and drawn else {}),
        "not_protected": [caveat.plain() for caveat in worst_first([*known_seed(random_sources), *caveats])],
        "earlier_releases": list(earlier),
    }


def _items(
    job: Job, recoding: Recoding, figures: ItemFigures | None, release: pl.DataFrame, salt: str
) -> dict[str, dict[str, Any]]:
    """Return what became of sets of items, where there are some."""
    column = job.schema.item_column
    if column is None or figures is None or not isinstance(recoding, LevelRecoding) or recoding.items is None:
        return {}
    digest = salted(recoding.items.hierarchy.fingerprint(), salt)
    return {"items": items_section(column, recoding, figures, release, digest)}


def _unit(
    verified: Verification, touched: PersonsTouched | None, schema: Schema, outcome: Outcome, withheld: Withheld
) -> dict[str, Any]:
    """Return what promises count: records, or persons or households with what became of them if that is no secret."""
    counts = schema.counts
    if outcome.recoding.is_private:
        return private_unit(outcome)
    if verified.persons is None or touched is None:
        return {"counts": "records"}
    if withheld.counts:
        return {"counts": counts}
    released = verified.persons
    return {
        "counts": counts,
        counts: touched.persons,
        "touched_by_suppression": touched.touched,
        "lost_to_suppression": touched.lost,
        "fewest_in_a_class": released.fewest,
        "summed_over_classes": released.in_classes,
        "largest_share_of_a_class": released.row_share,
    }


def _about_records(
    outcome: Outcome,
    read: Callable[[], TableFigures],
    masked: int,
    dropped: int,
    spending: Spending | None,
    withheld: Withheld,
    *,
    by_values: bool,
    begun: Begun | None,
) -> dict[str, dict[str, Any]]:
    """Return what was read, left out and lost; of a differentially private release only its parameters.

    ``by_values``: a promise looks at sensitive values, and so does what a search that stopped early has proved.
    """
    if (suppressed := outcome.suppressed) is None:  # that number is private, and so is all else about the records
        return {"differential_privacy": public_section(outcome, spending)}
    bound, source = outcome.bound if outcome.optimal or not by_values else None, read()
    return {
        "input": {
            "records": source.records,
            "columns": len(source.columns),
            "salted_sha256": source.sha256,
            **source.how,
        },
        "suppressed": {
            "records": suppressed,
            "masked": masked,
            "removed": suppressed - masked,
            "dropped_for_missing_values": dropped,
        },
        "loss": {
            **dump_piece(outcome.minimized, tag="key"),
            "value": None if withheld.loss else outcome.loss,
            "proven_optimal": outcome.optimal,
            "proven_bound": None if withheld.loss else bound,
            **outcome.searched(),
            **({} if begun is None else {"begun": begun.plain(withheld=withheld.loss)}),
        },
    }


@cache  # each is read from a file with a package's description
def _versions() -> tuple[tuple[str, str], ...]:
    """Return the versions that a release was made with."""
    further = ((name, version(name)) for name in _DEPENDENCIES)
    return ("nymity", version("nymity")), ("python", platform.python_version()), *further


def _described_counts(counts: pl.DataFrame) -> dict[str, Any]:
    """Describe the table of sensitive values, among which a gap counts as one."""
    gaps = {"missing_values": "count as a value of their own"} if sum(c.null_count() for c in counts) else {}
    return {**_described(counts), **gaps}


def _described(table: pl.DataFrame) -> dict[str, Any]:
    return {"records": table.height, "columns": table.columns, "content_sha256": fingerprint(table)}


def _population(everyone: pl.DataFrame, file: str | None, salt: str, people: pl.Series | None) -> dict[str, Any]:
    """Describe the population; its hash is salted like the input's, or tables could be tried out against it.

    ``people`` says of whom its records are, where it tells that and persons are counted.
    """
    described: dict[str, Any] = {"records": everyone.height, "salted_sha256": fingerprint(everyone, salt=salt)}
    described |= {} if people is None else {"persons": people.n_unique()}
    return described if file is None else {"file": file, **described}


def measured_section(
    verified: Verification, models: Sequence[PrivacyModel], withheld: Withheld = NOTHING
) -> dict[str, Any]:
    """Return what was measured as plain data; ``models`` are those that were, in order."""
    return {
        "holds": verified.holds,
        "records": verified.records,
        "classes": verified.classes,
        "smallest_class": verified.smallest_class,
        "masked_records": verified.masked,
        "models": [
            {
                "model": found.model,
                "holds": found.holds,
                **({} if withheld.parameters_of(model) else plain_measured(found.measured)),
            }
            for found, model in zip(verified.findings, models, strict=True)
        ],
    }


def salted(digest: str, salt: str) -> str:
    """Hash a hash with the custodian's salt: a plain one of few values can be found by trying them.

    A hierarchy built from a column lists the column's values, also those of suppressed records.
    """
    return hashlib.sha256(bytes.fromhex(salt) + bytes.fromhex(digest)).hexdigest()


def _columns(names: Sequence[str], job: Job, recoding: Recoding, salt: str, labels: Dictionary) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = []
    for name in names:
        role = job.schema[name].role.value if name in job.schema else BUCKET
        column: dict[str, Any] = {"name": name, "role": role}
        column |= {"label": label[:1_000]} if (label := labels.label(name)) else {}
        if name in recoding.hierarchies:
            hierarchy: Hierarchy = recoding.hierarchies[name]
            column |= {**recoding.published_as(name), "hierarchy_sha256": salted(hierarchy.fingerprint(), salt)}
        columns.append(column)
    return columns


def public_job(job: Job) -> dict[str, Any]:
    """Return the job without paths and inline values: of hierarchies only their type and numbers stay.

    What was left out of one is named, so that nobody takes the rest for the whole.
    """
    data = replace(job, privacy=tuple(public_model(model) for model in job.privacy)).to_dict()
    data.pop("source", None)
    if job.source is not None and job.source.stated_values:
        # The rules, which the job tells anyway. How many cells they made missing is a figure about records that are not
        # published, too: beside the gaps of the release it would tell what suppressed records lack.
        data["reading"] = job.source.stated_values
    if "children" in data:  # without a path, and how it was read
        data["children"] = {name: data["children"][name] for name in ("without_parent",) if name in data["children"]}
    if output := job.output.public():
        data["output"] = output
    data.pop("earlier_releases", None)
    data.pop("earlier", None)  # what was asked for and left stands under earlier_releases
    data.pop("ledger", None)
    data.pop("engine", None)  # the same release comes of any
    data.pop("target", None)  # it changes nothing that is published
    data.pop("sign", None)  # a path
    data.pop("seed", None)  # whoever knows it can draw the same
    for attribute in data["schema"].values():
        attribute.pop("pseudonym_key", None)  # a path
        if "hierarchy" in attribute:
            given = attribute["hierarchy"]
            stated = {key: value for key, value in given.items() if key == "type" or isinstance(value, int | float)}
            withheld = sorted(given.keys() - stated.keys())
            attribute["hierarchy"] = {**stated, WITHHELD: withheld} if withheld else stated
    return data
