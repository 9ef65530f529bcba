"""Workbooks looked through before they are read: how large they are, and which cells a reader would drop or change.

The reader behind :mod:`nymity.io.excel` lays a sheet out as one block from its first cell to its last and ends the
process where that does not fit into memory; it reads cells with an error or without a computed value as missing, and
gives days that do not exist the name of another. So every sheet is parsed here first, cell by cell, in little memory.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import IO, Any, NoReturn
from xml.parsers import expat

from nymity.core.errors import FileError, TableError
from nymity.core.unpacking import most_unpacked, too_much
from nymity.io.limits import EXCEL_CELL_CHARACTERS, EXCEL_COLUMNS, EXCEL_ROWS, SPARSE_CELLS, SPARSE_TIMES
from nymity.io.table_edges import TITLE_ROWS, titles

#: Numbers of days by the two calendars of Excel: the first beyond the year 9999.
_END = {False: 2_958_466, True: 2_957_004}
#: Formats for days and times that have a number of their own.
_DATES = {*range(14, 23), 45, 46, 47}
#: How reading a damaged archive fails.
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    expat.ExpatError,
    NotImplementedError,
    RuntimeError,
    EOFError,
)
_QUOTED = re.compile(r'"[^"]*"|\\.|_.|\*.|\[[^\]]*\]')


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A sheet by its name, the part that holds it, and whether it can be seen."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True, kw_only=True)
class LookedThrough:
    """A sheet that can be read, by name or number; its first row that holds anything, and how many cells do."""

    sheet: str | int
    first_row: int = 1
    rows: int = 0
    columns: int = 0
    filled: int = 0


def sheets_of(path: Path) -> list[str]:
    """Name the sheets of a workbook that can be seen; none of a file that is no workbook, or a broken one."""
    if path.suffix.lower() != ".xlsx":
        return []
    try:
        with zipfile.ZipFile(path) as book:
            return [sheet.name for sheet in _sheets(book, _parts(path, book)) if not sheet.hidden]
    except (*_BROKEN, KeyError, OSError):
        return []


def check_workbook(
    path: Path, wanted: str | int | None, *, strict: bool, header_row: int | None = None
) -> LookedThrough:
    """Refuse a workbook that cannot be read safely; return which sheet to read.

    ``strict`` also refuses cells that would be read as missing although something stands there (errors, formulas
    nobody has computed, the rest of merged cells) and dates that do not exist. A reader that must not fail for the
    sake of one record leaves them missing. What stands above the ``header_row`` may be merged.
    """
    with _reading(path), zipfile.ZipFile(path) as book:
        parts = _parts(path, book)
        sheet = _chosen(path, _sheets(book, parts), wanted)
        if sheet is None:
            return LookedThrough(sheet=0 if wanted is None else wanted)  # the reader says which ones there are
        cells = _Cells(path=path, sheet=sheet, dates=_date_styles(book, parts), from_1904=_from_1904(book, parts))
        _parse(book, parts[sheet.part], cells.start, cells)
        cells.finish()
        _check_strings(path, book, parts, cells)
    cells.check(strict=strict, header_row=header_row)
    (first, left), (last, right) = cells.low, cells.high
    return LookedThrough(
        sheet=sheet.name,
        first_row=first if cells.filled else 1,
        rows=max(0, last - first + 1),
        columns=max(0, right - left + 1),
        filled=cells.filled,
    )


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Explain what is wrong with a workbook that cannot be read."""
    try:
        yield
    except (*_BROKEN, KeyError) as error:
        got = f"no part {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise FileError(str(path), expected="a readable Excel sheet", got=got, hint=_AGAIN) from error
    except OSError as error:
        raise FileError(str(path), expected="a readable file", got=error.strerror or str(error)) from error


# -- the archive ---------------------------------------------------------------------------------------------


