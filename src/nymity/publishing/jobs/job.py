"""Job: one declarative description of a run, the same fields in TOML, JSON and Python."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import WithJsonSchema

from nymity.core import pieces, validation
from nymity.core.calls import made_well
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import FileError, JobError, ParameterError
from nymity.core.format_numbers import JOB
from nymity.core.paths import path_text, resolved
from nymity.core.plain_data import MOST_JOB_BYTES, parse_json, parse_toml, read_content
from nymity.core.quoting import as_given, kind_and_value
from nymity.database import DatabaseOutput, DatabaseSource
from nymity.dp.ledger import Ledger
from nymity.engines import Engine
from nymity.io import (
    FORMATS,
    RELEASED,
    ReadOptions,
    WriteOptions,
)
from nymity.privacy import PrivacyModel
from nymity.publishing.jobs import codec
from nymity.publishing.jobs.children import Children, check_children, refuse_deeper, with_marker
from nymity.publishing.jobs.counted_unit import counted_by
from nymity.publishing.jobs.differential import check_promise
from nymity.publishing.jobs.earlier_release import Earlier, EarlierRelease, parse_earlier, read_earlier, secret_group
from nymity.publishing.jobs.engine_checks import check_engine
from nymity.publishing.jobs.file_source import Source as Source
from nymity.publishing.jobs.job_checks import (
    check_batches,
    check_items,
    check_names,
    check_persons,
    check_seed,
    check_target,
    check_weight,
)
from nymity.publishing.jobs.promise_sentence import promise_of
from nymity.publishing.jobs.registry import METHODS, MODELS, Method, is_private
from nymity.publishing.jobs.toml import toml_job
from nymity.publishing.jobs.transform_checks import check_transforms
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.sealing.signing import Sign
from nymity.quality import LOSSES
from nymity.table.attribute import Attribute, Role
from nymity.table.builders import BUILDERS, HierarchyFile, Shuffled, Taxonomy
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema
from nymity.transforms import TRANSFORMS, Transform

#: Bytes that a file's name may have, with room for what hidden names add to it.
_LONGEST_NAME = 200


@made_well
@dataclass(frozen=True, kw_only=True)
class Output:
    """How the release is written.

    ``name`` is the file's name without suffix. ``row_order`` never follows the input: ``sorted`` orders rows by what
    is published, which reveals nothing the rows do not; ``shuffled`` draws an order. ``delimiter``, ``encoding`` and
    ``decimal`` of text are those of the source unless given; a comma, UTF-8 and a point where it has none, or tabs.
    """

    name: str = "release"
    format: Annotated[str, WithJsonSchema({"enum": list(RELEASED), "type": "string"})] = "csv"
    delimiter: str | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    neutralize_formulas: bool = True
    row_order: Literal["sorted", "shuffled"] = "sorted"

    def __post_init__(self) -> None:
        validation.one_of("output.format", self.format, RELEASED)
        validation.one_of("output.row_order", self.row_order, ("sorted", "shuffled"))
        name = path_text("output.name", self.name, expected="a file name without folders")
        if Path(name).name != name:
            raise JobError("output.name", expected="a file name without folders", got=as_given(self.name))
        if len(os.fsencode(self.sensitive_file_name)) > _LONGEST_NAME:
            raise JobError("output.name", expected="a shorter name, as file systems have it", got=f"{name!r:.80} …")
        _ = self.options  # refuses a delimiter before the search, not after it

    @property
    def in_files(self) -> bool:
        """Whether there are files: a database has tables (:class:`nymity.DatabaseOutput`)."""
        return True

    @property
    def grows(self) -> bool:
        """Whether it is added to what was published before, as only tables of a database are."""
        return False

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What this way to publish leaves open, whatever the records are."""
        return ()

    @property
    def file_name(self) -> str:
        """Name of the released file."""
        return f"{self.name}.{self.format}"

    @property
    def sensitive_file_name(self) -> str:
        """Name of the second file, where sensitive values are published apart from quasi-identifiers."""
        return f"{self.name}-sensitive.{self.format}"

    @property
    def children_file_name(self) -> str:
        """Name of the file of children, where there are two tables of the same people."""
        return f"{self.name}-children.{self.format}"

    @property
    def neutralizes(self) -> bool:
        """Whether text that a spreadsheet would run gets an apostrophe; spreadsheets do not open Parquet."""
        return self.neutralize_formulas and not FORMATS[self.format].keeps_types

    @property
    def options(self) -> WriteOptions:
        """How to write the file."""
        return WriteOptions(
            delimiter="," if self.delimiter is None else self.delimiter,
            encoding="utf-8" if self.encoding is None else self.encoding,
            decimal="." if self.decimal is None else self.decimal,
            neutralize_formulas=self.neutralize_formulas,
        )

    def like(self, source: ReadOptions) -> Output:
        """Return it with delimiter, encoding and decimal mark of the source, where it says nothing itself."""
        if not FORMATS[self.format].is_text:
            return self
        delimiter = None if source.delimiter in (",", "\t") else source.delimiter
        encoding = None if source.encoding in ("utf-8", "UTF-8") else source.encoding
        decimal: Literal[","] | None = "," if source.decimal == "," else None
        return dataclasses.replace(
            self,
            delimiter=self.delimiter or delimiter,
            encoding=self.encoding or encoding,
            decimal=self.decimal or decimal,
        )

    def found_at(self, folder: Path, name: str) -> Path:
        """Return where a table of the release is."""
        return folder / name

    def within(self, folder: Path) -> Output:
        """Return it as it is: where the files go is not the job's to say."""
        del folder
        return self

    def at(self, url: str | None) -> Output:
        """Return it as it is: files are in no database."""
        if url is not None:
            raise JobError("url", expected="a release in a database", got="one in files", hint="leave the URL out")
        return self

    def public(self) -> dict[str, Any]:
        """Return it as certificates have it."""
        return _dump_flat(self)


