"""Free text is published by nobody who did not say so twice: by its role, and by ``free_text``."""

from __future__ import annotations

import random

import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import SchemaError, TableError
from nymity.risk.evidence.free_text import is_free_text
from nymity.table.attribute import Attribute

DRAW = random.Random(20)
PARTS = ("wants to be called back", "moved to her sister in May", "asks for Dr Alder", "paid late", "has a new number")
NOTES = [", ".join(DRAW.sample(PARTS, DRAW.randint(1, 3))) + f" on day {i}" for i in range(60)]
K = ny.KAnonymity(k=2)
METHODS = [ny.OptimalLattice(), ny.Mondrian(), ny.Datafly(), ny.KMember()]


def table(notes: list[str] = NOTES) -> pl.DataFrame:
    return pl.DataFrame({"age": [i % 6 for i in range(len(notes))], "note": notes})


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.key)
@pytest.mark.parametrize(
    "note", [ny.insensitive(), ny.sensitive(), ny.quasi()], ids=["insensitive", "sensitive", "quasi"]
)
def test_a_role_alone_publishes_no_free_text(note: Attribute, method: object) -> None:
    with pytest.raises(TableError, match=r"note.*free text") as refused:
        ny.publish(table(), {"age": ny.quasi(), "note": note}, privacy=K, method=method)
    assert 'free_text = "published"' in str(refused.value)
    assert "sister" not in str(refused.value)  # errors are shown to more people than tables


def test_a_second_word_does() -> None:
    schema = {"age": ny.quasi(), "note": ny.insensitive(free_text="published")}
    release = ny.publish(table(), schema, privacy=K)
    assert sorted(release.frame["note"]) == sorted(NOTES)


def test_left_out_it_needs_no_word() -> None:
    release = ny.publish(table(), {"age": ny.quasi(), "note": ny.identifying()}, privacy=K)
    assert release.frame.columns == ["age"]


@pytest.mark.parametrize(
    "cells",
    [
        [f"ward {i % 4}" for i in range(60)],
        [f"{i * 37 % 60:05d}" for i in range(60)],
        [
            ["Grand Theft in the 3rd Degree", "Possession of Cocaine", "Driving Under The Influence"][i % 3]
            for i in range(60)
        ],
        [";".join(DRAW.sample(["milk", "bread", "tea", "rice", "salt"], DRAW.randint(1, 4))) for _ in range(60)],
    ],
    ids=["places", "codes", "categories of several words", "sets"],
)
def test_what_is_none_is_published(cells: list[str]) -> None:
    renamed = table(cells).rename({"note": "kind"})
    release = ny.publish(renamed, {"age": ny.quasi(), "kind": ny.insensitive()}, privacy=K)
    assert release.frame.height == 60


def test_the_second_word_is_for_published_columns() -> None:
    with pytest.raises(SchemaError, match="free_text"):
        Attribute(role="identifying", free_text="published")
    with pytest.raises(SchemaError, match="free_text"):
        Attribute(role="insensitive", free_text="yes")


PEOPLE = ("Weber", "Becker", "Wagner", "Hoffmann", "Krause", "Voigt", "Klein", "Wolf")
SHORT_NOTES = {
    "call back": ("{column}", lambda who, i: f"Rückruf Frau {who} {4500 + i}"),
    "a name among words": ("{column}", lambda who, i: f"Anruf {who} wegen Termin"),
    "two words": ("Bemerkung", lambda who, i: f"siehe {who}"),
    "an address": ("Hinweis", lambda who, i: f"wohnt bei {who}, {who}str. {i % 90}"),
    "a telephone number": ("{column}", lambda who, i: f"rief an, Tel 0171 {1234567 + i}"),
}


@pytest.mark.parametrize("different", [3, 8, 40, 200])
@pytest.mark.parametrize("column", ["Bemerkung", "notes", "comment", "opmerking", "observaciones", "remarque"])
@pytest.mark.parametrize("kind", SHORT_NOTES)
def test_short_notes_are_refused_however_few_and_often_they_are(kind: str, column: str, different: int) -> None:
    """Attack: a column of a few notes that repeat was taken for a category, and published by its role alone."""
    name, write = SHORT_NOTES[kind]
    texts = [write(PEOPLE[i % len(PEOPLE)], i) for i in range(different)]
    notes = pl.Series(name.format(column=column), [texts[i % different] for i in range(400)])
    assert is_free_text(notes)
    seen = ny.inspect(pl.DataFrame({"age": [i % 60 for i in range(400)], notes.name: notes}))
    assert seen[notes.name].role.value == "identifying"


