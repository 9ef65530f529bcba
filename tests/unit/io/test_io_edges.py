"""What stands around a table in a file, and columns that share a name."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import nymity as ny
from nymity.cli.main import app
from nymity.core.errors import FileError, ParameterError, TableError
from nymity.io import ReadOptions, read_detected, read_table, read_text_cells
from nymity.io import delimited as delimited_module
from nymity.io.read import edge_proposals

ROWS = [f"{i};{20 + i};{'mf'[i % 2]};{i},5" for i in range(1, 9)]
TABLE = ["id;age;sex;dose", *ROWS]


def written(folder: Path, *lines: str, encoding: str = "utf-8", end: str = "\n") -> Path:
    path = folder / "t.csv"
    path.write_bytes((end.join(lines) + end).encode(encoding))
    return path


def proposed(path: Path, options: ReadOptions = ReadOptions()) -> dict[str, str]:  # noqa: B008 -- frozen
    return {one.field: one.value for one in read_detected(path, options)[1].proposals}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("large", [2**24, 0])
@pytest.mark.parametrize("rows_named", [True, False])
def test_a_header_that_lacks_a_name_stays_the_header(
    rows_named: bool, large: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R's write.table names no column of row names, and other exports end records with a delimiter, but no header."""
    monkeypatch.setattr(delimited_module, "LARGE", large)
    rows = [f'"{i}";{row}' if rows_named else f"{row};" for i, row in enumerate(ROWS, 1)]
    path = written(tmp_path, "id;age;sex;dose ", *rows, end=end)
    names = [*["row_names"] * rows_named, "id", "age", "sex", "dose "]
    read = read_table(path, ReadOptions(decimal=","))
    assert read.columns == names
    assert read["id"].to_list() == list(range(1, 9))
    assert read["dose "].to_list() == [i + 0.5 for i in range(1, 9)]
    assert proposed(path) == {"decimal": ","}
    assert read_table(path, ReadOptions(decimal=",", header=True)).equals(read)


def test_rows_are_named_by_cells_that_all_differ(tmp_path: Path) -> None:
    """Else a cell too many is no name of a row; where each cell is read by itself, other rows name none."""
    path = written(tmp_path, "age;sex;town", "a;34;m;Ulm", "a;35;f;Bonn", "b;41;f;Ulm")
    assert "row_names" not in read_table(path).columns
    path = written(tmp_path, "age;sex;town", "1;34;m;Ulm", "2;35;f;Bonn", "3;41;f;Ulm")
    assert read_table(path).columns == ["row_names", "age", "sex", "town"]
    with pytest.raises(TableError, match="line 2"):
        read_text_cells(path, ReadOptions())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("above", "line"),
    [
        (["Patients of 2023", "made 04.01.2024, 10:15", ""], "4"),
        (["Patients of 2023"], "2"),
        (["Patients of 2023;;;", "of the clinic;;;", ";;;"], "4"),
        (["Report; clinic", "2023, January"], "3"),
        (['"Report', 'in two lines"', ""], "4"),
        ([], None),
    ],
)
def test_titles_above_the_header(tmp_path: Path, above: list[str], line: str | None, end: str) -> None:
    path = written(tmp_path, *above, *TABLE, end=end)
    table = read_table(path)
    assert table.columns == ["id", "age", "sex", "dose"]
    assert table["age"].to_list() == list(range(21, 29))
    assert proposed(path).get("header_row") == line
    if line is not None:  # stated, each cell is read by itself from there on
        stated = ReadOptions(delimiter=";", header=True, header_row=int(line))
        assert read_text_cells(path, stated)["age"].to_list() == [str(age) for age in range(21, 29)]
        assert read_table(path, stated).equals(table)


@pytest.mark.parametrize(
    "lines",
    [
        ["items", "a;b;c", "b;c;d", "a;c;d"],  # one column of sets
        ["note", "x", "y"],
        ["1;;", "2;3;4", "3;4;5"],  # no header at all
        ["a;b", "1;2", ";"],
        [";b;c", "1;2;3", "2;3;4"],  # names of rows
        ["items", "a;1;b", "c;2;d"],
    ],
)
def test_files_that_could_be_read_are_read_as_before(tmp_path: Path, lines: list[str]) -> None:
    path = written(tmp_path, *lines)
    assert "header_row" not in proposed(path)
    header = lines[0][0] != "1"
    assert read_table(path).height == len(lines) - header