@made_well
@dataclass(frozen=True, kw_only=True, repr=False)
class Job(Carded):
    """Source, schema, privacy, method, output: everything a run depends on.

    Without a ``method`` a search is taken by the size of the lattice (:mod:`nymity.lattice.default`); the job of the
    release, and its certificate, name it.
    ``earlier_releases`` are releases of the same people that are already out: two releases can be intersected, and each
    guarantee holds for its release alone. A name is only repeated and warned about; a folder (in Python a path or a
    :class:`~nymity.Release`) is intersected with the new release. ``earlier`` says what must be left then, and by which
    column people are known again. ``ledger`` adds up what releases that are differentially private spend. ``target`` is
    a column that classifiers learn to predict for the report. ``sign`` names the private key that certificates are
    signed with. ``children`` is a second table of the same people, whose records belong to those of the source
    (:mod:`nymity.publishing.jobs.children`). ``seed`` makes all draws repeatable for anyone who knows it: for tests,
    studies and benchmarks. The certificate of such a release says so. Differentially private methods have one of their
    own, ``not_private_seed``. ``transforms`` change cells of insensitive columns, codings first and then all others,
    on the published rows. ``engine`` says where rows are counted, recoded and measured (:mod:`nymity.engines`); the
    same release comes of any.
    """

    _instead: ClassVar = {
        **dict.fromkeys(("from_file", "read", "open"), "Job.load(path)"),
        **dict.fromkeys(("save", "write", "to_file", "dump"), "Path(path).write_text(job.to_toml())"),
        **dict.fromkeys(("run", "publish", "execute"), "ny.publish(job)"),
    }

    schema: Schema
    privacy: tuple[PrivacyModel, ...]
    method: Method | None = None
    source: Source | DatabaseSource | None = None
    output: Output | DatabaseOutput = field(default_factory=Output)
    earlier_releases: tuple[str | EarlierRelease, ...] = ()
    earlier: Earlier | None = None
    ledger: Ledger | None = None
    target: str | None = None
    sign: Sign | None = None
    seed: int | None = None
    children: Children | None = None
    engine: Engine | None = None
    transforms: tuple[Transform, ...] = ()

    def __post_init__(self) -> None:
        self._check_types()
        if self.engine is not None:
            check_engine(
                self.engine,
                self.schema,
                self.privacy,
                self.method,
                self.output,
                children=self.children,
                transforms=self.transforms,
            )
        if self.source is not None:
            object.__setattr__(self, "output", self.output.like(self.source.options))
        if isinstance(self.output, Output):
            FORMATS[self.output.format].check_names(name for name, one in self.schema.items() if one.is_published)
        if self.children is not None:
            object.__setattr__(self, "schema", with_marker(self.schema))
        # Numbers of numpy would be written as such into job files, and compare unequal to what is read back.
        object.__setattr__(self, "privacy", tuple(map(validation.with_plain_numbers, self.privacy)))
        object.__setattr__(self, "method", validation.with_plain_numbers(self.method))
        object.__setattr__(self, "earlier_releases", tuple(map(read_earlier, self.earlier_releases)))
        if not self.privacy:
            raise JobError("privacy", expected="at least one privacy model", got="none", hint="add k-anonymity")
        # Whether persons or households are counted follows from the promises; the checks below ask the schema.
        object.__setattr__(self, "schema", counted_by(self.schema, self.privacy))
        check_names(self.schema)
        check_promise(self.schema, self.privacy, self.method, self.ledger)
        has_children = self.children is not None
        check_persons(self.schema, self.privacy, self.method, children=has_children)
        check_weight(self.schema, self.privacy, self.method)
        object.__setattr__(self, "transforms", tuple(self.transforms))
        check_transforms(self.transforms, self.schema, self.method, children=has_children)
        intersected = any(isinstance(one, EarlierRelease) for one in self.earlier_releases)
        if self.children is not None:
            check_children(self.schema, self.output.row_order, intersected=intersected)
        check_items(self.schema, self.privacy, self.method, target=self.target, intersected=intersected)
        if self.earlier is not None:
            self._check_earlier(self.earlier)
        if self.target is not None:
            check_target(self.target, self.schema)
        if self.seed is not None:
            check_seed(self.seed, self.method)
        if self.output.grows:
            check_batches(self.schema, self.privacy, self.method, children=self.children is not None)

    def _check_types(self) -> None:
        """Refuse what was given in place of something else."""
        object.__setattr__(self, "schema", Schema.of(self.schema))
        for name in ("privacy", "earlier_releases", "transforms"):
            given = getattr(self, name)
            if not isinstance(given, list | tuple):
                hint = f"[{as_given(given)}]" if isinstance(given, PrivacyModel | Transform) else ""
                raise ParameterError(name, expected="a list", got=kind_and_value(given), hint=hint)
        for model in self.privacy:
            validation.instance("privacy", model, PrivacyModel, expected="privacy models, such as KAnonymity(k=5)")
        for one in self.transforms:
            validation.instance(
                "transforms", one, Transform, expected="transforms, such as AdditiveNoise(columns=['income'])"
            )
        named = self.method is not None  # where nobody names one, the table decides
        if named and (not callable(getattr(self.method, "run", None)) or isinstance(self.method, type)):
            raise JobError(
                "method",
                expected="a method, such as OptimalLattice()",
                got=f"{type(self.method).__name__} {self.method!r}"[:80],
            )
        if not isinstance(self.output, Output | DatabaseOutput):
            of_format = isinstance(self.output, str) and self.output in RELEASED
            hint = f"ny.Output(format={self.output!r})" if of_format else f"out={self.output!r:.80}"
            hint = hint if isinstance(self.output, str | Path) else ""
            raise ParameterError("output", expected="an Output", got=kind_and_value(self.output), hint=hint)
        if self.source is not None:
            validation.instance("source", self.source, (Source, DatabaseSource), expected="Source(...)")
        kinds = {"earlier": Earlier, "ledger": Ledger, "sign": Sign, "children": Children, "engine": Engine}
        for name, kind in kinds.items():
            if getattr(self, name) is not None:
                validation.instance(name, getattr(self, name), kind, expected=f"{kind.__name__}(...)")

    def _check_earlier(self, earlier: Earlier) -> None:
        """Refuse to ask for what cannot be measured."""
        if earlier.person is not None and earlier.person not in self.schema:
            raise JobError(
                "earlier.person",
                expected="a column of the schema, such as an identifying one",
                got=as_given(earlier.person),
                hint=validation.nearest(earlier.person, list(self.schema)),
            )
        if earlier.smallest_group is None:
            return
        if self.is_private:
            raise JobError(
                "earlier.smallest_group",
                expected="a release in classes",
                got="a differentially private one, whose epsilon adds up instead",
                hint="a ledger",
            )
        if Withheld.of(self.schema, self.privacy, self.method).classes:
            raise secret_group("this release")
        if not any(isinstance(one, EarlierRelease) for one in self.earlier_releases):
            raise JobError(
                "earlier.smallest_group",
                expected="an earlier release to intersect with",
                got="only names" if self.earlier_releases else "none",
                hint='earlier_releases = [{ release = "folder" }]',
            )

    def card(self) -> Card:
        """Return what is shown: roles, promises and method, as a job file has them."""
        rows = [
            (name, one.role.value, "" if one.hierarchy is None else getattr(one.hierarchy, "key", "listed"))
            for name, one in self.schema.items()
        ]
        return Card(
            title="Job",
            facts=[
                ("source", getattr(self.source, "path", None) or ("a frame" if self.source is None else "a database")),
                ("method", "by the size of the lattice" if self.method is None else self.method.key),
            ],
            sentences=[f"Promises {words}." for words in self.promises],
            tables=[CardTable(columns=("column", "role", "hierarchy"), rows=rows)],
        )

    @property
    def promises(self) -> tuple[str, ...]:
        """What each of its models promises, in words."""
        buckets = self.method is not None and self.method.makes.has_counts
        schema = self.schema
        return tuple(
            promise_of(model, buckets=buckets, unit=schema.counts, perturbed=schema.perturbed) for model in self.privacy
        )

    @property
    def people_known_by(self) -> str | None:
        """The column by which people of earlier releases are known, where the job names those and that."""
        return self.earlier.person if self.earlier is not None and self.earlier_releases else None

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that tables are read from."""
        second = (getattr(model, model.second_table) for model in self.privacy if model.second_table)
        children = None if self.children is None else self.children.path
        named = [path for path in (*second, children) if isinstance(path, str)]
        return (*(() if self.source is None else self.source.files), *map(Path, named))

    @property
    def is_private(self) -> bool:
        """Whether a differentially private method is to publish it."""
        return is_private(self.method)

    @property
    def table_names(self) -> list[str]:
        """What is published, by the names of its file or files, or of its tables in a database."""
        apart = [self.output.sensitive_file_name] if self.method is not None and self.method.makes.has_counts else []
        return [self.output.file_name, *apart, *([] if self.children is None else [self.output.children_file_name])]

    @property
    def file_names(self) -> list[str]:
        """The file or files of what is published, without certificate and signature."""
        return self.table_names if self.output.in_files else []

    @staticmethod
    def load(path: str | Path) -> Job:
        """Read a TOML or JSON job file; relative paths in it start at its folder."""
        path = Path(path_text("job", path))
        return Job.from_dict(_read_data(path), folder=path.parent)

    @staticmethod
    def load_source(path: Path) -> Source | DatabaseSource:
        """Read the source of a job file, which may have nothing else yet; relative paths start at its folder."""
        data = _read_data(path)
        if "source" not in data:
            raise JobError(str(path), expected="a field 'source'", got=f"only {', '.join(data) or 'nothing'}")
        return _parse_source(data["source"], path.parent)

    @staticmethod
    def from_dict(data: Mapping[str, Any], *, folder: Path | None = None) -> Job:
        """Build a job from plain data, or say which field is wrong."""
        pieces.check_fields(data, ["format", *(field.name for field in dataclasses.fields(Job))], "")
        JOB.number_of(data, "format")
        for name in ("schema", "privacy"):
            if name not in data:
                raise JobError("job", expected=f"a field {name!r}", got=f"only {', '.join(data) or 'nothing'}")
        return Job(
            source=_parse_source(data["source"], folder) if "source" in data else None,
            schema=parse_schema(data["schema"], folder=folder),
            privacy=parse_models(data["privacy"], folder=folder),
            method=parse_method(data["method"]) if "method" in data else None,
            output=_parse_output(data.get("output", {}), folder),
            earlier_releases=parse_earlier(data.get("earlier_releases", []), folder),
            earlier=_parse_flat(Earlier, data["earlier"], "earlier") if "earlier" in data else None,
            ledger=_parse_ledger(data["ledger"], folder) if "ledger" in data else None,
            target=data.get("target"),
            sign=_parse_sign(data["sign"], folder) if "sign" in data else None,
            seed=data.get("seed"),
            children=_parse_children(data["children"], folder) if "children" in data else None,
            engine=_parse_engine(data["engine"], folder) if "engine" in data else None,
            transforms=parse_transforms(data.get("transforms", [])),
        )

    def seen_from(self, folder: Path) -> Job:
        """Let relative paths start at the folder of a job file instead of where the program runs."""
        try:
            way = Path(os.path.relpath(Path.cwd(), resolved(folder)))
        except ValueError:  # another drive
            way = Path.cwd()
        return Job.from_dict(self.to_dict(), folder=way)

    def to_toml(self) -> str:
        """Return it as the text of a job file, which :meth:`load` reads."""
        return toml_job(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the plain data :meth:`from_dict` takes."""
        data: dict[str, Any] = {}
        if self.source is not None:
            data["source"] = _dump_flat(self.source)
        if self.children is not None:
            data["children"] = _dump_flat(self.children)
        data["schema"] = {name: dump_attribute(attribute) for name, attribute in self.schema.items()}
        data["privacy"] = [codec.dump_piece(model, tag="model") for model in self.privacy]
        if self.method is not None:
            data["method"] = codec.dump_piece(self.method, tag="name")
        if self.transforms:
            data["transforms"] = [codec.dump_piece(one, tag="transform") for one in self.transforms]
        if output := _dump_flat(self.output):
            data["output"] = output
        if self.earlier_releases:
            data["earlier_releases"] = [one if isinstance(one, str) else one.to_data() for one in self.earlier_releases]
        if self.earlier is not None:
            data["earlier"] = _dump_flat(self.earlier)
        if self.ledger is not None:
            data["ledger"] = dataclasses.asdict(self.ledger)
        if self.target is not None:
            data["target"] = self.target
        if self.sign is not None:
            data["sign"] = dataclasses.asdict(self.sign)
        if self.seed is not None:
            data["seed"] = self.seed
        if self.engine is not None:
            data["engine"] = {"kind": self.engine.kind, **_dump_flat(self.engine)}
        return data


