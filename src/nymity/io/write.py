"""Writing a table to a file, by suffix, whole or not at all."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.commit import replace_file
from nymity.core.errors import FileError, TableError
from nymity.core.paths import path_text
from nymity.core.quoting import relayed
from nymity.core.system_errors import error_number
from nymity.io.calendar import refuse_other_years
from nymity.io.format import Format
from nymity.io.formats import format_of
from nymity.io.frame import to_polars
from nymity.io.options import WriteOptions


def write_table(
    table: Any,
    path: str | os.PathLike[str],
    options: WriteOptions = WriteOptions(),  # noqa: B008 -- frozen
) -> None:
    """Write a frame of any kind as .csv, .tsv, .txt (each also .gz), .jsonl, .parquet, .arrow, .xlsx, .sav, .dta, .xpt.

    The file appears whole or not at all; an earlier one stays when writing fails. The same cells give the same bytes,
    and nothing is in the file but them, and labels where they are given: no time, no categories that no cell has. Text
    files are UTF-8, unless told otherwise, with ``\\n`` line ends, quoted where needed; missing cells are empty. With
    ``neutralize_formulas`` (default) text a spreadsheet would run gets an apostrophe, which
    :func:`~nymity.io.strip_neutralization` takes away again.
    """
    place = Path(path_text("path", path))
    validation.instance("options", options, WriteOptions, expected="WriteOptions(...)")
    promised = format_of(place)
    if not promised.written:
        raise FileError(
            str(place),
            expected="a format that can be written",
            got=f"{promised.suffix}, which can only be read",
            hint="write .csv or .parquet",
        )
    if promised.takes_numbers and isinstance(table, pl.DataFrame) and pl.Categorical not in table.dtypes:
        cells = table
        refuse_other_years(table)
    else:
        cells = to_polars(table)
    if not cells.width:
        raise TableError(str(place), expected="a table with columns", got="one without", hint="check the schema")
    replace_file(place, partial(_write, cells, promised, options))


def _write(table: pl.DataFrame, promised: Format, options: WriteOptions, path: Path) -> None:
    try:
        promised.write(table, path, options)
    except pl.exceptions.PolarsError as error:
        if error_number(error) is not None:  # explained by whoever moves the file into place
            raise
        raise FileError(
            str(path),
            expected="a table that can be written",
            got=relayed(error),
            hint="check disk and types",
        ) from error
