"""Workbooks that no custodian can have meant: bombs, far corners, cells that a reader would drop or change silently."""

from __future__ import annotations

import contextlib
import zipfile
from datetime import date
from pathlib import Path

import pytest

import nymity as ny
from memory import reading
from nymity.core.errors import FileError, InputError, TableError
from nymity.io import read_text_cells
from workbooks import number, row, text, write_workbook

OPTIONS = ny.ReadOptions(header=True)
HEAD = row(1, text("name"), text("born"))


def read(path: Path, rows: str, **further: object) -> list[tuple[object, ...]]:
    return ny.read_table(write_workbook(path / "t.xlsx", rows, **further), OPTIONS).rows()  # type: ignore[arg-type]


def test_a_workbook_written_by_hand_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD + row(2, text("a"), number(4))) == [("a", 4)]
    assert read(tmp_path, HEAD + row(2, text("a"), '<c r="@" t="b"><v>1</v></c>')) == [("a", True)]
    assert read(tmp_path, HEAD + row(2, '<c r="@" t="s"><v>0</v></c>', number(4)), shared=["Ann"]) == [("Ann", 4)]
    assert read(tmp_path, "<row><c><v>1</v></c></row>".join(["<row><c t='str'><v>q</v></c></row>", ""])) == [(1,)]


def test_a_cell_in_the_last_corner_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "t.xlsx", HEAD + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
    told, peak = reading(path)
    assert "3 filled cells between A1 and XFD1048576" in told
    assert peak < 500_000


def test_cells_that_are_formatted_but_empty_are_no_cells(tmp_path: Path) -> None:
    rows = HEAD + row(2, text("a"), number(4)) + '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    assert read(tmp_path, rows) == [("a", 4)]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ('<row r="1048577"><c r="A1048577"><v>1</v></c></row>', "the bounds of Excel, got row 1048577"),
        ('<row r="2"><c r="XFE2"><v>1</v></c></row>', "the bounds of Excel, got column 16,385"),
        ('<row r="2"><c r="AAAA2"><v>1</v></c></row>', "a cell called 'AAAA2'"),
        ('<row r="2"><c r="A1048576"><v>1</v></c></row>', "every cell once, in order, got the cell A1048576 in row 2"),
        ('<row r="2"><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>', "every cell once, in order"),
        ('<row r="99999999999999999999"><c><v>1</v></c></row>', "the bounds of Excel"),
    ],
)
def test_places_that_no_sheet_has(tmp_path: Path, rows: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(tmp_path, HEAD + rows)


def test_cells_beyond_the_documented_length_are_refused(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD + row(2, text("x" * 32_767), number(1)))[0][1] == 1
    with pytest.raises(TableError, match="at most 32,767 characters"):
        read(tmp_path, HEAD + row(2, text("x" * 32_768), number(1)))
    shared = row(2, '<c r="@" t="s"><v>0</v></c>', number(1))
    with pytest.raises(TableError, match="at most 32,767 characters"):
        read(tmp_path, HEAD + shared, shared=["x" * 32_768])


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ('<c r="@" t="e"><v>#DIV/0!</v></c>', "#DIV/0! in B2"),
        ('<c r="@" t="e"><f>1/0</f><v>#N/A</v></c>', "#N/A in B2"),
        ('<c r="@"><f>1+1</f></c>', "a formula without its value in B2"),
        ('<c r="@"><f>1+1</f><v></v></c>', "a formula without its value in B2"),
        ('<c r="@"><f>1+1</f><v/></c>', "a formula without its value in B2"),
        (number(60, 1), "29 February 1900, a day that never was in B2"),
        (number(60.5, 3), "29 February 1900"),
        (number(-1, 1), "the date number -1, which is no day in B2"),
        (number(2_958_466, 1), "the date number 2958466"),
        (number("1e300", 1), "the date number 1e300"),
        (number("NaN", 1), "the date number NaN"),
    ],
)
def test_cells_that_would_silently_be_missing_or_another_day(tmp_path: Path, cell: str, words: str) -> None:
    rows = HEAD + row(2, text("a"), cell) + row(3, text("b"), number(44_197, 1))
    with pytest.raises(TableError, match=words):
        read(tmp_path, rows)


def test_the_first_few_cells_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    rows = HEAD + "".join(row(i, text("a"), '<c r="@" t="e"><v>#N/A</v></c>') for i in range(2, 102))
    with pytest.raises(TableError, match=r"in B2, .* in B6 and 95 more"):
        read(tmp_path, rows)


