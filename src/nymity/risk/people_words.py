"""People's words: names of columns that tell persons and households apart, and what is the same all their lives."""

from __future__ import annotations

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.evidence.by_value import calls_people
from nymity.risk.evidence.person_names import person_names
from nymity.risk.evidence.vocabulary import WEIGHTS
from nymity.risk.identifiers import DATES, NAMES
from nymity.risk.naming import first_known, listed, words_of


def names_people(facts: ColumnFacts) -> bool:
    """Whether a column's name says that it tells people apart: ``patient``, ``customer_id``; or that its label does."""
    if first_known(facts.near, _PERSONS) is not None and _last(facts) not in _NOT_PERSONS:
        return True
    label = words_of(facts.label)
    return len(label) <= _SHORT_LABEL and bool(_TELLING & set(label)) and first_known(label, _PERSONS) is not None


def names_household(facts: ColumnFacts) -> bool:
    """Whether a column's name says that it tells households apart: ``household``, ``hh_nr``."""
    return first_known(facts.near, _HOUSEHOLDS) is not None and _last(facts) not in (*_NOT_PERSONS, *_OF_HOUSEHOLDS)


def names_code(facts: ColumnFacts) -> bool:
    """Whether a column's name says that it holds something else: a place, an illness, a weight, a date."""
    known = any(first_known(facts.near, other) for other in (_SENSITIVE, _QUASI, _PLACES))
    return known or not facts.near.isdisjoint(WEIGHTS.words) or is_date(facts)


def is_of_one_person(facts: ColumnFacts) -> bool:
    """Whether a column holds what never changes for a person: sex, or when somebody was born."""
    if first_known(facts.near, _BORN_WITH):
        return True
    if facts.type == "text" and facts.distinct <= 4:
        values = {str(value).strip().casefold() for value in facts.values}
        return len(values & SEXES) >= 2
    return False


def is_a_name(facts: ColumnFacts) -> bool:
    """Whether a column holds names, which namesakes share: it does not tell of whom a record is."""
    named = any(flag.kind == NAMES and flag.direct for flag in facts.flags)
    named = named or any(person_names(facts)) or calls_people(facts) is not None
    return named and len(facts.texts) > 0 and float(facts.texts.str.contains(r"\d").mean() or 0) < 0.5  # type: ignore[arg-type]


def is_date(facts: ColumnFacts) -> bool:
    """Whether a column holds dates, by its type, its name or its values."""
    dated = facts.type.startswith("date") or bool({"date", "datum", "yyyy"} & facts.near)
    return dated or any(flag.kind == DATES and flag.word is None for flag in facts.flags)


def _last(facts: ColumnFacts) -> str:
    return facts.words[-1] if facts.words else ""


_PERSONS = listed(
    "patient person subject customer client member employee student user respondent participant donor applicant "
    "citizen insured pat pid mrn subj pupil resident worker passenger visitor proband teilnehmer kunde kunden kundin "
    "mitglied versicherte schuler studierende mitarbeiter einwohner persnr pnr klient eleve etudiant adherent salarie "
    "alumno alumna paciente cliente socio usuario empleado leerling klant deelnemer lid werknemer"
)
#: A label names people and how they are told apart, and little else: ``Patient pseudonym``, ``Number of the patient``.
_SHORT_LABEL = 4
_TELLING = frozenset(
    listed(
        "id identifier identification pseudonym number no nr nummer key kennung numero identifiant identificador "
        "pseudonyme seudonimo pseudoniem"
    )
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
SEXES = frozenset(
    listed("m f w d male female man woman mannlich männlich weiblich mann frau homme femme hombre mujer man vrouw")
)
_NOT_PERSONS = listed("type kind class group status state category count age sex")
_OF_HOUSEHOLDS = listed("size income position role relation history members")
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
