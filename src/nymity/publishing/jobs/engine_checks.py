"""What a job cannot ask of an engine: whatever needs every record in one place, and what to take instead."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.core.errors import JobError
from nymity.core.quoting import as_given
from nymity.database import DatabaseOutput
from nymity.engines import Engine
from nymity.privacy import PrivacyModel
from nymity.publishing.jobs.registry import METHODS, Method, is_private
from nymity.table.attribute import Role
from nymity.table.schema import Schema
from nymity.transforms import Transform

_RECORDS = "what is decided by counted combinations"
_MEMORY = "engine 'memory', where the table fits"


def check_engine(
    engine: Engine,
    schema: Schema,
    models: Sequence[PrivacyModel],
    method: Method | None,
    output: object,
    *,
    children: object,
    transforms: Sequence[Transform] = (),
) -> None:
    """Refuse a job that an engine cannot run; what is kept in memory may ask for everything but other formats."""
    if engine.mapping is not None and (engine.kind == "memory" or engine.mapping not in schema):
        raise JobError(
            "engine.mapping",
            expected="a column of the schema, for an engine that knows no numbers of rows",
            got=f"{engine.mapping!r} for {engine.kind!r}",
        )
    if engine.mapping in schema.quasi:
        raise JobError(
            "engine.mapping",
            expected="a column that is not quasi-identifying: it stands next to what those are published as",
            got=as_given(engine.mapping),
            hint="a number of the record, such as an identifying column",
        )
    if engine.mapping is not None and is_private(method):
        raise JobError(
            "engine.mapping",
            expected="none for a differentially private method: numbers of records are drawn, and no record by itself",
            got=as_given(engine.mapping),
        )
    if engine.combinations is not None and is_private(method):
        raise JobError(
            "engine.combinations",
            expected="none for a differentially private method: a look at records would choose where levels begin",
            got=f"{engine.combinations:,}",
            hint="min_level of columns in the schema, which nobody's records decide",
        )
    if isinstance(output, DatabaseOutput) or getattr(output, "format", None) != "parquet":
        raise JobError(
            "output.format",
            expected="'parquet', which engines write",
            got="a database" if isinstance(output, DatabaseOutput) else repr(getattr(output, "format", None)),
            hint='[output] format = "parquet", in Python output=ny.Output(format="parquet")',
        )
    if engine.kind == "memory":
        return
    # One reason is enough: whoever takes it out is told the next.
    why = _of_schema(schema) or _of_models(models, persons=schema.unit is not None and not is_private(method))
    if children is not None:
        why = "two tables of the same people"
    if transforms:
        why = f"the transform {transforms[0].key!r}, which looks at all records"
    if why:
        raise JobError("engine", expected=_RECORDS, got=why, hint=_MEMORY)
    if method is not None and not by_combinations(method):
        able = ", ".join(key for key, known in METHODS.items() if by_combinations_of(known))
        raise JobError(
            f"method: {method.key}",
            expected=f"a method that decides by combinations of quasi-identifiers: {able}",
            got="one that needs every record in one place",
            hint=f"optimal-lattice, mondrian with cuts = 'strict', or {_MEMORY}",
        )


def by_combinations(method: Method) -> bool:
    """Whether rows with equal quasi-identifiers are always published alike, by a decision on counts."""
    return by_combinations_of(type(method)) and not getattr(method, "divides_equals", False)


def by_combinations_of(method: type[Method]) -> bool:
    """Whether some of a kind of method do."""
    return bool(getattr(method, "by_combinations", False))


def _of_schema(schema: Schema) -> str:
    for role in (Role.HOUSEHOLD, Role.WEIGHT, Role.ITEMS):
        if columns := schema.columns(role):
            return f"the column {columns[0]!r}, whose role {role.value!r} needs the records of each person together"
    if schema.person is not None and schema[schema.person].pseudonym is not None:
        return f"pseudonyms in {schema.person!r}: they are made for each person once, and put into rows one by one"
    if schema.shifted:
        return f"dates of {schema.shifted[0]!r} that are moved, by days that are drawn for each person"
    return ""


def _of_models(models: Sequence[PrivacyModel], *, persons: bool) -> str:
    for model in models:
        if persons and model.over_persons not in ("number", "shares"):
            return f"{model.key}, which looks at the single records of persons"
        if model.second_table or model.needs_source:
            return f"{model.key}, which compares records with another table"
    return ""