def test_formulas_with_their_values_are_values(tmp_path: Path) -> None:
    cells = (
        '<c r="@"><f>1+1</f><v>2</v></c>',
        '<c r="@" t="str"><f>A1</f><v>x</v></c>',
        '<c r="@" t="str"><f>""</f><v></v></c>',
    )
    assert [read(tmp_path, HEAD + row(2, text("a"), cell))[0][1] for cell in cells] == [2, "x", None]
    plain = '<c r="@"><f>1+1</f><v>2</v></c>'  # after it a cell without any value is still noticed
    with pytest.raises(TableError, match="in C2"):
        read(tmp_path, row(1, text("a"), text("b"), text("c")) + row(2, text("a"), plain, '<c r="@"><f>1</f></c>'))


@pytest.mark.parametrize(
    ("days", "from_1904", "day"),
    [
        (1, False, date(1900, 1, 1)),
        (59, False, date(1900, 2, 28)),
        (61, False, date(1900, 3, 1)),
        (44_197, False, date(2021, 1, 1)),
        (2_958_465, False, date(9999, 12, 31)),
        (0, True, date(1904, 1, 1)),
        (60, True, date(1904, 3, 1)),
        (42_735, True, date(2021, 1, 1)),
    ],
)
def test_days_of_both_calendars(tmp_path: Path, days: int, from_1904: bool, day: date) -> None:
    rows = HEAD + row(2, text("a"), number(days, 1))
    assert read(tmp_path, rows, from_1904=from_1904) == [("a", day)]


def test_sixty_as_a_number_is_a_number(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD + row(2, text("a"), number(60)) + row(3, text("b"), number(-1))) == [
        ("a", 60),
        ("b", -1),
    ]


def test_merged_cells_have_one_value_for_several_records(tmp_path: Path) -> None:
    rows = HEAD + row(2, text("a"), number(1)) + row(3, text("b"))
    merged = '<mergeCells count="1"><mergeCell ref="B2:B3"/></mergeCells>'
    with pytest.raises(TableError, match="only the first has one: B2:B3"):
        read(tmp_path, rows, after=merged)


def test_a_hidden_first_sheet_is_not_taken_unasked(tmp_path: Path) -> None:
    rows = HEAD + row(2, text("a"), number(1))
    for state in ("hidden", "veryHidden"):
        path = write_workbook(tmp_path / "t.xlsx", rows, sheets=[("old", state), ("new", "")])
        with pytest.raises(FileError, match=r"'old', which is hidden\. Try: sheet = 'new'"):
            ny.read_table(path)
        for sheet in ("old", "new", 0):
            assert ny.read_table(path, ny.ReadOptions(header=True, sheet=sheet)).rows() == [("a", 1)]


def test_no_record_stops_a_private_run(tmp_path: Path) -> None:
    rows = HEAD + row(2, text("a"), '<c r="@" t="e"><v>#N/A</v></c>') + row(3, text("b"), '<c r="@"><f>1</f></c>')
    path = write_workbook(tmp_path / "t.xlsx", rows + row(4, text("c"), number(7)))
    assert read_text_cells(path, OPTIONS).rows() == [("a", None), ("b", None), ("c", "7")]


def test_a_part_that_unpacks_beyond_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.core.unpacking.UNPACKED_BYTES", 10**6)
    path = write_workbook(tmp_path / "t.xlsx", HEAD + row(2, text("a"), number(1)) + " " * 2 * 10**6)
    with pytest.raises(FileError, match="unpacks to at most 1,000,000 bytes"):
        ny.read_table(path)


def test_one_long_text_that_many_cells_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = "".join(row(i, '<c r="@" t="s"><v>0</v></c>', number(1)) for i in range(2, 3_000))
    monkeypatch.setattr("nymity.core.unpacking.UNPACKED_BYTES", 2 * 10**6)
    with pytest.raises(FileError, match="characters of shared text"):
        read(tmp_path, HEAD + cells, shared=["x" * 32_000])
    once = row(3_000, '<c r="@" t="s"><v>1</v></c>', number(1))
    assert len(read(tmp_path, HEAD + cells + once, shared=["x", "y" * 32_000])) == 2_999


def test_damaged_workbooks_are_clear_errors(tmp_path: Path) -> None:
    rows = HEAD + row(2, text("a"), number(1))
    whole = write_workbook(tmp_path / "t.xlsx", rows).read_bytes()
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet/>'
    write_workbook(tmp_path / "t.xlsx", rows, further={"xl/styles.xml": bomb})
    with pytest.raises(FileError, match="a document type"):
        ny.read_table(tmp_path / "t.xlsx")
    write_workbook(tmp_path / "t.xlsx", rows, further={"xl/workbook.xml": "<workbook"})
    with pytest.raises(FileError, match="a readable Excel sheet"):
        ny.read_table(tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as book:
        book.writestr("some.txt", "text")
    with pytest.raises(FileError, match="no part"):
        ny.read_table(tmp_path / "t.xlsx")
    for place in range(30, len(whole), 23):  # wherever a byte is wrong
        (tmp_path / "t.xlsx").write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with contextlib.suppress(InputError):
            ny.read_table(tmp_path / "t.xlsx")