def parse_models(data: Any, *, folder: Path | None = None) -> tuple[PrivacyModel, ...]:
    """Build the privacy models of a list of tables; relative paths in them start at ``folder``."""
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise JobError("privacy", expected="a list of models ([[privacy]] in TOML)", got=f"{type(data).__name__}")
    return tuple(_parse_model(item, f"privacy[{i}]", folder) for i, item in enumerate(data))


def _parse_model(data: Any, where: str, folder: Path | None) -> PrivacyModel:
    model: PrivacyModel = pieces.parse_piece(data, tag="model", registry=MODELS, where=where)
    if not model.second_table:
        return model
    path = data[model.second_table]
    if not isinstance(path, str):
        raise JobError(f"{where}.{model.second_table}", expected="the path of a table", got=as_given(path))
    return model if folder is None else dataclasses.replace(model, **{model.second_table: str(folder / path)})  # type: ignore[type-var]


def parse_transforms(data: Any) -> tuple[Transform, ...]:
    """Build the transforms of a list of tables."""
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise JobError("transforms", expected="a list ([[transforms]] in TOML)", got=f"{type(data).__name__}")
    return tuple(
        pieces.parse_piece(item, tag="transform", registry=TRANSFORMS, where=f"transforms[{i}]")
        for i, item in enumerate(data)
    )


