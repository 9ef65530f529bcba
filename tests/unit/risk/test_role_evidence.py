"""What decides a role where several things speak: periods, kinds, whose it is, units, what is to be predicted."""

from __future__ import annotations

import random

import polars as pl
import pytest

from nymity.risk.column_facts import ColumnFacts
from nymity.risk.suggestion import ColumnRisk, suggest
from nymity.table.attribute import Role

RECORDS = 600
KNOWN: dict[str, list[object]] = {"age": [*range(18, 78)], "sex": ["m", "f"], "city": ["Ulm", "Trier", "Jena"]}
HEALTH: dict[str, list[object]] = {
    "cholesterol": [*range(150, 300)],
    "glucose": [*range(80, 200)],
    "diagnosis": ["asthma", "diabetes", "stroke"],
    "smoker": ["yes", "no"],
    "hypertension": [0, 1],
    "stroke": [0, 1],
}
DOSES, UNITS = ["Placebo", "Zanol High Dose", "Zanol Low Dose"], ["mg/dL", "mmol/L", "U/L", "g/L"]


def looked_at(*, last: bool = False, beside: dict[str, list[object]] = KNOWN, **column: list[object]) -> ColumnRisk:
    """Return what is suggested for a column whose cells are drawn from some values, between others or last."""
    draw = random.Random(7)
    (name,) = column
    names = [*beside, name] if last else [*list(beside)[:2], name, *list(beside)[2:]]
    values = beside | column
    table = pl.DataFrame({one: [draw.choice(values[one]) for _ in range(RECORDS)] for one in names})
    return next(one for one in suggest(table) if one.name == name)


def role_of(name: str, values: list[object], **others: object) -> Role:
    return looked_at(**{name: values}, **others).role  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["payments_last_year", "debt_past_12_months", "default payment next month"])
def test_a_period_at_the_end_of_a_name_makes_no_date_of_an_amount(name: str) -> None:
    assert role_of(name, [0, 1, 2, 3, 4]) is Role.SENSITIVE
    assert role_of("year", [0, 1, 2, 3, 4]) is Role.QUASI


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("PhoneService", ["Yes", "No"]),
        ("MultipleLines", ["Yes", "No", "No phone service"]),
        ("NumberOfAddress", [1, 2, 3, 4, 5]),
        ("address", ["U", "R"]),
        ("DAYS_LAST_PHONE_CHANGE", [*range(-900, 0)]),
        ("NAME_FAMILY_STATUS", ["Married", "Single", "Widow"]),
        ("patient_class", ["emergency", "inpatient", "outpatient", "observation"]),
        ("valuenum", [one / 10 for one in range(400)]),
        ("months_as_customer", [*range(480)]),
    ],
)
def test_answers_and_counts_name_nobody_though_a_word_of_the_name_does(name: str, values: list[object]) -> None:
    assert role_of(name, values) is not Role.IDENTIFYING


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("phone", [*range(600_000, 601_000)]),
        ("manager_name", ["Olga Vik", "Per Strand", "Ida Berg", "Jan Holt", "Tor Lie"]),
        ("hid", [*range(1, 150)]),
        ("id", [*range(1, 23)]),
    ],
)
def test_names_and_numbers_of_people_are_still_left_out(name: str, values: list[object]) -> None:
    assert not role_of(name, values).is_published


def test_a_party_is_no_number_of_people() -> None:
    assert role_of("pid", [1, 2, 3, 4, 5, 6, 7]) is not Role.IDENTIFYING


@pytest.mark.parametrize("whose", ["suspect", "victim", "insured", "offender"])
def test_the_sex_and_race_of_somebody_are_what_others_see_whoever_it_is(whose: str) -> None:
    assert role_of(f"{whose}_eye_color", ["brown", "blue", "green"]) is Role.QUASI
    assert role_of(f"{whose}_height", [*range(150, 200)]) is Role.QUASI


def test_units_and_doses_of_a_trial_say_nothing_of_a_person() -> None:
    one, arm = looked_at(q7=UNITS), looked_at(TRT01P=DOSES)
    assert (one.role, one.is_question) == (Role.INSENSITIVE, False)
    assert (arm.role, arm.is_question) == (Role.INSENSITIVE, False)
    assert role_of("q7", [f"{number} kg" for number in range(40, 90)]) is not Role.INSENSITIVE


@pytest.mark.parametrize("form", ["20180105{:02}15", "{:02}:15", "{:02}:15:09"])
def test_minutes_and_times_of_day_are_dates(form: str) -> None:
    found = looked_at(q7=[form.format(hour) for hour in range(24)])
    assert (found.role, found.is_question) == (Role.QUASI, False)


