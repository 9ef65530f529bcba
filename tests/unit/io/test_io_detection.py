"""What cells seem to mean is proposed with its evidence, and left open where cells leave it open."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from nymity.core.errors import ParameterError
from nymity.io import ReadOptions, read_detected, read_table, read_text_cells
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
        (["2020/02/01 7:05"], "%Y/%m/%d %H:%M", True),
        (["2020/02/01 14:30:09"], "%Y/%m/%d %H:%M:%S", True),
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
    assert all("declared as missing" in one.evidence for one in found.proposals)


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


# -- days without marks, and moments with a zone or fractions ------------------------------------------------


def test_days_in_digits_are_dates_of_their_column_alone() -> None:
    """SAP and registers write 20240131; other numbers of eight digits stay numbers."""
    born = [20010413, 19980916, 19451231, 20200229, 19770704]
    table = pl.DataFrame({"GBDAT": born, "case": [20230000, 20231399, 20239901, 20231245, 20231300]})
    found = detect_reading(table, ReadOptions())
    assert found.options.dates is None
    assert dict(found.options.dates_in) == {"GBDAT": "%Y%m%d"}
    assert found.apply(table)["GBDAT"].dtype == pl.Date
    assert found.apply(table)["case"].dtype == pl.Int64


def test_days_in_digits_with_none_of_eight_zeros() -> None:
    found = detect(ENDDA=["20010413", "00000000", "19451231", "20200229", "19770704", "20010101"])
    assert dict(found.options.dates_in) == {"ENDDA": "%Y%m%d"}
    assert found.options.missing == ("00000000",)


def test_few_numbers_of_eight_digits_are_no_days() -> None:
    assert not detect_reading(pl.DataFrame({"code": [20010413, 19980916] * 20}), ReadOptions())


@pytest.mark.parametrize(
    ("cell", "second"),
    [
        ("2017-01-01T06:00:42Z", 0),
        ("2017-01-01T06:00:42.250Z", 250_000),
        ("2017-01-01 06:00:42.250", 250_000),
        ("2017-01-01T06:00:42.250", 250_000),
    ],
)
def test_moments_of_databases_are_dates(cell: str, second: int) -> None:
    table = pl.DataFrame({"at": [cell, cell.replace("42", "43")]})
    found = detect_reading(table, ReadOptions())
    at = found.apply(table)["at"]
    assert at.dtype == pl.Datetime
    assert (at.dt.second().to_list(), at.dt.microsecond().to_list()) == ([42, 43], [second] * 2)


def test_dates_of_two_forms_in_one_column_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    days = [*(f"{d:02}.03.2020" for d in range(1, 29)), *(f"2020-04-{d:02}" for d in range(1, 29)), "NA"]
    path.write_text("\n".join(["n,seen,code", *(f"{i},{day},{i}.{i}" for i, day in enumerate(days))]) + "\n")
    table, found, _ = read_detected(path, ReadOptions())
    assert table["seen"].dtype == pl.Date
    assert table["seen"].null_count() == 1
    (asked,) = [one for one in found.proposals if one.field == "dates_in"]
    assert (asked.sure, asked.columns) == (False, ("seen",))
    assert all(word in asked.evidence for word in ("01.03.2020", "2020-04-01", "%d.%m.%Y", "%Y-%m-%d"))
    assert found.options.dates_in == {"seen": ("%d.%m.%Y", "%Y-%m-%d")}
    assert read_table(path, found.options)["seen"].equals(table["seen"])
    by_cell = read_text_cells(path, ReadOptions(delimiter=",", header=True, dates=["%d.%m.%Y", "%Y-%m-%d"]))
    assert by_cell["seen"][0] == "2020-03-01"


@pytest.mark.parametrize(
    "forms", [["%d/%m/%Y", "%m/%d/%Y"], ["%d.%m.%y", "%Y-%m-%d"], ["%d.%m.%Y", "x"], [], ["%d.%m.%Y", "%d.%m.%Y"]]
)
def test_forms_that_a_cell_could_have_both_of_are_refused(forms: list[str]) -> None:
    with pytest.raises(ParameterError, match="dates"):
        ReadOptions(dates=forms)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="dates_in"):
        ReadOptions(dates_in={"a": forms})  # type: ignore[dict-item]


def test_times_beside_days_are_moments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n01.02.2020,1\n2020-02-01 10:30,2\n")
    table = read_table(path, ReadOptions(dates_in={"a": ("%d.%m.%Y", "%Y-%m-%d %H:%M")}))
    assert table["a"].to_list() == [datetime(2020, 2, 1), datetime(2020, 2, 1, 10, 30)]
