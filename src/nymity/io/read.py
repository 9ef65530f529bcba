"""Reading a table from a file, by suffix."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from nymity.core import validation
from nymity.core.errors import FileError, TableError
from nymity.core.paths import path_text
from nymity.core.quoting import relayed
from nymity.io.calendar import refuse_other_years
from nymity.io.delimited import found_dialect, read_delimited
from nymity.io.excel import found_header, read_excel
from nymity.io.format import format_of
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS
from nymity.io.options import ReadOptions
from nymity.io.scan import too_wide
from nymity.io.source import open_source


def read_table(path: str | os.PathLike[str], options: ReadOptions = ReadOptions()) -> pl.DataFrame:  # noqa: B008 -- frozen
    """Read .csv, .tsv, .txt (each also .gz), .parquet or .xlsx.

    Text becomes Int64, Float64 or Date only where writing it back gives the same text; an empty cell is missing.
    A file without rows below its header gives a table without rows. Everything that is wrong with the file is a
    FileError, everything wrong with its rows and columns a TableError, with the line where there is one.
    """
    place = Path(path_text("path", path))
    validation.instance("options", options, ReadOptions, expected="ReadOptions(...)")
    promised = format_of(place)
    open_source(place, promised)
    if promised.kind == "parquet":
        return read_parquet(place)
    if promised.kind == "excel":
        return read_excel(place, options)
    return read_delimited(place, promised, options)


def found_options(path: str | os.PathLike[str], options: ReadOptions = ReadOptions()) -> ReadOptions:  # noqa: B008 -- frozen
    """Return the options with everything that reading would find out, so that it can be stated in a job."""
    place = Path(path_text("path", path))
    promised = format_of(place)
    open_source(place, promised)
    if promised.kind == "delimited":
        return found_dialect(place, promised, options)
    return found_header(place, options) if promised.kind == "excel" else options


def read_parquet(path: Path) -> pl.DataFrame:
    """Read a Parquet file, whose columns have the types it names."""
    try:
        width = len(pl.read_parquet_schema(path))
        if width > MAX_COLUMNS:
            raise too_wide(str(path), width)
        table = pl.read_parquet(path, hive_partitioning=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FileError(
            str(path), expected="an intact Parquet file", got=relayed(error), hint="write or download the file again"
        ) from error
    refuse_other_years(table, str(path))
    for column in table.get_columns():
        if column.dtype == pl.String and (column.alias("cells").str.len_bytes() > MAX_CELL_BYTES).any():
            raise TableError(
                f"{path}, column {column.name!r}",
                expected=f"cells of at most {MAX_CELL_BYTES:,} bytes",
                got="a longer one",
            )
    return table
