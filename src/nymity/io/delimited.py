"""Delimited text (CSV and its kin) as a table of text."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import IO

import polars as pl

from nymity.core.csv_lines import csv_rows, separator_line
from nymity.core.errors import FileError, TableError
from nymity.core.quoting import quoted, relayed
from nymity.io.coded import CodedColumn, CodedTable
from nymity.io.column_names import named
from nymity.io.dialect import detect_delimiter, has_header, sample_rows, split_lines, with_all_names
from nymity.io.file_content import detect_encoding, empty, marked_encoding, utf8_chunks
from nymity.io.format import GZIP, SpreadsheetFormat
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.lossless import typed, typed_column
from nymity.io.options import ReadOptions, WriteOptions
from nymity.io.scan import Outline, Scanner, ragged, too_wide
from nymity.io.table_edges import Ending, beginning
from nymity.table.numbered_text import with_plain_text

#: A number as floats are written shortest; codes such as 250.10 are not.
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:[.,](?:0|[0-9]*[1-9]))?"
_CELL = rf"^(?:\*|{_NUMBER}\+?|{_NUMBER}(?:-| to | to under ){_NUMBER})$"

#: Bytes from which on a file is read by its different cells: below that, what does it takes longer to load.
LARGE, PACKED_LARGE = 2**24, 2**21


@dataclass(frozen=True, kw_only=True)
class Delimited(SpreadsheetFormat):
    """Text with a delimiter between cells, packed by gzip or not; a suffix that says ``tabbed`` always has tabs.

    Cells may be quoted as in RFC 4180; an empty cell, quoted or not, is missing. A quote in the middle of an
    unquoted cell is an ordinary character. Empty lines are skipped, but in a table of one column they are missing
    cells. The text is parsed by Polars; a scan of ours counts rows and fields first, because Polars fills short rows
    silently. Text with stray quotes or old line ends takes the slower parser of the standard library. Titles above the
    header, sums and remarks below the records, and a delimiter at the end of all lines are no part of the table; where
    each cell is read by itself (:meth:`read_texts`), titles and sums are those that are stated.
    """

    tabbed: bool = False

    guesses = ("delimiter", "encoding", "header")
    is_text = True
    takes_numbers = True

    @property
    def compressed(self) -> bool:
        """Whether the text is packed."""
        return self.signature is GZIP

    def read(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read every cell as text first, then typed where nothing is lost."""
        return typed(self.read_texts(path, options), point=options.has_point)

    def reread(self, path: Path, options: ReadOptions) -> pl.DataFrame:
        """Read numbers only where writing them gives the same text."""
        if (coded := self.reread_coded(path, options)) is not None:
            return coded.frame()
        texts = self.read_texts(path, options)
        return typed(texts if options.has_point else swap_marks(texts), exactly=True)

    def reread_coded(self, path: Path, options: ReadOptions) -> CodedTable | None:
        """Read a large file by its different cells, as :meth:`reread` does."""
        whole = replace(options, footer=options.footer or 0)
        if not options.has_point or (coded := self.read_coded(path, whole, finds_titles=False)) is None:
            return None
        return CodedTable(one.valued(typed_column(one.values, exactly=True)) for one in coded[0])

    def read_texts(self, path: Path, options: ReadOptions, columns: Collection[str] | None = None) -> pl.DataFrame:
        """Read every cell as the text that stands there."""
        return _cells(self._load(path, replace(options, footer=options.footer or 0), finds_titles=False), options)

    def read_found(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, ReadOptions]:
        """Read the text once for both."""
        encoding = options.encoding or detect_encoding(path, compressed=self.compressed)
        text = self._load(path, replace(options, encoding=encoding))
        header = options.header if options.header is not None else text.header_seen
        found = replace(options, delimiter=text.delimiter, encoding=encoding, header=header)
        return _cells(text, options), replace(found, header_row=text.header_row, footer=text.footer)

    def read_coded(
        self, path: Path, options: ReadOptions, *, finds_titles: bool = True
    ) -> tuple[tuple[CodedColumn, ...], ReadOptions] | None:
        """Read a large file by its different cells, if it is regular; whatever else it is, the other ways tell."""
        try:
            if path.stat().st_size < (PACKED_LARGE if self.compressed else LARGE):
                return None
        except OSError:
            return None
        # Most files are UTF-8; finding out takes one more pass, so it is found out by reading.
        encoding = options.encoding or marked_encoding(path, compressed=self.compressed)
        try:
            return self._coded(path, replace(options, encoding=encoding or "utf-8"), finds_titles)
        except FileError:
            if encoding is not None:
                return None
        other = detect_encoding(path, compressed=self.compressed)
        return None if other == "utf-8" else self._coded(path, replace(options, encoding=other), finds_titles)

    def _coded(
        self, path: Path, options: ReadOptions, finds_titles: bool
    ) -> tuple[tuple[CodedColumn, ...], ReadOptions] | None:
        from nymity.io.coder import Coder  # which loads numba

        pieces = utf8_chunks(path, compressed=self.compressed, encoding=options.encoding)
        top = _Top.of(path, pieces, options, prefer_tab=self.tabbed, finds_titles=finds_titles)
        sample, delimiter = top.sample, top.delimiter
        header = options.header if options.header is not None else top.header_seen
        first = _first_row(sample, delimiter)
        if first is None or not 1 < len(first[0]) <= MAX_COLUMNS:
            return None
        try:
            names = named(str(path), first[0], options.numbered) if header else _numbered(len(first[0]))
        except TableError:
            return None
        rest = sample[first[1] :] if header else sample
        size = 0 if self.compressed else path.stat().st_size
        ending = Ending(str(path), delimiter, len(names), options.footer)
        # None where a row is irregular: the slow reader then says which, and what is wrong with it.
        columns = Coder(names, delimiter, size).coded(ending.passed(chain([rest.encode()], pieces)))
        if columns is None:
            return None
        found = replace(options, delimiter=delimiter, header=header, header_row=top.header_row)
        return columns, replace(found, footer=ending.rows or options.footer)

    def found_options(self, path: Path, options: ReadOptions) -> ReadOptions:
        """Find out delimiter, encoding and header."""
        return self.read_found(path, options)[1]

    def read_back(self, options: WriteOptions) -> ReadOptions:
        """With the delimiter, the encoding and the decimal mark it was written with."""
        return ReadOptions(
            delimiter=self._delimiter(options),
            encoding=options.encoding,
            decimal=options.decimal,
            header=True,
            footer=0,
        )

    def write_cells(self, cells: pl.DataFrame, path: Path, options: WriteOptions) -> None:
        """Write text, quoted where needed; missing cells are empty."""
        if options.decimal == ",":
            cells = swap_marks(with_plain_text(cells))
        if cells.width == 1:
            # A missing cell alone in its row would be an empty line, which many readers skip; this way it is "".
            cells = cells.select(pl.all().cast(pl.String).fill_null(""))
        with path.open("wb") as file:
            if not self.compressed:
                _write_csv(cells, file, self._delimiter(options), options.encoding)
                return
            # Neither name nor time in the gzip header: the same table gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                _write_csv(cells, packed, self._delimiter(options), options.encoding)

    def _delimiter(self, options: WriteOptions) -> str:
        return "\t" if self.tabbed else options.delimiter

    def _load(self, path: Path, options: ReadOptions, *, finds_titles: bool = True) -> _Text:
        """Stream the file in, refusing ragged rows and boundless cells on the way."""
        pieces = utf8_chunks(path, compressed=self.compressed, encoding=options.encoding)
        top = _Top.of(path, pieces, options, prefer_tab=self.tabbed, finds_titles=finds_titles)
        if not top.sample:
            raise empty(path)
        scanner, content = Scanner(str(path), top.delimiter, top.line), io.BytesIO()
        ending = Ending(str(path), top.delimiter, top.width, options.footer)
        for piece in ending.passed(chain([top.sample.encode()], pieces)):
            scanner.feed(piece)
            content.write(piece)
        return _Text(
            where=str(path),
            content=content.getvalue(),
            delimiter=top.delimiter,
            first_line=top.line,
            header_seen=top.header_seen,
            header_row=top.header_row,
            footer=ending.rows or options.footer,
            outline=scanner.finish(),
        )


