"""Starter: the first job file for a table, written from its inspection and explained line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nymity.core import validation
from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.default import default_search, rounded
from nymity.partition.mondrian import Mondrian
from nymity.publishing.jobs.job import dump_attribute
from nymity.publishing.jobs.job_checks import check_names
from nymity.publishing.jobs.toml import toml_comment, toml_job
from nymity.table.attribute import Role

if TYPE_CHECKING:
    from nymity.publishing.preparing.inspect import ColumnInspection, Inspection

#: Diversity to begin with; fewer where the sensitive column has fewer values.
STARTER_L = 3
#: Up to so many quasi-identifiers, and so many sensitive columns, one level for all records leaves something of each;
#: with more it is mostly ``*``.
FEW, FEW_SENSITIVE = 5, 3


def starter_job(
    inspection: Inspection,
    source: str | Mapping[str, object],
    privacy_k: int = 5,
    *,
    reading: Mapping[str, object] | None = None,
) -> str:
    """Return a commented job file (TOML) with the suggested roles and hierarchies, to be read and corrected.

    ``source`` is the path of the table, or the fields of another source; ``reading`` are further fields: how the table
    is to be read.
    """
    validation.whole_number("privacy_k", privacy_k, at_least=2)
    check_names(column.name for column in inspection.columns)
    named = {"path": source} if isinstance(source, str) else source
    counts_persons = bool(inspection.names(Role.PERSON))
    blocks = [
        toml_comment(_introduction(inspection)),
        toml_comment(_reading(inspection)) + toml_job({"source": {**named, **(reading or {})}}),
        toml_comment(_ROLES),
        *(_column(column) for column in inspection.columns),
        toml_comment(_PRIVACY.format(promise=_OF_PERSONS if counts_persons else _OF_RECORDS))
        + _model({"model": "k-anonymity", "k": privacy_k}),
        *(_items(inspection, privacy_k) if inspection.names(Role.ITEMS) else _diversity(inspection)),
        _method(inspection),
    ]
    return "\n".join(blocks)


_ROLES = """\
One block per column; correct the roles, you know the data better.
  identifying   names one person: left out of the release
  quasi         harmless alone, identifying in combination: generalized along its hierarchy
  sensitive     what nobody should learn about a person: published, protected by a model below
  insensitive   published as it is, protected by nothing
  items         several values in a cell, of which others may know some: generalized as sets
  person        tells which records are of one person: left out, and k counts persons by it
  household     tells who lives together: left out, and the risk of households is measured by it
  weight        for how many people a record stands: left out here; publish = "coarsened" publishes means of groups,
                if the sample was not drawn or weighted by a look at what is sensitive
