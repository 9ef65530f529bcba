"""Roles: which role a column seems to have, and why.

The suggestions are a starting point for a person who knows the data. They err on the side of caution: what could link
a record to a person is called a quasi-identifier unless its name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from nymity.risk.identifiers import EMAILS, NAMES, NUMBERS, PHONES, SECURITY, IdentifierFlag, flags_of
from nymity.risk.naming import first_known, listed, with_neighbours, words_of
from nymity.table.attribute import Role

#: Below this many filled cells a column's statistics say nothing about its role.
ENOUGH_RECORDS = 20
#: From this share of different values on, a column of text or whole numbers looks like names or numbers of people.
NEARLY_ALL = 0.9
#: Text longer than this on average is prose, which may name people.
PROSE = 60
#: What may stand between items, the share of different cells that have several, and how long items are at most.
_SEPARATORS, _SEVERAL, _ITEM = (";", "|", ","), 0.3, 30
#: Lists that can be published as sets.
_LISTS = ("List(String)", "List(Int64)", "List(Int32)", "List(Categorical)")


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What the choice of a role looks at."""

    words: frozenset[str]  # of the column's name, and neighbours written together
    last: str  # the name's last word
    type: str
    present: int
    missing: int
    distinct: int
    prose: bool
    flags: tuple[IdentifierFlag, ...]  # what it looks like among the kinds that identify people
    separator: str | None = None  # what stands between items, where cells seem to hold several

    @staticmethod
    def of(name: str, column: pl.Series, values: pl.Series) -> ColumnFacts:
        """Gather them from a column without its gaps' other forms (:func:`with_nulls`) and its different values."""
        words, kind = words_of(name), type_in_words(column.dtype)
        near = frozenset(with_neighbours(words))
        facts = ColumnFacts(
            words=near,
            last=words[-1] if words else "",
            type=kind,
            present=len(column) - column.null_count(),
            missing=column.null_count(),
            distinct=len(values),
            prose=kind == "text" and _mean_length(values) > PROSE,
            flags=flags_of(near, values),
            separator=separator_of(values),
        )
        word = _names_person(facts)
        if word is None or any(flag.direct for flag in facts.flags):
            return facts
        flag = IdentifierFlag(kind=NAMES if word == "name" else NUMBERS, direct=True, word=word)
        return replace(facts, flags=(flag, *facts.flags))

    @property
    def one_per_record(self) -> bool:
        """Whether nearly every record has a value of its own."""
        return self.present >= ENOUGH_RECORDS and self.distinct >= NEARLY_ALL * self.present


def suggest_role(facts: ColumnFacts) -> tuple[Role, str]:
    """Choose by the column's name first, then by what it holds; when unsure, quasi."""
    if facts.type in _LISTS:
        return Role.ITEMS, "lists of values: sets of items, of which others may know some"
    if facts.type not in TYPES.values():
        return Role.IDENTIFYING, f"values of type {facts.type} cannot be generalized; convert or leave them out"
    if facts.distinct == 0:
        return Role.INSENSITIVE, "it is empty"
    direct = [flag for flag in facts.flags if flag.direct]
    for word in (_names_person(facts), *(flag.word for flag in direct)):
        if word:
            return Role.IDENTIFYING, f"{word!r} in its name: it points to one person"
    if direct:
        return Role.IDENTIFYING, direct[0].reason
    if facts.separator is not None:
        told = f"several values in a cell, {facts.separator!r} between them"
        return Role.ITEMS, f"{told}: sets of items, of which others may know some"
    if facts.prose:
        return Role.IDENTIFYING, "free text, which may name people"
    if facts.distinct == 1 and not facts.missing and facts.present >= ENOUGH_RECORDS:
        return Role.INSENSITIVE, "the same value in every record"
    word = first_known(facts.words, _SENSITIVE)
    if word and not _is_date(facts):
        if facts.type == "text" and facts.one_per_record:
            return Role.IDENTIFYING, f"{word!r} in its name, but nearly every record has a text of its own"
        return Role.SENSITIVE, f"{word!r} in its name: what a person would not want known"
    word = first_known(facts.words, _QUASI)
    if word or _is_date(facts):
        return Role.QUASI, f"{word!r} in its name: others may know it" if word else "a date others may know"
    if facts.one_per_record and facts.type in ("text", "whole number"):
        return Role.IDENTIFYING, "nearly every record has a value of its own"
    word = first_known(facts.words, _HARMLESS)
    if word:
        return Role.INSENSITIVE, f"{word!r} in its name: outsiders seldom know it; quasi if they might"
    return Role.QUASI, f"{facts.distinct} different values that others might know"


def _names_person(facts: ColumnFacts) -> str | None:
    """Return the word with which a column's name says that it holds names or numbers of people."""
    about_people = facts.words <= {"name", "names", "id", "nr", "no"} or first_known(facts.words, _PEOPLE) is not None
    many = facts.present >= ENOUGH_RECORDS and facts.distinct >= facts.present / 2
    if {"name", "names"} & facts.words and (about_people or many):
        return "name"
    return facts.last if facts.last in _NUMBERING and (about_people or many) else None


def names_people(facts: ColumnFacts) -> bool:
    """Whether a column's name says that it tells people apart: ``patient``, ``customer_id``."""
    return first_known(facts.words, _PERSONS) is not None and facts.last not in _NOT_PERSONS