def _parts(path: Path, book: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the parts by their name, whose case does not matter; refuse a bomb, and a part that is there twice."""
    infos = book.infolist()
    parts = {info.filename.lower().lstrip("/"): info for info in infos}
    if len(parts) < len(infos):
        raise zipfile.BadZipFile("a part that is there twice")
    most = most_unpacked(path.stat().st_size)
    if (total := sum(info.file_size for info in infos)) > most:
        raise too_much(str(path), most, f"{total:,}")
    return parts


def _sheets(book: zipfile.ZipFile, parts: dict[str, zipfile.ZipInfo]) -> list[Sheet]:
    targets = {
        found["Id"]: _resolved(found.get("Target", ""))
        for found in _elements(book, parts["xl/_rels/workbook.xml.rels"], "Relationship")
        if "Id" in found
    }
    sheets = []
    for found in _elements(book, parts["xl/workbook.xml"], "sheet"):
        link = next((value for name, value in found.items() if name.rpartition(":")[2] == "id"), "")
        hidden = found.get("state", "visible") != "visible"
        sheets.append(Sheet(name=found.get("name", ""), part=targets.get(link, ""), hidden=hidden))
    return sheets


def _resolved(target: str) -> str:
    """Return the part that a link of the workbook names."""
    place = PurePosixPath("/xl") / target if not target.startswith("/") else PurePosixPath(target)
    steps: list[str] = []
    for step in place.parts[1:]:
        steps = steps[:-1] if step == ".." else [*steps, step]
    return "/".join(steps).lower()


def _chosen(path: Path, sheets: Sequence[Sheet], wanted: str | int | None) -> Sheet | None:
    if wanted is None and sheets and sheets[0].hidden:
        seen = [sheet.name for sheet in sheets if not sheet.hidden]
        raise FileError(
            str(path),
            expected="a first sheet that can be seen, or the name of the sheet to read",
            got=f"{sheets[0].name!r}, which is hidden",
            hint=f"sheet = {seen[0]!r}" if seen else f"sheet = {sheets[0].name!r}",
        )
    if isinstance(wanted, str):
        return next((sheet for sheet in sheets if sheet.name == wanted), None)
    return sheets[wanted or 0] if (wanted or 0) < len(sheets) else None


def _from_1904(book: zipfile.ZipFile, parts: dict[str, zipfile.ZipInfo]) -> bool:
    told = _elements(book, parts["xl/workbook.xml"], "workbookPr")
    return any(found.get("date1904", "0").lower() in ("1", "true", "on") for found in told)


def _date_styles(book: zipfile.ZipFile, parts: dict[str, zipfile.ZipInfo]) -> frozenset[str]:
    """Return the styles, by their number as text, that show a number as a day or a time."""
    if "xl/styles.xml" not in parts:
        return frozenset()
    formats: dict[str, str] = {}
    styles: list[str] = []
    inside = ""

    def start(name: str, attributes: list[str]) -> None:
        nonlocal inside
        local, found = name.rpartition(":")[2], dict(zip(attributes[::2], attributes[1::2], strict=True))
        if local in ("cellXfs", "cellStyleXfs", "dxfs", "cellStyles"):
            inside = local
        elif local == "numFmt" and inside == "":
            formats[found.get("numFmtId", "")] = found.get("formatCode", "")
        elif local == "xf" and inside == "cellXfs":
            styles.append(found.get("numFmtId", "0"))

    _parse(book, parts["xl/styles.xml"], start)
    return frozenset(str(i) for i, kind in enumerate(styles) if _is_date(kind, formats.get(kind)))


def _is_date(number: str, code: str | None) -> bool:
    if code is None:
        return number.isdecimal() and int(number) in _DATES
    return any(letter in "ydmhs" for letter in _QUOTED.sub("", code).lower().partition(";")[0].replace("general", ""))


def _elements(book: zipfile.ZipFile, part: zipfile.ZipInfo, wanted: str) -> list[dict[str, str]]:
    """Return the attributes of all elements of a name."""
    found: list[dict[str, str]] = []

    def start(name: str, attributes: list[str]) -> None:
        if name.rpartition(":")[2] == wanted:
            found.append(dict(zip(attributes[::2], attributes[1::2], strict=True)))

    _parse(book, part, start)
    return found


def _parse(book: zipfile.ZipFile, part: zipfile.ZipInfo, start: Any, cells: _Cells | None = None) -> None:
    parser = expat.ParserCreate()
    parser.ordered_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = _refuse_document_type  # entities that name each other are the oldest bomb
    if cells is not None:
        cells.parser = parser
    with book.open(part) as stream:
        parser.ParseFile(_Unpacked(stream))


class _Unpacked:
    """A part of the archive as a parser reads it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.read = stream.read


def _refuse_document_type(*_: object) -> NoReturn:
    raise zipfile.BadZipFile("a document type, which no workbook has")


# -- the cells -----------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _Cells:
    """Walks the cells of a sheet and notes where they lie and what is wrong with them."""

    path: Path
    sheet: Sheet
    dates: frozenset[str]
    from_1904: bool
    parser: Any = None
    #: Length of each shared text, where those of all cells are to be added up.
    lengths: list[int] | None = None
    characters: int = 0
    filled: int = 0
    shared: int = 0
    #: First and last row and column that hold anything; the first cell is (1, 1).
    low: tuple[int, int] = (EXCEL_ROWS + 1, EXCEL_COLUMNS + 1)
    high: tuple[int, int] = (0, 0)
    wrong: list[str] = field(default_factory=list)
    wrong_cells: int = 0
    merged: list[str] = field(default_factory=list)
    #: Filled cells of the first rows that have any.
    first: dict[int, int] = field(default_factory=dict)
    _row: int = 0
    _row_text: str = ""
    _column: int = 0
    _columns: dict[str, int] = field(default_factory=dict)
    #: What is to be told of the open cell: how it was marked, and its text, gathered only where that matters.
    _type: str = ""
    _is_date: bool = False
    _formula: bool = False
    _watched: bool = False
    _text: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: list[str]) -> None:
        """Take the start of an element; called for every one, so the most frequent come first."""
        if ":" in name:
            name = name.rpartition(":")[2]
        if name == "c":
            if self._watched:
                self._judge()
            self._open(attributes)
        elif name in ("v", "is"):
            self._fill()
        elif name == "row":
            if self._watched:
                self._judge()
            self._next_row(attributes)
        elif name == "f":
            self._formula = self._watched = True
            self._text = []
        elif name == "mergeCell":
            self.merged += attributes[1:2]

    def finish(self) -> None:
        """Take the end of the sheet."""
        if self._watched:
            self._judge()

    def _next_row(self, attributes: list[str]) -> None:
        self._row, self._column = self._row + 1, 0
        for i in range(0, len(attributes), 2):
            if attributes[i] == "r":
                text = attributes[i + 1]
                number = int(text) if text.isdecimal() and len(text) <= 7 else EXCEL_ROWS + 1
                if number < self._row:
                    raise self._disorder(f"row {text[:20]}")
                self._row = number
        self._row_text = str(self._row)
        if self._row > EXCEL_ROWS:
            raise self._outside(f"row {self._row_text}")

    def _open(self, attributes: list[str]) -> None:
        self._type, self._is_date, self._formula, self._watched = "", False, False, False
        column = self._column + 1
        for i in range(0, len(attributes), 2):
            name, value = attributes[i], attributes[i + 1]
            if name == "r":
                column = self._place(value)
            elif name == "t":
                self._type = value
            elif name == "s":
                self._is_date = value in self.dates
        if column > EXCEL_COLUMNS:
            raise self._outside(f"column {column:,}")
        self._column = column
        if self._type == "s":
            self.shared += 1
        numeric = self._type in ("", "n")
        self._is_date = self._is_date and numeric
        self._watched = self._type == "e" or self._is_date or (self.lengths is not None and self._type == "s")
        if self._watched:
            self._text = []

    def _place(self, name: str) -> int:
        """Return the column of a cell such as ``AB12``, which must lie in its row and after the cells before it."""
        letters = name.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None:
            if not (letters.isascii() and letters.isalpha() and letters.isupper() and len(letters) <= 3):
                raise self._outside(f"a cell called {name[:20]!r}")
            column = 0
            for letter in letters:
                column = 26 * column + ord(letter) - 64
            self._columns[letters] = column
        if name[len(letters) :] != self._row_text:
            raise self._disorder(f"the cell {name[:20]} in row {self._row_text}")
        if column <= self._column:
            raise self._disorder(f"the cell {name[:20]} again, or after one further right")
        return column

    def _fill(self) -> None:
        """Note that something stands in the open cell."""
        place = (self._row, self._column)
        self.filled += 1
        self.low = (min(self.low[0], place[0]), min(self.low[1], place[1]))
        self.high = (max(self.high[0], place[0]), max(self.high[1], place[1]))
        if self._row < self.low[0] + TITLE_ROWS:
            self.first[self._row] = self.first.get(self._row, 0) + 1
        if self._watched:
            self._text = []
            self.parser.CharacterDataHandler = self._text.append

    def _judge(self) -> None:
        """Look at a cell that is closed."""
        self.parser.CharacterDataHandler = None
        self._watched = False
        text = "".join(self._text).strip()
        if self._type == "s":
            self._add(text)
        elif self._type == "e" and text:
            self._complain(text[:20])
        elif self._formula and not text and self._type != "str":
            self._complain("a formula without its value")
        elif self._is_date and text and (why := self._no_date(text)):
            self._complain(why)

    def _add(self, text: str) -> None:
        assert self.lengths is not None
        if text.isdecimal() and len(text) < 10 and int(text) < len(self.lengths):
            self.characters += self.lengths[int(text)]

    def _no_date(self, text: str) -> str:
        """Return why a number is no day, if it is none."""
        try:
            days = float(text)
        except ValueError:
            return f"{text[:20]!r} as a date"
        if not isfinite(days) or not 0 <= days < _END[self.from_1904]:
            return f"the date number {text[:20]}, which is no day"
        if not self.from_1904 and 60 <= days < 61:
            return "29 February 1900, a day that never was"
        return ""

    def _complain(self, what: str) -> None:
        self.wrong_cells += 1
        if len(self.wrong) < 5:
            self.wrong.append(f"{what} in {cell_name(self._row, self._column)}")

    def check(self, *, strict: bool, header_row: int | None) -> None:
        """Refuse a sheet whose cells lie too far apart, and, if ``strict``, what a reader would drop or change."""
        rows, columns = self.high[0] - self.low[0] + 1, self.high[1] - self.low[1] + 1
        if self.filled and rows * columns > max(SPARSE_CELLS, SPARSE_TIMES * self.filled):
            raise TableError(
                self._where,
                expected=f"a table: at least one of {SPARSE_TIMES} cells filled, or at most {SPARSE_CELLS:,} cells",
                got=f"{self.filled:,} filled cells between {cell_name(*self.low)} and {cell_name(*self.high)}",
                hint="delete what stands far from the table, or save the table as .csv",
            )
        if not strict:
            return
        if self.wrong:
            more = f" and {self.wrong_cells - len(self.wrong):,} more" if self.wrong_cells > len(self.wrong) else ""
            raise TableError(
                self._where,
                expected="a value in every cell that is not empty",
                got=", ".join(self.wrong) + more,
                hint="correct or empty these cells; a formula gets its value when a spreadsheet program saves the file",
            )
        rows_from = self.low[0]
        first = [self.first.get(row, 0) for row in range(rows_from, rows_from + TITLE_ROWS)]
        top = header_row or rows_from + titles(first, columns)
        merged = [cells for cells in self.merged if int(re.sub(r"\D", "", cells.rpartition(":")[2]) or 0) >= top]
        if merged:
            more = f" and {len(merged) - 5:,} more" if len(merged) > 5 else ""
            raise TableError(
                self._where,
                expected="one value in every cell",
                got=f"merged cells, of which only the first has one: {', '.join(merged[:5])}{more}",
                hint="unmerge them and fill in every cell",
            )

    @property
    def _where(self) -> str:
        return f"{self.path}, sheet {self.sheet.name!r}"

    def _outside(self, got: str) -> TableError:
        return TableError(
            self._where,
            expected=f"cells from A1 to {cell_name(EXCEL_ROWS, EXCEL_COLUMNS)}, the bounds of Excel",
            got=got,
            hint="save the table as .csv",
        )

    def _disorder(self, got: str) -> FileError:
        return FileError(self._where, expected="every cell once, in order", got=got, hint=_AGAIN)


