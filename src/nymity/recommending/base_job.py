"""Opening: the job that candidates are made from, from what the caller gave and what the table suggests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.errors import JobError, ParameterError, SchemaError
from nymity.database import DatabaseSource
from nymity.io import to_polars
from nymity.lattice.optimal import OptimalLattice
from nymity.privacy import KAnonymity, PrivacyModel
from nymity.publishing.jobs.coercion import GivenModels, models_of
from nymity.publishing.jobs.job import Job, Source
from nymity.publishing.jobs.job_tables import load_source, refuse_children
from nymity.publishing.preparing.inspect import inspect
from nymity.table.attribute import Attribute, Role
from nymity.table.builders import Flat, suggest
from nymity.table.schema import GivenSchema, Schema, check_columns


def base_job(
    source: Any,
    schema: GivenSchema | None,
    target: str | None,
    quasi: Sequence[str] | None,
    privacy: GivenModels,
) -> tuple[Job, pl.DataFrame]:
    """Return a job with everything but k and method, and its table; without a schema roles are suggested."""
    if isinstance(source, Job):
        return _of_job(source, target, beside={"schema": schema, "quasi": quasi, "privacy": privacy or None})
    if schema is not None and quasi is not None:
        raise JobError("recommend", expected="either a schema or quasi", got="both")
    known = Source(path=str(source)) if isinstance(source, str | Path) else source
    if isinstance(known, Source | DatabaseSource):
        table = known.read()
    else:
        table, known = to_polars(source), None
    models = models_of(privacy)
    if quasi is not None:
        validation.instance("quasi", quasi, (list, tuple), expected="a list of columns")
    if schema is None:
        return _job(suggested_schema(table, target, quasi), models, target, source=known), table
    given = Schema.of(schema)
    check_columns(given, table.columns)
    return _job(given.settled(table), models, target, source=known), table


def suggested_schema(table: pl.DataFrame, target: str | None, quasi: Sequence[str] | None = None) -> Schema:
    """Return the roles and hierarchies that a table suggests, with these quasi-identifiers, where they are given.

    The target is published as it is, so it is a sensitive column. Other columns that look like quasi-identifiers and
    are not among those given are left out, for published as they are they would undo what is promised.
    """
    found = inspect(table)
    names = [column.name for column in found.columns]
    if target is not None:
        validation.one_of("target", target, names)
    for name in quasi or ():
        validation.one_of("quasi", name, [column for column in names if column != target])
    attributes = dict(found.schema())
    if quasi is not None:
        looks = [name for name, attribute in attributes.items() if attribute.role is Role.QUASI]
        attributes |= {name: Attribute(role=Role.IDENTIFYING) for name in looks if name not in quasi}
        attributes |= {name: _as_quasi(table[name]) for name in quasi if name not in looks}
    return Schema(attributes if target is None else {**attributes, target: Attribute(role=Role.SENSITIVE)})


def _of_job(job: Job, target: str | None, beside: dict[str, Any]) -> tuple[Job, pl.DataFrame]:
    extra = [name for name, value in beside.items() if value is not None]
    if extra:
        raise JobError("recommend", expected="only a job, which names them", got=f"a job and {', '.join(extra)}")
    refuse_children("job", job.children)
    models = [model for model in job.privacy if not isinstance(model, KAnonymity)]
    whole = _job(job.schema, tuple(models), target or job.target, source=job.source)
    whole = replace(whole, output=job.output, transforms=job.transforms, sign=job.sign)
    return replace(whole, earlier_releases=job.earlier_releases, earlier=job.earlier), load_source(job)


def _job(
    schema: Schema, models: tuple[PrivacyModel, ...], target: str | None, *, source: Source | DatabaseSource | None
) -> Job:
    """Check what no candidate could mend; k and method stand for those that are tried."""
    if not schema.quasi:
        raise SchemaError(
            "schema",
            expected="at least one quasi-identifier",
            got="none: nothing would be generalized, and there is nothing to choose",
            hint="name those that others may know of a person (quasi, --quasi)",
        )
    if (column := schema.item_column) is not None:
        raise JobError(
            f"schema.{column.name}",
            expected="one value in a cell: settings are tried only for levels",
            got="sets of items",
            hint="declare it identifying, and publish it by a job of its own with km-anonymity",
        )
    if any(model.about_draws for model in models):
        raise JobError(
            "privacy",
            expected="models of classes",
            got="differential privacy, which trying settings on the records would undo",
            hint="ny.dp.forecast looks at no record",
        )
    if any(model.publishes_second for model in models):
        raise JobError(
            "privacy",
            expected="models of the table itself",
            got="one that publishes a part of it (delta-presence)",
            hint="recommend for the part, and add the model to the job of a choice",
        )
    models = tuple(model for model in models if not isinstance(model, KAnonymity))
    if target is not None:
        _check_target(target, schema)
    return Job(schema=schema, privacy=(KAnonymity(k=2), *models), method=OptimalLattice(), source=source, target=target)


def _check_target(target: str, schema: Schema) -> None:
    validation.one_of("target", target, list(schema))
    role = schema[target].role
    if role is Role.QUASI or not schema[target].is_published:
        raise ParameterError(
            "target",
            expected="a column that is published as it is",
            got=f"{target!r}, which is {'a quasi-identifier' if role is Role.QUASI else role.value}",
            hint="declare it sensitive or insensitive",
        )


def _as_quasi(values: pl.Series) -> Attribute:
    source = suggest(values)
    return Attribute(role=Role.QUASI, hierarchy=None if source == Flat() else source)
