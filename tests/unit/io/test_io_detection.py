"""What cells seem to mean is proposed with its evidence, and left open where cells leave it open."""

from __future__ import annotations

import polars as pl
import pytest

from nymity.io import ReadOptions
from nymity.io.detection import DetectedReading, detect_reading
from nymity.io.dictionary import Dictionary, Entry
from nymity.io.values import valued


def detect(options: ReadOptions | None = None, **columns: list[str | None]) -> DetectedReading:
    table = pl.DataFrame({name: pl.Series(cells, dtype=pl.String) for name, cells in columns.items()})
    return detect_reading(table, options or ReadOptions())


AGES = ["34", "71", "18", "55", "97", "40"]


def test_codes_among_numbers() -> None:
    found = detect(age=[*AGES, "-9", "NA", "NA"], name=["a", "b", "c", "d", "e", "f", "g", "h", "i"])
    assert set(found.options.missing) == {"NA", "-9"}
    assert {one.value: one.evidence for one in found.proposals} == {
        "NA": "2 times among 7 numbers in 'age'",
        "-9": "1 times; the other numbers go from 18 to 97 in 'age'",
    }


def test_a_code_that_is_a_value_elsewhere_is_stated_by_column() -> None:
    found = detect(age=[*AGES, "-9"], temperature=["-9", "-3", "4", "10", "-2", "0", "1"])
    assert found.options.missing == ()
    assert dict(found.options.missing_in) == {"age": ("-9",)}


def test_namibia_is_a_country_and_99_an_age() -> None:
    assert not detect(country=["NA", "DE", "FR", "ZA"], age=["99", "98", "40", "35"])
    assert detect(note=["NA", "fever and cough", "none of it"]).options.missing == ("NA",)


@pytest.mark.parametrize(("cells", "codes"), [(["999", "999", *AGES], ("999",)), (["999", *AGES], ()), (["999"], ())])
def test_large_codes_lie_far_away_and_come_again(cells: list[str], codes: tuple[str, ...]) -> None:
    assert detect(age=list(cells)).options.missing == codes


def test_incomes_are_no_codes() -> None:
    assert not detect(income=["9999", "12000", "8888", "45000", "999"])


@pytest.mark.parametrize(
    ("cells", "decimal", "thousands"),
    [
        (["1,5", "2,25", "7"], ",", None),
        (["1.234,50", "7,00"], ",", "."),
        (["1.234.567", "7"], ",", "."),
        (["1,234.50", "7.00"], None, ","),
        (["1 234,50", "7,00"], ",", " "),
        (["1\u202f234", "7"], ",", " "),
        (["1'234.50", "7"], None, "'"),
        (["1.5", "2.25"], None, None),
        (["Bonn, DE", "Trier, DE"], None, None),
        (["1,2,3", "2,3"], None, None),
    ],
)
def test_marks_of_numbers(cells: list[str | None], decimal: str | None, thousands: str | None) -> None:
    found = detect(a=cells)
    assert (found.options.decimal, found.options.thousands) == (decimal, thousands)
    table = pl.DataFrame({"a": cells})
    assert valued(table, found.options).table["a"].dtype.is_numeric() == (decimal is not None or thousands is not None)


def test_what_fits_both_is_settled_by_other_columns_or_left_open() -> None:
    both: list[str | None] = ["1,234", "5,678"]
    assert detect(a=both, b=["1,5", "2,25"]).options.decimal == ","
    assert detect(a=both, b=["1,234.50", "7.00"]).options.thousands == ","
    (alone,) = detect(a=both).proposals
    assert not alone.sure


@pytest.mark.parametrize(
    ("cells", "form", "sure"),
    [
        (["01.02.2020", "31.12.1999"], "%d.%m.%Y", True),
        (["01.02.2020", "03.04.2021"], "%d.%m.%Y", True),
        (["13/02/2020", "01/02/2020"], "%d/%m/%Y", True),
        (["02/13/2020", "01/02/2020"], "%m/%d/%Y", True),
        (["01/02/2020", "03/04/2021"], "%d/%m/%Y", False),
        (["2020/02/01"], "%Y/%m/%d", True),
        (["01.02.2020 14:30", "31.12.1999 00:00"], "%d.%m.%Y %H:%M", True),
        (["12-Feb-2020", "01-Dec-1999"], "%d-%b-%Y", True),
        (["31.02.2020", "01.02.2020"], None, True),
        (["2020-02-01"], None, True),
        (["1.2.3", "2.3.4"], None, True),
    ],
)
def test_forms_of_dates(cells: list[str | None], form: str | None, sure: bool) -> None:
    found = detect(d=[*cells, None])
    assert found.options.dates == form
    assert all(one.sure == sure for one in found.proposals)


def test_a_table_may_have_several_forms_and_gaps_among_dates() -> None:
    found = detect(
        a=["01/13/2020", "02/03/2020", "NA"], b=["02/03/2020", "05/06/2020", "07/08/2021"], c=["01.02.2020"] * 3
    )
    assert found.options.dates == "%m/%d/%Y"
    assert dict(found.options.dates_in) == {"c": "%d.%m.%Y"}
    assert found.options.missing == ("NA",)


