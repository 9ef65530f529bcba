"""Which column tells of whom records are, in tables as hospitals, shops, schools and surveys have them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.io import CodedTable
from nymity.io.coded import CodedColumn
from nymity.io.dictionary import Dictionary, Entry
from nymity.table.attribute import Role

Row = tuple[Any, ...]
#: A table's rows, its columns, and which of them tells persons, households, and is dropped as a number of cases.
Kind = tuple[Callable[[random.Random], Iterator[Row]], str, str | None, str | None]


def _people(draw: random.Random, number: int) -> list[dict[str, Any]]:
    first = ["Anna", "Bert", "Cleo", "Dora", "Emil", "Fritz", "Gina", "Hans", "Ida", "Jan"]
    return [
        {
            "id": i,
            "age": draw.randrange(1, 90),
            "sex": draw.choice("mf"),
            "zip": f"{draw.randrange(10, 30)}{draw.randrange(100, 400)}",
            "name": f"{draw.choice(first)} Name{draw.randrange(200)}",
            "born": date(1930 + draw.randrange(80), 1 + draw.randrange(12), 1 + draw.randrange(28)),
        }
        for i in range(number)
    ]


def _visits(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for _ in range(draw.randrange(1, 8)):
            yield 100_000 + p["id"] * 7, p["age"], p["sex"], p["zip"], draw.choice(["A01", "B02", "C03"])


def _purchases(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for j in range(draw.randrange(1, 20)):
            yield f"C{p['id']:05}", f"R{j}-{p['id']}", p["zip"], draw.choice(["milk", "tv"]), round(draw.random(), 2)


def _marks(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for subject in ("math", "german", "art", "pe"):
            yield p["name"], p["sex"], f"{draw.randrange(5, 11)}a", subject, draw.randrange(1, 7)


def _waves(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for wave in range(4):
            yield p["id"] + 10**12, wave, p["sex"], p["born"].year, draw.randrange(11)


def _cases(draw: random.Random) -> Iterator[Row]:
    case = 0
    for p in _people(draw, 200):
        for _ in range(draw.randrange(1, 4)):
            case += 1
            day = date(2020, 1, 1) + timedelta(draw.randrange(700))
            for _ in range(draw.randrange(1, 6)):
                yield f"F{case:06}", f"P{p['id']:05}", p["age"], p["sex"], day, draw.choice(["lab", "op"])


def _household_waves(draw: random.Random) -> Iterator[Row]:
    person = 0
    for household in range(150):
        region, income = draw.choice("NSEW"), draw.randrange(1, 9)
        for _ in range(draw.randrange(1, 5)):
            person, age, sex = person + 1, draw.randrange(90), draw.choice("mf")
            for wave in (1, 2, 3):
                yield household + 1000, person + 50_000, region, income, age, sex, wave, draw.randrange(5)


def _households(draw: random.Random) -> Iterator[Row]:
    for household in range(200):
        region, income = draw.choice("NSEW"), draw.randrange(9)
        for _ in range(draw.randrange(1, 6)):
            yield household, region, income, draw.randrange(90), draw.choice("mf"), draw.choice(["ok", "ill"])


def _places(draw: random.Random) -> Iterator[Row]:
    for place in range(80):
        about = draw.choice(["Bonn", "Kiel", "Ulm"]), draw.choice(["big", "small"]), draw.choice(["own", "rent"])
        for _ in range(draw.randrange(5, 20)):
            yield f"S{place:03}", *about, draw.randrange(18, 80), draw.choice("mf"), draw.randrange(200)


def _physicians(draw: random.Random) -> Iterator[Row]:
    physicians = [(f"A{i}", draw.choice("mf"), draw.choice(["GP", "card"]), draw.randrange(30, 65)) for i in range(50)]
    for p in _people(draw, 300):
        yield *draw.choice(physicians), p["age"], p["sex"], draw.choice(["flu", "ok"])


def _members(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for _ in range(draw.randrange(1, 3)):
            yield p["id"] + 1, p["name"], p["born"], p["sex"], draw.choice("xyz")


def _once(draw: random.Random) -> Iterator[Row]:
    for i, p in enumerate(_people(draw, 300)):
        yield p["name"] + str(i) if i % 50 else "Max Muster", p["age"], p["sex"], p["zip"], draw.choice("ab")


def _log(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for _ in range(draw.randrange(1, 9)):
            yield p["id"], draw.choice("abc"), date(2020, 1, 1) + timedelta(draw.randrange(300)), draw.random()


def _spreadsheet(draw: random.Random) -> Iterator[Row]:
    """Numbers of persons with gaps are read as decimal numbers."""
    for p in _people(draw, 300):
        for _ in range(draw.randrange(1, 5)):
            yield float(p["id"]) if draw.random() > 0.05 else None, p["age"], p["sex"], p["zip"], draw.choice("xyz")


def _moving(draw: random.Random) -> Iterator[Row]:
    """Only sex stays the same."""
    for p in _people(draw, 300):
        for visit in range(draw.randrange(1, 5)):
            yield (
                p["id"],
                p["age"] + visit // 2,
                p["sex"],
                p["zip"] if draw.random() > 0.1 else "99999",
                draw.choice("xy"),
            )


def _monitored(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 20):
        for _ in range(100):
            yield p["id"], p["age"], p["sex"], p["zip"], draw.choice("xyz")


def _without_number(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for _ in range(4):
            yield p["born"], p["sex"], p["zip"], draw.choice("xyz")


def _measured(draw: random.Random) -> Iterator[Row]:
    """One record each; a measure that repeats, and columns that are nearly always 0."""
    for _ in range(4000):
        yield f"{20 + draw.gauss(0, 5):.1f}", *(int(draw.random() < 0.02) for _ in range(4)), draw.randrange(2)


def _named(draw: random.Random) -> Iterator[Row]:
    """Nothing tells people but their names, or addresses."""
    for p in _people(draw, 200):
        for _ in range(draw.randrange(1, 8)):
            yield f"{p['name']} {p['id']}", p["sex"], draw.choice("xyz")


def _addressed(draw: random.Random) -> Iterator[Row]:
    for p in _people(draw, 300):
        for _ in range(draw.randrange(1, 8)):
            yield f"p{p['id']}@example.org", draw.choice("abc"), draw.randrange(9)


def _seldom(draw: random.Random) -> Iterator[Row]:
    """Few have a second record."""
    for p in _people(draw, 400):
        for _ in range(1 + (p["id"] % 12 == 0)):
            yield f"K{p['id']}", p["sex"], p["born"], draw.choice("xyz")


TABLES: dict[str, Kind] = {
    "named": (_named, "Name Geschlecht Befund", "Name", None),
    "addressed": (_addressed, "kontakt kanal zahl", "kontakt", None),
    "seldom": (_seldom, "k7 sex geboren befund", "k7", None),
    "Familien": (_households, "Familie region hhinc age sex health", None, "Familie"),
    "visits": (_visits, "x1 age sex zip icd", "x1", None),
    "purchases": (_purchases, "customer receipt zip item amount", "customer", None),
    "marks": (_marks, "Schüler Geschlecht Klasse Fach Note", "Schüler", None),
    "waves": (_waves, "pnr welle geschlecht gebjahr zufriedenheit", "pnr", None),
    "cases": (_cases, "Fallnummer Patientennr Alter Geschlecht Aufnahme Leistung", "Patientennr", None),
    "cases unnamed": (_cases, "col_a col_b Alter Geschlecht Aufnahme Leistung", "col_b", None),
    "cases short": (_cases, "Fall-ID PID Alter Geschlecht Aufnahme Leistung", "PID", None),
    "encounters": (_cases, "encounter mrn age sex admitted service", "mrn", None),
    "insured": (_cases, "Fallnr Versichertennummer Alter Geschlecht Aufnahme Leistung", "Versichertennummer", None),
    "households and waves": (_household_waves, "hhnr persnr region hhinc age sex wave health", "persnr", "hhnr"),
    "unnamed households": (_household_waves, "id1 id2 region hhinc age sex wave health", "id2", "id1"),
    "households": (_households, "household region hhinc age sex health", None, "household"),
    "Haushalte": (_households, "haushalt region hhinc age sex health", None, "haushalt"),
    "households unnamed": (_households, "u7 region hhinc age sex health", None, "u7"),
    "stores": (_places, "store city size ownership age sex spent", None, None),
    "stores unnamed": (_places, "u7 city size ownership age sex spent", None, None),
    "Filialen": (_places, "filiale stadt groesse besitz alter geschlecht umsatz", None, None),
    "physicians": (_physicians, "code arzt_geschlecht fach arzt_alter alter geschlecht diagnose", None, None),
    "members": (_members, "mitglied_nr name geburtsdatum sex event", "mitglied_nr", None),
    "Kunden": (_members, "kunde name birthdate sex event", "kunde", None),
    "once": (_once, "name age sex zip ill", None, None),
    "log": (_log, "user_id event day score", "user_id", None),
    "spreadsheet": (_spreadsheet, "subject age sex zip ill", "subject", None),
    "moving": (_moving, "n age sex zip ill", "n", None),
    "monitored": (_monitored, "n age sex zip value", "n", None),
    "without number": (_without_number, "born sex zip ill", None, None),
    "measured": (_measured, "bmi stroke diabetes hyp smoker ill", None, None),
}


def _table(kind: Kind) -> pl.DataFrame:
    draw = random.Random(3)
    rows = list(kind[0](draw))
    draw.shuffle(rows)
    return pl.DataFrame(rows, schema=kind[1].split(), orient="row", infer_schema_length=None)


@pytest.mark.parametrize("kind", TABLES.values(), ids=TABLES)
def test_persons_and_households_are_told_by_structure(kind: Kind) -> None:
    roles = {column.name: column.role for column in ny.inspect(_table(kind)).columns}
    found = {role: [name for name in roles if roles[name] == role] for role in ("person", "household")}
    assert found == {"person": [kind[2]] if kind[2] else [], "household": [kind[3]] if kind[3] else []}


@pytest.mark.parametrize("name", ["cases", "cases unnamed", "cases short", "encounters", "insured"])
def test_numbers_of_cases_are_not_published(name: str) -> None:
    kind = TABLES[name]
    assert ny.inspect(_table(kind))[kind[1].split()[0]].role == "identifying"


def test_a_part_of_many_records_is_enough() -> None:
    n = 300_000
    table = pl.DataFrame(
        {
            "u": [i * 7919 % 60_000 for i in range(n)],
            "sex": ["mf"[i * 7919 % 60_000 % 2] for i in range(n)],
            "zip": [i * 7919 % 60_000 % 611 for i in range(n)],
            "ill": [i % 13 for i in range(n)],
        }
    )
    found = ny.inspect(table).person
    assert found is not None
    assert (found.column, found.persons, found.records) == ("u", 60_000, n)
    assert found.constant == ("sex", "zip")


@pytest.mark.parametrize(
    ("label", "told"),
    [("Patient pseudonym", True), ("Age of the patient in years", False), ("Patient age", False), ("", False)],
)
def test_a_label_says_that_a_column_tells_people_apart(label: str, told: bool) -> None:
    """A data dictionary may be the only one to say it; what else is said of people is no number of theirs."""
    draw = random.Random(1)
    rows = [{"p": f"P{draw.randrange(250):04}", "x1": draw.randrange(95), "x2": draw.choice("fm")} for _ in range(600)]
    known = Dictionary({"p": Entry(label=label)})
    assert (ny.inspect(pl.DataFrame(rows), dictionary=known)["p"].role is Role.PERSON) == told


def _by_values(table: pl.DataFrame) -> CodedTable:
    """Put a table as reading a large file leaves it."""
    columns = []
    for name in table.columns:
        values = [None, *table[name].unique(maintain_order=True)]
        codes = [values.index(cell) for cell in table[name]]
        times = pl.Series([codes.count(code) for code in range(len(values))])
        texts = pl.Series(name, values, dtype=pl.String)
        columns.append(CodedColumn(name=name, values=texts, times=times, codes=np.array(codes, np.uint32), as_cut=True))
    return CodedTable(columns)


@pytest.mark.parametrize("given", [_by_values, lambda table: table], ids=["by values", "by rows"])
def test_spaces_around_identifiers_make_no_further_people(given: Callable[[pl.DataFrame], Any]) -> None:
    draw, rows = random.Random(3), []
    for person in range(40):
        own = (draw.choice("fm"), f"19{draw.randrange(30, 99)}-01-01")
        for visit in range(6):
            rows.append((["{}", " {}", "{} "][visit % 3].format(f"A{person:03d}"), *own, draw.choice("xyz")))
    rows += [("  ", "f", "1950-01-01", "x")] * 3
    table = pl.DataFrame(rows, schema=["patient", "sex", "born", "ill"], orient="row")
    found = ny.inspect(given(table)).person
    assert found is not None
    assert (found.column, found.persons, found.records, found.most_records) == ("patient", 40, 240, 6)
    assert found.reason.startswith("40 values for 240 records")
    people = table.with_columns(pl.col("patient").str.strip_chars()).group_by("sex", "born")
    few = people.agg(pl.len(), pl.col("patient").n_unique().alias("of")).filter(pl.col("len") >= 5, pl.col("of") < 5)
    assert 200 < found.missed == few["len"].sum()


def test_sampling_weights_are_of_nobody_though_strata_stay_the_same_within_them() -> None:
    draw = random.Random(8)
    strata, units = ([draw.randrange(kinds) for _ in range(1000)] for kinds in (4, 2))
    weights = [2500 + 5000 * (2 * one + other) + draw.randrange(120) for one, other in zip(strata, units, strict=True)]
    kinds = {"stratid": strata, "unit": units, "race": [draw.randrange(3) for _ in strata]}
    assert ny.inspect(pl.DataFrame({**kinds, "finalwgt": weights}))["finalwgt"].role is Role.WEIGHT