def parse_method(data: Any) -> Method:
    """Build the method that a table of fields names."""
    fields = dict(pieces.require_mapping(data, "method"))
    if isinstance(fields.get("loss"), Mapping):
        fields["loss"] = pieces.parse_piece(fields["loss"], tag="loss", registry=LOSSES, where="method.loss")
    method: Method = pieces.parse_piece(fields, tag="name", registry=METHODS, where="method")
    return method


def parse_schema(data: Any, *, folder: Path | None = None) -> Schema:
    """Build a schema from a table of attributes."""
    attributes = pieces.require_mapping(data, "schema")
    return Schema({name: _parse_attribute(item, f"schema.{name}", folder) for name, item in attributes.items()})


def dump_attribute(attribute: Attribute) -> dict[str, Any]:
    """Return an attribute as plain data."""
    data: dict[str, Any] = {"role": attribute.role.value}
    if attribute.hierarchy is not None:
        source = attribute.hierarchy
        if isinstance(source, Hierarchy):
            data["hierarchy"] = {"type": "rows", "rows": source.rows()}
        else:
            data["hierarchy"] = codec.dump_piece(source, tag="type")
    plain = Attribute(role=attribute.role)  # whose role may have defaults of its own
    for item in dataclasses.fields(Attribute):
        value = getattr(attribute, item.name)
        if item.name not in ("role", "hierarchy") and value != getattr(plain, item.name):
            data[item.name] = value
    return data


