"""The form of a certificate: every field by its type, nothing beside them, for each number of the format.

A file that somebody else wrote is read here and nowhere else. Whatever is not of this form is refused with the place of
the first field that is wrong; what the fields say is for :mod:`nymity.publishing.checking.check` to judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, field_validator

from nymity.core.card import Card, CardTable
from nymity.core.errors import FileError
from nymity.core.format_numbers import CERTIFICATE
from nymity.core.plain_data import parse_json, read_content

#: Largest file that is read as a certificate.
LARGEST = 16 * 2**20

Text = Annotated[str, StringConstraints(max_length=10_000)]
Name = Annotated[str, StringConstraints(max_length=1_000)]
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
#: Nodes of a lattice: 100 levels of each of 59 columns are 118 digits, and nothing is allocated by them.
Nodes = Annotated[int, Field(ge=0)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
FileName = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^/\\\x00]+$")]


class _Section(BaseModel):
    #: Forms are made when a certificate is read, that of its version alone.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Promise(_Section):
    """A model by its key with its parameters beside it, and what that means in words."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, JsonValue]

    model: Name
    means: Text
    verified: Text | None = None

    @property
    def plain(self) -> dict[str, JsonValue]:
        """The model alone, as a job has it."""
        return {"model": self.model, **self.__pydantic_extra__}


class MeasuredModel(_Section):
    """What was measured of one model; the parameters reached have the names of the promised ones."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, JsonValue]

    model: Name
    holds: bool

    @property
    def parameters(self) -> dict[str, JsonValue]:
        """The parameters reached."""
        return self.__pydantic_extra__


class MeasuredSection(_Section):
    """What was measured on the written table."""

    holds: bool
    records: Count
    classes: Count
    smallest_class: Count | None
    masked_records: Count
    models: Annotated[tuple[MeasuredModel, ...], Field(max_length=1_000)]


class MeasuredSection1(MeasuredSection):
    """The same in version 1, where masked rows were no class unless it says so."""

    masked_records_form_a_class: bool


class ColumnSection(_Section):
    """A published column: its role, and how a quasi-identifier is published."""

    name: Name
    role: Literal["quasi", "sensitive", "insensitive", "perturbed", "weight", "person", "household", "items", "bucket"]
    label: Name | None = None  #: what it is about, as the source said
    level: Count | None = None
    levels: Annotated[tuple[Count, ...], Field(min_length=2, max_length=10_000)] | None = None
    height: Count | None = None
    cells: Count | None = None
    centres: Literal[True] | None = None  #: cells are means, medians or most frequent values of classes
    unchanged: Literal[True] | None = None
    hierarchy_sha256: Sha256 | None = None

    @property
    def levels_in_use(self) -> tuple[int, ...]:
        """The levels it is published on; none where its cells are those of classes."""
        if self.unchanged:
            return (0,)
        return self.levels or (() if self.level is None else (self.level,))

    @property
    def is_at_top(self) -> bool:
        """Whether all its cells are those of the top of a hierarchy."""
        return self.level is not None and self.level == self.height and self.levels is None


class PublicJob(_Section):
    """The job without paths; its parts are read as those of a job file are."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    schema_: Annotated[dict[Name, dict[Name, JsonValue]], Field(alias="schema", max_length=100_000)]
    privacy: Annotated[tuple[dict[Name, JsonValue], ...], Field(max_length=1_000)]
    method: dict[Name, JsonValue]
    output: dict[Name, JsonValue] = {}
    children: dict[Name, JsonValue] | None = None
    transforms: Annotated[tuple[dict[Name, JsonValue], ...], Field(max_length=1_000)] = ()
    reading: dict[Name, JsonValue] | None = None  #: what cells of the source mean: codes for missing, forms of numbers


#: How a hash of cells is made that is not of rows in their order.
ContentFormat = Literal["nymity-rows-1"]