def test_a_stated_line_is_the_header(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b;c", "x;y;z", "1;2;3")
    assert read_table(path, ReadOptions(header_row=2)).columns == ["x", "y", "z"]
    with pytest.raises(FileError, match="line 9"):
        read_table(path, ReadOptions(header_row=9))
    with pytest.raises(ParameterError, match="header_row"):
        ReadOptions(header_row=2, header=False)
    with pytest.raises(ParameterError, match="header_row"):
        ReadOptions(header_row=0)


@pytest.mark.parametrize(
    ("below", "footer"),
    [
        (["Summe;;;36,0"], "1"),
        (["Total:;;;36,0"], "1"),
        (["Summe;36,0"], "1"),  # with fewer cells
        (["", "Summe;;;36,0", "made by SAP"], "2"),
        (["", "made by SAP;;;"], "1"),
        (["TOTAL;196;;36,0"], "1"),  # where others have numbers
        (["9;30;m;9,5"], None),
        (["9;;;"], None),  # a sparse record
        (["9;30;Total;9,5"], None),
        (["Summe;;;36,0", "Quelle: HR, 2023;;;"], "2"),
        (["Summe;;;36,0", "Quelle: HR, 2023;;;", "made by SAP;;;"], "3"),
        (["made by SAP;;;"], "1"),  # words where others have numbers
        (["made by SAP;;;1"], None),
        (["SAP;;;"], None),  # one word may be a number with letters
    ],
)
def test_sums_and_remarks_below_the_records(tmp_path: Path, below: list[str], footer: str | None) -> None:
    path = written(tmp_path, *TABLE, *below)
    assert read_table(path).height == 8 + (footer is None)
    assert proposed(path).get("footer") == footer
    if footer is not None:
        stated = ReadOptions(delimiter=";", header=True, footer=int(footer))
        assert read_text_cells(path, stated).height == 8
        assert read_table(path, ReadOptions(footer=0, header=True)).height > 8 if len(below[0].split(";")) == 4 else 1


def test_a_record_of_a_name_alone_is_no_remark(tmp_path: Path) -> None:
    rows = [f"Ann Smith{i};{i};a" for i in range(8)]
    path = written(tmp_path, "name;n;card", *rows, "Bob Miller;;")
    assert read_table(path).height == 9
    path = written(tmp_path, "name;n;card", *rows, "Total;36;", "as of May;;")
    assert read_table(path).height == 8


def test_a_word_that_records_have_is_no_sum(tmp_path: Path) -> None:
    path = written(tmp_path, "station;litres;card", "Shell;20;a", "Total;30;b", "Aral;10;c", "Shell;9;d", "Total;30;")
    assert read_table(path).height == 5


def test_private_reading_finds_out_nothing(tmp_path: Path) -> None:
    """Whether a row is a sum depends on others, so each cell by itself keeps all rows that nobody named."""
    path = written(tmp_path, *TABLE, "Summe;;;36,0")
    assert read_text_cells(path, ReadOptions(delimiter=";", header=True)).height == 9
    with pytest.raises(TableError, match="fields"):
        read_text_cells(written(tmp_path, "Title", *TABLE), ReadOptions(delimiter=";", header=True))


@pytest.mark.parametrize("more", [";", ";;;"])
def test_a_delimiter_at_the_end_of_all_lines(tmp_path: Path, more: str) -> None:
    path = written(tmp_path, *(line + more for line in TABLE))
    assert read_table(path).columns == ["id", "age", "sex", "dose"]
    path = written(tmp_path, *(line + more for line in TABLE), "9;30;m;9,5" + more[:-1] + ";x")
    with pytest.raises(TableError, match="empty name"):
        read_table(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_columns_that_share_a_name_are_numbered_where_it_is_stated(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "Größe;name;name", "1;Anna;ward 1", "2;Bert;ward 2", encoding=encoding)
    with pytest.raises(TableError, match="numbered"):
        read_table(path)
    table, found, _ = read_detected(path, ReadOptions())
    assert table.columns == ["Größe", "name_1", "name_2"]  # nobody who says "name" gets one of them
    assert found.options.numbered == ("name",)
    assert [(one.value, one.sure) for one in found.proposals if one.field == "numbered"] == [("name", False)]
    assert read_table(path, ReadOptions(numbered=("name",))).columns == table.columns


def test_numbers_of_names_are_those_that_are_free(tmp_path: Path) -> None:
    path = written(tmp_path, "a;a_1;a;b", "1;2;3;4")
    assert read_table(path, ReadOptions(numbered=("a",))).columns == ["a_2", "a_1", "a_3", "b"]
    with pytest.raises(TableError, match="several columns called"):
        read_table(path, ReadOptions(numbered=("a", "b")))


def test_large_files_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["Title", "", "id;age;sex;sex", *(f"{i};{i % 90};m;x" for i in range(3000)), "Summe;99;;"]
    path = written(tmp_path, *lines)
    small = read_detected(path, ReadOptions())
    monkeypatch.setattr(delimited_module, "LARGE", 0)
    large = read_detected(path, ReadOptions())
    assert large[1].options == small[1].options
    assert (small[1].options.header_row, small[1].options.footer, small[1].options.numbered) == (3, 1, ("sex",))
    assert isinstance(small[0], pl.DataFrame)
    assert ny.read_table(path, large[1].options).equals(small[0])
    assert large[0].height == small[0].height == 3000


# -- workbooks -----------------------------------------------------------------------------------------------


def workbook(folder: Path, **sheets: list[list[object]]) -> Path:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(str(folder / "t.xlsx")) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return folder / "t.xlsx"


RECORDS = [["id", "age", "dose"], *([i, 20 + i, i + 0.5] for i in range(9))]


@pytest.mark.parametrize(
    ("last", "records"),
    [(["Total", None, 40.5], 9), (["Summe", 1, 2], 9), ([9, 30, None], 10), (["x", None, None], 10)],
)
def test_a_sum_right_below_the_records_of_a_sheet(tmp_path: Path, last: list[object], records: int) -> None:
    path = workbook(tmp_path, data=[*RECORDS, last])
    assert read_table(path).height == records
    assert proposed(path).get("footer") == (None if records == 10 else "1")
    assert read_table(path, ReadOptions(footer=0)).height == 10
    assert read_text_cells(path, ReadOptions(header=True, footer=1)).height == 9
    if records == 9:
        assert read_table(path)["id"].dtype == pl.Int64  # what the sum held does not make numbers texts


def test_the_header_of_a_sheet_can_be_stated(tmp_path: Path) -> None:
    path = workbook(tmp_path, data=[["title"], [], *RECORDS])
    assert proposed(path)["header_row"] == "3"
    assert read_table(path, ReadOptions(header_row=3)).columns == ["id", "age", "dose"]
    with pytest.raises(FileError, match="row 40"):
        read_table(path, ReadOptions(header_row=40))


def test_a_first_sheet_of_notes_is_not_taken_silently(tmp_path: Path) -> None:
    path = workbook(tmp_path, notes=[["made by"], ["M. Kern"]], data=RECORDS, codes=[["m", "male"]])
    table, found, _ = read_detected(path, ReadOptions())
    assert table.columns == ["id", "age", "dose"]
    (asked,) = [one for one in found.proposals if one.field == "sheet"]
    assert (asked.value, asked.sure) == ("data", False)
    assert all(name in asked.evidence for name in ("notes", "data", "codes"))
    assert found.stated["sheet"] == "data"
    assert read_detected(path, ReadOptions(sheet="codes"))[0].width == 2
    first = workbook(tmp_path, data=RECORDS, larger=[*RECORDS, *RECORDS])
    assert proposed(first)["sheet"] == "data"  # as it is read without a word, and asked about all the same
    assert "sheet" not in proposed(workbook(tmp_path, data=RECORDS))


# -- from inspect to a release -------------------------------------------------------------------------------


def test_a_steward_gets_from_such_a_file_to_a_checked_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"{'Anna' if i % 2 else 'Bert'} M{i};{20 + i % 30};{'mf'[i % 2]};ward {i % 3};{i},5;" for i in range(200)]
    written(tmp_path, "Patients", "04.01.2024", "", "name;age;sex;name;cost;", *rows, "Summe;;;;199,5;")
    monkeypatch.chdir(tmp_path)
    answers = '[columns]\nname_1 = "identifying"\nname_2 = "quasi"\nage = "quasi"\nsex = "quasi"\ncost = "sensitive"\n'
    (tmp_path / "answers.toml").write_text(answers, encoding="utf-8")
    for command in (
        ["inspect", "t.csv", "--answers", "answers.toml", "--job", "job.toml"],
        ["publish", "job.toml", "--out", "release", "--no-report"],
        ["check", "release", "--original", "t.csv"],
        ["apply", "release-custodian", "t.csv", "--out", "again.csv"],
    ):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        if command[0] == "inspect":
            assert "please decide: several columns are called" in " ".join(done.output.split())
    job = (tmp_path / "job.toml").read_text(encoding="utf-8")
    assert "header_row = 4" in job
    assert "footer = 1" in job
    assert "numbered = [" in job
    release = (tmp_path / "release" / "release.csv").read_text(encoding="utf-8")
    assert "Anna" not in release
    assert "Summe" not in release
    assert '"numbered"' in (tmp_path / "release" / "certificate.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (2, "row 1 above it is mostly empty or has fewer cells"),
        (4, "rows 1 to 3 above it are mostly empty or have fewer"),
    ],
)
def test_one_title_is_and_several_are(row: int, says: str) -> None:
    (found,) = edge_proposals(ReadOptions(), ReadOptions(header_row=row))
    assert found.evidence.startswith(says)
