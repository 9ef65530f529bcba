"""What is written for a value, and reading released files: the judge's own words for both."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import math
import re
import zipfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq

MASK = "*"
Text = str | None


def text_of(value: Any) -> Text:
    """Return the text of a value: None for what is missing, whole numbers without a point, ISO dates."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    return str(value)


def same(cell: Text, value: Any) -> bool:
    """Say whether a published cell is the value itself."""
    text = text_of(value)
    if cell is None or text is None:
        return cell is None and text is None
    if cell == text:
        return True
    if isinstance(value, float | Decimal | int) and not isinstance(value, bool):
        try:
            return float(cell) == float(value)
        except ValueError:
            return False
    return False


def read(path: Path, *, delimiter: str = ",", neutralized: bool = True) -> tuple[list[str], list[tuple[Text, ...]]]:
    """Return the columns and rows of a released file as texts."""
    name = path.name
    if name.endswith(".parquet"):
        table = pq.read_table(path)
        columns = [[text_of(value) for value in column.to_pylist()] for column in table.columns]
        return table.column_names, list(zip(*columns, strict=True)) if columns else []
    if name.endswith(".xlsx"):
        header, rows = _sheet(path)
    else:
        raw = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
        lines = list(
            csv.reader(io.StringIO(raw.decode(), newline=""), delimiter="\t" if name.endswith(".tsv") else delimiter)
        )
        header = lines[0]
        # a file of one column writes a missing cell as an empty line or as ""
        rows = [tuple(line or [""]) for line in lines[1:]]
    if neutralized:
        header = [_plain(cell) for cell in header]
        rows = [tuple(_plain(cell) for cell in row) for row in rows]
    return header, [tuple(cell or None for cell in row) for row in rows]


_NEUTRALIZED = re.compile("^'+[=+\\-@\t\r\n＝＋－＠]")


def _plain(cell: Any) -> Any:
    """Take away the apostrophe that keeps spreadsheets from running a cell."""
    return cell[1:] if isinstance(cell, str) and _NEUTRALIZED.match(cell) else cell


def _sheet(path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Read the only sheet of a workbook from its XML."""
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as archive:
        shared: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            strings = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = ["".join(part.text or "" for part in item.iter(f"{{{space['m']}}}t")) for item in strings]
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    rows: list[dict[int, Any]] = []
    for row in sheet.iterfind(".//m:row", space):
        number = int(row.get("r", "0"))
        while len(rows) < number:
            rows.append({})
        for cell in row.iterfind("m:c", space):
            rows[number - 1][_place(cell.get("r", "A1"))] = _cell(cell, shared, space)
    width = max((place for row in rows for place in row), default=-1) + 1
    full = [tuple(row.get(place) for place in range(width)) for row in rows]
    return [str(cell or "") for cell in full[0]], full[1:]


def _place(reference: str) -> int:
    place = 0
    for letter in re.match("[A-Z]+", reference).group():  # type: ignore[union-attr]
        place = place * 26 + ord(letter) - 64
    return place - 1


def _cell(cell: Any, shared: list[str], space: dict[str, str]) -> Text:
    kind, value = cell.get("t"), cell.find("m:v", space)
    if kind == "inlineStr":
        return "".join(part.text or "" for part in cell.iter(f"{{{space['m']}}}t"))
    if value is None or value.text is None:
        return None
    if kind == "s":
        return _unescaped(shared[int(value.text)])
    if kind == "b":
        return "true" if value.text == "1" else "false"
    return text_of(float(value.text)) if kind in (None, "n") else value.text


def _unescaped(text: str) -> str:
    """Undo _x000D_ and the like, which stand for characters that XML cannot hold."""
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found.group(1), 16)), text)


def place_of_number(text: str) -> Fraction | None:
    """Return the number that a text is, or None."""
    return Fraction(text) if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", text) else None