class InputSection(_Section):
    """What was read."""

    records: Count
    columns: Count
    salted_sha256: Sha256
    content_format: ContentFormat | None = None


class Suppressed(_Section):
    """How many records are not published as they could be."""

    records: Count
    masked: Count
    removed: Count
    dropped_for_missing_values: Count


class BegunSection(_Section):
    """Where a search began above the lowest levels, because these had too many combinations, and what that may cost."""

    levels: Annotated[dict[Name, Count], Field(min_length=1, max_length=100_000)]
    combinations: Count
    most_combinations: Count
    may_cost: float | int | None


class LossSection(_Section):
    """What was minimized, and what the search did; parameters of the loss beside them."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, JsonValue]

    key: Name
    value: float | int | None
    proven_optimal: bool
    proven_bound: float | int | None
    lattice_nodes: Nodes | None = None
    nodes_checked: Count | None = None
    bucket_sizes: tuple[Count, ...] | None = None
    buckets: tuple[Count, ...] | None = None
    stopped: Text | None = None
    begun: BegunSection | None = None
    levels: Annotated[dict[Name, Count], Field(max_length=100_000)] | None = None  #: chosen for cells that are shown
    exhaustive: bool | None = None  #: no other choice of levels would have lost less

    @property
    def gap(self) -> float | None:
        """How much less another choice could lose, as a share of this one's loss; None where nothing is proved."""
        if self.proven_optimal or self.value == 0:
            return 0.0
        if self.proven_bound is None or self.value is None:
            return None
        return 1 - self.proven_bound / self.value


class PopulationSection(_Section):
    """The people that records are of; ``persons`` where these were counted in place of records."""

    file: FileName | None = None
    records: Count
    persons: Count | None = None
    salted_sha256: Sha256


class _WrittenTable(_Section):
    records: Count
    content_sha256: Sha256
    file: FileName | None = None
    file_sha256: Sha256 | None = None


class SensitiveTable(_WrittenTable):
    """The second table of a bucketized release."""

    columns: Annotated[tuple[Name, ...], Field(max_length=100)]
    missing_values: Text | None = None


class ChildTable(_WrittenTable):
    """The second of two tables of the same people."""

    columns: Annotated[tuple[Name, ...], Field(min_length=1, max_length=100_000)]


class WholeTable(_Section):
    """All batches of a table that grows, as it was with this one."""

    records: Count
    content_sha256: Sha256
    measured: MeasuredSection


class DatabaseSection(_Section):
    """The table of a database that was written; where that is, whoever may read it knows."""

    kind: Literal["postgresql", "sqlite", "duckdb"]
    schema_: Annotated[Name | None, Field(alias="schema")] = None
    table: Name
    mode: Literal["create", "append", "replace"]
    whole: WholeTable | None = None


class OutputSection(_WrittenTable):
    """What was written; of two tables of the same people their join, and the file of parents."""

    columns: Count
    content_format: ContentFormat | None = None
    row_order: Literal["sorted", "shuffled"]
    star: Literal["a value of its own", "a wildcard"] | None = None  #: how promises read a suppressed cell
    formulas_neutralized: bool | None = None
    sensitive_table: SensitiveTable | None = None
    child_table: ChildTable | None = None
    database: DatabaseSection | None = None


class ReleasedFile(_Section):
    """A file of the release and the hash of its bytes."""

    file: FileName
    sha256: Sha256


class NotProtected(_Section):
    """Something that the release leaves open."""

    warning: Name
    says: Text
    figures: dict[Name, JsonValue] = {}