def _parse_attribute(data: Any, where: str, folder: Path | None) -> Attribute:
    if isinstance(data, str):  # as in a file of answers
        hint = f'write {{ role = "{data}" }}'
        raise JobError(where, expected="a table of fields", got=kind_and_value(data), hint=hint)
    fields = dict(pieces.require_mapping(data, where))
    pieces.check_fields(fields, [item.name for item in dataclasses.fields(Attribute)], where)
    roles = [role.value for role in Role]
    if fields.get("role") not in roles:
        raise JobError(
            f"{where}.role",
            expected=f"one of {', '.join(map(repr, roles))}",
            got=repr(fields.get("role")),
            hint=validation.nearest(str(fields.get("role")), roles),
        )
    if "hierarchy" in fields:
        if isinstance(named := fields["hierarchy"], str):
            hint = f'write {{ type = "{named}" }}'
            raise JobError(f"{where}.hierarchy", expected="a table of fields", got=as_given(named), hint=hint)
        builder = pieces.parse_piece(fields["hierarchy"], tag="type", registry=BUILDERS, where=f"{where}.hierarchy")
        fields["hierarchy"] = _resolve(builder, folder)
    if isinstance(fields.get("pseudonym_key"), str) and folder is not None:
        fields["pseudonym_key"] = str(folder / fields["pseudonym_key"])
    attribute: Attribute = pieces.built(Attribute, fields, where)
    return attribute


