"""Starter: the first job file for a table, written from its inspection and explained line by line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nymity.core import validation
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.default import default_search, rounded
from nymity.publish.toml import toml_key, toml_value
from nymity.table.schema import Role

if TYPE_CHECKING:
    from nymity.publish.inspect import ColumnInspection, Inspection
    from nymity.table.hierarchy import HierarchySource

#: Diversity to begin with; fewer where the sensitive column has fewer values.
STARTER_L = 3


def starter_job(inspection: Inspection, source_name: str, privacy_k: int = 5) -> str:
    """Return a commented job file (TOML) with the suggested roles and hierarchies, to be read and corrected."""
    validation.whole_number("privacy_k", privacy_k, at_least=2)
    blocks = [
        _introduction(inspection),
        f"[source]\npath = {toml_value(source_name)}",
        _ROLES,
        *(_column(column) for column in inspection.columns),
        _PRIVACY,
        f'[[privacy]]\nmodel = "k-anonymity"\nk = {privacy_k}',
        *_diversity(inspection),
        _method(inspection),
    ]
    return "\n\n".join(blocks) + "\n"


_ROLES = """\
# One block per column; correct the roles, you know the data better.
#   identifying   names one person: left out of the release
#   quasi         harmless alone, identifying in combination: generalized along its hierarchy
#   sensitive     what nobody should learn about a person: published, protected by a model below
#   insensitive   published as it is, protected by nothing
# A quasi-identifier without a hierarchy is published as it is or as '*'. Other hierarchies:
#   { type = "intervals", width = 10, levels = 3 }      numbers
#   { type = "masking" }                                codes, from the right
#   { type = "dates", levels = ["month", "year"] }      dates
#   { type = "taxonomy", tree = { group = ["value", "other value"] } }"""

_PRIVACY = """\
# What the release must guarantee; all models hold together. k-anonymity: every record looks like at least k - 1
# others to someone who knows the quasi-identifiers. Larger is safer and coarser."""

_DIVERSITY = """\
# Every group of records that look alike holds at least l different values here."""

_METHOD = """\
# How the release is made: the best choice of one level per quasi-identifier. `loss` is what is kept small (the share
# of detail given up); `suppression` is the largest share of the records that may be left out as outliers."""

_LARGE = """\
# There are {nodes} choices, so many that a proof of the best one may take too long: this method stops
# when its time is over and tells how much better another choice could be. "optimal-lattice" goes on until it is proved.
"""


def _introduction(inspection: Inspection) -> str:
    quasi = len(inspection.quasi)
    lines = [
        f"# A first job for a table of {inspection.records} records and {len(inspection.columns)} columns.",
        f"# The {quasi} suggested quasi-identifier{'' if quasi == 1 else 's'} together single out "
        f"{inspection.unique_records} records; the smallest group that looks alike has {inspection.smallest_class}.",
    ]
    if not quasi:
        lines[1] = "# No column looks like a quasi-identifier: give at least one that role, or there is nothing to do."
    return "\n".join(lines)


def _method(inspection: Inspection) -> str:
    search = default_search(inspection.lattice_size)
    fields = {"name": search.key, "loss": search.minimized.key, "suppression": search.suppression}
    if isinstance(search, AnytimeLattice):
        fields["seconds"] = search.seconds
    table = "\n".join(["[method]", *(f"{name} = {toml_value(value)}" for name, value in fields.items())])
    large = isinstance(search, AnytimeLattice)
    return f"{_METHOD}\n{_LARGE.format(nodes=rounded(inspection.lattice_size)) if large else ''}{table}"


def _column(column: ColumnInspection) -> str:
    lines = [f"[schema.{toml_key(column.name)}]", f"{f'role = {toml_value(column.role.value)}':<24} # {column.reason}"]
    specification = _specification(column.hierarchy) if column.role is Role.QUASI else None
    if specification:
        lines.append(f"hierarchy = {toml_value(specification)}")
    return "\n".join(lines)


def _diversity(inspection: Inspection) -> Iterator[str]:
    comment = f"{_DIVERSITY}\n"
    for name in inspection.sensitive:
        diversity = min(STARTER_L, inspection[name].distinct)
        if diversity < 2:
            yield f"# No diversity model for {toml_value(name)}: it holds a single value beside missing ones."
        else:
            lines = [
                "[[privacy]]",
                'model = "distinct-l-diversity"',
                f"l = {diversity}",
                f"attribute = {toml_value(name)}",
            ]
            yield comment + "\n".join(lines)
            comment = ""


def _specification(builder: HierarchySource | None) -> dict[str, Any] | None:
    """Describe a builder as a job file does: its key, and the fields that are not at their default."""
    key = getattr(builder, "key", None)
    if key is None or not dataclasses.is_dataclass(builder):
        return None
    values = {field.name: getattr(builder, field.name) for field in dataclasses.fields(builder) if field.init}
    return {"type": key} | {name: value for name, value in values.items() if value != _default(builder, name)}


def _default(builder: Any, name: str) -> object:
    field = builder.__dataclass_fields__[name]
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