def test_numbers_that_are_minutes_of_days_are_no_numbers_of_cases() -> None:
    came = [201801010000 + 10_000 * day + minute for day in range(28) for minute in range(0, 60, 2)]
    assert role_of("Aufnahmedatum", came) is Role.QUASI


@pytest.mark.parametrize("name", ["class", "y"])
def test_what_others_are_to_predict_is_sensitive_where_it_stands_last(name: str) -> None:
    assert role_of(name, ["a", "b"], last=True) is Role.SENSITIVE
    assert role_of(name, ["a", "b"]) is not Role.SENSITIVE


def test_an_unknown_column_in_a_table_about_health_leans_to_health() -> None:
    found = looked_at(beside=HEALTH, zq=[0, 1, 2, 3, 4])
    assert (found.role, looked_at(zq=[0, 1, 2, 3, 4]).role) == (Role.SENSITIVE, Role.QUASI)


def test_a_questionnaire_told_by_numbers_is_asked_about() -> None:
    several: dict[str, list[object]] = {f"{letter}{n}": [*range(1, 3 + n)] for n, letter in enumerate("vwxzkj", 2)}
    found = looked_at(beside=KNOWN | several, u8=[1, 2, 3, 4, 5, 6, 7])
    assert found.is_question
    assert not looked_at(u8=[1, 2, 3, 4, 5, 6, 7]).is_question


def test_a_flag_of_something_unknown_is_not_called_insensitive() -> None:
    assert role_of("ZZORP_FLAG", ["Y", "N"]) is not Role.INSENSITIVE


def test_the_date_of_a_change_says_when_data_were_processed() -> None:
    days = [f"{day:02}.{month:02}.2022" for day in range(1, 29) for month in (1, 2, 3)]
    for name in ("Mutatiedatum", "Erfassungsdatum", "letzte_Aktualisierung_Änderung"):
        assert role_of(name, days) is Role.INSENSITIVE, name


def test_points_of_houses_are_left_out_and_those_of_towns_are_places() -> None:
    points = [round(52 + number / 7919, 5) for number in range(2000)]
    assert role_of("latitude", points) is Role.IDENTIFYING
    assert role_of("latitude", points[:20]) is Role.QUASI


def test_numbers_called_by_an_id_are_asked_about_however_they_repeat() -> None:
    found = looked_at(finalPumsId=[*range(5, 500, 9)])
    assert (found.role, found.is_question) == (Role.IDENTIFYING, True)


def test_a_status_beside_its_stem_is_no_flag() -> None:
    beside = KNOWN | {"edu": ["college", "school", "none", "master"]}
    assert role_of("edu_status", ["full-time student", "part-time student", "no student"], beside=beside) is Role.QUASI


def test_kinds_of_users_are_not_when_data_were_processed() -> None:
    for name in ("i_user", "user_age"):
        assert role_of(name, [1, 2, 3, 4, 5, 6]) is not Role.INSENSITIVE, name


@pytest.mark.parametrize("name", ["number_of_loans_in_month", "status of savings", "wage_per_hour"])
def test_what_is_counted_stands_between_number_of_and_in_a_month(name: str) -> None:
    assert role_of(name, [*range(12)]) is Role.SENSITIVE


def test_digits_belong_to_words_that_have_them() -> None:
    for name in ("her2_status", "cd4_count", "ca125"):
        assert role_of(name, [*range(60)]) is Role.SENSITIVE, name


def test_two_words_mean_what_they_mean_together() -> None:
    assert role_of("sexual_partners", [*range(9)]) is Role.SENSITIVE
    assert role_of("partners", [*range(9)]) is Role.QUASI
    assert role_of("treatment_arm", ["A", "B"]) is Role.INSENSITIVE


def test_opinions_are_opinions_wherever_their_word_stands() -> None:
    for name in ("satisfaccion_laboral", "tevredenheid_werk", "job_satisfaction"):
        assert role_of(name, [1, 2, 3, 4, 5]) is Role.SENSITIVE, name


def test_german_words_are_known_with_and_without_their_marks() -> None:
    for name in ("Prämie", "Praemie", "Gebühren", "Körpergröße"):
        found = looked_at(**{name: [*range(40, 90)]})
        assert "in its name" in found.reason, name


def test_words_begin_at_capitals_with_marks() -> None:
    facts = ColumnFacts.of("letzteÄnderung", 1, pl.DataFrame({"value": ["x"], "count": [1]}))
    assert facts.words == ("letzte", "anderung")
