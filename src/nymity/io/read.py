"""Reading a table from a file, by suffix."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import polars as pl

from nymity.core import validation
from nymity.core.paths import path_text
from nymity.io.formats import confirmed_format
from nymity.io.options import ReadOptions


def read_table(path: str | os.PathLike[str], options: ReadOptions = ReadOptions()) -> pl.DataFrame:  # noqa: B008 -- frozen
    """Read .csv, .tsv, .txt (each also .gz), .parquet or .xlsx.

    Text becomes Int64, Float64 or Date only where writing it back gives the same text; an empty cell is missing.
    A file without rows below its header gives a table without rows. Everything that is wrong with the file is a
    FileError, everything wrong with its rows and columns a TableError, with the line where there is one.
    """
    place = Path(path_text("path", path))
    validation.instance("options", options, ReadOptions, expected="ReadOptions(...)")
    return confirmed_format(place).read(place, options)


def read_text_cells(
    path: str | os.PathLike[str], options: ReadOptions, columns: Collection[str] | None = None
) -> pl.DataFrame:
    """Read a file as text: cells of text files as they stand there, of others as :func:`text_cells` writes them.

    Rows of a spreadsheet without any cell are left out, wherever they stand.
    """
    place = Path(path_text("path", path))
    return confirmed_format(place).read_texts(place, options, columns)


def found_options(path: str | os.PathLike[str], options: ReadOptions = ReadOptions()) -> ReadOptions:  # noqa: B008 -- frozen
    """Return the options with everything that reading would find out, so that it can be stated in a job."""
    place = Path(path_text("path", path))
    return confirmed_format(place).found_options(place, options)
