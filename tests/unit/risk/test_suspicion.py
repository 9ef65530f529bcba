"""What could name or number people by its form is left out and asked about, however it is called."""

from __future__ import annotations

import random

import polars as pl
import pytest

from nymity.risk.suggestion import ColumnRisk, suggest
from nymity.table.attribute import Role

RECORDS = 600
#: Names of cases and of people that list no frequent name.
WORKERS = "Ostvik Brunsell Tarquay Melbo Hollund Friskerud Undstad Wergedal Askim Rudi Kvam Sletten Lote Moland".split()
NAMES = ["v7", "Fagbehandler", "procteam", "xincomeq", "Betreuungsart", "diagteam"]


def looked_at(name: str, values: list[object]) -> ColumnRisk:
    """Return what is suggested for a column, with others beside it that are sure."""
    draw = random.Random(5)
    table = pl.DataFrame(
        {
            "age": [draw.randrange(18, 90) for _ in values],
            "sex": [draw.choice("mf") for _ in values],
            name: values,
            "city": [draw.choice(["Ulm", "Trier", "Jena"]) for _ in values],
            "income": [round(draw.lognormvariate(8, 0.5), 2) for _ in values],
        }
    )
    return next(one for one in suggest(table) if one.name == name)


def drawn(kind: str) -> list[object]:
    draw = random.Random(f"suspicion {kind}")
    values = {
        "codes, one per record": lambda: f"QX{draw.randrange(10**6):06}",
        "codes, few records each": lambda: f"AS{draw.randrange(150) + 4000}",
        "numbers, few records each": lambda: 41000 + draw.randrange(300),
        "numbers of one length": lambda: 5120 + 7 * draw.randrange(30),
        "surnames of few": lambda: draw.choice(WORKERS),
        "staff": lambda: f"P{draw.randrange(40) + 7100}",
        "notes": lambda: draw.choice(["moved to the other team last week", "has been told twice about the key"]),
    }[kind]
    return [values() for _ in range(RECORDS)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "kind",
    [
        "codes, one per record",
        "codes, few records each",
        "numbers, few records each",
        "numbers of one length",
        "surnames of few",
        "staff",
        "notes",
    ],
)
def test_no_part_of_a_name_publishes_what_may_name_or_number_people(kind: str, name: str) -> None:
    one = looked_at(name, drawn(kind))
    assert not one.role.is_published, one.reason


#: Names beside what is known of values: an occupation, a place, a result, a day.
BESIDE = {
    "an occupation": lambda draw: f"{draw.choice(WORKERS)}, {draw.choice(['nurse', 'teacher', 'driver'])}",
    "a place": lambda draw: f"{draw.choice(WORKERS)} (Berlin)",
    "a result": lambda draw: f"{draw.choice(WORKERS)} {draw.choice(['positive', 'negative'])}",
    "a family": lambda draw: f"married {draw.choice(WORKERS)}",
    "a day": lambda draw: f"2024-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02} {draw.choice(WORKERS)}",
}


@pytest.mark.parametrize("what", BESIDE)
def test_known_words_and_days_do_not_hide_the_names_beside_them(what: str) -> None:
    draw = random.Random(f"beside {what}")
    one = looked_at("v7", [BESIDE[what](draw) for _ in range(RECORDS)])
    assert not one.role.is_published, one.reason


@pytest.mark.parametrize("few", [3, 8])
@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_names_of_a_few_beside_known_words_are_asked_about(few: int, jobs: int) -> None:
    draw = random.Random(f"{few} {jobs}")
    kinds = ["nurse", "teacher", "driver", "clerk"][:jobs]
    one = looked_at("v7", [f"{draw.choice(WORKERS[:few])}, {draw.choice(kinds)}" for _ in range(RECORDS)])
    assert one.is_question, one.reason


def test_words_that_differ_as_the_texts_do_say_what_they_are() -> None:
    kinds = "farm,sales,private,craft,service,clerical,repair,moving,armed,executive,transport,professional,household"
    one = looked_at("v7", [f"{kind} workers" for kind in kinds.split(",") * 50][:RECORDS])
    assert (one.role, one.is_question) == (Role.QUASI, False), one.reason


@pytest.mark.parametrize("name", ["city", "diagnosis", "income", "occupation"])
def test_not_even_a_whole_word_publishes_codes_of_which_each_record_has_its_own(name: str) -> None:
    one = looked_at(name + " x", drawn("codes, one per record"))
    assert not one.role.is_published, one.reason


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("annual income", [20_011 + 97 * (i * 7919 % 700) for i in range(RECORDS)], Role.SENSITIVE),
        ("postcode", [f"{20_000 + i * 7919 % 500:05}" for i in range(RECORDS)], Role.QUASI),
        ("v3", [f"{i % 28 + 1:02}.{i % 12 + 1:02}.{1940 + i * 31 % 70}" for i in range(RECORDS)], Role.QUASI),
        ("v4", [f"{'ABCEFIJKM'[i % 9]}{i * 37 % 90 + 10}.{i % 9}" for i in range(RECORDS)], Role.SENSITIVE),
        ("v5", [f"{78 + i * 37 % 80}/{60 + i * 17 % 40}" for i in range(RECORDS)], Role.SENSITIVE),
        ("occupation", [f"{word.lower()} keeper" for word in WORKERS * 43][:RECORDS], Role.QUASI),
        ("year", [1930 + i * 37 % 80 for i in range(RECORDS)], Role.QUASI),
    ],
)
def test_what_values_or_whole_words_say_is_believed(name: str, values: list[object], role: Role) -> None:
    one = looked_at(name, values)
    assert one.role is role, one.reason


@pytest.mark.parametrize("name", ["Student", "patient", "mom", "Enfant", "birth_mother"])
def test_many_numbers_under_a_word_for_people_number_them(name: str) -> None:
    numbers: list[object] = [1 + i * 7919 % 2500 for i in range(RECORDS)]
    assert not looked_at(name, numbers).role.is_published
    assert not looked_at(name, [one // 3 for one in numbers]).role.is_published  # type: ignore[operator]


def test_few_or_small_numbers_under_a_word_for_people_tell_of_them() -> None:
    assert looked_at("mother", [18 + i % 27 for i in range(RECORDS)]).role is Role.QUASI
    assert looked_at("student", [i % 2 for i in range(RECORDS)]).role is Role.QUASI
    assert looked_at("mother", [1930 + i % 60 for i in range(RECORDS)][:200]).role is Role.QUASI


def test_what_is_suspected_is_asked_first() -> None:
    """What is left out for its form costs most if somebody publishes it: the question says what it looks like."""
    one = looked_at("Fagbehandler", drawn("surnames of few"))
    assert one.is_question
    assert "nothing says that they are not of people" in one.reason
