"""Excel workbooks (.xlsx), read through fastexcel and written through XlsxWriter (extra ``excel``)."""

from __future__ import annotations

import io
import logging
import math
import re
import zipfile
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, time
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core.errors import FileError, TableError
from nymity.core.extras import require
from nymity.core.quoting import relayed
from nymity.core.wording import count
from nymity.io.column_names import named
from nymity.io.dialect import has_header
from nymity.io.format import FileSignature, SpreadsheetFormat
from nymity.io.limits import EXCEL_CELL_CHARACTERS, EXCEL_COLUMNS, EXCEL_ROWS, MAX_COLUMNS, SAMPLE_ROWS
from nymity.io.lossless import days_of
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.proposal import Proposal
from nymity.io.scan import too_wide
from nymity.io.table_edges import FOOTERS, TITLE_ROWS, sums, titles
from nymity.io.workbook import LookedThrough, check_workbook, sheets_of, too_long

# It warns of empty columns; without a handler Python would print that, and below the command line nothing prints.
logging.getLogger("fastexcel").addHandler(logging.NullHandler())

#: When every workbook says it was made: the same table gives the same bytes.
_CREATED = datetime(2000, 1, 1)

#: Parts of a workbook as nymity writes it: one sheet, strings in its cells.
_PARTS = {
    "[Content_Types].xml",
    "_rels/.rels",
    "xl/_rels/workbook.xml.rels",
    "xl/worksheets/sheet1.xml",
    "xl/workbook.xml",
    "xl/styles.xml",
    "xl/theme/theme1.xml",
    "docProps/core.xml",
    "docProps/app.xml",
}
#: A first sheet with fewer cells than one of so many of the largest holds notes.
_SMALL = 10
_WORDS = re.compile(rb">([^<>]+)</(?:dc:|cp:)")


