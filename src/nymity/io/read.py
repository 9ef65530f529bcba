"""Reading a table from a file, by suffix."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from nymity.core import validation
from nymity.core.paths import path_text
from nymity.io.coded import CodedColumn, CodedTable
from nymity.io.column_names import RepeatedNameError
from nymity.io.detection import DetectedReading, detect_reading
from nymity.io.dictionary import Dictionary
from nymity.io.format import Format
from nymity.io.formats import confirmed_format
from nymity.io.lossless import typed, typed_and_told
from nymity.io.options import ReadOptions
from nymity.io.proposal import Proposal, quoted_cell
from nymity.io.values import Valued, valued, valued_cells, valued_columns


def read_table(path: str | os.PathLike[str], options: ReadOptions = ReadOptions()) -> pl.DataFrame:  # noqa: B008 -- frozen
    """Read a table: text (.csv, .tsv, .txt, each also .gz), .jsonl, .parquet (also a folder), .arrow, .feather, .xlsx,
    SPSS, Stata and SAS files, or one of these in .zip or .zst.

    Text becomes Int64, Float64 or Date only where no value is lost; an empty cell is missing, and so is what the
    options take for missing.
    A file without rows below its header gives a table without rows. Everything that is wrong with the file is a
    FileError, everything wrong with its rows and columns a TableError, with the line where there is one.
    """
    place = Path(path_text("path", path))
    validation.instance("options", options, ReadOptions, expected="ReadOptions(...)")
    return read_valued(place, options).table


def read_valued(path: str | os.PathLike[str], options: ReadOptions, *, text_as_numbers: bool = False) -> Valued:
    """Read a table as :func:`read_table` does, and tell what was taken as missing.

    With ``text_as_numbers`` the text of a large table may be numbers (:mod:`nymity.table.numbered_text`).
    """
    place = Path(path_text("path", path))
    with confirmed_format(place).opened(place) as (form, inner):
        if (coded := form.read_coded(inner, options)) is not None:
            columns, taken = valued_columns(_typed(coded[0], options), options, str(place))
            return Valued(table=CodedTable(columns).frame(text_as_numbers=text_as_numbers), taken=taken, found=coded[1])
        table, found = form.read_found(inner, options)
        if form.is_text:
            table = typed(table, point=options.has_point)
        read = valued(table, form.declared(inner, table, options), str(place))
        return replace(read, dictionary=form.described(inner), found=found)


def read_detected(
    path: str | os.PathLike[str], options: ReadOptions, dictionary: Dictionary | None = None
) -> tuple[pl.DataFrame | CodedTable, DetectedReading, Dictionary]:
    """Read a table that nobody described yet: as it seems to be meant, with what speaks for that.

    And with what is known of its columns, from the file itself and from the ``dictionary`` beside it.
    """
    place = Path(path_text("path", path))
    with confirmed_format(place).opened(place) as (form, inner):
        known = (dictionary or Dictionary()).joined(form.described(inner))
        chosen, asked = form.proposed(inner, options)
        try:
            table, found = _read_detected(form, inner, chosen, known, str(place))
        except RepeatedNameError as error:
            # Columns with the same name are numbered and asked about; somebody who states how to read is refused
            # instead.
            chosen = replace(chosen, numbered=(*chosen.numbered, *error.names))
            table, found = _read_detected(form, inner, chosen, known, str(place))
        proposals = (*asked, *edge_proposals(options, found.options), *found.proposals)
        return table, replace(found, proposals=proposals), known


def _read_detected(
    form: Format, path: Path, options: ReadOptions, known: Dictionary, where: str
) -> tuple[pl.DataFrame | CodedTable, DetectedReading]:
    if (coded := form.read_coded(path, options)) is not None:
        columns, found = _detected(coded[0], coded[1], known)
        return CodedTable(valued_columns(columns, found.options, where)[0]), found
    table, options = form.read_found(path, options)
    if form.is_text:
        table, found = _cells_detected(table, options, known)
    else:
        found = detect_reading(table, options, known)
    return valued(table, form.declared(path, table, found.options), where).table, found


def _cells_detected(
    table: pl.DataFrame, options: ReadOptions, known: Dictionary
) -> tuple[pl.DataFrame, DetectedReading]:
    """Find out what cells of text mean, and give columns the types that they have then."""
    texts = {name: table[name] for name, kind in table.schema.items() if kind == pl.String}
    table = typed(table, point=options.has_point)
    stood = pl.DataFrame([cells for name, cells in texts.items() if _has_points(cells, table[name], options)])
    del texts
    found = detect_reading(table, options, known, texts=stood)
    if found.options.has_point != options.has_point:
        table = table.with_columns(typed(stood, point=False).get_columns())
    return table, found


def valued_texts(table: pl.DataFrame, options: ReadOptions, where: str) -> Valued:
    """Apply what is stated about cells to a table that has types already: its text is read as that of a file.

    Where nothing is stated, it stays what it is.
    """
    return valued(typed(table, point=options.has_point), options, where) if options.of_values else Valued(table=table)


def detected_texts(
    table: pl.DataFrame, options: ReadOptions, known: Dictionary, where: str
) -> tuple[pl.DataFrame, DetectedReading]:
    """Find out what the text of such a table means, and read it so; where nothing is found it stays what it is."""
    found = _cells_detected(table, options, known)[1]
    return valued_texts(table, found.options, where).table, found


def _has_points(cells: pl.Series, numbers: pl.Series, options: ReadOptions) -> bool:
    """Return whether numbers were read from cells with points, which may have been thousands.

    Whole numbers such as 10.000 are looked for where cells are not separated by commas, as where decimals have them.
    """
    if not numbers.dtype.is_integer() or options.delimiter == ",":
        return numbers.dtype.is_float()
    return bool(cells.alias("cells").str.contains(".", literal=True).any())


def _typed(columns: Iterable[CodedColumn], options: ReadOptions) -> tuple[CodedColumn, ...]:
    """Give columns the types that all their values can have."""
    return tuple(_as_typed(one, *typed_and_told(one.values, point=options.has_point)) for one in columns)


def _as_typed(column: CodedColumn, values: pl.Series, told: bool) -> CodedColumn:
    """Different texts may be equal values: 67 and 67.0."""
    return replace(column, values=values, as_cut=column.as_cut and told)


def _detected(
    texts: Sequence[CodedColumn], options: ReadOptions, known: Dictionary
) -> tuple[tuple[CodedColumn, ...], DetectedReading]:
    """Find out what cells mean, and give columns the types that they have then."""
    columns = _typed(texts, options)
    stood = [text for text, one in zip(texts, columns, strict=True) if _has_points(text.values, one.values, options)]
    found = detect_reading(CodedTable(columns), options, known, texts=CodedTable(stood))
    if found.options.has_point == options.has_point:
        return columns, found
    again = {one.name: one for one in _typed(stood, found.options)}
    return tuple(again.get(one.name, one) for one in columns), found


def reread_table(
    path: str | os.PathLike[str], options: ReadOptions, expected: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Read a table that :func:`~nymity.io.write_table` wrote: every cell as it was.

    Where the file holds the rows of ``expected``, that is returned: they need not lie in memory twice.
    """
    place = Path(path_text("path", path))
    form = confirmed_format(place)
    if expected is not None:
        if (coded := form.reread_coded(place, options)) is not None:
            return expected if coded.equals(expected) else coded.frame()
        if form.holds(place, expected):
            return expected
    return form.reread(place, options)