CSV = Delimited(suffix=".csv")
CSV_GZ = Delimited(suffix=".csv.gz", signature=GZIP)
TSV = Delimited(suffix=".tsv", tabbed=True)
TSV_GZ = Delimited(suffix=".tsv.gz", tabbed=True, signature=GZIP, released=False)
TXT = Delimited(suffix=".txt", released=False)
TXT_GZ = Delimited(suffix=".txt.gz", signature=GZIP, released=False)


@dataclass(frozen=True, kw_only=True)
class _Text:
    where: str
    content: bytes
    delimiter: str
    first_line: int
    header_seen: bool
    header_row: int | None
    footer: int | None
    outline: Outline


@dataclass(frozen=True, kw_only=True)
class _Top:
    """The first piece of a text from its header on, in which line that is, and what separates cells.

    ``header_row`` is the line if titles stand above, or None. ``width`` counts the cells of the first row.
    """

    sample: str
    line: int
    delimiter: str
    header_row: int | None
    width: int
    header_seen: bool

    @staticmethod
    def of(
        path: Path, pieces: Iterator[bytes], options: ReadOptions, *, prefer_tab: bool, finds_titles: bool = True
    ) -> _Top:
        """Look at the first piece; titles are looked for unless somebody states the header's line, or that none is."""
        if options.header_row is not None:
            sample, line, named_above = *_from_line(path, pieces, options.header_row), None
        else:
            sample, line, named_above = _without_top(pieces)
        delimiter = options.delimiter or named_above or detect_delimiter(sample, prefer_tab=prefer_tab)
        rows, header_row = sample_rows(sample, delimiter), options.header_row
        full = with_all_names(sample, delimiter, rows) if finds_titles and options.header is not False else None
        if full is not None:
            sample, rows = full, sample_rows(full, delimiter)
        elif finds_titles and header_row is None and options.header is not False:
            below = beginning(sample, options.delimiter or named_above, rows)
            if below is not None:
                sample, line = "".join(split_lines(sample)[below.line :]), line + below.line
                delimiter, header_row = below.delimiter, line
                rows = sample_rows(sample, delimiter)
        return _Top(
            sample=sample,
            line=line,
            delimiter=delimiter,
            header_row=header_row,
            width=len(rows[0]) if rows else 0,
            header_seen=header_row is not None or full is not None or not rows or has_header(rows),
        )