def _check_strings(path: Path, book: zipfile.ZipFile, parts: dict[str, zipfile.ZipInfo], cells: _Cells) -> None:
    """Refuse texts beyond Excel's bound, and one text that many cells share and a reader would copy for each."""
    name = "xl/sharedstrings.xml"
    if not cells.shared or name not in parts:
        return
    lengths: list[int] = []
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_document_type
    inside = False

    def start(name: str, _: Any) -> None:
        nonlocal inside
        local = name.rpartition(":")[2]
        if local == "si":
            lengths.append(0)
        inside = local == "t"

    def characters(text: str) -> None:
        if inside and lengths:
            lengths[-1] += len(text)

    parser.StartElementHandler, parser.CharacterDataHandler, parser.buffer_text = start, characters, True
    with book.open(parts[name]) as stream:
        parser.ParseFile(_Unpacked(stream))
    longest = max(lengths, default=0)
    if longest > EXCEL_CELL_CHARACTERS:
        raise too_long(f"{path}, sheet {cells.sheet.name!r}")
    most = most_unpacked(path.stat().st_size)
    if cells.shared * longest <= most:
        return
    again = _Cells(path=path, sheet=cells.sheet, dates=frozenset(), from_1904=False, lengths=lengths)
    _parse(book, parts[cells.sheet.part], again.start, again)
    again.finish()
    if again.characters > most:
        raise too_much(f"{path}, sheet {cells.sheet.name!r}", most, f"{again.characters:,} characters of shared text")


def too_long(where: str) -> TableError:
    """Explain a cell beyond Excel's bound."""
    return TableError(
        where, expected=f"cells of at most {EXCEL_CELL_CHARACTERS:,} characters, the bound of Excel", got="a longer one"
    )


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell, ``A1`` for the first."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return f"{letters}{row}"


_AGAIN = "open the file in a spreadsheet program and save it again"