def points_to_people(facts: ColumnFacts) -> bool:
    """Whether a column holds names, addresses or numbers of people, by its name or its values."""
    return any(flag.direct and flag.kind in (NAMES, EMAILS, PHONES, SECURITY, NUMBERS) for flag in facts.flags)


def names_household(facts: ColumnFacts) -> bool:
    """Whether a column's name says that it tells households apart: ``household``, ``hh_nr``."""
    return first_known(facts.words, _HOUSEHOLDS) is not None and facts.last not in (*_NOT_PERSONS, "size", "income")


def names_code(facts: ColumnFacts) -> bool:
    """Whether a column's name says that it holds something else: a place, an illness, a date."""
    return any(first_known(facts.words, other) for other in (_SENSITIVE, _QUASI, _PLACES)) or _is_date(facts)


def is_of_one_person(facts: ColumnFacts, column: pl.Series) -> bool:
    """Whether a column holds what never changes for a person: sex, or when somebody was born."""
    if first_known(facts.words, _BORN_WITH):
        return True
    if facts.type == "text" and facts.distinct <= 4:
        values = {str(value).strip().casefold() for value in column.drop_nulls().unique()}
        return len(values & _SEXES) >= 2
    return False


def _is_date(facts: ColumnFacts) -> bool:
    return facts.type.startswith("date") or bool({"date", "datum"} & facts.words)


TYPES = {
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


def separator_of(values: pl.Series) -> str | None:
    """Return what stands between the items of different cells, if these look like sets: several numbers of items, which
    occur again and again.
    """
    if values.dtype != pl.String or len(values) < ENOUGH_RECORDS:
        return None
    for separator in _SEPARATORS:
        pieces = values.str.split(separator).list.eval(pl.element().str.strip_chars())
        sizes = pieces.list.len()
        items = pieces.explode(empty_as_null=True).drop_nulls()
        several = float((sizes > 1).mean() or 0)  # type: ignore[arg-type]
        again = items.n_unique() <= len(items) / 2
        if several >= _SEVERAL and sizes.n_unique() > 1 and again and float(items.str.len_chars().mean() or 0) <= _ITEM:  # type: ignore[arg-type]
            return separator
    return None


def type_in_words(dtype: pl.DataType) -> str:
    """Return a type's name for a reader; one that cannot be generalized keeps its own name."""
    if dtype.is_integer():
        return TYPES["integer"]
    if dtype.is_numeric():
        return TYPES["other number"]
    return TYPES.get(str(dtype.base_type()), str(dtype))


def with_nulls(column: pl.Series) -> pl.Series:
    """Make missing what :func:`nymity.table.text.as_text` takes for missing: empty text and not-a-number."""
    if column.dtype == pl.String and (column == "").any():
        return column.set(column == "", None)
    return column.fill_nan(None) if column.dtype.is_float() else column


def _mean_length(values: pl.Series) -> float:
    return float(values.cast(pl.String).str.len_chars().mean() or 0)  # type: ignore[arg-type]


#: Words of column names; one of five letters or more also stands for the words that begin with it.
_PEOPLE = listed(
    "patient person subject customer client member employee student user respondent participant donor applicant "
    "citizen owner insured case record encounter visit"
)
_PERSONS = listed(
    "patient person subject customer client member employee student user respondent participant donor applicant "
    "citizen insured pat pid mrn subj pupil resident worker passenger visitor proband teilnehmer kunde kunden kundin "
    "mitglied versicherte schuler studierende mitarbeiter einwohner persnr pnr klient eleve etudiant adherent salarie "
    "alumno alumna paciente cliente socio usuario empleado leerling klant deelnemer lid werknemer"
)
_HOUSEHOLDS = listed(
    "household hh hhid hhnr hid family haushalt menage foyer hogar familia familie famille huishouden gezin"
)
_PLACES = listed(
    "store shop branch filiale site center centre clinic hospital klinik krankenhaus practice ward station school "
    "class klasse doctor physician arzt lanr provider teacher lehrer product produit item article artikel sku brand "
    "vehicle dx device sensor airport route course kurs"
)
#: What a person is born with.
_BORN_WITH = listed(
    "sex gender geschlecht sexe sexo geslacht birth birthday birthdate born dob yob geburt gebjahr gebdat naissance "
    "nacimiento geboorte"
)
_SEXES = frozenset(
    listed("m f w d male female man woman mannlich männlich weiblich mann frau homme femme hombre mujer")
)
_NOT_PERSONS = listed("type kind class group status state category count age sex")
_NUMBERING = listed("id ids identifier uuid guid nbr nr no number key")
_SENSITIVE = listed(
    "diagnos diag disease illness disorder icd treatment therapy medication drug prescription symptom hiv "
    "cancer pregnan allerg disability mental testresult result salary income wage wages earning debt credit balance "
    "loan offence offense crime conviction religion faith politic party vote orientation sexuality genetic genotype "
    "krankheit gehalt einkommen"
)
_QUASI = listed(
    "age alter sex gender geschlecht zip zipcode plz postcode postal birth birthday born dob geburt date datum year "
    "month day race ethnic hispanic nationality citizenship marital education degree occupation profession beruf job "
    "employer workclass country state county city town region province district village place location latitude "
    "longitude lat lon language height weight household children family department school university admission "
    "discharge death"
)
_HARMLESS = listed("stay duration score quantity dose")
