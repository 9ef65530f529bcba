"""Questions are for what may call people, for two answers and for what few records have; not for kinds of things."""

from __future__ import annotations

import random

import polars as pl
import pytest

from nymity.risk.suggestion import ColumnRisk, suggest

RECORDS = 900


def looked_at(values: list[object], name: str = "c7") -> ColumnRisk:
    return next(one for one in suggest(pl.DataFrame({name: values})) if one.name == name)


def drawn(of: list[object], missing: float = 0.0) -> list[object]:
    draw = random.Random(str(of))
    return [None if draw.random() < missing else draw.choice(of) for _ in range(RECORDS)]


@pytest.mark.parametrize(
    "of",
    [
        ["A", "B", "C", "D"],
        ["M1", "M2", "A11", "A12"],
        ["DBL", "DUI", "SUI", "FAM"],
        ["huur part.", "huur corp.", "koop klein"],
        [1, 2, 3, 4, 5],
        [0, 1, 2, 3, 4, 5, 6, 7],
    ],
)
def test_kinds_of_things_that_most_records_have_are_not_asked_about(of: list[object]) -> None:
    one = looked_at(drawn(of))
    assert (one.role.value, one.is_question) == ("quasi", False), one.reason


@pytest.mark.parametrize(
    "of",
    [
        ["Ostvik", "Brunsell", "Tarquay", "Melbo"],  # surnames
        ["MVDr. Ostvik", "MVDr. Melbo", "MVDr. Rudi"],
        ["jostvik", "pmelbo", "arudi"],  # logins
        ["OSTVIKJ", "MELBOP", "RUDIA"],
        ["GeLi", "KaWe", "JoBr", "HaPe"],  # initials
        ["HAP", "JBR", "KWE", "GLI", "OMA", "TST"],
        [412, 417, 420, 433, 441],  # numbers of staff
        ["yes", "no"],
        [0, 1],
        [12.5, 38.0, 64.2, 120.0],
    ],
)
def test_what_may_call_people_two_answers_and_amounts_are(of: list[object]) -> None:
    assert looked_at(drawn(of)).is_question


def test_so_is_what_few_records_have() -> None:
    assert looked_at(drawn(["A", "B", "C", "D"], missing=0.8)).is_question


def test_names_are_not_published_as_they_are_for_a_part_of_a_name() -> None:
    """``trainer`` is no arm of a study, though ``train`` is."""
    one = looked_at(drawn(["Sjoerd", "Melbo", "Esra", "Rudi", "Bianca"]), "trainer")
    assert one.role.value != "insensitive"
    assert one.is_question


@pytest.mark.parametrize("letters", ["mf", "mw", "mv", "hm", "hf", "mwd", "MFU"])
def test_letters_for_the_sexes_are_told(letters: str) -> None:
    one = looked_at(drawn(list(letters)))
    assert (one.role.value, one.is_question, one.reason) == ("quasi", False, "letters for the sexes")


def test_letters_of_which_one_is_rare_are_not() -> None:
    assert looked_at(["m"] * 880 + ["f"] * 20).is_question


def test_numbers_near_each_other_and_far_from_zero_are_left_out() -> None:
    one = looked_at(drawn(list(range(412, 466))))
    assert not one.role.is_published
    assert one.is_question


def test_questions_with_letters_at_their_end_are_a_series() -> None:
    draw = random.Random(16)
    columns = {f"v16_{letter}": [draw.choice([1, 2, 3, 3, 4, 4, 5]) for _ in range(RECORDS)] for letter in "abcdef"}
    found = suggest(pl.DataFrame(columns))
    assert {one.role.value for one in found} == {"sensitive"}
    assert "one of 6 like columns" in found[0].reason