def _resolve(builder: Any, folder: Path | None) -> Any:
    """Let relative paths of a hierarchy start at the job's folder."""
    if folder is None:
        return builder
    if isinstance(builder, HierarchyFile):
        return dataclasses.replace(builder, path=str(folder / builder.path))
    if isinstance(builder, Taxonomy) and builder.file is not None:
        return dataclasses.replace(builder, file=str(folder / builder.file))
    if isinstance(builder, Shuffled):
        return dataclasses.replace(builder, hierarchy=_resolve(builder.source, folder))
    return builder


def _parse_source(data: Any, folder: Path | None) -> Source | DatabaseSource:
    named = pieces.require_mapping({"path": data} if isinstance(data, str) else data, "source")
    source: Source | DatabaseSource = _parse_flat(DatabaseSource if "url" in named else Source, named, "source")
    return source if folder is None else source.within(folder)


def _parse_output(data: Any, folder: Path | None) -> Output | DatabaseOutput:
    output = parse_output(data)
    return output if folder is None else output.within(folder)


def parse_output(data: Any) -> Output | DatabaseOutput:
    """Build what a job says of its output, in files or in a database; without a URL where a certificate says it."""
    named = pieces.require_mapping(data, "output")
    output: Output | DatabaseOutput = _parse_flat(
        DatabaseOutput if {"url", "table"} & named.keys() else Output, named, "output"
    )
    return output


