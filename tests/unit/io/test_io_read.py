"""Reading files: what they hold, and how wrong ones are refused."""

from __future__ import annotations

import gzip
import io
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter
from polars.testing import assert_frame_equal

from nymity.core.errors import FileError, MissingExtraError, NymityError, TableError
from nymity.io import ReadOptions, read_table
from nymity.io.formats import SUFFIXES

HEADED = ReadOptions(header=True)


@pytest.fixture
def save(tmp_path: Path) -> Any:
    def write(content: bytes | str, name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refused(path: Path, options: Any = HEADED) -> NymityError:
    with pytest.raises((FileError, TableError)) as caught:
        read_table(path, options)
    assert str(path) in str(caught.value)
    return caught.value


# --- what is read


def test_plain_csv_is_typed(save: Any) -> None:
    table = read_table(save("name,age,height,born\nAnna,34,1.5,1990-01-31\nBob,,2.25,\n"))
    expected = pl.DataFrame(
        {"name": ["Anna", "Bob"], "age": [34, None], "height": [1.5, 2.25], "born": [date(1990, 1, 31), None]}
    )
    assert_frame_equal(table, expected)


def test_quoted_cells_hold_delimiters_line_ends_and_quotes(save: Any) -> None:
    table = read_table(save('a,b\r\n"x,y","1\r\n2"\r\n"say ""hi""",""\r\n,"""\n"""\r\n'), HEADED)
    assert table.rows() == [("x,y", "1\r\n2"), ('say "hi"', None), (None, '"\n"')]


def test_stray_quotes_are_ordinary_characters(save: Any) -> None:
    table = read_table(save('item,size\npipe,5" wide\n"rod, long",7"\n'), HEADED)
    assert table.rows() == [("pipe", '5" wide'), ("rod, long", '7"')]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends(save: Any, end: Any) -> None:
    assert read_table(save(end.join(["a,b", "1,x", "2,y", ""]))).rows() == [(1, "x"), (2, "y")]


def test_empty_lines_are_nothing_in_a_wide_table(save: Any) -> None:
    assert read_table(save("\n\r\na,b\n\n1,2\n\n\n3,4\n\n")).rows() == [(1, 2), (3, 4)]
    assert read_table(save("a,b\r\n1,2\r\n\r\n\r\n")).rows() == [(1, 2)]


def test_empty_lines_are_missing_cells_in_a_narrow_table(save: Any) -> None:
    assert read_table(save('a\nx\n\n""\ny\n\n'), HEADED)["a"].to_list() == ["x", None, None, "y", None]
    assert read_table(save("a\r\nx\r\n\r\ny\r\n"), HEADED)["a"].to_list() == ["x", None, "y"]


def test_rows_of_missing_cells_are_kept(save: Any) -> None:
    assert read_table(save("a,b\n,\n1,2\n,\n")).rows() == [(None, None), (1, 2), (None, None)]


def test_header_only_gives_no_rows(save: Any) -> None:
    table = read_table(save("name,age\n"))
    assert (table.columns, table.height) == (["name", "age"], 0)


def test_last_row_needs_no_line_end(save: Any) -> None:
    assert read_table(save("a,b\n1,2")).rows() == [(1, 2)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(save: Any, delimiter: Any) -> None:
    text = f"name{delimiter}size{delimiter}note\n"
    text += "A,1;5,x\n" if delimiter == "," else f"A{delimiter}1,5{delimiter}x\n"
    assert read_table(save(text)).columns == ["name", "size", "note"]


def test_delimiter_in_some_cells_does_not_mislead(save: Any) -> None:
    assert read_table(save("name;height, cm\nA;1,5\nB;2\n")).columns == ["name", "height, cm"]


def test_delimiter_can_be_given(save: Any) -> None:
    assert read_table(save("a;b,c\n1;2,3\n"), ReadOptions(delimiter=",")).columns == ["a;b", "c"]


def test_one_column_of_text_with_commas(save: Any) -> None:
    assert read_table(save("name\nDoe, Jane\n", "n.tsv"), HEADED).rows() == [("Doe, Jane",)]
    assert read_table(save("name\nDoe Jane\n")).rows() == [("Doe Jane",)]


def test_tsv_prefers_tabs(save: Any) -> None:
    assert read_table(save("a,b\tc\nx,y\tz\n", "n.tsv")).columns == ["a,b", "c"]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("name,age\nAnna,34\n", ["name", "age"]),
        ("Anna,34\nBob,35\n", ["column_1", "column_2"]),
        ("1,2020-01-01\n2,2020-01-02\n", ["column_1", "column_2"]),
        ("name,city\nAnna,Bern\n", ["name", "city"]),
        ("name,city\n", ["name", "city"]),
    ],
)
def test_header_is_found(save: Any, text: str, columns: Any) -> None:
    assert read_table(save(text)).columns == columns


