"""HierarchyFile and HierarchyRows: hierarchies written out."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.core.errors import FileError, HierarchyError, ParameterError
from nymity.table.builders import HierarchyFile, HierarchyRows, file
from nymity.table.builders.file import read_hierarchy
from nymity.table.hierarchy import Hierarchy

ROWS = [["1", "low", "*"], ["2", "low", "*"], ["9", "high", "*"]]


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "1;low;*\n2;low;*\n9;high;*\n",
        "1,low,*\r\n2,low,*\r\n9,high,*",
        "1\tlow\t*\n2\tlow\t*\n9\thigh\t*\n",
        "1|low|*\n2|low|*\n9|high|*\n",
        "\ufeff1;low;*\n\n2;low;*\n9;high;*\n\n",
        "1;low;*;\n2;low;*;\n9;high;*;\n",
        '"1";"low";"*"\n2;low;*\n9;high;*\n',
    ],
    ids=["semicolon", "comma", "tab", "bar", "bom and blanks", "trailing", "quoted"],
)
def test_forms(tmp_path: Path, text: str) -> None:
    assert read_hierarchy(write(tmp_path / "h.csv", text)).rows() == ROWS
    (tmp_path / "h.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert Hierarchy.read(tmp_path / "h.csv.gz").rows() == ROWS


@given(
    lines=st.lists(st.text(alphabet='a;b,*"\r\n \ufeff\0é', max_size=8), max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from([None, ";", ","]),
)
def test_large_files_are_read_as_small_ones(lines: list[str], end: str, delimiter: str | None) -> None:
    """Files that polars reads must give the hierarchies and the errors that the line by line reader gives."""
    found = []
    for large in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
            patch.setattr(file, "_LARGE", large)
            path = write(Path(folder) / "h.csv", end.join(lines))
            try:
                hierarchy = read_hierarchy(path, delimiter=delimiter)
                found.append((hierarchy.labels, [codes.tolist() for codes in hierarchy.codes]))
            except (FileError, HierarchyError) as error:
                found.append(str(error).replace(folder, ""))
    assert found[0] == found[1]


def test_cells_may_hold_other_delimiters(tmp_path: Path) -> None:
    path = write(tmp_path / "h.csv", "1,5;[1, 2);*\n2,5;[2, 3);*\n")
    assert read_hierarchy(path).rows() == [["1,5", "[1, 2)", "*"], ["2,5", "[2, 3)", "*"]]
    path = write(tmp_path / "h.csv", "a;b,x,*\nc;d,x,*\n")
    assert read_hierarchy(path).values == ("a;b", "c;d")


def test_a_top_that_is_not_a_star(tmp_path: Path) -> None:
    assert read_hierarchy(write(tmp_path / "h.csv", "a,all\nb,all\n")).labels[-1] == ("all",)


def test_empty_cells_are_missing(tmp_path: Path) -> None:
    assert read_hierarchy(write(tmp_path / "h.csv", ";;*\na;x;*\n")).rows() == [[None, None, "*"], ["a", "x", "*"]]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FileError, "one line per value, got an empty file"),
        ("\n\n", FileError, "an empty file"),
        ("a;x;*\n\nb;*\n", HierarchyError, r"h.csv, line 3: expected 3 levels, as in line 1, got 2 levels for 'b'"),
        ("a;x;*\na;x;*\n", HierarchyError, r"h.csv, line 2: expected each value once, got 'a' again, first in line 1"),
        ("a;x;1;*\nb;x;2;*\n", HierarchyError, r"h.csv: .*'x' of level 1 becomes '1' and '2' on level 2"),
        ("a;x\nb;y\n", HierarchyError, r"h.csv: expected one value on the top level, got 2 values on level 1"),
        ("a\nb\n", HierarchyError, "add a last column"),
        ('a;*\n"b;*\nc;*\n', FileError, r"h.csv, line 2: expected well-formed CSV"),
        ('"a\nb";*\nc\n', HierarchyError, r"h.csv, line 3: expected 2 levels"),
    ],
)
def test_faults_are_placed(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_hierarchy(write(tmp_path / "h.csv", text))
    with pytest.raises(error, match=message):
        read_hierarchy(tmp_path / "h.csv", delimiter=";")


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none.csv: expected a hierarchy file, got no such file"):
        read_hierarchy(tmp_path / "none.csv")
    with pytest.raises(FileError, match="a file that can be read"):
        read_hierarchy(tmp_path)
    (tmp_path / "h.csv").write_bytes("a;*\nü;*\n".encode("latin-1"))
    with pytest.raises(FileError, match=r"h.csv, line 2: expected UTF-8 text"):
        read_hierarchy(tmp_path / "h.csv")
    for broken in (b"\x1f\x8b", gzip.compress(b"a;*\n")[:-6], b"\x1f\x8bxxxxxxxxxxxxxxxxxx"):
        (tmp_path / "h.gz").write_bytes(broken)
        with pytest.raises(FileError, match="an intact gzip file"):
            read_hierarchy(tmp_path / "h.gz")


def test_file_builder(tmp_path: Path) -> None:
    path = write(tmp_path / "h.csv", "1:low:*\n2:low:*\n9:high:*\n")
    builder = HierarchyFile(path=path, delimiter=":")  # type: ignore[arg-type]
    assert builder.path == str(path)
    assert builder.build(pl.Series([1, None])).rows() == [*ROWS, [None, None, "*"]]
    with pytest.raises(HierarchyError, match=r"age: .*1 unknown value: '3'"):
        builder.build(pl.Series([3]), where="age")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"path": ""}, "file.path: expected a path"),
        ({"path": 5}, "file.path"),
        ({"path": "h.csv", "delimiter": ";;"}, "file.delimiter: expected one character"),
        ({"path": "h.csv", "delimiter": "\n"}, "file.delimiter"),
        ({"path": "h.csv", "delimiter": ""}, "file.delimiter"),
    ],
)
def test_file_parameters_are_checked(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        HierarchyFile(**parameters)  # type: ignore[arg-type]


def test_read_checks_the_delimiter(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="delimiter: expected one character"):
        Hierarchy.read(write(tmp_path / "h.csv", "a;*\n"), delimiter=";;")


def test_rows_builder() -> None:
    builder = HierarchyRows(rows=[[1, "low", "*"], [2.0, "low", "*"], ["", None, "*"]])  # type: ignore[arg-type]
    assert builder.rows == (("1", "low", "*"), ("2", "low", "*"), (None, None, "*"))
    built = builder.build(pl.Series([2, None]))
    assert built.rows() == [["1", "low", "*"], ["2", "low", "*"], [None, None, "*"]]
    floats = HierarchyRows(rows=[[1, "*"], [2.5, "*"]])  # type: ignore[arg-type]
    assert floats.build(pl.Series([1.0, 2.5])).values == ("1", "2.5")
    with pytest.raises(HierarchyError, match=r"size: .*1 unknown value: '3'"):
        builder.build(pl.Series([3]), where="size")
    with pytest.raises(HierarchyError, match=r"size: .*got 1 levels for 'b' in row 2"):
        HierarchyRows(rows=[["a", "*"], ["b"]]).build(pl.Series(["a"]), where="size")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows.rows: expected a list with one row per value"),
        ("ab", "rows.rows: expected a list"),
        (["ab"], "rows.rows, row 1: expected a list"),
        ([["a", "*"], []], "rows.rows, row 2: expected a list"),
        ([["a", "*"], ["b", ["*"]]], "rows.rows, row 2: expected text or a number"),
        ([[{}, "*"]], "rows.rows, level 0: expected text or a number"),
    ],
)
def test_rows_are_checked(rows: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        HierarchyRows(rows=rows)  # type: ignore[arg-type]
