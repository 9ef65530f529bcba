"""Inspection: a first look at a table, with a suggested role for every column and the reason for it.

The suggestions are a starting point for a person who knows the data. They err on the side of caution: what
could link a record to a person is called a quasi-identifier unless its name says otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import polars as pl

from nymity.core.errors import TableError
from nymity.io import to_polars
from nymity.publish.starter import starter_job
from nymity.table.builders import Flat
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.schema import Attribute, Role, Schema
from nymity.table.text import as_text, plainly_named

__all__ = ["ColumnInspection", "Inspection", "inspect_table", "starter_job"]

#: Below this many filled cells a column's statistics say nothing about its role.
ENOUGH_RECORDS = 20
#: From this share of different values on, a column of text or whole numbers looks like names or numbers of people.
NEARLY_ALL = 0.9
#: Text longer than this on average is prose, which may name people.
PROSE = 60
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
        return Schema({column.name: Attribute(role=column.role, hierarchy=column.hierarchy) for column in self.columns})


def inspect_table(frame: Any) -> Inspection:
    """Look at every column of a table, any kind of frame, and suggest roles, hierarchies and so a first schema."""
    table = to_polars(frame)
    if table.height == 0 or table.width == 0:
        raise TableError(
            "table",
            expected="at least one record and one column",
            got=f"{table.height} records and {table.width} columns",
        )
    table = pl.DataFrame({column.name: _with_nulls(plainly_named(column)) for column in table})
    columns = tuple(_inspect_column(column.name, plainly_named(column)) for column in table)
    sizes = _class_sizes(table, [column.name for column in columns if column.role is Role.QUASI])
    return Inspection(
        records=table.height,
        columns=columns,
        unique_records=int((sizes == 1).sum()),
        smallest_class=int(sizes.min()),  # type: ignore[arg-type]
    )


# -- one column ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """What the choice of a role looks at."""

    words: frozenset[str]  # of the column's name, and neighbours written together
    last: str  # the name's last word
    type: str
    present: int
    missing: int
    distinct: int
    prose: bool

    @property
    def one_per_record(self) -> bool:
        return self.present >= ENOUGH_RECORDS and self.distinct >= NEARLY_ALL * self.present


def _inspect_column(name: str, column: pl.Series) -> ColumnInspection:
    counts = column.drop_nulls().alias("value").value_counts(name="count")  # one row per distinct value
    kind = _type_in_words(column.dtype)
    words = _words(name)
    facts = _Facts(
        words=frozenset(_with_neighbours(words)),
        last=words[-1] if words else "",
        type=kind,
        present=len(column) - column.null_count(),
        missing=column.null_count(),
        distinct=counts.height,
        prose=kind == "text" and _mean_length(counts["value"]) > PROSE,
    )
    role, reason = _suggest_role(facts)
    hierarchy, levels = _suggest_hierarchy(counts["value"].sort()) if role is Role.QUASI else (None, 2)
    return ColumnInspection(
        name=name,
        type=kind,
        records=len(column),
        distinct=counts.height,
        missing=column.null_count(),
        unique=int((counts["count"] == 1).sum()),
        most_frequent=int(counts["count"].max() or 0),  # type: ignore[arg-type]
        examples=_examples(counts, kind),
        role=role,
        reason=reason,
        hierarchy=hierarchy,
        levels=levels,
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


def _suggest_role(facts: _Facts) -> tuple[Role, str]:
    """Choose by the column's name first, then by what it holds; when unsure, quasi."""
    if facts.type not in _TYPES.values():
        return Role.IDENTIFYING, f"values of type {facts.type} cannot be generalized; convert or leave them out"
    if facts.distinct == 0:
        return Role.INSENSITIVE, "it is empty"
    for word in (_names_person(facts), _first(facts.words, _IDENTIFYING)):
        if word:
            return Role.IDENTIFYING, f"{word!r} in its name: it points to one person"
    if facts.prose:
        return Role.IDENTIFYING, "free text, which may name people"
    if facts.distinct == 1 and not facts.missing and facts.present >= ENOUGH_RECORDS:
        return Role.INSENSITIVE, "the same value in every record"
    word = _first(facts.words, _SENSITIVE)
    if word and not _is_date(facts):
        if facts.type == "text" and facts.one_per_record:
            return Role.IDENTIFYING, f"{word!r} in its name, but nearly every record has a text of its own"
        return Role.SENSITIVE, f"{word!r} in its name: what a person would not want known"
    word = _first(facts.words, _QUASI)
    if word or _is_date(facts):
        return Role.QUASI, f"{word!r} in its name: others may know it" if word else "a date others may know"
    if facts.one_per_record and facts.type in ("text", "whole number"):
        return Role.IDENTIFYING, "nearly every record has a value of its own"
    word = _first(facts.words, _HARMLESS)
    if word:
        return Role.INSENSITIVE, f"{word!r} in its name: outsiders seldom know it; quasi if they might"
    return Role.QUASI, f"{facts.distinct} different values that others might know"