def test_header_can_be_given(save: Any) -> None:
    path = save("a,b\nx,y\n")
    assert read_table(path, ReadOptions(header=False)).rows() == [("a", "b"), ("x", "y")]
    assert read_table(save("1,2\n3,4\n"), HEADED).columns == ["1", "2"]


# --- encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encoding_is_found(save: Any, encoding: Any) -> None:
    assert read_table(save("name,city\nZoë,Köln €\n".encode(encoding))).rows() == [("Zoë", "Köln €")]


def test_utf16_of_either_order_is_found(save: Any) -> None:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert read_table(save(mark + "a,b\nÄ,ß\n".encode(encoding))).rows() == [("Ä", "ß")]


def test_encoding_can_be_given(save: Any) -> None:
    path = save("a,b\nЖ,1\n".encode("koi8-r"))
    assert read_table(path, ReadOptions(encoding="koi8-r")).rows() == [("Ж", 1)]
    assert read_table(save("\ufeffa,b\nx,1\n"), ReadOptions(encoding="utf-8")).columns == ["a", "b"]


def test_a_wrong_encoding_is_refused_with_its_place(save: Any) -> None:
    content = b"a,b\nx,1\nZo\xeb,2\n"
    error = refused(save(content), ReadOptions(encoding="utf-8"))
    assert "line 3" in error.where
    assert error.got == f"byte 0xeb at position {content.index(0xEB)} of the file"


def test_the_place_of_a_wrong_byte_is_right_across_chunks(save: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.io.file_content.CHUNK_BYTES", 7)
    content = "a,b\nééééé,1\nx,2\nyéy,3\n".encode() + b"z\xff,4\n"
    error = refused(save(content), ReadOptions(encoding="utf-8"))
    assert (error.where.endswith("line 5"), str(content.index(0xFF)) in error.got) == (True, True)


def test_bytes_no_encoding_explains_are_refused(save: Any) -> None:
    assert "text in utf-8" in refused(save(b"a,b\nx\x81,1\n")).expected


def test_truncated_characters_are_refused(save: Any) -> None:
    assert "text in utf-8" in refused(save(b"a,b\nx,\xc3"), ReadOptions(encoding="utf-8")).expected


# --- files that are not what they should be


def test_missing_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "absent.csv").got == "no such file"


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    assert refused(tmp_path / "folder.csv").got == "a folder"


