"""Reading a released file the one way it is written."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from nymity.io import ReadOptions, as_meant, format_of, reread_table
from nymity.publishing.jobs.job import Output


def read_release(path: Path, output: Output, expected: pl.DataFrame | None = None) -> pl.DataFrame:
    """Read a released file as it was meant: with its header, and formulas as they were before neutralizing.

    A large file that holds the rows of ``expected`` is that table, which then does not lie in memory twice.
    """
    return read_written(path, output, expected)[0]


def read_written(path: Path, output: Output, expected: pl.DataFrame | None = None) -> tuple[pl.DataFrame, bool]:
    """Read a file as ``output`` says it was written, and say whether it can have been.

    Neutralizing puts one apostrophe before each cell that a spreadsheet would run, so a neutralized file holds no such
    cell. If this one does, ``'=a`` and ``=a`` are two values in it, and all cells stay as they are written.
    """
    options = ReadOptions()
    if path.name.endswith(f".{output.format}"):
        options = format_of(path).read_back(output.options)
    table = reread_table(path, options, expected)
    if not output.neutralize_formulas or format_of(path).keeps_types:
        return table, True
    meant = as_meant(table)
    return (table, False) if meant is None else (meant, True)