def _parse_children(data: Any, folder: Path | None) -> Children:
    if isinstance(data, Sequence) and not isinstance(data, str):
        raise refuse_deeper(f"a list of {len(data)}")
    if isinstance(data, Mapping) and "children" in data:
        raise refuse_deeper("children of children")
    given = parse_children(data)
    return given if folder is None or given.path is None else dataclasses.replace(given, path=str(folder / given.path))


def parse_children(data: Any) -> Children:
    """Build what a job says of its table of children."""
    given: Children = _parse_flat(Children, {"path": data} if isinstance(data, str) else data, "children")
    return given


def _parse_ledger(data: Any, folder: Path | None) -> Ledger:
    ledger: Ledger = _parse_flat(Ledger, data, "ledger")
    return dataclasses.replace(ledger, path=str(folder / ledger.path)) if folder is not None else ledger


def _parse_sign(data: Any, folder: Path | None) -> Sign:
    sign: Sign = _parse_flat(Sign, data, "sign")
    if folder is None:
        return sign
    return dataclasses.replace(sign, key=str(folder / Path(sign.key).expanduser()))


def _parse_engine(data: Any, folder: Path | None) -> Engine:
    engine: Engine = _parse_flat(Engine, {"kind": data} if isinstance(data, str) else data, "engine")
    if folder is None or engine.temporary is None:
        return engine
    return dataclasses.replace(engine, temporary=str(folder / Path(engine.temporary).expanduser()))


def _parse_flat(piece: type[Any], data: Any, where: str) -> Any:
    return pieces.built(piece, pieces.require_mapping(data, where), where)


def _dump_flat(piece: Any) -> dict[str, Any]:
    fields = sorted(dataclasses.fields(piece), key=lambda item: item.name != "path")
    return {
        item.name: pieces.plain(value)
        for item in fields
        if (value := getattr(piece, item.name)) != codec.default_of(item)
    }


def _read_data(path: Path) -> dict[str, Any]:
    parsers = {".toml": parse_toml, ".json": parse_json}
    kind, where = path.suffix.lower(), str(path)
    if kind not in parsers:
        raise FileError(where, expected="a job file ending in .toml or .json", got=f"the suffix {path.suffix!r}")
    hint = "nymity inspect table.csv --job job.toml writes a first one"
    # Bounded before it is parsed: a job file from somebody else must not fill the memory.
    content = read_content(path, most=MOST_JOB_BYTES, expected="a readable job file", hint=hint)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(where, expected=f"valid {kind[1:].upper()} in UTF-8", got=str(error)) from error
    data = parsers[kind](text, where=where, expected=f"valid {kind[1:].upper()}")
    if not isinstance(data, dict):
        raise FileError(str(path), expected="a table of fields", got=type(data).__name__)
    return data