def test_unreadable_file(save: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save("a,b\n1,2\n")

    def deny(self: Any, *args: Any, **kwargs: Any) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", deny)
    assert refused(path).got == "no permission to read it"


@pytest.mark.parametrize("content", [b"", b"\n\n\r\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_empty_file(save: Any, content: Any) -> None:
    assert refused(save(content)).got == "an empty file"


def test_empty_gzip(save: Any) -> None:
    assert refused(save(gzip.compress(b""), "e.csv.gz")).got == "an empty file"


@pytest.mark.parametrize("name", ["people.json", "people", "people.gz", "people.parquet.gz"])
def test_unknown_suffix_lists_the_known(save: Any, name: str) -> None:
    error = refused(save("a\n1\n", name))
    assert all(suffix in error.expected for suffix in SUFFIXES)


def test_suffix_in_capitals(save: Any) -> None:
    assert read_table(save("a,b\n1,2\n", "PEOPLE.CSV")).rows() == [(1, 2)]


@pytest.mark.parametrize("position", [0, 9, 2_500_000])
def test_nul_bytes(save: Any, position: Any) -> None:
    content = bytearray(b"a,bcd\n" * 500_000)
    content[position] = 0
    error = refused(save(bytes(content)))
    assert "NUL" in error.got
    assert error.where.endswith(f"line {position // 6 + 1}")


def parquet_bytes() -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"a": [1]}).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.xlsx", "x.parquet"])
@pytest.mark.parametrize("kind", ["text", "gzip", "zip", "parquet", "ole"])
def test_content_must_match_the_suffix(save: Any, name: str, kind: Any) -> None:
    content = {
        "text": b"a,b\n1,2\n",
        "gzip": gzip.compress(b"a,b\n1,2\n"),
        "zip": b"PK\x03\x04" + bytes(40),
        "parquet": parquet_bytes(),
        "ole": b"\xd0\xcf\x11\xe0" + bytes(40),
    }[kind]
    if {"x.csv": "text", "x.csv.gz": "gzip", "x.xlsx": "zip", "x.parquet": "parquet"}[name] == kind:
        return
    error = refused(save(content, name))
    assert isinstance(error, FileError)
    assert "promises" in error.expected


def test_text_may_start_like_parquet(save: Any) -> None:
    assert read_table(save("PAR1,b\nx,2\n")).columns == ["PAR1", "b"]


@pytest.mark.parametrize("damage", ["cut", "flip", "trailer"])
def test_corrupt_gzip(save: Any, damage: Any) -> None:
    packed = bytearray(gzip.compress(b"".join(b"%d,%d\n" % (i, i * i) for i in range(20_000))))
    if damage == "cut":
        packed = packed[: len(packed) // 2]
    else:
        packed[len(packed) // 2 if damage == "flip" else -6] ^= 0xFF
    assert refused(save(bytes(packed), "x.csv.gz")).expected == "an intact gzip file"


def test_gzip_is_read(save: Any) -> None:
    assert read_table(save(gzip.compress(b"a\tb\n1\t2\n"), "x.tsv.gz")).rows() == [(1, 2)]


# --- rows and columns that are not what they should be


@pytest.mark.parametrize(("row", "found"), [("1", 1), ("1,2,3", 3), (",,,", 4)])
def test_ragged_rows_are_named(save: Any, row: Any, found: Any) -> None:
    error = refused(save(f'a,b\n1,2\n"x\ny",2\n\n{row}\n3,4\n'))
    assert error.where.endswith("line 6")
    assert (error.expected, error.got) == ("2 fields as in the first row", str(found))


def test_ragged_rows_are_named_by_the_exact_parser_too(save: Any) -> None:
    error = refused(save('a,b\n5" x,2\n"x\ny",2\n\n1,2,3\n'))
    assert error.where.endswith("line 6")
    assert (error.expected, error.got) == ("2 fields as in the first row", "3")


@pytest.mark.parametrize(
    ("text", "expected", "line"),
    [
        ('a,b\n1,2\n"x,2\n3,4\n', "every quote to be closed", 3),
        ('a,b\n"x"y,2\n', "a delimiter or line end after a closing quote", 2),
    ],
)
def test_malformed_quotes(save: Any, text: str, expected: Any, line: Any) -> None:
    error = refused(save(text))
    assert (error.expected, error.where.endswith(f"line {line}")) == (expected, True)


def test_duplicate_column_names(save: Any) -> None:
    error = refused(save("a,b,a\n1,2,3\n"))
    assert isinstance(error, TableError)
    assert error.got == "'a' for columns 1 and 3"


def test_empty_column_names(save: Any) -> None:
    assert refused(save("a,,c\n1,2,3\n")).got == "an empty name for column 2"
    assert refused(save('a,""\n1,2\n')).got == "an empty name for column 2"


def test_too_many_columns(save: Any) -> None:
    assert refused(save(",".join(f"c{i}" for i in range(10_001)) + "\n")).expected == "at most 10,000 columns"
    assert refused(save('5",' + ",".join(f"c{i}" for i in range(10_001)) + "\n")).expected == "at most 10,000 columns"
    assert read_table(save(",".join(f"c{i}" for i in range(10_000)) + "\n")).width == 10_000


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_at_the_limit_is_read_and_one_above_is_not(
    save: Any, monkeypatch: pytest.MonkeyPatch, quote: Any
) -> None:
    monkeypatch.setattr("nymity.io.scan.MAX_CELL_BYTES", 100_000)
    monkeypatch.setattr("nymity.io.file_content.CHUNK_BYTES", 4096)
    cell = quote + "x" * (100_000 - 2 * len(quote)) + quote
    assert read_table(save(f"a,b\n{cell},2\n"), HEADED).height == 1
    error = refused(save(f"a,b\n1,2\nx{cell},2\n" if not quote else f'a,b\n1,2\n"x{cell[1:]},2\n'))
    assert error.expected == "cells of at most 100,000 bytes"
    assert error.where.endswith("line 3")


def test_a_boundless_cell_is_refused_before_the_file_is_unpacked(save: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    from nymity.io import delimited

    class Counting(delimited.Scanner):  # type: ignore[name-defined]
        def feed(self, chunk: Any) -> None:
            read.append(len(chunk))
            super().feed(chunk)

    monkeypatch.setattr(delimited, "Scanner", Counting)
    path = save(gzip.compress(b"a,b\n" + b"x" * (64 << 20), compresslevel=1), "bomb.csv.gz")
    assert "16,777,216" in refused(path).expected
    assert sum(read) <= (18 << 20)


def test_a_boundless_cell_after_a_stray_quote(save: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.io.scan.MAX_CELL_BYTES", 1000)
    monkeypatch.setattr("nymity.io.delimited.MAX_CELL_BYTES", 1000)
    assert "1,000 bytes" in refused(save('a,b\n5" x,2\n' + "y" * 1001 + ",2\n")).expected
    assert "1,000 characters" in refused(save('a,b\n5" x,2\n"' + "y,\n" * 1001 + '",2\n')).expected


# --- parquet and excel


def test_parquet(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": [1, None], "b": ["x", "007"]})
    table.write_parquet(tmp_path / "t.parquet")
    assert_frame_equal(read_table(tmp_path / "t.parquet"), table)


def test_damaged_parquet(save: Any) -> None:
    content = bytearray(parquet_bytes())
    content[-20:-4] = bytes(16)
    assert refused(save(bytes(content), "t.parquet")).expected == "an intact Parquet file"


def test_parquet_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame({"a": ["x" * 11], "b": [1]}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("nymity.io.columnar.MAX_CELL_BYTES", 10)
    assert "column 'a'" in refused(tmp_path / "t.parquet").where
    monkeypatch.setattr("nymity.io.columnar.MAX_COLUMNS", 1)
    assert "columns" in refused(tmp_path / "t.parquet").expected


@pytest.fixture
def workbook(tmp_path: Path) -> Any:
    def write(rows: Any, name: str = "book.xlsx") -> Any:
        with xlsxwriter.Workbook(str(tmp_path / name)) as book:
            book.add_worksheet("first").write_row(0, 0, ["other"])
            sheet = book.add_worksheet("people")
            dates = book.add_format({"num_format": "yyyy-mm-dd"})
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, datetime):
                        sheet.write_datetime(i, j, cell, dates)
                    elif cell is not None:
                        sheet.write(i, j, cell)
        return tmp_path / name

    return write


def test_excel(workbook: Any, capfd: Any, caplog: Any) -> None:
    path = workbook(
        [
            ["zip", "age", "size", "born", "mixed", "none", "ok"],
            ["007", 34, 1.5, datetime(1990, 1, 31), 1, None, True],
            [None, 35, 2, None, "x", None, False],
            [None] * 7,
        ]
    )
    table = read_table(path, ReadOptions(sheet="people"))
    expected = pl.DataFrame(
        {
            "zip": ["007", None],
            "age": [34, 35],
            "size": [1.5, 2.0],
            "born": [date(1990, 1, 31), None],
            "mixed": ["1", "x"],
            "none": pl.Series([None, None], dtype=pl.String),
            "ok": [True, False],
        }
    )
    assert_frame_equal(table, expected)
    assert (caplog.records, capfd.readouterr().err) == ([], "")


def test_excel_text_after_many_numbers_is_kept(workbook: Any) -> None:
    path = workbook([["a", "b"], *([i, 1] for i in range(1500)), ["late", 1]])
    assert read_table(path, ReadOptions(sheet=1))["a"].to_list() == [*map(str, range(1500)), "late"]


def test_excel_without_header(workbook: Any) -> None:
    path = workbook([["Anna", 34], ["Bob", 35]])
    table = read_table(path, ReadOptions(sheet=1))
    assert (table.columns, table.rows()) == (["column_1", "column_2"], [("Anna", 34), ("Bob", 35)])
    assert read_table(path, ReadOptions(sheet=1, header=True)).columns == ["Anna", "34"]


def test_excel_header_only(workbook: Any) -> None:
    assert read_table(workbook([["a", "b"]]), ReadOptions(sheet=1)).rows() == []


def test_excel_refusals(workbook: Any, save: Any) -> None:
    assert "Available sheets" in refused(workbook([["a"]]), ReadOptions(sheet="absent")).got
    assert refused(workbook([]), ReadOptions(sheet="people")).got == "an empty sheet"
    assert "'a' for columns 1 and 2" in refused(workbook([["a", "a"], [1, 2]]), ReadOptions(sheet=1, header=True)).got
    assert refused(workbook([["a", None, "c"], [1, 2, 3]]), ReadOptions(sheet=1, header=True)).got.endswith("column 2")
    assert "Excel" in refused(save(b"PK\x03\x04" + bytes(60), "z.xlsx")).expected


def test_excel_needs_its_extra(workbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook([["a"]])
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(MissingExtraError, match=re.escape("nymity[excel]")):
        read_table(path)


def test_a_damaged_parquet_file_is_a_clear_error_wherever_the_damage_is(tmp_path: Path) -> None:
    """Polars panics for some, which is no Exception: each byte of a small file is changed in turn."""
    whole = io.BytesIO()
    pl.DataFrame({"a": [1, None, 3], "b": ["x", "y", None]}).write_parquet(whole, compression="uncompressed")
    place, refused = tmp_path / "x.parquet", 0
    for at in range(len(whole.getvalue())):
        damaged = bytearray(whole.getvalue())
        damaged[at] ^= 1 << at % 8
        place.write_bytes(damaged)
        try:
            read_table(place)
        except NymityError:
            refused += 1
    assert refused > 100