def _cells(text: _Text, options: ReadOptions) -> pl.DataFrame:
    """Parse the text, and name its columns."""
    cells = _parse_fast(text)
    if cells is None:
        cells = _parse_exactly(text)
    header = options.header if options.header is not None else text.header_seen
    if not header:
        return cells
    given = list(cells.row(0))
    cells = cells.slice(1)
    while len(given) > 1 and not given[-1] and cells[:, -1].null_count() == cells.height:
        given, cells = given[:-1], cells[:, :-1]  # all lines end with a delimiter
    names = named(f"{text.where}, header", given, options.numbered)
    return cells.rename(dict(zip(cells.columns, names, strict=True)))


def _first_row(sample: str, delimiter: str) -> tuple[list[str], int] | None:
    """Return the cells of the first row and where the next one starts, if there is one."""
    end = sample.find("\n")
    while end >= 0 and sample.count('"', 0, end) % 2:
        end = sample.find("\n", end + 1)
    if end < 0:
        return None
    try:
        rows = list(csv.reader(io.StringIO(sample[: end + 1], newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return (rows[0], end + 1) if len(rows) == 1 else None


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


def _from_line(path: Path, pieces: Iterator[bytes], line: int) -> tuple[str, int]:
    """Return the first piece from a line on, which must lie in it and not be empty."""
    lines = split_lines(next(pieces, b"").decode())
    if len(lines) < line or not lines[line - 1].strip("\r\n"):
        raise FileError(
            str(path),
            expected=f"names of columns in line {line} (header_row)",
            got=f"{len(lines)} lines" if len(lines) < line else "an empty line",
            hint="count the lines from 1, empty ones too",
        )
    return "".join(lines[line - 1 :]), line


def _parse_fast(text: _Text) -> pl.DataFrame | None:
    """Parse with Polars, or return None where only the exact parser will do."""
    outline = text.outline
    if not outline.regular or (outline.gaps and outline.fields > 1):
        return None
    content = text.content
    if outline.fields > 1 and content.endswith((b"\n\n", b"\n\r\n")):  # one line end does no harm, and a copy costs
        content = content.rstrip(b"\r\n")
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


def _write_csv(cells: pl.DataFrame, file: IO[bytes] | gzip.GzipFile, delimiter: str, encoding: str) -> None:
    if codecs.lookup(encoding).name == "utf-8":
        file.write(cells.clear().write_csv(separator=delimiter).encode())  # the header
        for lines in csv_rows(cells, separator=delimiter):
            file.write(lines)
        return
    try:
        file.write(cells.write_csv(separator=delimiter).encode(encoding))
    except UnicodeEncodeError as error:
        raise TableError(
            "table",
            expected=f"characters that {encoding} has",
            got=quoted(error.object[error.start]),
            hint='encoding = "utf-8" in [output], ny.Output; or write .parquet',
        ) from error
    except UnicodeError as error:  # a codec of names, such as idna, has no place for long texts
        raise TableError(
            "table",
            expected=f"texts that {encoding} can write",
            got=relayed(error, "one that it cannot"),
            hint='encoding = "utf-8" in [output], ny.Output; or write .parquet',
        ) from error


def _numbered(width: int) -> list[str]:
    return [f"column_{place}" for place in range(1, width + 1)]


def _with_missing(table: pl.DataFrame) -> pl.DataFrame:
    """Make empty cells missing."""
    return table.with_columns(pl.when(pl.all() != "").then(pl.all()))


def swap_marks(table: pl.DataFrame) -> pl.DataFrame:
    """Let points and commas change places in columns of numbers; floats become text, and whole numbers have neither."""
    return pl.DataFrame([_swapped(column.alias("cells")).alias(column.name) for column in table.get_columns()])


def _swapped(cells: pl.Series) -> pl.Series:
    texts = cells.cast(pl.String) if cells.dtype.is_float() else cells
    if texts.dtype != pl.String or not texts.str.contains(_CELL).all():
        return texts
    between = "\x00"
    points = texts.str.replace_all(",", between, literal=True).str.replace_all(".", ",", literal=True)
    return points.str.replace_all(between, ".", literal=True)
