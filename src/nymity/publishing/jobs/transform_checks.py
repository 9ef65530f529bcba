"""What a job cannot ask of transforms: columns, promises and methods that they do not go together with."""

from __future__ import annotations

from collections.abc import Sequence

from nymity.core.errors import JobError
from nymity.core.quoting import as_given
from nymity.core.validation import nearest
from nymity.publishing.jobs.registry import Method, is_private
from nymity.table.attribute import Role
from nymity.table.schema import Schema
from nymity.transforms import Transform


def check_transforms(
    transforms: Sequence[Transform], schema: Schema, method: Method | None, *, children: bool = False
) -> None:
    """Refuse columns that promises are about, and what links, methods and several tables do not go together with."""
    for place, one in enumerate(transforms):
        where = f"transforms[{place}]: {one.key}"
        if is_private(method):
            raise JobError(
                where,
                expected="none with a differentially private method, which publishes true records by its own proof",
                got=f"one of {', '.join(map(repr, one.columns))}",
            )
        if children:
            raise JobError(where, expected="one table", got="two tables of the same people")
        _check_columns(where, one, schema)
        if method is not None and method.makes.has_counts:
            _check_apart(where, one, schema)
        if not one.is_coding:
            _check_links(where, schema)
    _check_once(transforms)


def _check_columns(where: str, one: Transform, schema: Schema) -> None:
    for name in (*one.columns, *one.compared):
        if name not in schema or not schema[name].is_published:
            raise JobError(
                where,
                expected=f"columns that are published ({', '.join(map(repr, schema.published))})",
                got=as_given(name),
                hint=nearest(name, schema.published),
            )
    for name in one.columns:
        role = schema[name].role
        if role not in (Role.INSENSITIVE, Role.PERTURBED):
            raise JobError(
                where,
                expected="insensitive or perturbed columns: a promise about changed values would be about nobody",
                got=f"{name!r}, whose role is {role.value!r}",
                hint="the role 'perturbed', for what others may know: no promise counts the column then; "
                "or a hierarchy, which generalizes it"
                if role is Role.QUASI
                else "the role 'insensitive', without a promise",
            )
        if schema[name].shift is not None:
            raise JobError(where, expected="columns whose dates are not moved", got=f"{name!r}, which has a shift")


def _check_apart(where: str, one: Transform, schema: Schema) -> None:
    if apart := [name for name in one.compared if schema[name].role is Role.SENSITIVE]:
        raise JobError(
            where,
            expected="groups by columns of the first table, because sensitive values are published in a second one",
            got=as_given(apart[0]),
        )


def _check_links(where: str, schema: Schema) -> None:
    """Refuse pseudonyms by which several releases can be linked; rows of one release are looked at when it is made."""
    if schema.unit is not None and schema[schema.unit].pseudonym == "keyed":
        raise JobError(
            where,
            expected="pseudonyms of one release alone (random), or none",
            got=f"keyed ones in {schema.unit!r}: what is drawn for one person in several deliveries averages out",
            hint="pseudonym = 'random', or leave the transform out",
        )


def _check_once(transforms: Sequence[Transform]) -> None:
    """Refuse a column that is drawn for twice: who knows one of the draws would know more than each allows."""
    names = [name for one in transforms if not one.is_coding for name in one.columns]
    several = next((name for name in names if names.count(name) > 1), None)
    if several is not None:
        raise JobError(
            "transforms", expected="one transform that draws for each column", got=f"several for {several!r}"
        )


def check_perturbed(transforms: Sequence[Transform], schema: Schema) -> None:
    """Refuse a perturbed column that nothing perturbs: what others know would be published as it is.

    Not asked of every job: one that somebody is writing has the role first, and the transform later.
    """
    drawn = {name for one in transforms if not one.is_coding for name in one.columns}
    if left := [name for name in schema.perturbed if name not in drawn]:
        raise JobError(
            f"schema.{left[0]}",
            expected="a transform that draws for a perturbed column, such as additive-noise or rank-swapping",
            got="none",
            hint="the role 'quasi' generalizes it, and promises count it",
        )
