"""Reading a released file the one way it is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from nymity.io import ReadOptions, format_of, reread_table, strip_neutralization
from nymity.io.neutralize import neutralize
from nymity.publishing.job import Output


def read_release(path: Path, output: Output) -> pl.DataFrame:
    """Read a released file as it was meant: with its header, and formulas as they were before neutralizing."""
    return read_written(path, output)[0]


def read_written(path: Path, output: Output) -> tuple[pl.DataFrame, bool]:
    """Read a file as ``output`` says it was written, and say whether it can have been.

    Neutralizing puts one apostrophe before each cell that a spreadsheet would run, so a neutralized file holds no such
    cell. If this one does, ``'=a`` and ``=a`` are two values in it, and all cells stay as they are written.
    """
    options = ReadOptions()
    if path.name.endswith(f".{output.format}"):
        options = format_of(path).read_back(output.options)
        if output.delimiter is None:  # nobody said it, so it may be that of a source that nobody knows
            options = replace(options, delimiter=None)
        if output.encoding is None:
            options = replace(options, encoding=None)
    table = reread_table(path, options)
    if not output.neutralize_formulas or format_of(path).keeps_types:
        return table, True
    try:
        meant = strip_neutralization(table)
    except pl.exceptions.DuplicateError:  # two columns would have one name
        return table, False
    return (meant, True) if neutralize(meant).equals(table) else (table, False)
