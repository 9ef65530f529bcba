"""Delimited text (CSV and its kin) as a table of text."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import polars as pl

from nymity.core.errors import TableError
from nymity.core.quoting import quoted
from nymity.core.separator import separator_line
from nymity.io.dialect import detect_delimiter, has_header, sample_rows
from nymity.io.format import Format
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.lossless import typed
from nymity.io.options import ReadOptions
from nymity.io.scan import Outline, Scanner, ragged, too_wide
from nymity.io.source import detect_encoding, empty, utf8_chunks


def read_delimited(path: Path, promised: Format, options: ReadOptions) -> pl.DataFrame:
    """Read delimited text: every cell as text first, then typed where nothing is lost."""
    return typed(read_cells(path, promised, options))


def read_cells(path: Path, promised: Format, options: ReadOptions) -> pl.DataFrame:
    """Read delimited text, every cell as text.

    Cells may be quoted as in RFC 4180; an empty cell, quoted or not, is missing. A quote in the middle of an
    unquoted cell is an ordinary character. Empty lines are skipped, but in a table of one column they are missing
    cells. The text is parsed by Polars; a scan of ours counts rows and fields first, because Polars fills short rows
    silently. Text with stray quotes or old line ends takes the slower parser of the standard library.
    """
    text = _load(path, promised, options)
    cells = _parse_fast(text)
    if cells is None:
        cells = _parse_exactly(text)
    header = options.header if options.header is not None else text.header_seen
    if not header:
        return cells
    names = named(f"{path}, header", list(cells.row(0)))
    return cells.slice(1).rename(dict(zip(cells.columns, names, strict=True)))


def found_dialect(path: Path, promised: Format, options: ReadOptions) -> ReadOptions:
    """Return the options with what would be found out about a file: delimiter, encoding and header."""
    encoding = options.encoding or detect_encoding(path, promised)
    text = _load(path, promised, replace(options, encoding=encoding))
    header = options.header if options.header is not None else text.header_seen
    return replace(options, delimiter=text.delimiter, encoding=encoding, header=header)


@dataclass(frozen=True, kw_only=True)
class _Text:
    where: str
    content: bytes
    delimiter: str
    first_line: int
    header_seen: bool
    outline: Outline


def _load(path: Path, promised: Format, options: ReadOptions) -> _Text:
    """Stream the file in, refusing ragged rows and boundless cells on the way."""
    pieces = utf8_chunks(path, promised, options.encoding)
    sample, first, named = _without_top(pieces)
    if not sample:
        raise empty(path)
    delimiter = options.delimiter or named or detect_delimiter(sample, prefer_tab=promised.is_tabbed)
    rows = sample_rows(sample, delimiter)
    scanner, content = Scanner(str(path), delimiter, first), io.BytesIO()
    for piece in chain([sample.encode()], pieces):
        scanner.feed(piece)
        content.write(piece)
    return _Text(
        where=str(path),
        content=content.getvalue(),
        delimiter=delimiter,
        first_line=first,
        header_seen=has_header(rows) if rows else True,
        outline=scanner.finish(),
    )


def _without_top(pieces: Iterator[bytes]) -> tuple[str, int, str | None]:
    """Return the first piece with a row in it, the number of its first line, and the delimiter that is named above it.

    Empty lines at the top belong to no row, nor does ``sep=;``, which tells spreadsheets the delimiter.
    """
    line, delimiter = 1, None
    for piece in pieces:
        text = piece.decode()
        rows = text.lstrip("\r\n")
        if delimiter is None and (named := separator_line(rows)) is not None:
            delimiter, rows = named[0], rows[named[1] :].lstrip("\r\n")
        line += len(text[: len(text) - len(rows)].splitlines())
        if rows:
            return rows, line, delimiter
    return "", line, delimiter


def _parse_fast(text: _Text) -> pl.DataFrame | None:
    """Parse with Polars, or return None where only the exact parser will do."""
    outline = text.outline
    if not outline.regular or (outline.gaps and outline.fields > 1):
        return None
    content = text.content.rstrip(b"\r\n") if outline.fields > 1 else text.content
    names = _numbered(outline.fields)
    try:
        table = pl.read_csv(
            content,
            has_header=False,
            schema=dict.fromkeys(names, pl.String),
            separator=text.delimiter,
        )
    except pl.exceptions.PolarsError:
        return None
    if table.height != outline.rows:
        return None
    return _with_missing(table) if outline.quoted else table


def _parse_exactly(text: _Text) -> pl.DataFrame:
    """Parse with the standard library: slower, but right about stray quotes and all line ends."""
    rows = list(_exact_rows(text))
    names = _numbered(len(rows[0]))
    columns = zip(*rows, strict=True)
    return _with_missing(
        pl.DataFrame([pl.Series(name, cells, dtype=pl.String) for name, cells in zip(names, columns, strict=True)])
    )


def _exact_rows(text: _Text) -> Iterator[Sequence[str]]:
    with _CellLimit():
        reader = csv.reader(
            io.StringIO(text.content.decode(), newline=""), delimiter=text.delimiter, strict=True, doublequote=True
        )
        width, line = 0, text.first_line
        try:
            for row in reader:
                cells = row or [""]
                if not width:
                    width = len(cells)
                    if width > MAX_COLUMNS:
                        raise too_wide(text.where, width)
                if row or width == 1:
                    if len(cells) != width:
                        raise ragged(text.where, line, width, len(cells), text.delimiter)
                    yield cells
                line = text.first_line + reader.line_num
        except csv.Error as error:
            raise _malformed(text.where, line, error) from error


class _CellLimit:
    """Lets the standard parser take cells up to MAX_CELL_BYTES; its limit is one number for the whole process."""

    _lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._earlier = csv.field_size_limit(MAX_CELL_BYTES)

    def __exit__(self, *_: object) -> None:
        csv.field_size_limit(self._earlier)
        self._lock.release()


def _malformed(where: str, line: int, error: csv.Error) -> TableError:
    if "field larger" in str(error):
        expected, got = f"cells of at most {MAX_CELL_BYTES:,} characters", "a longer one"
    elif "unexpected end" in str(error):
        expected, got = "every quote to be closed", "the end of the file inside the quoted cell that starts here"
    else:
        expected, got = "a delimiter or line end after a closing quote", "other text"
    return TableError(
        f"{where}, line {line}", expected=expected, got=got, hint='write quotes inside a quoted cell twice: "a ""b"" c"'
    )


def named(where: str, names: Sequence[str | None]) -> list[str]:
    """Return the names of a header row, refusing empty and repeated ones."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if not name:
            last = "remove the delimiter if all lines end with one, or " if place == len(names) else ""
            raise TableError(
                where,
                expected="a name for every column",
                got=f"an empty name for column {place}",
                hint=f"{last}name the column, or give header=False (--no-header) when the first row holds data",
            )
        if name in seen:
            raise TableError(
                where,
                expected="different names for all columns",
                got=f"{quoted(name)} for columns {seen[name]} and {place}",
                hint="rename one of them, or give header=False (--no-header) when the first row holds data",
            )
        seen[name] = place
    return list(seen)


def _numbered(width: int) -> list[str]:
    return [f"column_{place}" for place in range(1, width + 1)]


def _with_missing(table: pl.DataFrame) -> pl.DataFrame:
    """Make empty cells missing."""
    return table.with_columns(pl.when(pl.all() != "").then(pl.all()))