@dataclass(frozen=True, kw_only=True)
class Excel(SpreadsheetFormat):
    """One sheet of a workbook."""

    guesses = ("header",)

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read one sheet; a cell has the type Excel stored, and a column of mixed types is text.

        The sheet is loaded twice, as text and typed: a type is kept only where it has a value wherever the text has
        one. Numbers that are all whole become Int64, times that are all midnight become Date. Rows without any cell
        are dropped at the end of the sheet, where spreadsheets leave them behind, and so are sums, and remarks below an
        empty row; titles above the header are no records either.
        """
        return self.read_found(path, options)[0]

    def read_found(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, ReadOptions]:
        """Read one sheet, and tell where its table was found."""
        fastexcel = require("fastexcel", extra="excel", purpose="reading .xlsx files")
        sheet = check_workbook(path, options.sheet, strict=True, header_row=options.header_row)
        try:
            book = fastexcel.read_excel(str(path))
            # As text first: titles above the header would make text of every column of numbers.
            texts = _load(book, sheet.sheet, dtypes="string")
            start = _start(path, texts, sheet, options)
            below = texts.slice(start)
            below = below.head(_records(below, options.footer))
            known = {place: "string" for place, cells in enumerate(below) if cells.null_count() == len(cells)}
            values = below
            if below.height:
                values = _load(book, sheet.sheet, skip_rows=start, n_rows=below.height, dtypes=known)
        except fastexcel.FastExcelError as error:
            raise _unreadable(path, error) from error
        names = _names(path, texts, start, options)
        columns = zip(names, values.get_columns(), below.get_columns(), strict=True)
        table = pl.DataFrame([_settled(typed, text).alias(name) for name, typed, text in columns])
        left_out = int(_filled(texts.slice(start + below.height)).sum())
        titled = sheet.first_row + start - 1 if start > 1 else options.header_row
        found = replace(options, header=bool(start), header_row=titled, footer=left_out or options.footer)
        return table, found

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None) -> pl.DataFrame:
        """Read one sheet, each cell as the text of what Excel stored in it; rows without any cell are left out.

        No record may stop a run, so a cell with an error, or with a formula that was never computed, is missing.
        """
        texts, sheet = _sheet_texts(path, options)
        start = _start(path, texts, sheet, options)
        names = _names(path, texts, start, options)
        texts = texts.head(_records(texts, options.footer or 0))
        cells = {name: column.cast(pl.String) for name, column in zip(names, texts.slice(start), strict=True)}
        table = pl.DataFrame(
            [column.alias("cells").set(column == "", None).alias(name) for name, column in cells.items()]
        )
        return table.filter(_filled(table))

    def found_options(self, path: Path, options: ReadOptions) -> ReadOptions:
        """Return the options with what would be found out about a sheet: whether it has a header."""
        texts, sheet = _sheet_texts(path, options)
        return replace(options, header=bool(_start(path, texts, sheet, options)))

    def proposed(self, path: Path, options: ReadOptions) -> tuple[ReadOptions, tuple[Proposal, ...]]:
        """Propose the sheet that is a table: the first, or the largest where that one is small beside it."""
        names = sheets_of(path) if options.sheet is None else []
        if len(names) < 2:
            return options, ()
        seen = [check_workbook(path, name, strict=False) for name in names]
        largest = max(seen, key=lambda one: one.filled)
        chosen = seen[0] if seen[0].columns > 1 and _SMALL * seen[0].filled >= largest.filled else largest
        said = "; ".join(f"{one.sheet!r} ({count(one.rows, 'row')}, {count(one.columns, 'column')})" for one in seen)
        asked = Proposal(
            field="sheet", value=str(chosen.sheet), columns=(), evidence=f"the sheets are {said}", sure=False
        )
        return replace(options, sheet=chosen.sheet), (asked,)

    def strangers(self, path: Path) -> list[str]:
        """Further sheets, comments, names of authors."""
        try:
            with zipfile.ZipFile(path) as workbook:
                names = set(workbook.namelist())
                about = _beginning(workbook, "docProps/core.xml") if "docProps/core.xml" in names else b""
        except (OSError, zipfile.BadZipFile):
            return [f"{path.name} is no workbook"]
        found = [f"{path.name} holds {name}, which no release has" for name in sorted(names - _PARTS)]
        if _WORDS.search(about):
            found.append(f"{path.name} names an author, a title or the like, which no release does")
        return found

    def write_cells(self, cells: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write one sheet: numbers, truth values and text as such, everything else as text, nothing as a formula."""
        xlsxwriter = require("xlsxwriter", extra="excel", purpose="writing .xlsx files")
        _check_size(cells, path)
        settings: dict[str, object] = {
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        # Temporary files stay beside the result: the system's folder for them may be open to others, or on a full disk.
        settings |= {"constant_memory": True, "tmpdir": str(path.parent)}
        packed = io.BytesIO()  # a zip file that fails on a full disk would complain once more when it is collected
        try:
            with xlsxwriter.Workbook(packed, settings) as book:
                book.set_properties({"created": _CREATED})
                sheet = book.add_worksheet("table")
                for row, values in enumerate(chain([tuple(cells.columns)], cells.iter_rows())):
                    for column, cell in enumerate(values):
                        if cell is not None:
                            _write_cell(sheet, row, column, cell)
        except xlsxwriter.exceptions.FileCreateError as error:
            raise error.__cause__ or OSError(str(error)) from error
        path.write_bytes(packed.getvalue())


XLSX = Excel(
    suffix=".xlsx",
    signature=FileSignature(
        name="Excel or zip", start=b"PK\x03\x04", rename="rename it to .xlsx, or unpack the archive"
    ),
)


def _beginning(workbook: zipfile.ZipFile, name: str) -> bytes:
    """Return as much of a part as a part about the workbook can have."""
    with workbook.open(name) as part:
        return part.read(2**20)


def _sheet_texts(path: Path, options: ReadOptions) -> tuple[pl.DataFrame, LookedThrough]:
    """Load a sheet as text."""
    fastexcel = require("fastexcel", extra="excel", purpose="reading .xlsx files")
    sheet = check_workbook(path, options.sheet, strict=False)
    try:
        return _load(fastexcel.read_excel(str(path)), sheet.sheet, dtypes="string"), sheet
    except fastexcel.FastExcelError as error:
        raise _unreadable(path, error) from error


def _names(path: Path, texts: pl.DataFrame, start: int, options: ReadOptions) -> list[str]:
    """Return the names in the header row, or numbered ones without a header."""
    if start:
        return named(f"{path}, header", list(texts.row(start - 1)), options.numbered)
    return [f"column_{place}" for place in range(1, texts.width + 1)]


class _Exact(float):
    """A number that is written with all the digits that tell it from others: XlsxWriter asks for 16, some need 17."""

    def __format__(self, form: str) -> str:
        return repr(float(self))


def _write_cell(sheet: Any, row: int, column: int, cell: object) -> None:
    if isinstance(cell, bool):
        sheet.write_boolean(row, column, cell)
    elif isinstance(cell, int | float) and math.isfinite(cell) and abs(cell) <= 2**53:
        sheet.write_number(row, column, _Exact(cell) if isinstance(cell, float) else cell)
    else:  # also whole numbers a double would round
        sheet.write_string(row, column, str(cell))


def _load(book: Any, sheet: str | int, **choices: Any) -> pl.DataFrame:
    # schema_sample_rows=None: types are found from all rows, otherwise text after row 1,000 of a column of
    # numbers would be lost.
    loaded = book.load_sheet(sheet, header_row=None, schema_sample_rows=None, **choices)
    table: pl.DataFrame = loaded.to_polars()
    return table


def _start(path: Path, texts: pl.DataFrame, sheet: LookedThrough, options: ReadOptions) -> int:
    """Return the number of rows before the first record: the header, if there is one, and titles above it."""
    if not texts.height or not texts.width:
        raise FileError(
            str(path), expected="at least a header row", got="an empty sheet", hint="name the sheet with sheet=…"
        )
    if texts.width > MAX_COLUMNS:
        raise too_wide(str(path), texts.width)
    if any(column.dtype == pl.String and _is_long(column) for column in texts):
        raise too_long(str(path))
    if options.header_row is not None:
        start = options.header_row - sheet.first_row + 1
        if not 1 <= start <= texts.height:
            last = sheet.first_row + texts.height - 1
            raise FileError(
                str(path),
                expected=f"names of columns in row {options.header_row} (header_row)",
                got=f"cells in rows {sheet.first_row} to {last}",
            )
        return start
    header = options.header
    above = 0 if header is False else _titles(texts)
    if header is None:
        header = has_header([[cell or "" for cell in row] for row in texts.slice(above, SAMPLE_ROWS).rows()])
    return above + 1 if header else 0


def _titles(texts: pl.DataFrame) -> int:
    first = texts.head(TITLE_ROWS)
    return titles([sum(cell is not None and cell != "" for cell in row) for row in first.rows()], texts.width)


def _is_long(texts: pl.Series) -> bool:
    return bool((texts.alias("cells").str.len_chars() > EXCEL_CELL_CHARACTERS).any())


def _settled(values: pl.Series, texts: pl.Series) -> pl.Series:
    name = values.name
    return _settle(values.alias("cells"), texts.alias("cells")).alias(name)  # a name like ^x$ would be a pattern


def _settle(values: pl.Series, texts: pl.Series) -> pl.Series:
    if values.null_count() != texts.null_count() or values.dtype in (pl.String, pl.Null):
        texts = texts.cast(pl.String)
        return days_of(texts.set(texts == "", None))  # ISO dates as text are what is written here
    if values.dtype.is_float() and bool(((values.abs() <= 2**53) & (values == values.round())).all()):
        return values.cast(pl.Int64)
    if values.dtype == pl.Datetime and bool((values.dt.time() == time(0)).all()):
        return values.cast(pl.Date)
    return values


def _records(texts: pl.DataFrame, footer: int | None) -> int:
    """Return how many rows stand before empty ones at the end and what stands below the table.

    That are as many rows as ``footer`` says; or a few sparse ones after an empty one, and sums.
    """
    filled = _filled(texts)
    rows = filled.arg_true()
    if footer is not None:
        rows = rows.head(max(0, len(rows) - footer))
        return int(rows[-1]) + 1 if len(rows) else 0
    end = int(rows[-1]) + 1 if len(rows) else 0
    gaps = (~filled.head(end)).arg_true()
    # In two columns half of the cells is one: every record with a gap would look like a remark.
    if len(gaps) and texts.width > 2:
        below = texts.slice(int(gaps[-1]) + 1, end - int(gaps[-1]) - 1)
        some = below.head(FOOTERS + 1).rows()
        if below.height <= FOOTERS and all(2 * sum(map(_is_filled, row)) <= texts.width for row in some):
            return _records(texts.head(int(gaps[-1])), None)
    return end - sums(texts.head(end).tail(100).rows())


def _is_filled(cell: object) -> bool:
    return cell is not None and cell != ""


def _filled(table: pl.DataFrame) -> pl.Series:
    """Return which rows have any cell."""
    cells = pl.DataFrame({f"c{i}": column.alias("cells").is_not_null() for i, column in enumerate(table.get_columns())})
    return cells.select(pl.any_horizontal(pl.all())).to_series()


def _check_size(table: pl.DataFrame, path: Path) -> None:
    if table.height >= EXCEL_ROWS or table.width > EXCEL_COLUMNS:
        raise FileError(
            str(path),
            expected=f"at most {EXCEL_ROWS - 1:,} rows and {EXCEL_COLUMNS:,} columns, the bounds of Excel",
            got=f"{table.height:,} rows and {table.width:,} columns",
            hint="write .parquet or .csv.gz instead",
        )
    for column in table.get_columns():
        if column.dtype == pl.String and (column.alias("cells").str.len_chars() > EXCEL_CELL_CHARACTERS).any():
            raise TableError(
                f"column {column.name!r}",
                expected=f"cells of at most {EXCEL_CELL_CHARACTERS:,} characters, the bound of Excel",
                got="a longer one",
                hint="write .parquet or .csv.gz instead",
            )


def _unreadable(path: Path, error: Exception) -> FileError:
    first, *context = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line.removeprefix("0: ") for line in context if line.startswith("0: ")), first)
    return FileError(
        str(path),
        expected="a readable Excel sheet",
        got=relayed(told, "another file"),
        hint="check the file and the sheet's name",
    )
