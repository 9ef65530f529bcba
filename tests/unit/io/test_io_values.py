"""What cells mean: codes for missing, decimal commas, thousands and dates, for every format and for private methods."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import ParameterError, TableError
from nymity.io import ReadOptions, read_detected, read_table, read_text_cells, read_valued, write_table
from nymity.io.values import valued, valued_cells
from nymity.publishing.preparing.inspect import inspect

AFTERNOON = [datetime(2020, 2, 1, 13, 5), datetime(2020, 2, 2)]
GERMAN = """Alter;Kosten;Aufnahme;PLZ;Notiz
34;1.234,50;01.02.2020;01067;a
-9;12,00;29.02.2020;10115;-9
NA;-3,5;31.12.1999;80331;NA
"""


def read(path: Path, content: str, **stated: Any) -> pl.DataFrame:
    path.write_text(content, encoding="utf-8")
    return read_table(path, ReadOptions(header=True, **stated))


def test_a_german_export(tmp_path: Path) -> None:
    table = read(
        tmp_path / "t.csv", GERMAN, missing=("NA", -9), decimal=",", thousands=".", dates="%d.%m.%Y"
    )  # fmt: skip
    assert table["Alter"].to_list() == [34, None, None]
    assert table["Kosten"].to_list() == [1234.5, 12.0, -3.5]
    assert table["Aufnahme"].to_list() == [date(2020, 2, 1), date(2020, 2, 29), date(1999, 12, 31)]
    assert table["PLZ"].to_list() == ["01067", "10115", "80331"]
    assert table["Notiz"].to_list() == ["a", None, None]


def test_thousands_alone_are_no_fractions(tmp_path: Path) -> None:
    content = "a;b;c\n1.234;5;1.5\n2.500;7;2.75\n"
    table = read(tmp_path / "t.csv", content, decimal=",", thousands=".")
    assert table.rows() == [(1234, 5, 1.5), (2500, 7, 2.75)]  # no cell of c has the marks of the table
    assert read(tmp_path / "t.csv", content).rows() == [(1.234, 5, 1.5), (2.5, 7, 2.75)]


def test_a_file_is_read_as_it_seems_to_be_meant(tmp_path: Path) -> None:
    """Also where all cells of a column look like fractions, and have thousands."""
    (tmp_path / "t.csv").write_text("a;b;c;d\n1.234;1,5;2.500;NA\n2.500;2,25;1.000;5\n")
    table, found, _ = read_detected(tmp_path / "t.csv", ReadOptions())
    assert table.rows() == [(1234, 1.5, 2500, None), (2500, 2.25, 1000, 5)]
    assert read_table(tmp_path / "t.csv", found.options).equals(table)


def test_what_is_taken_as_missing_is_counted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(GERMAN)
    found = read_valued(tmp_path / "t.csv", ReadOptions(missing=("NA", "-9"), missing_in={"Notiz": ("a",)}))
    assert found.taken == {"Alter": {"NA": 1, "-9": 1}, "Notiz": {"a": 1}}
    assert found.table["Notiz"].to_list() == [None, "-9", "NA"]


def test_an_empty_list_keeps_the_cells_of_a_column(tmp_path: Path) -> None:
    table = read(tmp_path / "t.csv", "country,age\nNA,NA\nDE,5\n", missing=("NA",), missing_in={"country": ()})
    assert table.rows() == [("NA", None), ("DE", 5)]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".xlsx"])
def test_codes_are_found_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(pl.DataFrame({"n": [-9, 5, 7], "f": [-9.0, 2.5, 99.0], "s": [" NA", "x", "-9"]}), path)
    table = read_table(path, ReadOptions(header=True, missing=("-9", "99.0", "NA")))
    assert table["n"].to_list() == [None, 5, 7]
    assert table["f"].to_list() == [None, 2.5, None]
    assert table["s"].to_list() == [None, "x", None]


def test_a_text_file_and_a_frame_have_the_same_values(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [67.0, 34.0, -9.0], "cost": [1.5, 2.0, -9.0], "name": ["a", "NA", "c"]})
    write_table(frame, tmp_path / "t.csv")
    options = ReadOptions(header=True, missing=("NA", "-9"))
    from_file = read_table(tmp_path / "t.csv", options)
    from_frame = valued(frame, options).table
    for name in frame.columns:
        assert from_file[name].to_list() == from_frame[name].to_list()


def test_text_of_typed_files_stays_text_where_nothing_was_stated_of_it(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"a": ["1", "2"], "b": ["1", "NA"], "c": ["007", "NA"]}), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", ReadOptions(missing=("NA",)))
    assert table.rows() == [("1", 1, "007"), ("2", None, None)]


@pytest.mark.parametrize(
    ("stated", "cells", "values"),
    [
        ({"decimal": ","}, ["1,5", "-0,25", "10"], [1.5, -0.25, 10.0]),
        ({"decimal": ","}, ["1,5", "1.5"], ["1,5", "1.5"]),
        ({"decimal": ","}, ["01,5", "2"], ["01,5", "2"]),
        ({"decimal": ",", "thousands": "."}, ["1.234", "12.345.678,9"], [1234.0, 12345678.9]),
        ({"decimal": ",", "thousands": "."}, ["1.23", "4"], [1.23, 4.0]),
        ({"decimal": ",", "thousands": "."}, ["1.23", "4,5"], ["1.23", "4,5"]),
        ({"decimal": ",", "thousands": " "}, ["1 234,5", "1\u202f234", "7\u00a0000"], [1234.5, 1234.0, 7000.0]),
        ({"thousands": ","}, ["1,234.5", "12"], [1234.5, 12.0]),
        ({"thousands": "'"}, ["1'234", "1’234.50"], [1234.0, 1234.5]),
        ({"decimal": ","}, ["Bonn, DE", "1,5"], ["Bonn, DE", "1,5"]),
    ],
)
def test_numbers_as_people_write_them(stated: Any, cells: list[str], values: list[Any]) -> None:
    frame = pl.DataFrame({"^x$": cells})  # a name that polars would read as a pattern
    assert valued(frame, ReadOptions(**stated)).table["^x$"].to_list() == values


@pytest.mark.parametrize(
    ("form", "cells", "values"),
    [
        ("%d.%m.%Y", ["01.02.2020", "31.12.1999"], [date(2020, 2, 1), date(1999, 12, 31)]),
        ("%d/%m/%Y", ["1/2/2020", "13/12/1999"], [date(2020, 2, 1), date(1999, 12, 13)]),
        ("%m/%d/%Y", ["01/02/2020", "12/31/1999"], [date(2020, 1, 2), date(1999, 12, 31)]),
        ("%Y%m%d", ["20200201", "19991231"], [date(2020, 2, 1), date(1999, 12, 31)]),
        (
            "%d.%m.%Y %H:%M",
            ["01.02.2020 13:05", "02.02.2020 00:00"],
            [datetime(2020, 2, 1, 13, 5), datetime(2020, 2, 2)],
        ),
        ("%d.%m.%Y %H:%M", ["01.02.2020 00:00"], [date(2020, 2, 1)]),
        ("%d.%m.%Y", ["01.02.2020", "later"], ["01.02.2020", "later"]),
    ],
)
def test_dates_as_people_write_them(form: str, cells: list[str], values: list[Any]) -> None:
    assert valued(pl.DataFrame({"d": cells}), ReadOptions(dates=form)).table["d"].to_list() == values


def test_a_column_that_is_said_to_hold_dates_must() -> None:
    options = ReadOptions(dates_in={"d": "%d.%m.%Y"})
    with pytest.raises(TableError, match=r"column 'd'.*1 other cells, such as 'later'"):
        valued(pl.DataFrame({"d": ["01.02.2020", "later"]}), options)
    assert valued(pl.DataFrame({"d": [20200201]}), ReadOptions(dates_in={"d": "%Y%m%d"})).table.item() == date(
        2020, 2, 1
    )


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(TableError, match=r"missing_in.*'agee'.*'age'"):
        valued(pl.DataFrame({"age": [1]}), ReadOptions(missing_in={"agee": ("1",)}))


@pytest.mark.parametrize(
    "wrong",
    [
        {"missing": "NA"},
        {"missing": (None,)},
        {"missing": (True,)},
        {"missing_in": ["NA"]},
        {"missing_in": {"a": "NA"}},
        {"decimal": ";"},
        {"thousands": "x"},
        {"decimal": ",", "thousands": ","},
        {"thousands": "."},
        {"dates": "%d.%m."},
        {"dates": "dd.mm.yyyy"},
        {"dates": 5},
        {"dates_in": {"a": "%Q"}},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError):
        ReadOptions(**wrong)


# -- private methods: each cell by itself


OPTIONS = ReadOptions(header=True, delimiter=";", missing=("NA", "-9"), decimal=",", thousands=".", dates="%d.%m.%Y")


def test_text_cells_are_read_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b;c\n1,50;01.02.2020;NA\nother;later;007\n-9;;1.000\n")
    cells = read_text_cells(tmp_path / "t.csv", OPTIONS)
    assert cells.rows() == [("1.5", "2020-02-01", None), ("other", "later", "007"), (None, None, "1000")]


CELL = st.one_of(
    st.sampled_from(["NA", "-9", "1,5", "1.234,50", "01.02.2020", "31.02.2020", "007", "x", " 5 ", "1e5", "0,0", "-0"]),
    st.text(alphabet="0123456789.,- N", max_size=8),
)


@given(st.lists(CELL, min_size=1, max_size=6), CELL)
def test_no_record_changes_how_another_is_read(cells: list[str], further: str) -> None:
    alone = valued_cells(pl.DataFrame({"a": cells}), OPTIONS)["a"].to_list()
    beside = valued_cells(pl.DataFrame({"a": [*cells, further]}), OPTIONS)["a"].to_list()
    assert beside[:-1] == alone


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (["1,5;1.234", "2,7;2.500", "3,25;10.000"], [1234, 2500, 10000]),
        (["1,5;1.234", "2,7;567", "3,25;999"], [1234, 567, 999]),
        (["1;1.000", "2;2.000", "3;567"], [1000, 2000, 567]),
        (["1,5;1.2", "2,7;2.5", "3,25;9.1"], [1.2, 2.5, 9.1]),
    ],
)
def test_points_of_a_german_file_are_read_alike_by_every_way(
    rows: list[str], values: list[float], tmp_path: Path
) -> None:
    """As ``inspect`` reads the file, as its options read it again, and as they read a frame of its texts."""
    path = tmp_path / "t.csv"
    path.write_text("a;kosten\n" + "".join(f"{row}\n" for row in rows * 4))
    table, found, _ = read_detected(path, ReadOptions())
    assert table["kosten"].to_list() == values * 4
    assert read_table(path, found.options).equals(table)
    texts = pl.DataFrame([row.split(";") for row in rows * 4], schema=["a", "kosten"], orient="row")
    assert found.apply(texts).equals(table)


def test_a_frame_and_its_file_have_the_same_cells_under_the_options_found_for_the_frame(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a;kosten\n" + "1,5;1.234\n2,7;2.500\n3,25;10.000\n" * 5)
    frame = read_table(path)
    reading = inspect(frame).reading
    assert reading.apply(frame).equals(read_table(path, reading.options))
    assert any(one.field == "thousands" and not one.sure for one in reading.proposals)
