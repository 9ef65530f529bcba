"""Where a certificate contradicts itself: promises and job, roles and schema, words and parameters, counts and counts.

A certificate says most things twice. Whoever changes one of them by hand is seen here, without a look at the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from nymity.core.errors import FileError, InputError, JobError
from nymity.core.pieces import check_fields
from nymity.core.quoting import as_given
from nymity.core.validation import exact_fraction, nearest
from nymity.database import DatabaseOutput
from nymity.dp.differential_privacy import DifferentialPrivacy
from nymity.lattice.iterative import IterativeRecoding
from nymity.lattice.search import LatticeSearch
from nymity.privacy import PrivacyModel
from nymity.publishing.certificates.begun_contradictions import begun_contradictions, lowest_level
from nymity.publishing.certificates.certificate import REDRAWN, SEEDED, VERIFIED, WITHHELD
from nymity.publishing.certificates.certificate_form import KNOWN_SEED, SYSTEM, CertificateForm
from nymity.publishing.certificates.item_sets import item_contradictions
from nymity.publishing.certificates.method_contradictions import method_contradictions
from nymity.publishing.certificates.private_contradictions import private_contradictions
from nymity.publishing.certificates.told_secrets import impossible_groups, told_secrets
from nymity.publishing.certificates.unit_contradictions import unit_contradictions
from nymity.publishing.jobs.children import HAS_CHILDREN, Children, with_marker
from nymity.publishing.jobs.codec import dump_piece
from nymity.publishing.jobs.counted_unit import counted_by
from nymity.publishing.jobs.differential import NOT_PRIVATE
from nymity.publishing.jobs.job import (
    Job,
    Output,
    parse_children,
    parse_method,
    parse_models,
    parse_output,
    parse_schema,
    parse_transforms,
)
from nymity.publishing.jobs.job_checks import check_items, check_persons, check_weight
from nymity.publishing.jobs.promise_sentence import promise_of
from nymity.publishing.jobs.registry import Method, is_private
from nymity.publishing.jobs.transform_checks import check_perturbed, check_transforms
from nymity.publishing.jobs.withheld import Withheld
from nymity.publishing.steps.pseudonyms import PSEUDONYMS, pseudonym_section
from nymity.publishing.steps.shifts import SHIFTS
from nymity.publishing.steps.transforming import is_purpose, not_promised_about, purposes
from nymity.table.attribute import Role
from nymity.table.bucket_recoding import BUCKET, COUNT
from nymity.table.builders import BUILDERS
from nymity.table.hierarchy import HierarchySource
from nymity.table.schema import Schema
from nymity.transforms import Transform

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False, kw_only=True)
class StatedJob:
    """The job in a certificate: everything of it but paths and listed values."""

    schema: Schema
    models: tuple[PrivacyModel, ...]
    method: Method
    output: Output | DatabaseOutput
    #: Hierarchies of sensitive columns that the certificate has whole.
    hierarchies: Mapping[str, HierarchySource]
    children: Children | None = None
    transforms: tuple[Transform, ...] = ()

    @staticmethod
    def of(form: CertificateForm, where: str = "certificate") -> StatedJob:
        """Read the promises and the job of a certificate, or say which field is wrong."""
        job = form.job
        known = [field.name for field in dataclasses.fields(Job)]
        further = list(job.__pydantic_extra__ or {})
        _placed(where, "job", lambda: check_fields(dict.fromkeys(further), known, ""))
        attributes = {name: _without_withheld(name, dict(item), where) for name, item in job.schema_.items()}
        schema = _placed(where, "job", lambda: parse_schema(attributes))
        output = _placed(where, "job", lambda: parse_output(job.output))
        # A hierarchy with a part withheld is left out here, so distances in it cannot be measured.
        whole = {name for name, item in attributes.items() if "hierarchy" in item}
        models = _placed(where, "", lambda: parse_models([promise.plain for promise in form.promised]))
        return StatedJob(
            schema=counted_by(schema, models),
            models=models,
            method=_placed(where, "job", lambda: parse_method(job.method)),
            output=output,
            hierarchies={name: item for name, item in schema.sensitive_hierarchies.items() if name in whole},
            children=None if job.children is None else _placed(where, "job", lambda: parse_children(job.children)),
            transforms=_placed(where, "job", lambda: parse_transforms(job.transforms)),
        )

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self.schema.quasi

    @property
    def is_bucketized(self) -> bool:
        """Whether sensitive values are published in a table of their own."""
        return self.method.makes.has_counts

    @property
    def published(self) -> dict[str, str]:
        """The roles of the columns of the table."""
        apart = set(self.schema.sensitive) if self.is_bucketized else set()
        roles = {name: item.role.value for name, item in self.schema.items() if item.is_published and name not in apart}
        return {**roles, **({BUCKET: BUCKET} if self.is_bucketized else {})}


def _together(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    """Return why such a job cannot be published: promises to persons without a column of them, means that tell."""
    del form
    schema, models, method = stated.schema, stated.models, stated.method
    checks: tuple[Callable[[], None], ...] = (
        lambda: check_persons(schema, models, method, children=stated.children is not None),
        lambda: check_items(schema, models, method),
        lambda: check_weight(schema, models, method),
        lambda: check_transforms(stated.transforms, schema, method),
        lambda: check_perturbed(stated.transforms, schema),
    )
    for ask in checks:
        try:
            ask()
        except InputError as error:
            yield f"nothing can be published by its job (job, promised): {error}"


def contradictions(form: CertificateForm, stated: StatedJob) -> list[str]:
    """Return where a certificate says two things."""
    checks = (
        _together,
        _promises,
        _columns,
        _sections,
        _counts,
        _outputs,
        _files,
        _draws,
        _children,
        _private,
        _levels,
        _of_method,
        _searched,
        _withheld,
        _items,
    )
    return [problem for check in checks for problem in check(form, stated)]


def _promises(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    if not form.promised:
        yield "it promises nothing"
    if [promise.plain for promise in form.promised] != list(form.job.privacy):
        yield "what is promised is not what its job demands (promised, job.privacy)"
    for promise, model in zip(form.promised, stated.models, strict=True):
        # Readers go by the words: these must say no more than the parameters beside them.
        if promise.means not in _meanings(form, stated, model):
            yield f"the words of the promise {promise.model} are not what its parameters mean (promised.means)"
        shown = pseudonym_section(stated.schema) is not None
        counted_units = stated.schema.unit is not None and not model.about_draws
        needs_source = model.needs_source or (counted_units and not shown)
        if promise.verified != (VERIFIED["verified"] if needs_source else None):
            yield f"it says otherwise than {promise.model} how that was verified (promised.verified)"
        for name in model.sensitive:
            if name not in stated.schema or stated.schema[name].role is not Role.SENSITIVE:
                yield f"{promise.model} speaks of {name!r}, which is no sensitive column of its job"
    not_promised = not_promised_about(stated.schema, stated.transforms, stated.models)
    if [one.model_dump(mode="json") for one in form.not_promised or ()] != not_promised:
        yield "it says otherwise than its job about which columns no promise is (not_promised, job.transforms)"
    yield from _unit(form, stated)
    if form.measured.holds != all(model.holds for model in form.measured.models) or not form.measured.holds:
        yield "what was measured does not keep the promises (measured.holds)"
    if [model.model for model in form.measured.models] != [promise.model for promise in form.promised]:
        yield "what was measured is not what was promised (measured.models)"


def _items(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    yield from item_contradictions(form.items, stated.schema)


def _unit(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    yield from unit_contradictions(form, stated.schema, stated.models, stated.method)
    yield from told_secrets(form, stated.schema, stated.models, stated.method)
    yield from impossible_groups(form)


def _meanings(form: CertificateForm, stated: StatedJob, model: PrivacyModel) -> tuple[str, ...]:
    """Return the words that a promise may have: one text, but for releases whose draws can be repeated."""
    words = promise_of(
        model, buckets=stated.is_bucketized, unit=stated.schema.counts, perturbed=stated.schema.perturbed
    )
    if not form.is_seeded:
        return (words,)
    return (NOT_PRIVATE,) if model.about_draws else (f"{SEEDED}{words}",)


def _columns(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    roles = {column.name: column.role for column in form.columns}
    if len(roles) < len(form.columns):
        yield "it names a column twice (columns)"
    if not stated.quasi:
        yield "no column is a quasi-identifier, so nothing is promised about anybody (columns, job.schema)"
    if roles != stated.published:
        unlike = sorted(
            name for name in roles.keys() | stated.published.keys() if roles.get(name) != stated.published.get(name)
        )
        yield f"columns and their roles are not those of its job: {', '.join(map(repr, unlike))} (columns, job.schema)"
    for column in form.columns:
        described = {
            name for name in ("level", "height", "cells", "unchanged", "hierarchy_sha256") if getattr(column, name)
            is not None
        }  # fmt: skip
        if described not in _DESCRIBED[column.role == Role.QUASI.value]:
            yield f"column {column.name!r} is not described as its role asks for (columns)"
        levels = [*(column.levels or ()), *(() if column.level is None else (column.level,))]
        if column.height is not None and max(levels, default=0) > column.height:
            yield f"column {column.name!r} has a level above the top of its hierarchy (columns)"
        if column.levels is not None and column.level != max(column.levels):
            yield f"column {column.name!r} has another level than the coarsest of its levels (columns)"


#: What describes a column, by whether it is a quasi-identifier.
_DESCRIBED: dict[bool, tuple[set[str], ...]] = {
    True: (
        {"level", "height", "hierarchy_sha256"},
        {"cells", "hierarchy_sha256"},
        {"unchanged", "hierarchy_sha256"},
    ),
    False: (set(),),
}


def _sections(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    private = any(model.about_draws for model in stated.models)
    if private != is_private(stated.method):
        yield "its method is not one that keeps its promise (promised, job.method)"
    wanted = {
        "differential_privacy": private,
        "input": not private,
        "suppressed": not private,
        "loss": not private,
        "population": any(model.second_table for model in stated.models),
    }
    for name, is_wanted in wanted.items():
        if (getattr(form, name) is not None) != is_wanted:
            yield f"the section {name!r} {'is missing' if is_wanted else 'has no place in this kind of release'}"
    if (form.output.sensitive_table is not None) != stated.is_bucketized:
        yield "a second table and a method that makes one go together (output.sensitive_table, job.method)"


def _levels(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    """Levels lie within the bounds of the job, and columns are described as its kind of method describes them."""
    described = _DESCRIBED_BY.get(type(stated.method).__module__.split(".")[1])
    for column in form.columns:
        if column.role != Role.QUASI.value or column.name not in stated.schema:
            continue
        if described is not None and getattr(column, described) is None:
            yield f"column {column.name!r} is not described as its method publishes columns (columns, job.method)"
        if column.height not in (None, 1) and "hierarchy" not in form.job.schema_[column.name]:
            yield f"column {column.name!r} has no hierarchy in its job, and so one level above its values (columns)"
        attribute = stated.schema[column.name]
        used = [*(column.levels or ()), *(() if column.level is None else (column.level,))]
        if attribute.max_level is not None and max(used, default=0) > attribute.max_level:
            yield f"column {column.name!r} is coarser than its job allows (columns, job.schema)"
        if used and min(used) < attribute.min_level:
            yield f"column {column.name!r} is finer than its job allows (columns, job.schema)"


#: How quasi-identifiers are described, by the package of the method.
_DESCRIBED_BY = {"lattice": "level", "dp": "level", "partition": "cells", "bucket": "unchanged"}


def _of_method(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    yield from method_contradictions(form, stated.schema, stated.method)


def _searched(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    """What the search says of itself fits together, and suppression stays within the limit of the job."""
    loss, lost = form.loss, form.suppressed
    if loss is None:
        return
    if loss.value is None and not Withheld.of(stated.schema, stated.models, stated.method).loss:
        yield "it does not say what was lost, though that would tell nobody who is in the table (loss.value, promised)"
    value, bound = loss.value or 0, loss.proven_bound
    if value < 0 or (bound is not None and bound > value * (1 + 1e-9) + 1e-9):
        yield "the loss is below what it can be (loss.value, loss.proven_bound)"
    unproved = hasattr(stated.method, "star") if bound is None else bound < value * (1 - 1e-9) - 1e-9
    if loss.proven_optimal and value > 0 and unproved:
        yield "it says that nothing loses less, and proves no more than less (loss.proven_optimal, loss.proven_bound)"
    beyond = next((model for model in stated.models if model.beyond_classes), None)
    if beyond is not None and ((loss.proven_optimal and value) or bound):
        yield f"it proves what no method proves of {beyond.key} (loss.proven_optimal, loss.proven_bound)"
    yield from begun_contradictions(form, stated.schema, stated.method)
    star = getattr(stated.method, "star", None)
    if form.output.star not in (None, star):  # earlier versions did not say it
        yield "suppressed cells are read otherwise than its method and promises read them (output.star, job.method)"
    minimized = getattr(stated.method, "minimized", None)
    if minimized is None or {"key": loss.key, **loss.__pydantic_extra__} != dump_piece(minimized, tag="key"):
        yield "the loss is not the one that its method minimizes (loss, job.method)"
    yield from _chosen_levels(form, stated)
    nodes, checked = loss.lattice_nodes, loss.nodes_checked
    if nodes is not None and nodes != _nodes(form, stated.schema):
        yield "its lattice has another number of nodes than its columns have levels (loss.lattice_nodes, columns)"
    searches = isinstance(stated.method, LatticeSearch | IterativeRecoding)
    if (nodes is not None) != searches or (checked is not None) != (searches and form.is_first):
        yield "a lattice and a method that searches one go together (loss.lattice_nodes, job.method)"
    if (loss.bucket_sizes is not None, loss.buckets is not None) != (stated.is_bucketized,) * 2:
        yield "buckets and a method that makes them go together (loss.bucket_sizes, job.method)"
    several = isinstance(stated.method, IterativeRecoding)  # it searches once for each layer
    if nodes is not None and checked is not None and not several and checked > nodes:
        yield "more nodes were checked than there are (loss.nodes_checked, loss.lattice_nodes)"
    limit = getattr(stated.method, "suppression", None)
    if limit is not None and lost is not None and form.input is not None and stated.method.searches_levels:
        published = form.input.records - lost.dropped_for_missing_values
        if lost.records > exact_fraction(limit) * published:
            yield "more records were suppressed than its job allows (suppressed.records, job.method)"


def _chosen_levels(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    """A method that chooses levels for cells names one of each column, as its job fixes and bounds them."""
    assert form.loss is not None
    levels, exhaustive = form.loss.levels, form.loss.exhaustive
    chooses = getattr(stated.method, "chooses_levels", False)
    if (levels is not None, exhaustive is not None) != (chooses, chooses):
        yield "chosen levels and a method that chooses some go together (loss.levels, loss.exhaustive, job.method)"
        return
    if levels is None:
        return
    fixed = getattr(stated.method, "levels", {})
    if set(levels) != set(stated.quasi):
        yield "levels are chosen for other columns than its quasi-identifiers (loss.levels, job.schema)"
    elif any(levels[name] != level for name, level in fixed.items()):
        yield "a column is on another level than its job fixes (loss.levels, job.method)"
    elif any(level < stated.schema[name].min_level for name, level in levels.items()):
        yield "a column is finer than its job allows (loss.levels, job.schema)"
    if bool(exhaustive) == (form.loss.stopped is not None):
        yield "a search compares everything or is stopped, one of both (loss.exhaustive, loss.stopped)"


def _nodes(form: CertificateForm, schema: Schema) -> int:
    """Count the choices of levels: from where a search began, within the bounds of the job and of hierarchies."""
    nodes = 1
    for column in form.columns:
        if column.height is not None and column.name in schema:
            low, high = lowest_level(form, schema, column.name), schema[column.name].max_level
            nodes *= max(0, (column.height if high is None else min(high, column.height)) - low + 1)
    return nodes


def _withheld(form: CertificateForm, _: StatedJob) -> Iterator[str]:
    """A certificate holds no path and no seed."""
    further = form.job.__pydantic_extra__ or {}
    for name in ("source", "ledger", "sign", "seed", "target", "earlier", "earlier_releases"):
        if name in further:
            yield f"a certificate never holds the {name} of a job (job.{name})"
    if form.redrawn not in (None, REDRAWN):
        yield "it says otherwise than certificates do that draws were used again (redrawn)"


def _counts(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    if form.output.columns != len(form.columns):
        yield "it lists another number of columns than it counts (output.columns)"
    if form.measured.records != form.output.records:
        yield "it measured another number of records than it released (measured.records, output.records)"
    if form.input is None or form.suppressed is None:
        return
    lost = form.suppressed
    if lost.records != lost.masked + lost.removed:
        yield "suppressed records are not those masked and those removed (suppressed)"
    if form.input.records != form.output.records + lost.removed + lost.dropped_for_missing_values:
        yield "records read are not those released, removed and dropped (input.records, output.records, suppressed)"
    dropped = stated.children is not None and stated.children.without_parent == "drop"
    dropped = dropped or any(item.missing == "drop" for item in stated.schema.values())
    if lost.dropped_for_missing_values and not dropped:
        yield "records were dropped for gaps, and no column of its job asks for that (suppressed, job.schema)"
    if lost.masked > form.measured.masked_records:
        yield "more records were masked than it measured (suppressed.masked, measured.masked_records)"
    if form.input.columns != len(stated.schema):
        yield "it read another number of columns than its job describes (input.columns, job.schema)"


def _outputs(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    output, second = form.output, form.output.sensitive_table
    if output.row_order != stated.output.row_order:
        yield "it says two things about the order of rows (output.row_order, job.output)"
    written = output.file is not None
    parts = [output.file_sha256, output.formulas_neutralized]
    for further in (second, output.child_table):
        parts += [] if further is None else [further.file, further.file_sha256]
    # All parts speak of files, or none does, as of a table in a database or in memory.
    if any((part is not None) != written for part in parts):
        yield "a file is described in part only (output)"
    yield from _table_in_database(form, stated)
    if not written:
        return
    if output.file != stated.output.file_name:
        yield "the table has another file name than its job says (output.file, job.output)"
    if second is not None and second.file != stated.output.sensitive_file_name:
        yield "the second table has another file name than its job says (output.sensitive_table.file, job.output)"
    if output.formulas_neutralized != stated.output.neutralizes:
        yield "it says two things about formulas (output.formulas_neutralized, job.output)"


def _table_in_database(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    """A table of a database is the one its job says, and what is said of all its batches fits this one."""
    database, output = form.output.database, stated.output
    if form.output.file is not None and (database is not None or not output.in_files):
        yield "it describes a file and a table of a database (output)"
    if database is None:
        return
    if output.in_files:
        yield "it describes a table of a database, and its job files (output.database, job.output)"
        return
    if output.public() != {
        name: value
        for name, value in (("table", database.table), ("schema", database.schema_), ("mode", database.mode))
        if value is not None and value != "create"
    }:
        yield "the table is another one than its job says (output.database, job.output)"
    whole = database.whole
    if (whole is not None) != (database.mode == "append"):
        yield "all batches are described, or not, against what its mode is (output.database)"
    if whole is not None:
        if whole.records < form.output.records or whole.records != whole.measured.records:
            yield "the whole table has other numbers of records than its batch and its measure (output.database.whole)"
        if not whole.measured.holds or not all(model.holds for model in whole.measured.models):
            yield "a promise does not hold on the whole table (output.database.whole)"
        if [model.model for model in whole.measured.models] != [promise.model for promise in form.promised]:
            yield "what was measured on the whole table is not what was promised (output.database.whole)"


def _files(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    second = form.output.sensitive_table
    if second is not None and set(second.columns) != {BUCKET, COUNT, *stated.schema.sensitive}:
        yield "the second table has other columns than its job says (output.sensitive_table.columns, job.schema)"
    if form.is_first:
        return
    if (form.files is not None) != (form.output.file is not None):
        yield "the hashes of its files are missing, or have no file (files, output.file)"
        return
    # The list of files and the sections on tables must name the same hashes: checkers may go by either.
    listed = {item.file: item.sha256 for item in form.files or ()}
    if len(listed) < len(form.files or ()):
        yield "it lists a file twice (files)"
    for table in (form.output, second, form.output.child_table):
        if table is not None and table.file is not None and listed.get(table.file) != table.file_sha256:
            yield f"it has two hashes of {table.file} (files, output)"


def _children(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    """Two tables of the same people: both are described, and what joins them is there."""
    table = form.output.child_table
    if (table is not None) != (stated.children is not None):
        yield "a table of children and a job with children go together (output.child_table, job.children)"
        return
    if table is None or stated.children is None:
        return
    key, roles = stated.schema.person, stated.published
    if stated.schema.get(HAS_CHILDREN) != with_marker(Schema({}))[HAS_CHILDREN]:
        yield f"nothing tells parents without children apart (job.schema.{HAS_CHILDREN})"
    if key is None or stated.schema[key].pseudonym is None or table.columns[0] != key:
        yield "its two tables have no key that joins them (output.child_table.columns, job.schema)"
    if not set(table.columns) <= set(roles) or HAS_CHILDREN in table.columns:
        yield "the table of children has columns that its job does not publish (output.child_table.columns)"
    if table.records > form.output.records:
        yield "there are more children than rows of the join (output.child_table.records, output.records)"
    if table.file is not None and table.file != stated.output.children_file_name:
        yield "the table of children has another file name than its job says (output.child_table.file, job.output)"


def _draws(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    foreseen = [source for source in form.random_sources if source.startswith(KNOWN_SEED)]
    if any(not source.startswith((KNOWN_SEED, SYSTEM)) for source in form.random_sources):
        yield "a draw is from nowhere (random_sources)"
    if len(set(form.random_sources)) < len(form.random_sources):
        yield "it names a draw twice (random_sources)"
    if Withheld.of(stated.schema, stated.models, stated.method).counts and not all(
        any(source.endswith(f": {what}") for source in form.random_sources) for what in stated.method.makes.may_draw
    ):
        yield "who is in which class was drawn, and it leaves a draw out (random_sources, job.method)"
    if any("order of rows" in source for source in form.random_sources) != (form.output.row_order == "shuffled"):
        yield "it says two things about the order of rows (random_sources, output.row_order)"
    pseudonyms = pseudonym_section(stated.schema)
    keyed = pseudonyms is not None and pseudonyms["kind"] == "keyed"
    shifted = bool(stated.schema.shifted) and not keyed and not is_private(stated.method)
    for what, is_drawn in ((PSEUDONYMS, pseudonyms is not None and not keyed), (SHIFTS, shifted)):
        if any(source.endswith(f": {what}") for source in form.random_sources) != is_drawn:
            yield f"it says otherwise than its job whether {what} were drawn (random_sources, job.schema)"
    told = [source.rpartition(": ")[2] for source in form.random_sources]
    if [one for one in told if is_purpose(one)] != purposes(stated.transforms):
        yield "it says otherwise than its job what transforms drew (random_sources, job.transforms)"
    if stated.is_bucketized and not form.random_sources:
        yield "who of a value is in which bucket is drawn, and it names no draw (random_sources)"
    if form.seeded not in (None, bool(foreseen)):
        yield "it says two things about a known seed (seeded, random_sources)"
    seed = getattr(stated.method, "not_private_seed", None)
    if is_private(stated.method) and (seed is not None) != form.is_seeded:
        yield "it says two things about a known seed (random_sources, job.method)"


def _private(form: CertificateForm, stated: StatedJob) -> Iterator[str]:
    model = next((model for model in stated.models if isinstance(model, DifferentialPrivacy)), None)
    if form.differential_privacy is not None and model is not None:
        yield from private_contradictions(form, form.differential_privacy, stated.schema, model)


def _without_withheld(name: str, attribute: dict[str, Any], where: str) -> dict[str, Any]:
    """Return an attribute without a hierarchy of which something was left out; what is left of it must be one."""
    hierarchy = attribute.get("hierarchy")
    if not isinstance(hierarchy, Mapping) or WITHHELD not in hierarchy:
        return attribute
    place, kind, withheld = f"{where}, job.schema.{name}.hierarchy", hierarchy.get("type"), hierarchy[WITHHELD]
    if not isinstance(kind, str) or kind not in BUILDERS:
        known = ", ".join(map(repr, BUILDERS))
        raise FileError(
            f"{place}.type", expected=f"one of {known}", got=as_given(kind), hint=nearest(str(kind), BUILDERS)
        )
    if not isinstance(withheld, list) or not withheld or not all(isinstance(item, str) for item in withheld):
        raise FileError(f"{place}.{WITHHELD}", expected="names of fields", got=as_given(withheld))
    told = [item for item in hierarchy if item not in ("type", WITHHELD)]
    fields = [field.name for field in dataclasses.fields(BUILDERS[kind])]
    for field in (*withheld, *told):
        if field not in fields:
            raise FileError(place, expected=f"fields of {kind!r}: {', '.join(fields)}", got=as_given(field))
    # Else a reader could be shown one value while another was used.
    if set(withheld) & set(told) or len(set(withheld)) < len(withheld):
        raise FileError(place, expected="a field given or withheld", got="both, or twice")
    return {key: value for key, value in attribute.items() if key != "hierarchy"}


def _placed(where: str, section: str, read: Callable[[], _T]) -> _T:
    """Let an error of a job's part name the certificate, and let nothing else come out of it."""
    try:
        return read()
    except InputError as error:
        place = f"{section}.{error.where}" if section else error.where.replace("privacy", "promised", 1)
        raise JobError(f"{where}, {place}", expected=error.expected, got=error.got, hint=error.hint) from error
    except (TypeError, AttributeError, KeyError, IndexError, ArithmeticError, ValueError, RecursionError) as error:
        raise FileError(
            f"{where}, {section or 'promised'}", expected="fields as nymity writes them", got=str(error)[:200]
        ) from error