def _names_person(facts: _Facts) -> str | None:
    """Return the word with which a column's name says that it holds names or numbers of people."""
    about_people = facts.words <= {"name", "names", "id", "nr", "no"} or _first(facts.words, _PEOPLE) is not None
    many = facts.present >= ENOUGH_RECORDS and facts.distinct >= facts.present / 2
    if {"name", "names"} & facts.words and (about_people or many):
        return "name"
    return facts.last if facts.last in _NUMBERING and (about_people or many) else None


def _is_date(facts: _Facts) -> bool:
    return facts.type.startswith("date") or bool({"date", "datum"} & facts.words)


# -- the words of a name -------------------------------------------------------------------------------------


def _list(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Words of column names; one of five letters or more also stands for the words that begin with it.
_PEOPLE = _list(
    "patient person subject customer client member employee student user respondent participant donor applicant "
    "citizen owner insured case record encounter visit"
)
_NUMBERING = _list("id ids identifier uuid guid nbr nr no number key")
_IDENTIFYING = _list(
    "firstname lastname surname forename fullname middlename maidenname givenname familyname vorname nachname "
    "username login email mail phone telephone telefon mobile fax ssn socialsecurity passport iban accountnumber "
    "creditcard cardnumber address adresse street url ipaddress mrn medicalrecord license licence numberplate "
    "fingerprint photo"
)
_SENSITIVE = _list(
    "diagnos diag disease illness disorder icd treatment therapy medication drug prescription symptom hiv "
    "cancer pregnan allerg disability mental testresult result salary income wage wages earning debt credit balance "
    "loan offence offense crime conviction religion faith politic party vote orientation sexuality genetic genotype "
    "krankheit gehalt einkommen"
)
_QUASI = _list(
    "age alter sex gender geschlecht zip zipcode plz postcode postal birth birthday born dob geburt date datum year "
    "month day race ethnic hispanic nationality citizenship marital education degree occupation profession beruf job "
    "employer workclass country state county city town region province district village place location latitude "
    "longitude lat lon language height weight household children family department school university admission "
    "discharge death"
)
_HARMLESS = _list("stay duration score quantity dose")


def _words(name: str) -> list[str]:
    """Split a column name: ``dateOfBirth``, ``date_of_birth`` and ``Date of birth`` are three words each."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).casefold()
    return re.findall(r"[^\W\d_]+|\d+", "".join(c for c in plain if not unicodedata.combining(c)))


def _with_neighbours(words: list[str]) -> list[str]:
    """Add what neighbouring words make together: ``zip code`` is also ``zipcode``."""
    return words + [first + second for first, second in pairwise(words)]


def _first(words: Iterable[str], known: tuple[str, ...]) -> str | None:
    matches = sorted(
        word for word in words if any(word == stem or (len(stem) >= 5 and word.startswith(stem)) for stem in known)
    )
    return min(matches, key=len) if matches else None


# -- statistics ----------------------------------------------------------------------------------------------

_TYPES = {
    "String": "text",
    "Categorical": "text",
    "Enum": "text",
    "Boolean": "true or false",
    "Date": "date",
    "Datetime": "date and time",
    "Time": "time",
    "Null": "nothing",
    "integer": "whole number",
    "other number": "number",
}


def _type_in_words(dtype: pl.DataType) -> str:
    if dtype.is_integer():
        return _TYPES["integer"]
    if dtype.is_numeric():
        return _TYPES["other number"]
    return _TYPES.get(str(dtype.base_type()), str(dtype))


def _with_nulls(column: pl.Series) -> pl.Series:
    """Make missing what :func:`nymity.table.text.as_text` takes for missing: empty text and not-a-number."""
    if column.dtype == pl.String and (column == "").any():
        return column.set(column == "", None)
    return column.fill_nan(None) if column.dtype.is_float() else column


def _class_sizes(table: pl.DataFrame, quasi: list[str]) -> pl.Series:
    """Sizes of the classes of records that agree on every quasi-identifier; without any, all are one class."""
    if not quasi:
        return pl.Series([table.height])
    # By number, because Polars reads names such as "*" and "^a.*$" as patterns.
    numbered = pl.DataFrame([table[name].alias(str(number)) for number, name in enumerate(quasi)])
    return numbered.group_by(numbered.columns).agg(pl.len().alias("size"))["size"]


def _examples(counts: pl.DataFrame, kind: str) -> tuple[str, ...]:
    if kind not in _TYPES.values() or not counts.height:
        return ()
    most = counts.top_k(3, by=["count", "value"], reverse=[False, True]).sort(
        ["count", "value"], descending=[True, False]
    )
    return tuple(as_text(most["value"]).to_list())


def _mean_length(values: pl.Series) -> float:
    return float(values.cast(pl.String).str.len_chars().mean() or 0)  # type: ignore[arg-type]
