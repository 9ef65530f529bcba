"""Suggest: sensible, and always buildable."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import ParameterError
from nymity.table.builders import Dates, Flat, Intervals, Masking, suggest
from nymity.table.builders.isco import Isco
from nymity.table.builders.nace import Nace
from nymity.table.builders.recognition import short_codes
from nymity.table.hierarchy import Hierarchy


@pytest.mark.parametrize(
    ("values", "width"),
    [
        (range(17, 91), 5),
        (range(12), 2),
        (range(0, 40, 4), 2),
        (range(0, 250, 3), 25),
        (range(0, 100_000, 1000), 5000),
        (range(0, 401, 40), 25),
        ([n / 8 for n in range(9)], 0.05),
        ([n / 100 for n in range(9)], 0.005),
        ([str(n) for n in range(9, 30)], 2),
        ([-0.5, *range(9)], 0.5),
    ],
)
def test_numbers_get_round_widths(values: Any, width: float) -> None:
    suggested = suggest(pl.Series(values))
    assert suggested == Intervals(width=width, levels=4)
    numbers = [float(value) for value in values]
    assert (max(numbers) - min(numbers)) / width <= 20


def test_few_numbers_words_and_free_text_stay_as_they_are() -> None:
    assert suggest(pl.Series(range(8))) == Flat()
    assert suggest(pl.Series([True, False])) == Flat()
    assert suggest(pl.Series(["female", "male", None])) == Flat()
    assert suggest(pl.Series([f"{'very ' * n}free text" for n in range(30)])) == Flat()
    assert suggest(pl.Series([None], dtype=pl.String)) == Flat()
    assert suggest(pl.Series([float("inf"), *range(20)])) == Flat()
    assert suggest(pl.Series([1e305, *range(20)])) == Flat()
    assert suggest(pl.Series(["1e310", *map(str, range(20))])) == Flat()


def test_codes_are_masked_from_the_right() -> None:
    assert suggest(pl.Series([f"{n:05d}" for n in range(20)])) == Masking()
    assert suggest(pl.Series([f"{n:05d}" for n in range(10_000, 10_020)])) == Masking()
    assert suggest(pl.Series([f"{n:05d}-{n:04d}" for n in range(20)])) == Masking(steps=(2, 4, 6, 8))
    assert suggest(pl.Series([f"M{n} {n}AE" for n in range(5, 25)])) == Masking(steps=(2, 4, 6))
    assert suggest(pl.Series(range(81_000, 81_100))) == Intervals(width=5, levels=4)


@pytest.mark.parametrize(
    ("days", "levels"),
    [
        (20, ("day", "week")),
        (300, ("day", "month", "quarter")),
        (900, ("day", "month", "quarter", "year")),
        (4 * 365, ("day", "month", "year")),
        (30 * 365, ("day", "month", "year", "decade")),
    ],
)
def test_dates_get_the_levels_that_divide_their_span(days: int, levels: tuple[str, ...]) -> None:
    start = date(2021, 1, 4)
    span = pl.Series([start + timedelta(days=day) for day in range(0, days, 5)])
    assert suggest(span) == Dates(levels=levels)
    assert suggest(span.cast(pl.String)) == Dates(levels=levels)
    assert suggest(span.cast(pl.Datetime)) == Dates(levels=levels)


ECONOMIC_ACTIVITY = [111, 112, 120, 131, 132, 133, 134, 135, 136, 137, 138, 240]  # codes of the Dutch census


def test_numbers_that_are_codes_are_not_cut_into_intervals() -> None:
    assert suggest(pl.Series(ECONOMIC_ACTIVITY)) == Masking()
    assert suggest(pl.Series([str(code) for code in ECONOMIC_ACTIVITY])) == Masking()
    assert suggest(pl.Series(range(1950, 2020, 7))) == Intervals(width=5, levels=4)  # years
    assert suggest(pl.Series(range(1000, 9000, 500))) == Intervals(width=500, levels=4)  # round
    assert suggest(pl.Series(range(100, 160))) == Intervals(width=5, levels=4)  # dense
    assert suggest(pl.Series([90, *ECONOMIC_ACTIVITY])) == Intervals(width=10, levels=4)  # of two lengths


@pytest.mark.parametrize(
    ("name", "values", "key"),
    [
        ("Hauptdiagnose", ["J45.0", "I10", "E11.9", "K21.0", "C50.1", "F32.1", "M54.5", "N39.0", "R10.4"], "icd-10"),
        ("x", ["J45.0", "I10.1", "E11.9", "K21.0", "C50.1", "F32.1", "M54.5", "N39.0", "R10.4"], "icd-10"),
        ("x", ["A10BA02", "N02BE01", "C07AB02", "B01AC06", "C09AA05", "A02BC01", "H03AA01", "R03AC02", "J01CA"], "atc"),
        ("x", ["DE212", "DE300", "FR101", "AT130", "ITC4C", "ES300", "PL911", "SE110", "FI1B1"], "nuts"),
        ("x", ["DE", "FR", "AT", "IT", "ES", "PL", "SE", "FI", "US"], "countries"),
        ("native-country", ["United-States", "Cuba", "Jamaica", "India", "Mexico", "Peru", "Iran", "Japan", "China"],
         "countries"),
        ("zip_code", [f"{n:05d}" for n in range(2138, 2160)], "us-zip"),
        ("ISCO", ["2211", "5120", "7231", "9112", "1120", "3253", "4110", "6111", "8322"], "isco-08"),
        ("industry", ["01.11", "47.11", "86.10", "85.20", "62.01", "64.19", "41.20", "49.31", "56.10"], "nace"),
        ("Age", [0.08, *range(1, 83)], "ages"),
        ("ageAtDiagnosis", list(range(17, 91)), "ages"),
        ("Patientenalter", list(range(17, 91)), "ages"),
        ("income", [n * n * 97 + 11 for n in range(1, 60)], "money"),
        ("x", [2**n + 7 for n in range(40)], "money"),
    ],
)  # fmt: skip
def test_ready_hierarchies_are_found(name: str, values: list[Any], key: str) -> None:
    found = suggest(pl.Series(name, values))
    assert found.key == key  # type: ignore[attr-defined]
    assert found.build(pl.Series(values)).height > 1
    assert Hierarchy.suggest(pl.Series("v", values), name=name) == found


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("language", ["de", "fr", "it", "es", "pl", "sv", "fi", "us", "nl"]),
        ("room", ["A01", "B12", "C03", "D04", "E05", "F06", "G07", "H08", "I09"]),  # could be diagnoses
        ("state", ["AL", "AK", "AZ", "CA", "CT", "FL", "HI", "IA", "KS", "KY", "NY", "OR", "TX", "WY"]),
        ("percentage", list(range(101))),
        ("wage_class", ["low", "mid", "high", "a", "b", "c", "d", "e", "f"]),
        ("x", ["2211", "5120", "7231", "9112", "1120", "3253", "4110", "6111", "8322"]),
    ],
)
def test_what_could_be_something_else_is_not_taken_for_a_ready_one(name: str, values: list[Any]) -> None:
    assert isinstance(suggest(pl.Series(name, values)), Flat | Masking | Intervals)


def test_values_that_do_not_fit_get_a_group_of_their_own() -> None:
    codes = [f"{letter}{number}.0" for letter in "JKMN" for number in (20, 21, 30, 31, 40, 41)]
    found = suggest(pl.Series([*codes, "unknown"]))
    assert found.build(pl.Series([*codes, "unknown"])).generalize("unknown", 1) == "other"
    assert isinstance(suggest(pl.Series([*codes, "a", "b", "c"])), Flat)  # too many


def test_what_is_said_comes_before_what_is_seen() -> None:
    class Dictionary:
        def __init__(self, kind: str | None) -> None:
            self.said = kind

        def kind(self, column: str) -> str | None:
            return self.said if column == "x" else None

    ages = pl.Series("x", range(18, 80))
    assert suggest(ages, kind="code") == Masking()
    assert suggest(ages, dictionary=Dictionary("category")) == Masking()
    assert suggest(ages, dictionary=Dictionary(None)) == Intervals(width=5, levels=4)
    assert suggest(ages, name="y", dictionary=Dictionary("category")) == Intervals(width=5, levels=4)
    assert suggest(ages, kind="number", dictionary=Dictionary("category")) == Intervals(width=5, levels=4)
    assert suggest(pl.Series(range(1, 40)), kind="code") == Flat(of_codes=True)  # of two lengths
    assert suggest(pl.Series(ECONOMIC_ACTIVITY), kind="number") == Intervals(width=10, levels=4)
    assert suggest(ages, kind="ages").build(ages).generalize("78", 1) == "75-79"
    with pytest.raises(ParameterError, match="did you mean 'icd-10'"):
        suggest(ages, kind="icd10")


columns = st.one_of(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)).map(lambda v: pl.Series(v, dtype=pl.Int64)),
    st.lists(st.none() | st.floats()).map(lambda v: pl.Series(v, dtype=pl.Float64)),
    st.lists(st.none() | st.floats(width=32)).map(lambda v: pl.Series(v, dtype=pl.Float32)),
    st.lists(st.none() | st.booleans()).map(lambda v: pl.Series(v, dtype=pl.Boolean)),
    st.lists(st.none() | st.dates()).map(lambda v: pl.Series(v, dtype=pl.Date)),
    st.lists(st.none() | st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2200, 1, 1))).map(
        lambda v: pl.Series(v, dtype=pl.Datetime("ns"))
    ),
    st.lists(st.none() | st.times()).map(lambda v: pl.Series(v, dtype=pl.Time)),
    st.lists(st.none() | st.text(max_size=8)).map(lambda v: pl.Series(v, dtype=pl.String)),
    st.lists(st.from_regex(r"[A-Z]{1,2}[0-9]{2,4}", fullmatch=True), min_size=9, max_size=20).map(pl.Series),
    st.lists(
        st.from_regex(r"-?[0-9]{1,5}(\.[0-9]{1,3})?(e-?[0-9]{1,3})?", fullmatch=True), min_size=9, max_size=20
    ).map(pl.Series),
    st.lists(st.dates().map(date.isoformat) | st.datetimes().map(datetime.isoformat), min_size=1).map(pl.Series),
)


@settings(max_examples=250)
@given(columns)
def test_whatever_is_suggested_builds(values: pl.Series) -> None:
    values = values.unique()
    if not len(values):
        return
    hierarchy = suggest(values).build(values)
    assert hierarchy.build(values) is hierarchy  # it covers every value, gaps included
    assert hierarchy.labels[-1] == ("*",)
    assert hierarchy.height <= 6


OCCUPATIONS = [2211, 5120, 9112, 2212, 2221, 2222, 3111, 3112, 4110, 5111, 6111, 7111, 8111]
TRADES = [1011, 1012, 1051, 4711, 4721, 4932, 5610, 6201, 6910, 8411, 8610, 9603]


@pytest.mark.parametrize(
    ("name", "values", "digits"),
    [
        ("isco08", [110, 210, 310, *OCCUPATIONS], 4),
        ("isco08", [221, 110, *OCCUPATIONS], None),  # 221 is a minor group
        ("isco08", ["0110", "0210", *map(str, OCCUPATIONS)], None),  # nothing is lost
        ("nace", [111, 119, *TRADES], 4),
        ("nace", [141, 161, *TRADES], None),  # these are groups as well
        ("nace", [101, 102, *TRADES], None),  # and these are nothing else
    ],
)
def test_zeros_of_codes_are_put_back_where_it_is_certain(name: str, values: list[Any], digits: int | None) -> None:
    found = suggest(pl.Series(name, values))
    assert isinstance(found, Isco | Nace)
    assert found.digits == digits


def test_what_may_have_lost_zeros_is_asked() -> None:
    texts = [str(value) for value in (221, 110, *OCCUPATIONS)]
    asked = short_codes(texts, "isco08")
    assert asked is not None
    assert not asked.certain
    assert asked.short == ("110", "221")
    assert 'type = "isco-08", digits = 4' in asked.sentence
    assert short_codes([str(value) for value in OCCUPATIONS], "isco08") is None
    assert short_codes(texts, "weekly_income") is None
    postcodes = short_codes(["1067", "10115", "80331", "50667"], "PLZ")
    assert postcodes is not None
    assert postcodes.certain


def test_postcodes_get_their_zeros_back() -> None:
    values = pl.Series("plz", [1067, 1069, *range(10115, 99999, 997)])
    assert suggest(values).build(values).row("1067")[1:4] == ["0106*", "010**", "01***"]


@pytest.mark.parametrize("name", ["isco88", "sic_code", "occupation code", "kldb2010", "crop_code"])
def test_what_is_called_by_a_classification_is_not_cut_into_intervals(name: str) -> None:
    values = pl.Series(name, [100 + 3 * i for i in range(60)] + [1000 + i for i in range(200)])
    found = suggest(values)
    assert not isinstance(found, Intervals)
    assert found.build(values).of_codes
    assert isinstance(suggest(values, name="steps per day"), Intervals)


def test_a_label_says_what_a_name_does_not() -> None:
    values = pl.Series("v017", [110, 210, 310, *OCCUPATIONS])
    assert isinstance(suggest(values, label="Occupation (ISCO-08)"), Isco)
    assert not isinstance(suggest(values), Isco)


# -- codes that are numbers ----------------------------------------------------------------------------------


def test_numbers_far_from_zero_beside_their_spread_are_codes() -> None:
    """Areas of a town are numbered through, behind the number of the town: 352380101 to 352381099."""
    areas = pl.Series("area", range(352380101, 352381099))
    assert isinstance(suggest(areas), Masking)
    assert isinstance(suggest(pl.Series("n", range(1000, 2000))), Intervals)


def test_a_few_long_numbers_that_repeat_are_codes() -> None:
    """Otherwise local recoding would publish '28013401-28060233' for two schools."""
    schools = pl.Series("school", [28013401, 28020442, 28041111, 28060233])
    assert suggest(schools) == Flat(of_codes=True)
    assert suggest(pl.Series("towns", [35024, 35047, 35115, 35210])) == Flat(of_codes=True)
    assert suggest(pl.Series("limit", [0, 250, 500, 1000, 2500])) == Flat()
    assert suggest(pl.Series("pay", [10_000, 20_000, 50_000, 90_000])) == Flat()