def read_text_cells(
    path: str | os.PathLike[str], options: ReadOptions, columns: Collection[str] | None = None
) -> pl.DataFrame:
    """Read a file as text: cells of text files as they stand there, of others as :func:`text_cells` writes them.

    Rows of a spreadsheet without any cell are left out, wherever they stand.
    """
    place = Path(path_text("path", path))
    return valued_cells(confirmed_format(place).read_texts(place, options, columns), options)


def edge_proposals(given: ReadOptions, found: ReadOptions) -> Iterator[Proposal]:
    """Yield what was found about titles, sums and names of columns, and nobody stated."""
    if found.header_row != given.header_row:
        last = (found.header_row or 1) - 1
        above = "row 1 above it is" if last == 1 else f"rows 1 to {last} above it are"
        evidence = f"{above} mostly empty or {'has' if last == 1 else 'have'} fewer cells, as titles do"
        yield Proposal(field="header_row", value=str(found.header_row), columns=(), evidence=evidence)
    if found.footer != given.footer:
        rows = "the last row looks" if found.footer == 1 else f"the last {found.footer} rows look"
        evidence = f"{rows} like a sum or a remark below the records: a first word such as Total, and empty cells"
        yield Proposal(field="footer", value=str(found.footer), columns=(), evidence=evidence)
    for name in found.numbered:
        if name not in given.numbered:
            shown = quoted_cell(name)
            evidence = (
                f"several columns are called {shown} in the file; they are numbered from left to right, and none is "
                f"called {shown} here: look at what each holds, for they get roles of their own"
            )
            yield Proposal(field="numbered", value=name, columns=(), evidence=evidence, sure=False)