def test_what_is_stated_is_not_asked_again() -> None:
    stated = ReadOptions(missing=("x",), decimal=",", dates="%d.%m.%Y")
    found = detect(stated, age=[*AGES, "NA"], b=["1.234,5"] * 7, c=["2020/01/01"] * 7)
    assert found.options == stated
    assert not found


def test_a_dictionary_declares_codes() -> None:
    table = pl.DataFrame({"age": [34, 99, 51], "sex": ["1", "2", "9"]})
    known = Dictionary({"age": Entry(missing=("99",)), "sex": Entry(missing=("9",), values={"1": "m"})})
    found = detect_reading(table, ReadOptions(), known)
    assert set(found.options.missing) == {"99", "9"}
    assert all("dictionary" in one.evidence for one in found.proposals)


def test_nothing_is_found_in_nothing() -> None:
    assert not detect(a=[None, None])
    assert not detect_reading(pl.DataFrame({"a": pl.Series([], dtype=pl.String)}), ReadOptions())


def test_years_without_a_century_are_for_people_to_decide() -> None:
    """Somebody born in 1931 is not of the year 2031."""
    table = pl.DataFrame({"geburtsdatum": ["01.02.31", "02.03.68", "13.12.99"] * 20})
    (proposal,) = detect_reading(table, ReadOptions()).proposals
    assert proposal.value == "%d.%m.%y"
    assert not proposal.sure
    assert "2069" in proposal.evidence


def test_codes_stated_for_one_column_leave_those_of_others() -> None:
    stated = ReadOptions(missing_in={"income": ("NA",)})
    found = detect(
        stated, age=[*AGES, "-9"], income=["1037", "1074", "NA", "1111", "1148", "1185", "1200"][: len(AGES) + 1]
    )
    assert found.options.missing == ("-9",)
    assert found.options.missing_in == {"income": ("NA",)}
    nothing = detect(ReadOptions(missing_in={"income": ()}), age=[*AGES, "-9"], income=["NA"] * (len(AGES) + 1))
    assert nothing.options.codes_of("income") == ()
    assert nothing.options.codes_of("age") == ("-9",)


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (["ja", "nein", "-9"], ("-9",)),
        (["ja", "nein", "-9", "-8", "k.A."], ("-9", "-8", "k.A.")),
        (["E11.9", "F32.1", "k.A."], ("k.A.",)),
        (["ja", "no", "NA"], ("NA",)),
        (["DE", "FR", "NA"], ()),
        (["low", "-5", "-9"], ()),
        (["ab", "12", "-9"], ()),
        (["smokes", "Unknown"], ()),
    ],
)
def test_codes_among_texts_are_proposed_with_what_speaks_for_them(
    cells: list[str | None], codes: tuple[str, ...]
) -> None:
    found = detect(a=cells * 5)
    assert sorted(found.options.missing) == sorted(codes)
    assert all("5 times among" in one.evidence for one in found.proposals)


def test_points_between_thousands_are_asked_where_commas_do_not_separate_cells() -> None:
    cells: list[str | None] = ["12.345", "567", "999", "1.000"]
    found = detect(ReadOptions(delimiter=";"), kosten=cells)
    (asked,) = found.proposals
    assert (asked.field, asked.value, asked.sure) == ("thousands", ".", False)
    assert found.apply(pl.DataFrame({"kosten": cells}))["kosten"].to_list() == [12345, 567, 999, 1000]
    coordinates = detect(ReadOptions(delimiter=";"), lat=["48.137", "52.520", "50.110", "51.001"])
    assert [(one.field, one.value, one.sure) for one in coordinates.proposals] == [("decimal", ".", False)]
    assert coordinates.apply(pl.DataFrame({"lat": ["48.137", "52.520"]}))["lat"].to_list() == [48.137, 52.52]
    assert not detect(ReadOptions(delimiter=","), kosten=cells)
    assert not detect(ReadOptions(delimiter=";"), kosten=cells, weight=["71.5", "80.25", "66", "90"])
    assert not detect(ReadOptions(delimiter=";", decimal="."), kosten=cells)


def test_numbers_that_were_read_before_may_have_lost_their_thousands() -> None:
    table = pl.DataFrame({"a": ["1,5", "2,7", "3,25"], "kosten": [1.234, 2.5, 10.0], "ver": [1.2, 2.5, 9.1]})
    asked = [one for one in detect_reading(table, ReadOptions()).proposals if not one.sure]
    assert [one.columns for one in asked] == [("kosten",)]


def test_american_numbers_between_semicolons() -> None:
    cells: list[str | None] = ["12,345.60", "1,234.50", "567.00", "1,000.10"]
    found = detect(ReadOptions(delimiter=";"), amount=cells)
    assert [(one.field, one.value) for one in found.proposals] == [("thousands", ",")]
    assert found.apply(pl.DataFrame({"amount": cells}))["amount"].to_list() == [12345.6, 1234.5, 567.0, 1000.1]


def test_examples_are_the_first_cells_whatever_is_counted() -> None:
    cells: list[str | None] = [f"{i},5" for i in range(200)]
    for _ in range(3):
        (found,) = detect(ReadOptions(), weight=cells).proposals
        assert "'0,5'" in found.evidence
