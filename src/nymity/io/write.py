"""Writing a table to a file, by suffix, whole or not at all."""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path
from typing import IO, Any

import polars as pl

from nymity.core import validation
from nymity.core.commit import replace_file
from nymity.core.errors import FileError, TableError
from nymity.core.paths import path_text
from nymity.core.quoting import relayed
from nymity.core.system_errors import error_number
from nymity.io.compact import compact
from nymity.io.excel import write_excel
from nymity.io.format import Format, format_of
from nymity.io.frame import to_polars
from nymity.io.neutralize import neutralize
from nymity.io.options import WriteOptions


def write_table(
    table: Any,
    path: str | os.PathLike[str],
    options: WriteOptions = WriteOptions(),  # noqa: B008 -- frozen
) -> None:
    """Write a frame of any kind as .csv, .tsv, .txt (each also .gz), .parquet or .xlsx.

    The file appears whole or not at all; an earlier one stays when writing fails. The same cells give the same bytes,
    and nothing is in the file but them: no time, no categories that no cell has. Text files are UTF-8 with ``\\n`` line
    ends, quoted where needed; missing cells are empty. With ``neutralize_formulas`` (default) text a spreadsheet would
    run gets an apostrophe, which :func:`~nymity.io.strip_neutralization` takes away again.
    """
    place = Path(path_text("path", path))
    validation.instance("options", options, WriteOptions, expected="WriteOptions(...)")
    promised = format_of(place)
    cells = to_polars(table)
    if not cells.width:
        raise TableError(str(place), expected="a table with columns", got="one without", hint="check the schema")
    replace_file(place, partial(_write, cells, promised, options))


def _write(table: pl.DataFrame, promised: Format, options: WriteOptions, path: Path) -> None:
    try:
        if promised.kind == "parquet":
            compact(table).write_parquet(path)
            return
        cells = _flat(table)
        cells = neutralize(cells) if options.neutralize_formulas else cells
        if promised.kind == "excel":
            write_excel(cells, path)
        else:
            _write_text(cells, promised, options, path)
    except pl.exceptions.PolarsError as error:
        if error_number(error) is not None:  # explained by whoever moves the file into place
            raise
        raise FileError(
            str(path),
            expected="a table that can be written",
            got=relayed(error),
            hint="check disk and types",
        ) from error


def _write_text(cells: pl.DataFrame, promised: Format, options: WriteOptions, path: Path) -> None:
    delimiter = "\t" if promised.is_tabbed else options.delimiter
    if cells.width == 1:
        # A missing cell alone in its row would be an empty line, which many readers skip; this way it is "".
        cells = cells.select(pl.all().cast(pl.String).fill_null(""))
    with path.open("wb") as file:
        if not promised.compressed:
            _write_csv(cells, file, delimiter)
            return
        # Neither name nor time in the gzip header: the same table gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            _write_csv(cells, packed, delimiter)


def _write_csv(cells: pl.DataFrame, file: IO[bytes] | gzip.GzipFile, delimiter: str) -> None:
    cells.write_csv(file, separator=delimiter)  # type: ignore[arg-type]


def _flat(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with numbers and truth values as they are and all else as text."""
    for name, dtype in table.schema.items():
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
            raise TableError(
                f"column {name!r}",
                expected="one value per cell",
                got=str(dtype),
                hint="write .parquet, or split the column into several",
            )
    return pl.DataFrame({column.name: _flat_column(column) for column in table.get_columns()})


def _flat_column(column: pl.Series) -> pl.Series:
    if column.dtype.is_temporal():  # "iso" keeps fractions of seconds, which a plain cast of times drops
        return column.alias("cells").dt.to_string("iso")
    return column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum, pl.Null) else column
