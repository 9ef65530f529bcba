"""Writing files, and reading back what was written."""

from __future__ import annotations

import gzip
import os
import stat
import tempfile
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from nymity.core.errors import FileError, TableError
from nymity.io import ReadOptions, WriteOptions, format_of, read_table, reread_table, strip_neutralization, write_table
from nymity.io.formats import FORMATS
from nymity.io.neutralize import neutralize

TEXT = st.text(st.sampled_from(list("'=+-@\t\r\n＝＋－＠,;\"0123456789.eE ax\\é|")), min_size=1, max_size=6)
NAMES = st.lists(TEXT, min_size=1, max_size=3, unique=True)


@st.composite
def text_tables(draw: Any) -> pl.DataFrame:
    names = draw(NAMES)
    height = draw(st.integers(0, 5))
    cells = st.lists(st.none() | TEXT, min_size=height, max_size=height)
    return pl.DataFrame({name: pl.Series(draw(cells), dtype=pl.String) for name in names})


# --- neutralizing


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+A1", "'+A1"),
        ("-A1", "'-A1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\rx", "'\rx"),
        ("\nx", "'\nx"),
        ("＝1", "'＝1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠x", "'＠x"),
        ("-5", "-5"),
        ("+3.2", "+3.2"),
        ("-.5e-3", "-.5e-3"),
        ("-5\n", "'-5\n"),
        ("-٣", "'-٣"),
        ("-inf", "-inf"),  # as a number is written, which a release has without an apostrophe
        ("-inf()", "'-inf()"),
        ("-", "'-"),
        ("-5-3", "'-5-3"),
        ("'=1", "''=1"),
        ("''-5", "'''-5"),
        ("'plain", "'plain"),
        ("a=1", "a=1"),
        ("*", "*"),
        ("[0, 5[", "[0, 5["),
        (None, None),
        ("", ""),
    ],
)
def test_neutralizing(cell: Any, written: Any) -> None:
    table = pl.DataFrame({"a": pl.Series([cell], dtype=pl.String), "n": [-5]})
    assert neutralize(table).row(0) == (written, -5)
    assert_frame_equal(strip_neutralization(neutralize(table)), table)


def test_stripping_leaves_other_apostrophes() -> None:
    table = pl.DataFrame({"'tis": ["'plain", "it's", "'", "''", None]})
    assert_frame_equal(strip_neutralization(table), table)


@settings(max_examples=200, deadline=None)
@given(text_tables())
def test_stripping_is_the_inverse(table: Any) -> None:
    assert_frame_equal(strip_neutralization(neutralize(table)), table)


