"""suggest: which columns could point to people, by name, by content and by how well they tell records apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import polars as pl

from nymity.core.errors import TableError
from nymity.io import CodedTable, whole_again
from nymity.risk.column_facts import ColumnFacts, with_nulls
from nymity.risk.combinations import as_frame
from nymity.risk.identifiers import IdentifierFlag
from nymity.risk.people_words import names_code
from nymity.risk.persons import HouseholdFinding, PersonFinding, find_persons
from nymity.risk.roles import Suggestion, suggest_roles
from nymity.risk.value_counts import value_counts
from nymity.table.attribute import Role
from nymity.table.text import plainly_named


class Labels(Protocol):
    """What a data dictionary tells of columns."""

    def label(self, column: str) -> str | None:
        """Return what it calls a column, in words."""
        ...


@dataclass(frozen=True, kw_only=True)
class ColumnRisk:
    """A column's suggested role and why, what it looks like among HIPAA's kinds, and what it alone tells apart.

    ``distinction``, ``separation`` and ``unique`` as in :class:`Drivers`, missing being a value; None for columns
    whose cells cannot be compared.
    """

    name: str
    role: Role
    reason: str
    confidence: float  #: how sure the role is, up to 1
    is_question: bool  #: whether somebody who knows the data should decide
    flags: tuple[IdentifierFlag, ...]
    distinction: float | None
    separation: float | None
    unique: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "name": self.name,
            "role": self.role.value,
            "reason": self.reason,
            "confidence": self.confidence,
            "is_question": self.is_question,
            "flags": [flag.to_dict() for flag in self.flags],
            "distinction": self.distinction,
            "separation": self.separation,
            "unique": self.unique,
        }


@dataclass(frozen=True, kw_only=True)
class LookedAt:
    """A table as suggestions see it: gaps missing, values counted, a suggestion for each column."""

    table: pl.DataFrame | CodedTable
    counts: dict[str, pl.DataFrame]  #: value and count, missing not counted
    facts: dict[str, ColumnFacts]
    suggestions: dict[str, Suggestion]
    person: PersonFinding | None


def look_at(given: pl.DataFrame | CodedTable, dictionary: Labels | None = None) -> LookedAt:
    """Count the values of a table's columns and suggest a role for each, by itself and beside the others."""
    table, counts = _counted_values(given) if isinstance(given, CodedTable) else _counted_rows(given)
    labels = {name: "" if dictionary is None else dictionary.label(name) or "" for name in counts}
    facts = {name: ColumnFacts.of(name, table.height, counts[name], label=labels[name]) for name in counts}
    person, household = find_persons(table, facts, counts)
    suggestions = {
        name: _beside(one, facts[name], name, person, household) for name, one in suggest_roles(table, facts).items()
    }
    suggestions = _one_of_each(_without_sets_of_persons(suggestions, person), facts)
    return LookedAt(table=table, counts=counts, facts=facts, suggestions=suggestions, person=person)


def _counted_rows(table: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    table = pl.DataFrame({column.name: whole_again(with_nulls(plainly_named(column))) for column in table})
    return table, {column.name: value_counts(column) for column in table}


def _counted_values(table: CodedTable) -> tuple[CodedTable, dict[str, pl.DataFrame]]:
    """The same of a table whose different values are known: nothing is asked of rows."""
    columns = [column.valued(whole_again(with_nulls(plainly_named(column.values)))) for column in table.coded.values()]
    return CodedTable(columns), {column.name: column.counts for column in columns}


def suggest(table: Any, dictionary: Labels | None = None) -> tuple[ColumnRisk, ...]:
    """Look at every column of a table: the suggested quasi-identifiers are those with the role quasi."""
    frame = as_frame("table", table)
    if not frame.height:
        raise TableError("table", expected="at least one record", got="an empty table")
    seen = look_at(frame, dictionary)
    return tuple(_risk(name, seen) for name in seen.suggestions)


def _risk(name: str, seen: LookedAt) -> ColumnRisk:
    column, one = seen.table[name], seen.suggestions[name]
    comparable = not (column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary))
    n, missing = len(column), column.null_count()
    sizes = pl.concat(
        [seen.counts[name]["count"].cast(pl.Int64), pl.Series("count", [missing] if missing else [], pl.Int64)]
    )
    agreeing = int((sizes * (sizes - 1)).sum()) / (n * (n - 1)) if n > 1 else 1.0  # share of the pairs of records
    return ColumnRisk(
        name=name,
        role=one.role,
        reason=one.reason,
        confidence=one.confidence,
        is_question=one.is_question,
        flags=seen.facts[name].flags,
        distinction=len(sizes) / n if comparable else None,
        separation=1 - agreeing if comparable else None,
        unique=int((sizes == 1).sum()) if comparable else None,
    )


def _beside(
    one: Suggestion, facts: ColumnFacts, name: str, person: PersonFinding | None, household: HouseholdFinding | None
) -> Suggestion:
    """Return what a column seems to be beside those of persons and of who lives together."""
    if household is not None and name == household.column:
        return Suggestion(role=Role.HOUSEHOLD, confidence=0.9, why=(household.reason,))
    if person is None:
        return one
    if name == person.column:
        return Suggestion(role=Role.PERSON, confidence=0.9, why=(person.reason,))
    if one.role not in (Role.QUASI, Role.INSENSITIVE):
        return one
    if name in person.naming and not names_code(facts):
        why = f"nearly every person of {person.column!r} has a value of its own"
        return Suggestion(role=Role.IDENTIFYING, confidence=0.8, why=(why,))
    if name in person.cases:
        why = f"each of its values is of one person of {person.column!r} alone"
        return Suggestion(role=Role.IDENTIFYING, confidence=0.8, why=(why,))
    return one


def _without_sets_of_persons(
    suggestions: Mapping[str, Suggestion], person: PersonFinding | None
) -> dict[str, Suggestion]:
    """Leave out sets of persons with several records: these are put together, so nothing else may change in them."""
    changing = [
        name
        for name, one in suggestions.items()
        if person is not None and one.role.is_published and one.role is not Role.ITEMS and name not in person.constant
    ]
    if person is None or not changing:
        return dict(suggestions)
    why = f"sets of items, which one record of each person of {person.column!r} can have: {changing[0]!r} changes"
    return {name: _left_out(one, why) if one.role is Role.ITEMS else one for name, one in suggestions.items()}


def _left_out(one: Suggestion, why: str) -> Suggestion:
    return replace(one, role=Role.IDENTIFYING, why=(why,), is_question=False, instead=(one.role,))


def _one_of_each(suggestions: Mapping[str, Suggestion], facts: Mapping[str, ColumnFacts]) -> dict[str, Suggestion]:
    """Let a table have one column of sets and one of weights: the first, of weights one without gaps.

    Every record of a sample stands for somebody: weights with gaps are of something else, or of some records only.
    """
    sets = [name for name, one in suggestions.items() if one.role is Role.ITEMS]
    weights = [name for name, one in suggestions.items() if one.role is Role.WEIGHT]
    # A stable sort: those without gaps first, each kind in the order of the table.
    weights.sort(key=lambda name: facts[name].missing > 0)
    left_out = {
        name: f"{what}, of which one column can be published: {names[0]!r} unless you choose another"
        for what, names in (("sets of items", sets), ("sampling weights", weights))
        for name in names[1:]
    }
    if weights and facts[weights[0]].missing:
        left_out[weights[0]] = "numbers like sampling weights, of which no record should lack one"
    return {
        name: replace(_left_out(one, left_out[name]), is_question=one.role is Role.WEIGHT) if name in left_out else one
        for name, one in suggestions.items()
    }
