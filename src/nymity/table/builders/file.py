"""HierarchyFile: hierarchies kept in CSV files, in the form ARX writes."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl

from nymity.core.csv_lines import separator_line
from nymity.core.errors import FileError, HierarchyError, ParameterError
from nymity.core.files import open_file
from nymity.core.paths import path_text
from nymity.core.quoting import as_given, quoted
from nymity.core.unpacking import gunzipped
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.text import MASK

DELIMITERS = ";,\t|"
#: Characters of a file from which on polars is faster than the standard library.
_LARGE = 50_000

#: Line number in the file and the cells of that line.
Line = tuple[int, list[str]]


@dataclass(frozen=True, kw_only=True)
class HierarchyFile:
    """Read the hierarchy from a file: one line per raw value, level 0 first, no header.

    ``delimiter`` is found out when not given (``;``, ``,``, tab or ``|``). A relative path is relative to where the
    program runs; a job makes it relative to itself beforehand.
    """

    key: ClassVar[str] = "file"
    coarser: ClassVar[str] = "groups of a classification"

    path: str
    delimiter: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_text("file.path", self.path))
        if self.delimiter is not None:
            check_delimiter("file.delimiter", self.delimiter)

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Read the file and check it against the column."""
        return read_hierarchy(Path(self.path), delimiter=self.delimiter).build(values, where=where)


def read_hierarchy(path: Path, *, delimiter: str | None = None) -> Hierarchy:
    """Read an ARX-style CSV file (UTF-8, with or without byte order mark, plain or gzipped).

    Empty cells are missing values, blank lines are skipped, and a last column that is empty everywhere (lines
    ending with the delimiter) is left out. Without ``delimiter`` the first of ``;``, ``,``, tab and
    ``|`` is taken that makes a hierarchy with the top ``*``, else the one that makes the highest hierarchy; if none
    makes a valid one, the most frequent is taken and what is wrong then is reported.
    """
    text = read_text(path)
    if (named := separator_line(text)) is not None and named[0] in DELIMITERS:  # of a spreadsheet
        delimiter, text = delimiter or named[0], text[named[1] :]
    if delimiter is not None:
        check_delimiter("delimiter", delimiter)
        return _parsed(path, text, delimiter)
    valid: list[Hierarchy] = []
    for candidate in DELIMITERS:
        try:
            hierarchy = _parsed(path, text, candidate)
        except (FileError, HierarchyError):
            continue
        if hierarchy.labels[-1][0] == MASK:
            return hierarchy
        valid.append(hierarchy)
    if valid:
        return max(valid, key=lambda hierarchy: hierarchy.height)
    return _hierarchy(path, parse_lines(path, text, max(DELIMITERS, key=text.count)))


def read_text(path: Path) -> str:
    """Read a UTF-8 file, unpacking gzip; every way this can fail is a :class:`FileError`."""
    try:
        with open_file(path) as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            content = b"".join(gunzipped(path, file)) if packed else file.read()
        return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise FileError(str(path), expected="a hierarchy file", got="no such file") from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(
            f"{path}, line {line}", expected="UTF-8 text", got="other bytes", hint="save the file as UTF-8"
        ) from error
    except OSError as error:
        raise FileError(str(path), expected="a file that can be read", got=error.strerror or str(error)) from error


def _parsed(path: Path, text: str, delimiter: str) -> Hierarchy:
    """Make a hierarchy of text: by polars where it is plain, else line by line, which tells what is wrong."""
    columns = _plain_columns(text, delimiter) if len(text) >= _LARGE else None
    if columns is None or columns[0].n_unique() < len(columns[0]):
        return _hierarchy(path, parse_lines(path, text, delimiter))
    if len(columns) > 1 and not (columns[-1] != "").any():
        columns = columns[:-1]
    return Hierarchy.from_columns(columns, where=str(path))


def _plain_columns(text: str, delimiter: str) -> list[pl.Series] | None:
    """Split text that has one cell between two delimiters and as many of them in every line; None if it is not so.

    Quotes, blank lines and lone carriage returns are left to :mod:`csv`, as is a mark that polars would take off.
    """
    text = text.replace("\r\n", "\n")
    lines = text.count("\n") + (not text.endswith("\n"))
    width = text[: text.find("\n") if lines > 1 else None].count(delimiter) + 1
    odd = any(mark in text for mark in ('"', "\r", "\0", "\n\n")) or text[:1] in ("", "\n", "\ufeff")
    if odd or not delimiter.isascii() or text.count(delimiter) != (width - 1) * lines:
        return None
    try:
        table = pl.read_csv(
            text.encode(),
            has_header=False,
            separator=delimiter,
            quote_char=None,
            infer_schema=False,
            empty_string_is_null=False,
        )
    except pl.exceptions.ComputeError:  # a line with more cells than the first
        return None
    return table.get_columns() if table.shape == (lines, width) else None


def parse_lines(path: Path, text: str, delimiter: str) -> list[Line]:
    """Split text into numbered lines of cells, leaving out blank ones."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[Line] = []
    start = 1
    try:
        for cells in reader:
            if cells:
                lines.append((start, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        raise FileError(f"{path}, line {start}", expected="well-formed CSV", got=str(error)) from error
    return lines


def check_delimiter(where: str, delimiter: object) -> None:
    """Refuse what cannot stand between cells."""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"':
        raise ParameterError(where, expected="one character, such as ';'", got=as_given(delimiter))


def _hierarchy(path: Path, lines: list[Line]) -> Hierarchy:
    if not lines:
        raise FileError(str(path), expected="one line per value", got="an empty file")
    width = len(lines[0][1])
    seen: dict[str, int] = {}
    for number, cells in lines:
        if len(cells) != width:
            raise HierarchyError(
                f"{path}, line {number}",
                expected=f"{width} levels, as in line {lines[0][0]}",
                got=f"{len(cells)} levels for {quoted(cells[0] or None)}",
                hint="repeat a value on the levels where it does not change",
            )
        if cells[0] in seen:
            raise HierarchyError(
                f"{path}, line {number}",
                expected="each value once",
                got=f"{quoted(cells[0] or None)} again, first in line {seen[cells[0]]}",
            )
        seen[cells[0]] = number
    # A delimiter at the end of every line makes an empty last column, which is no level.
    keep = width - 1 if width > 1 and not any(cells[-1] for _, cells in lines) else width
    rows: list[list[Label]] = [[cell or None for cell in cells[:keep]] for _, cells in lines]
    return Hierarchy.from_rows(rows, where=str(path))