@settings(max_examples=200, deadline=None)
@given(text_tables(), st.sampled_from([".csv", ".tsv", ".csv.gz", ".txt"]), st.sampled_from([",", ";"]))
def test_written_text_is_read_back(table: Any, suffix: str, delimiter: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        write_table(table, path, WriteOptions(delimiter=delimiter))
        options = ReadOptions(delimiter="\t" if suffix == ".tsv" else delimiter, encoding="utf-8", header=True)
        back = strip_neutralization(read_table(path, options).select(pl.all().cast(pl.String)))
        assert_frame_equal(back, table)


@settings(max_examples=40, deadline=None)
@given(text_tables().filter(lambda table: table.height and all(table.row(-1))))
def test_written_workbooks_are_read_back(table: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.xlsx"
        write_table(table, path)
        assert_frame_equal(strip_neutralization(read_table(path, ReadOptions(header=True))), table)


def test_workbooks_keep_every_digit(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": [0.1 + 0.2, 1 / 3, 123456789.123456789, 1e-7, -2.5]})
    write_table(table, tmp_path / "t.xlsx")
    assert_frame_equal(read_table(tmp_path / "t.xlsx"), table, check_exact=True)


def test_neutralizing_can_be_left_out(tmp_path: Path) -> None:
    table = pl.DataFrame({"=a": ["=1", "'=2"]})
    write_table(table, tmp_path / "t.csv", WriteOptions(neutralize_formulas=False))
    assert (tmp_path / "t.csv").read_bytes() == b"=a\n=1\n'=2\n"


def test_column_names_are_neutralized(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"=a": ["x"], "b": ["=y"]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b"'=a,b\nx,'=y\n"


def test_parquet_is_never_neutralized(tmp_path: Path) -> None:
    table = pl.DataFrame({"=a": ["=1", None], "c": pl.Series(["+x", "y"], dtype=pl.Categorical)})
    write_table(table, tmp_path / "t.parquet")
    assert_frame_equal(read_table(tmp_path / "t.parquet"), table.cast(pl.String))  # categories list other cells


def test_categories_are_neutralized_too(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"c": pl.Series(["=x", "y"], dtype=pl.Categorical)}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b"c\n'=x\ny\n"


# --- files

#: Of all formats that can be written.
SUFFIXES = [known.suffix for known in FORMATS.values() if known.written]
TYPED = pl.DataFrame(
    {
        "text": ["007", None, 'a "b", c'],
        "whole": [1, -2, None],
        "number": [1.5, -2.25, None],
        "day": [date(2020, 2, 29), None, date(1, 1, 1)],
    }
)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_suffix_writes_what_it_reads(tmp_path: Path, suffix: str) -> None:
    table = TYPED.drop("day") if suffix == ".xlsx" else TYPED
    write_table(table, tmp_path / f"t{suffix}")
    assert_frame_equal(read_table(tmp_path / f"t{suffix}"), table)
    assert list(tmp_path.iterdir()) == [tmp_path / f"t{suffix}"]


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix != ".xlsx"])
def test_the_same_table_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    write_table(TYPED, first)
    write_table(TYPED, second)
    assert first.read_bytes() == second.read_bytes()


def test_text_form(tmp_path: Path) -> None:
    write_table(TYPED, tmp_path / "t.csv.gz", WriteOptions(delimiter=";"))
    text = gzip.decompress((tmp_path / "t.csv.gz").read_bytes()).decode()
    assert text == 'text;whole;number;day\n007;1;1.5;2020-02-29\n;-2;-2.25;\n"a ""b"", c";;;0001-01-01\n'


def test_other_types_as_text(tmp_path: Path) -> None:
    table = pl.DataFrame(
        {
            "truth": [True, None],
            "time": pl.Series([0, 1]).cast(pl.Time),
            "span": pl.Series([1, 2_000_000]).cast(pl.Duration("us")),
            "exact": pl.Series(["1.50", "-2.00"]).cast(pl.Decimal(10, 2)),
            "nothing": [None, None],
        }
    )
    write_table(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().splitlines() == [
        "truth,time,span,exact,nothing",
        "true,00:00:00,PT0.000001S,1.50,",
        ",00:00:00.000000001,PT2S,-2.00,",
    ]


def test_a_missing_cell_alone_in_its_row_is_no_empty_line(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"a": [1, None]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b'a\n1\n""\n'


def test_workbook_cells_are_values_not_formulas(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": ["=1+1", "http://x"], "big": [2**60, 1], "odd": [float("inf"), 1.5], "ok": [True, None]})
    write_table(table, tmp_path / "t.xlsx", WriteOptions(neutralize_formulas=False))
    back = read_table(tmp_path / "t.xlsx")
    assert back["a"].to_list() == ["=1+1", "http://x"]
    assert back["big"].to_list() == [str(2**60), "1"]
    assert back["odd"].to_list() == ["inf", "1.5"]
    assert back["ok"].to_list() == [True, None]


def test_workbook_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TableError, match="32,767"):
        write_table(pl.DataFrame({"a": ["x" * 32_768]}), tmp_path / "t.xlsx")
    monkeypatch.setattr("nymity.io.excel.EXCEL_ROWS", 3)
    write_table(pl.DataFrame({"a": [1, 2]}), tmp_path / "t.xlsx")
    with pytest.raises(FileError, match="3 rows"):
        write_table(pl.DataFrame({"a": [1, 2, 3]}), tmp_path / "t.xlsx")
    assert read_table(tmp_path / "t.xlsx").rows() == [(1,), (2,)]


@pytest.mark.parametrize("column", [[[1, 2]], [{"x": 1}], [b"raw"]])
def test_nested_values_are_refused_in_text(tmp_path: Path, column: Any) -> None:
    with pytest.raises(TableError, match="column 'a'"):
        write_table(pl.DataFrame({"a": column}), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="suffixes"):
        write_table(TYPED, tmp_path / "t.json")
    with pytest.raises(TableError, match="a table with columns"):
        write_table(pl.DataFrame(), tmp_path / "t.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileError, match="a folder"):
        write_table(TYPED, tmp_path / "folder.csv")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_permissions_follow_the_umask(tmp_path: Path, suffix: str) -> None:
    earlier = os.umask(0o027)
    try:
        write_table(TYPED.drop("day"), tmp_path / f"t{suffix}")
    finally:
        os.umask(earlier)
    assert stat.S_IMODE((tmp_path / f"t{suffix}").stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_bytes(b"earlier")
    made = Path.mkdir

    def onto_full_disk(self: Any, *args: Any, **options: Any) -> None:
        made(self, *args, **options)
        if self.name.startswith(".nymity-"):
            (self / path.name).symlink_to("/dev/full")

    monkeypatch.setattr(Path, "mkdir", onto_full_disk)
    with pytest.raises(FileError, match=r"full disk|No space left"):
        write_table(TYPED, path)
    assert path.read_bytes() == b"earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_a_workbook_carries_no_time(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"a": ["x"]}), tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as packed:
        assert {entry.date_time[0] for entry in packed.infolist()} == {1980}
        assert packed.read("docProps/core.xml").count(b"2000-01-01T00:00:00Z") == 2
        assert "xl/sharedStrings.xml" not in packed.namelist() or b"x" not in packed.read("xl/sharedStrings.xml")[200:]


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.parquet"])
def test_dates_are_dates_again(name: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"d": [date(2020, 1, 31), None, date(1999, 12, 1)], "s": ["2020-01-31", "x", "y"]})
    write_table(table, tmp_path / name)
    assert read_table(tmp_path / name).equals(table)


@pytest.mark.parametrize(
    ("cells", "written"),
    [
        ([1.5, 67.0, None, -0.25], ["1,5", "67,0", "", "-0,25"]),
        (["1.5", "*", "70.5-80.25", "0.5 to under 1"], ["1,5", "*", "70,5-80,25", "0,5 to under 1"]),
        (["1.1", "1.10", "x", None], ["1.1", "1.10", "x", ""]),  # codes stay codes
        (["1,5", "2,25", "3", "4"], ["1.5", "2.25", "3", "4"]),  # texts that look like what is written: told apart
        (["I10.9", "250.00", "1.5", "2"], ["I10.9", "250.00", "1.5", "2"]),
        ([float("inf"), 1e-7, 1e20, 2.5], ["inf", "1e-7", "1e+20", "2.5"]),
    ],
)
def test_decimal_commas_are_written_and_read_back_exactly(
    tmp_path: Path, cells: list[object], written: list[str]
) -> None:
    path = tmp_path / "t.csv"
    table = pl.DataFrame({"n": [1, 2, 3, 4], "x": cells})
    options = WriteOptions(delimiter=";", decimal=",")
    write_table(table, path, options)
    assert [line.split(";")[1] for line in path.read_text(encoding="utf-8").splitlines()[1:]] == written
    back = reread_table(path, format_of(path).read_back(options))
    points = tmp_path / "points.csv"
    write_table(table, points, WriteOptions(delimiter=";"))
    assert back.equals(reread_table(points, format_of(points).read_back(WriteOptions(delimiter=";"))))
