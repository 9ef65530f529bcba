"""What a file holds beside its table: further sheets, comments, names of authors, metadata.

Nothing of that is in the cells that a reader returns, so a check that looks at cells alone would let it pass.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import polars as pl

#: Parts of a workbook as nymity writes it: one sheet, strings in its cells.
_PARTS = {
    "[Content_Types].xml",
    "_rels/.rels",
    "xl/_rels/workbook.xml.rels",
    "xl/worksheets/sheet1.xml",
    "xl/workbook.xml",
    "xl/styles.xml",
    "xl/theme/theme1.xml",
    "docProps/core.xml",
    "docProps/app.xml",
}
#: Metadata that Parquet files of tables have anyway.
_METADATA = {"ARROW:schema"}
_WORDS = re.compile(rb">([^<>]+)</(?:dc:|cp:)")


def strangers(path: Path) -> list[str]:
    """Say what a file holds that is no part of a table as nymity writes it; nothing of files that are plain text."""
    if path.suffix == ".xlsx":
        return _in_workbook(path)
    if path.suffix == ".parquet":
        further = sorted(pl.read_parquet_metadata(path).keys() - _METADATA)
        found = [f"{path.name} has metadata that no release has: {', '.join(further)}"] if further else []
        listed = [name for name, kind in pl.read_parquet_schema(path).items() if kind in (pl.Categorical, pl.Enum)]
        return [*found, *(f"{path.name} lists categories of {name!r}, which no release does" for name in listed)]
    return []


def _start(workbook: zipfile.ZipFile, name: str) -> bytes:
    """Return as much of a part as a part about the workbook can have."""
    with workbook.open(name) as part:
        return part.read(2**20)


def _in_workbook(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as workbook:
            names = set(workbook.namelist())
            about = _start(workbook, "docProps/core.xml") if "docProps/core.xml" in names else b""
    except (OSError, zipfile.BadZipFile):
        return [f"{path.name} is no workbook"]
    found = [f"{path.name} holds {name}, which no release has" for name in sorted(names - _PARTS)]
    if _WORDS.search(about):
        found.append(f"{path.name} names an author, a title or the like, which no release does")
    return found