class EarlierReleaseSection(_Section):
    """An earlier release of the same people, and the smallest group that both leave together where it was measured."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    __pydantic_extra__: dict[str, JsonValue]

    name: Name
    smallest_group: Count | None = None
    #: What was measured and would tell a secret.
    withheld: tuple[Text, ...] | None = None


class UnitSection(_Section):
    """What promises count; of persons, or households, how many there are, and what became of them.

    Of a differentially private release there is nothing but how many records of a person may take part.
    """

    counts: Literal["records", "persons", "households"]
    persons: Count | None = None
    households: Count | None = None
    touched_by_suppression: Count | None = None
    lost_to_suppression: Count | None = None
    fewest_in_a_class: Count | None = None
    summed_over_classes: Count | None = None
    largest_share_of_a_class: float | None = None
    records_per_person: Count | None = None

    @property
    def units(self) -> int | None:
        """How many persons, or households, there are; None where records count."""
        return {"persons": self.persons, "households": self.households}.get(self.counts)


class PseudonymSection(_Section):
    """What stands in place of persons: the column, how pseudonyms were made, their bits, and what they link."""

    column: Name
    kind: Literal["random", "keyed"]
    bits: Count
    says: Text


class CutItem(_Section):
    """An item as it is published, or a group that stands for some."""

    item: Name
    group: bool


class ItemsSection(_Section):
    """What became of sets of items: how many are published, and the cut."""

    column: Name
    published: Count
    proven_optimal: bool
    hierarchy_sha256: Sha256
    cut: Annotated[tuple[CutItem, ...], Field(max_length=1_000_000)]


class NotPromised(_Section):
    """A column that others may know and that no promise counts: what changed it, and which promises that voids."""

    column: Name
    changed_by: tuple[Name, ...]
    models: tuple[Name, ...]
    why: Text


class _EveryForm(_Section):
    """What every number of the format has."""

    format: Name
    created: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
    versions: Annotated[dict[Name, Name], Field(max_length=100)]
    promised: Annotated[tuple[Promise, ...], Field(max_length=1_000)]
    not_promised: Annotated[tuple[NotPromised, ...], Field(min_length=1, max_length=100_000)] | None = None
    measured: MeasuredSection
    columns: Annotated[tuple[ColumnSection, ...], Field(min_length=1, max_length=100_000)]
    job: PublicJob
    input: InputSection | None = None
    suppressed: Suppressed | None = None
    loss: LossSection | None = None
    differential_privacy: dict[Name, JsonValue] | None = None
    population: PopulationSection | None = None
    output: OutputSection
    random_sources: Annotated[tuple[Text, ...], Field(max_length=1_000)]

    def card(self) -> Card:
        """Return what is shown: what was promised, of how many records, and what it warns of."""
        measured = self.measured
        return Card(
            title="Certificate",
            verdict="every promise holds" if measured.holds else "a promise is broken",
            tone="good" if measured.holds else "bad",
            facts=[("made", self.created), ("by nymity", self.versions["nymity"]), ("records", measured.records)],
            sentences=[f"{one.means}." for one in self.promised],
            warnings=[getattr(one, "says", str(one)) for one in getattr(self, "not_protected", ())],
            tables=[CardTable(columns=("column", "role"), rows=[(one.name, one.role) for one in self.columns])],
            foot=".model_dump() has all of it",
        )

    def __repr__(self) -> str:
        return self.card().text()

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return self.card().html()

    @field_validator("created")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        date.fromisoformat(value)
        return value

    @field_validator("versions")
    @classmethod
    def _has_ours(cls, value: dict[str, str]) -> dict[str, str]:
        if "nymity" not in value:
            raise ValueError("the version of nymity is missing")
        return value

    @property
    def number(self) -> int:
        """The number of the format."""
        return CERTIFICATE.number_of({"format": self.format}, "certificate")

    @property
    def is_seeded(self) -> bool:
        """Whether it says that draws were from a known seed."""
        section = self.differential_privacy
        told = section is not None and section.get("private") is False
        return told or any(source.startswith(KNOWN_SEED) for source in self.random_sources)


class Certificate1(_EveryForm):
    """Version 1, as 0.1.0 wrote it; what it did not tell is None."""

    measured: MeasuredSection1
    not_protected: Annotated[tuple[Text, ...], Field(max_length=1_000)] = ()
    earlier_releases: Annotated[tuple[Text, ...], Field(max_length=10_000)]

    #: Whether it is of version 1, which knew less and was read by other rules.
    is_first: ClassVar[bool] = True
    #: Warnings with their figures; version 1 has sentences alone.
    warnings: ClassVar[tuple[NotProtected, ...]] = ()
    #: Earlier releases with what they leave; version 1 has their names alone.
    intersected: ClassVar[tuple[EarlierReleaseSection, ...]] = ()
    files: ClassVar[None] = None
    unit: ClassVar[None] = None
    pseudonyms: ClassVar[None] = None
    items: ClassVar[None] = None
    seeded: ClassVar[None] = None
    redrawn: ClassVar[None] = None


class Certificate2(_EveryForm):
    """Version 2: hashes of all files, warnings with their figures, and whether draws can be repeated."""

    not_protected: Annotated[tuple[NotProtected, ...], Field(max_length=10_000)]
    earlier_releases: Annotated[tuple[EarlierReleaseSection, ...], Field(max_length=10_000)]
    files: Annotated[tuple[ReleasedFile, ...], Field(min_length=1, max_length=10_000)] | None = None
    unit: UnitSection | None = None
    pseudonyms: PseudonymSection | None = None
    items: ItemsSection | None = None
    seeded: bool = False
    redrawn: Text | None = None

    is_first: ClassVar[bool] = False

    @property
    def warnings(self) -> tuple[NotProtected, ...]:
        """The warnings, each with its figures."""
        return self.not_protected

    @property
    def intersected(self) -> tuple[EarlierReleaseSection, ...]:
        """Earlier releases of the same people, with what they leave."""
        return self.earlier_releases

    @property
    def is_seeded(self) -> bool:
        """Whether it says that draws were from a known seed."""
        return self.seeded or super().is_seeded


CertificateForm = Certificate1 | Certificate2

#: How random sources begin.
KNOWN_SEED, SYSTEM = "a known seed: ", "operating system: "

_FORMS: dict[int, type[Certificate1] | type[Certificate2]] = {1: Certificate1, 2: Certificate2}


def read_certificate(path: str | Path) -> dict[str, Any]:
    """Read a certificate file, which must be of its form."""
    data: dict[str, Any] = parse_bytes(read_bytes(path), str(path))
    certificate_form(data, str(path))
    return data


def read_bytes(path: str | Path) -> bytes:
    """Read the bytes of a certificate, as they are signed."""
    return read_content(path, most=LARGEST, expected="a certificate")


def parse_bytes(content: bytes, where: str) -> Any:
    """Parse the JSON of a certificate."""
    return parse_json(content, where=where, expected="a certificate written by nymity")


def certificate_form(data: object, where: str = "certificate") -> CertificateForm:
    """Return a certificate by its form, or say which field is wrong."""
    if not isinstance(data, Mapping):
        raise FileError(where, expected="a certificate, a table of fields", got=type(data).__name__)
    form = _FORMS[CERTIFICATE.number_of(data, where)]
    try:
        # Through JSON, so that data from Python are held to the same types as a file: True is no 1, a tuple is a list.
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise FileError(where, expected="a certificate, plain data as JSON has it", got=str(error)[:200]) from error
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        raise _told(error, where) from None


def _told(error: ValidationError, where: str) -> FileError:
    """Name the first field that is wrong, and what it should be."""
    first = error.errors(include_url=False)[0]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"]).lstrip(".")
    expected = {
        "extra_forbidden": "no such field in a certificate",
        "missing": "a field that every certificate has",
    }.get(first["type"], first["msg"].removeprefix("Input should be ").removeprefix("Value error, "))
    got = "none" if first["type"] == "missing" else repr(first["input"])[:80]
    return FileError(f"{where}, {place}" if place else where, expected=expected, got=got)