A quasi-identifier without a hierarchy is published as it is or as '*'. Other hierarchies:
  hierarchy = { type = "intervals", width = 10, levels = 3 }      numbers
  hierarchy = { type = "masking" }                                codes, from the right
  hierarchy = { type = "dates", levels = ["month", "year"] }      dates
  hierarchy = { type = "taxonomy", tree = { group = ["value", "other value"] } }"""

_PRIVACY = """\
What the release must guarantee; all models hold together. With k-anonymity, the larger the safer and coarser,
every record looks like {promise} to someone who knows the quasi-identifiers."""
_OF_RECORDS, _OF_PERSONS = "at least k - 1 others", "records of at least k - 1 other persons"

_ITEMS = """\
Whoever knows up to m items of a person beside the quasi-identifiers finds at least k records that fit. Models of
sensitive values cannot be promised beside it. Give the column a hierarchy of its items, or many will be left out."""

_DIVERSITY = """\
Every group of records that look alike holds at least l different values here."""

_METHOD = """\
How the release is made: the best choice of one level per quasi-identifier. `loss` is what is kept small (the share
of detail given up); `suppression` is the largest share of the records that may be left out as outliers."""

_LOCAL = """\
How the release is made: records are divided into groups that are as alike as possible, and every group gets ranges
and sets of its own. One level per quasi-identifier for all records ("optimal-lattice") is easier to explain, but with
{quasi} of them and {sensitive} sensitive columns it would leave little but '*'."""

_LARGE = """\
There are {nodes} choices, so many that a proof of the best one may take too long: this method stops when its time is
over and tells how much better another choice could be. "optimal-lattice" goes on until it is proved."""


def _reading(inspection: Inspection) -> str:
    """Say why the table is read as it is, what is unsure first."""
    proposals = sorted(inspection.reading.proposals, key=lambda one: one.sure)
    return "\n".join(
        f"{'' if one.sure else 'PLEASE DECIDE: '}{one.field} {one.value!r}: {one.evidence}" for one in proposals
    )


def _introduction(inspection: Inspection) -> str:
    quasi, asked = len(inspection.quasi), [column.name for column in inspection.questions]
    first = f"A first job for a table of {inspection.records} records and {len(inspection.columns)} columns.\n"
    if asked:
        first += f"PLEASE DECIDE, what is most at stake first: {', '.join(asked)}\n"
    if not quasi:
        return first + "No column looks like a quasi-identifier: give one that role, or there is nothing to do."
    return (
        f"{first}The {quasi} suggested quasi-identifier{'' if quasi == 1 else 's'} together single out "
        f"{inspection.unique_records} records; the smallest group that looks alike has {inspection.smallest_class}."
    )


def _column(column: ColumnInspection) -> str:
    comment = column.reason
    if column.is_question:
        others = " or ".join(role.value for role in column.instead)
        comment = f"PLEASE DECIDE: {column.role.value}{' or ' * bool(others)}{others}? {comment}"
    if column.lost_zeros is not None:
        comment += f"\n{'' if column.lost_zeros.certain else 'PLEASE DECIDE: '}{column.lost_zeros.sentence}"
    if column.idle:
        comment += f"\nLevels that change nothing in this table: {', '.join(map(str, column.idle))}."
    return toml_comment(comment) + toml_job({"schema": {column.name: dump_attribute(column.attribute)}})


def _diversity(inspection: Inspection) -> Iterator[str]:
    comment = toml_comment(_DIVERSITY)
    for name in inspection.sensitive:
        diversity = min(STARTER_L, inspection[name].distinct)
        if diversity < 2:
            yield toml_comment(f"No diversity model for {name!r}: it holds a single value beside missing ones.")
        else:
            yield comment + _model({"model": "distinct-l-diversity", "l": diversity, "attribute": name})
            comment = ""


def _items(inspection: Inspection, k: int) -> Iterator[str]:
    yield toml_comment(_ITEMS) + _model({"model": "km-anonymity", "k": k, "m": 2})
    for name in inspection.sensitive:
        yield toml_comment(f"No diversity model for {name!r} beside sets of items.")


def _model(fields: Mapping[str, object]) -> str:
    """Write one model of the list; fields are plain values, for a table among them would be one of the whole job."""
    return f"[[privacy]]\n{toml_job(fields)}"


def _method(inspection: Inspection) -> str:
    quasi, sensitive = len(inspection.quasi), len(inspection.sensitive)
    # Levels for whole columns leave next to nothing of wide tables: local recoding is the better start.
    if (quasi > FEW or (quasi and sensitive > FEW_SENSITIVE)) and not inspection.names(Role.ITEMS):
        comment = toml_comment(_LOCAL.format(quasi=quasi, sensitive=sensitive))
        return comment + toml_job({"method": {"name": Mondrian.key}})
    search = default_search(inspection.lattice_size)
    fields: dict[str, Any] = {"name": search.key, "loss": search.minimized.key, "suppression": search.suppression}
    comment = toml_comment(_METHOD)
    if isinstance(search, AnytimeLattice):
        fields["seconds"] = search.seconds
        comment += toml_comment(_LARGE.format(nodes=rounded(inspection.lattice_size)))
    return comment + toml_job({"method": fields})
