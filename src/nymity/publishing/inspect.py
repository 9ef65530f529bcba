"""Inspection: a first look at a table, with a suggested role for every column and the reason for it.

The suggestions are a starting point for a person who knows the data. They err on the side of caution: what
could link a record to a person is called a quasi-identifier unless its name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.io import DetectedReading, Dictionary, ReadOptions, detect_reading, to_polars
from nymity.publishing.starter import starter_job
from nymity.risk.persons import HouseholdFinding, PersonFinding, find_persons, missed_by_records
from nymity.risk.roles import TYPES, ColumnFacts, names_code, suggest_role, with_nulls
from nymity.table.attribute import Attribute, Role
from nymity.table.builders import Flat
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.schema import Schema
from nymity.table.text import as_text, plainly_named

__all__ = ["ColumnInspection", "Inspection", "inspect_table", "starter_job"]

#: A hierarchy is suggested from at most about so many distinct values, to stay quick.
SUGGEST_FROM = 4000


@dataclass(frozen=True, kw_only=True)
class ColumnInspection:
    """What one column holds, and which role it seems to have."""

    name: str
    type: str  #: in plain words: text, whole number, date ...
    records: int
    distinct: int  #: different values, missing not counted
    missing: int
    unique: int  #: values that occur once, hence records that this column alone singles out
    most_frequent: int  #: records that share the most frequent value
    examples: tuple[str, ...]  #: the most frequent values
    role: Role
    reason: str
    hierarchy: HierarchySource | None = None  #: suggested for quasi-identifiers; None: the value or ``*``
    levels: int = 2  #: levels of that hierarchy, the raw values and ``*`` among them
    separator: str = ";"  #: what stands between the items of a cell, where it holds several

    @property
    def unique_share(self) -> float:
        """Share of the records that this column alone singles out."""
        return self.unique / self.records


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a table holds, column by column, and how exposed its records are."""

    records: int
    columns: tuple[ColumnInspection, ...]
    unique_records: int  #: records that the suggested quasi-identifiers together single out
    smallest_class: int  #: records in the smallest class of the suggested quasi-identifiers
    person: PersonFinding | None = None  #: the column that tells of whom records are, where one does
    reading: DetectedReading = field(default_factory=DetectedReading)  #: what cells seem to mean
    dictionary: Dictionary = field(default_factory=Dictionary)  #: what is known of columns beside their cells

    def __getitem__(self, name: str) -> ColumnInspection:
        """Return the column with this name."""
        return {column.name: column for column in self.columns}[name]

    def names(self, role: Role) -> tuple[str, ...]:
        """Names of the columns for which ``role`` is suggested."""
        return tuple(column.name for column in self.columns if column.role is role)

    @property
    def quasi(self) -> tuple[str, ...]:
        """Names of the suggested quasi-identifiers."""
        return self.names(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the suggested sensitive columns."""
        return self.names(Role.SENSITIVE)

    @property
    def lattice_size(self) -> int:
        """Ways to choose one level for each suggested quasi-identifier."""
        return prod(column.levels for column in self.columns if column.role is Role.QUASI)

    def schema(self) -> Schema:
        """Return the suggestions as a schema."""
        return Schema(
            {
                column.name: Attribute(role=column.role, hierarchy=column.hierarchy, separator=column.separator)
                for column in self.columns
            }
        )


def inspect_table(
    frame: Any, *, dictionary: Dictionary | None = None, reading: DetectedReading | None = None
) -> Inspection:
    """Look at every column of a table, any kind of frame, and suggest roles, hierarchies and so a first schema.

    ``dictionary`` says what is known of columns beside their cells. ``reading`` is how the table was read, where that
    was found out with it; of a frame it is found out here, and ``inspection.reading.apply(frame)`` reads it so.
    """
    table = to_polars(frame)
    reading = detect_reading(table, ReadOptions(), dictionary) if reading is None else reading
    if table.height == 0 or table.width == 0:
        raise TableError(
            "table",
            expected="at least one record and one column",
            got=f"{table.height} records and {table.width} columns",
        )
    table = pl.DataFrame({column.name: with_nulls(plainly_named(column)) for column in table})
    counted = {column.name: _distinct(plainly_named(column)) for column in table}
    facts = {name: ColumnFacts.of(name, table[name], counts["value"]) for name, counts in counted.items()}
    person, household = find_persons(table, facts)
    columns = _one_of_items(
        [
            _inspect_column(name, table[name], counted[name], _role(facts[name], name, person, household), facts[name])
            for name in facts
        ]
    )
    quasi = [column.name for column in columns if column.role is Role.QUASI]
    if person is not None:
        person = replace(person, missed=missed_by_records(table, person.column, quasi))
    sizes = _class_sizes(table, quasi)
    return Inspection(
        records=table.height,
        columns=columns,
        person=person,
        unique_records=int((sizes == 1).sum()),
        smallest_class=int(sizes.min()),  # type: ignore[arg-type]
        reading=reading,
        dictionary=dictionary or Dictionary(),
    )


def _one_of_items(columns: list[ColumnInspection]) -> tuple[ColumnInspection, ...]:
    """Let the first column of sets be the one that is published; a table has one at most."""
    sets = [column.name for column in columns if column.role is Role.ITEMS]
    why = f"sets of items, of which one column can be published: {sets[0]!r} unless you choose another" if sets else ""
    return tuple(
        replace(column, role=Role.IDENTIFYING, reason=why, separator=";") if column.name in sets[1:] else column
        for column in columns
    )


# -- one column ----------------------------------------------------------------------------------------------


def _distinct(column: pl.Series) -> pl.DataFrame:
    """Return a column's different values and how often each occurs."""
    return column.drop_nulls().alias("value").value_counts(name="count")


def _role(
    facts: ColumnFacts, name: str, person: PersonFinding | None, household: HouseholdFinding | None
) -> tuple[Role, str]:
    """Return the role that a column seems to have, by itself or beside those of persons and of who lives together."""
    if household is not None and name == household.column:
        return Role.HOUSEHOLD, household.reason
    role, reason = suggest_role(facts)
    if person is not None and name == person.column:
        return Role.PERSON, person.reason
    if (
        person is not None
        and name in person.naming
        and role in (Role.QUASI, Role.INSENSITIVE)
        and not names_code(facts)
    ):
        return Role.IDENTIFYING, f"nearly every person of {person.column!r} has a value of its own"
    if person is not None and name in person.cases and role in (Role.QUASI, Role.INSENSITIVE):
        return Role.IDENTIFYING, f"each of its values is of one person of {person.column!r} alone"
    return role, reason


def _inspect_column(
    name: str, column: pl.Series, counts: pl.DataFrame, suggested: tuple[Role, str], facts: ColumnFacts
) -> ColumnInspection:
    role, reason = suggested
    hierarchy, levels = _suggest_hierarchy(counts["value"].sort()) if role is Role.QUASI else (None, 2)
    return ColumnInspection(
        name=name,
        type=facts.type,
        records=len(column),
        distinct=counts.height,
        missing=column.null_count(),
        unique=int((counts["count"] == 1).sum()),
        most_frequent=int(counts["count"].max() or 0),  # type: ignore[arg-type]
        examples=_examples(counts, facts.type),
        role=role,
        reason=reason,
        hierarchy=hierarchy,
        levels=levels,
        separator=(facts.separator or ";") if role is Role.ITEMS else ";",
    )


def _suggest_hierarchy(values: pl.Series) -> tuple[HierarchySource | None, int]:
    """Suggest from the distinct values, or from a choice of them with both ends, where odd values sort to.

    Tells the number of levels too.
    """
    if len(values) > SUGGEST_FROM:
        ends = SUGGEST_FROM // 4
        middle = values.slice(ends, len(values) - 2 * ends).gather_every(len(values) // (SUGGEST_FROM // 2))
        values = pl.concat([values.head(ends), middle, values.tail(ends)])
    suggested = Hierarchy.suggest(values)
    if isinstance(suggested, Hierarchy | Flat):
        return None, 2
    return suggested, suggested.build(values).height + 1


# -- statistics ----------------------------------------------------------------------------------------------


def _class_sizes(table: pl.DataFrame, quasi: list[str]) -> pl.Series:
    """Sizes of the classes of records that agree on every quasi-identifier; without any, all are one class."""
    if not quasi:
        return pl.Series([table.height])
    # By number, because Polars reads names such as "*" and "^a.*$" as patterns.
    numbered = pl.DataFrame([table[name].alias(str(number)) for number, name in enumerate(quasi)])
    return numbered.group_by(numbered.columns).agg(pl.len().alias("size"))["size"]


def _examples(counts: pl.DataFrame, kind: str) -> tuple[str, ...]:
    if kind not in TYPES.values() or not counts.height:
        return ()
    most = counts.top_k(3, by=["count", "value"], reverse=[False, True]).sort(
        ["count", "value"], descending=[True, False]
    )
    return tuple(as_text(most["value"]).to_list())