@pytest.mark.parametrize("kind", ["call back", "a telephone number"])
@pytest.mark.parametrize("different", [3, 40, 200])
def test_notes_that_mention_somebody_are_refused_under_any_name(kind: str, different: int) -> None:
    texts = [SHORT_NOTES[kind][1](PEOPLE[i % len(PEOPLE)], i) for i in range(different)]
    assert is_free_text(pl.Series("q7", [texts[i % different] for i in range(400)]))


def test_one_note_among_codes_is_refused() -> None:
    cells = ["ok"] * 399 + ["Frau Weber 0171 1234567 bitte zurückrufen wegen HIV-Befund"]
    assert is_free_text(pl.Series("status", cells))


#: What somebody wrote of others, three times in words of each language, and no name among them.
SPOKEN_OF = {
    "English": ["wants calls after six only", "wife pays the bill for him", "says he moved to Leeds"],
    "German": ["möchte abends angerufen werden", "seine Tochter zahlt die Rechnung", "er wohnt jetzt in Kassel"],
    "French": ["elle habite chez sa fille", "appeler plutôt le soir svp", "dit que son mari est parti"],
    "Spanish": ["vive sola con su hija", "llamar solo por la tarde", "dice que ella ya pagó"],
    "Dutch": ["hij woont nu in Leeuwarden", "alleen na zes uur bellen", "haar zoon betaalt de rekening"],
}


@pytest.mark.parametrize("language", SPOKEN_OF)
def test_three_notes_about_somebody_are_refused_under_any_name(language: str) -> None:
    """Attack: a few notes under a neutral name, which repeat, were published as a category."""
    texts = SPOKEN_OF[language]
    assert is_free_text(pl.Series("x7", [texts[i % 3] for i in range(400)]))


def test_long_texts_under_a_neutral_name_are_asked_about_and_left_out_until_then() -> None:
    texts = ["ruft immer erst abends an", "Wohnung im dritten Stock links", "Hund bellt an der Tür"]
    table = pl.DataFrame({"age": [i % 60 for i in range(400)], "x7": [texts[i // 7 % 3] for i in range(400)]})
    seen = ny.inspect(table)["x7"]
    assert (seen.role.value, seen.is_question) == ("identifying", True)


@pytest.mark.parametrize(
    "cells",
    [
        ["Dr. Weber", "Dr. Klein", "Praxis Dr. Voigt"],
        ["never married", "married, lives apart", "widowed"],
        ["Castilla y León", "Comunidad de Madrid", "País Vasco", "Islas Baleares"],
        ["Bachelor of Science", "Master of Arts", "some college"],
        ["some college but no degree", "less than a high school diploma", "a degree from a university"],
        ["12.5 mg", "25 mg", "50 mg"],
        ["12345 Berlin", "54321 Bonn"],
    ],
    ids=["doctors", "family", "regions", "degrees", "long degrees", "doses", "towns"],
)
def test_categories_of_several_words_are_no_free_text(cells: list[str]) -> None:
    assert not is_free_text(pl.Series("kind", [cells[i % len(cells)] for i in range(400)]))


def test_nobody_is_counted_by_dates_or_notes() -> None:
    """Attack on patience: identifying dates and notes repeat, and each was said to be people with several records."""
    rows = 60
    source = pl.DataFrame(
        {
            "age": [i % 6 for i in range(rows)],
            "admitted": [f"2024-01-{1 + i % 20:02d}" for i in range(rows)],
            "remark": [f"siehe {PEOPLE[i % 8]}" for i in range(rows)],
        }
    )
    left_out = {"admitted": ny.identifying(), "remark": ny.identifying()}
    release = ny.publish(source, {"age": ny.quasi(), **left_out}, privacy=K)
    assert not [one for one in release.warnings if one.key == "several-records-of-one-person"]
    numbered = source.with_columns(patient=pl.Series([f"P{i % 20}" for i in range(rows)]))
    release = ny.publish(numbered, {"age": ny.quasi(), "patient": ny.identifying(), **left_out}, privacy=K)
    assert [one.figures["column"] for one in release.warnings if one.key == "several-records-of-one-person"] == [
        "patient"
    ]


def test_surnames_are_no_persons() -> None:
    """Namesakes would be one person."""
    rows = 300
    surnames = [PEOPLE[i % 8] + "abcdefghij"[i // 3 % 10] for i in range(rows)]
    source = pl.DataFrame(
        {
            "Nachname": surnames,
            "sex": ["m" if hash_ % 2 else "f" for hash_ in map(len, surnames)],
            "born": [1940 + len(name) * 3 for name in surnames],
            "visit": list(range(rows)),
        }
    )
    assert ny.inspect(source)["Nachname"].role.value == "identifying"
