"""The judge of what was written: reads the files by itself and counts. Imports nothing of nymity."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import socket
import stat
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq

#: Columns and rows of text.
Cells = tuple[list[str], list[tuple[str, ...]]]
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Unreadable(Exception):  # noqa: N818
    """A released file that this judge cannot read."""


def read(path: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> Cells:
    """Return the columns and rows of a file as they are written; what is missing is an empty text."""
    try:
        if path.name.endswith(".parquet"):
            table = pq.read_table(path)
            columns = [["" if cell is None else str(cell) for cell in column.to_pylist()] for column in table.columns]
            return list(table.column_names), list(zip(*columns, strict=True))
        if path.name.endswith(".xlsx"):
            return _sheet(path)
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.name.endswith(".gz") else raw).decode(encoding)
        delimiter = "\t" if ".tsv" in path.name else delimiter
        csv.field_size_limit(2**27)
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        width = len(header)
        if any(len(row) not in (width, 0) for row in rows):
            raise Unreadable("ragged rows")
        return header, [tuple(row) or ("",) for row in rows if row or width == 1]
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"{path.name}: {error}") from error


def _sheet(path: Path) -> Cells:
    with zipfile.ZipFile(path) as archive:
        shared = []
        if "xl/sharedStrings.xml" in archive.namelist():
            root = ElementTree.fromstring(archive.read("xl/sharedStrings.xml"))
            shared = ["".join(part.text or "" for part in item.iter(f"{_SHEET}t")) for item in root]
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    rows: dict[int, dict[int, str]] = defaultdict(dict)
    for cell in sheet.iter(f"{_SHEET}c"):
        letters, number = re.fullmatch("([A-Z]+)([0-9]+)", cell.get("r", "")).groups()  # type: ignore[union-attr]
        at = 0
        for letter in letters:
            at = at * 26 + ord(letter) - 64
        value = "".join(part.text or "" for part in cell.iter() if part.tag in (f"{_SHEET}v", f"{_SHEET}t"))
        rows[int(number)][at] = shared[int(value)] if cell.get("t") == "s" else value
    width = max((at for row in rows.values() for at in row), default=0)
    full = [tuple(rows[n].get(at, "") for at in range(1, width + 1)) for n in range(1, max(rows, default=0) + 1)]
    return (list(full[0]), full[1:]) if full else ([], [])


# -- promises --------------------------------------------------------------------------------------------------------


def broken(cells: Cells, second: Cells | None, job: Any) -> Iterator[str]:
    """Say which promises of a job (plain data) the text of a release does not keep, where counting can tell."""
    schema = job["schema"]
    header, rows = cells
    quasi = [at for at, name in enumerate(header) if _role(schema, name) == "quasi"]
    for at, name in enumerate(header):
        if _role(schema, name) == "identifying":
            yield f"the identifying column {name!r} is column {at} of the release"
    apart = second is not None
    if apart:
        classes = _buckets(second)  # type: ignore[arg-type]
    else:
        classes = defaultdict(list)
        for row in rows:
            classes[tuple(row[at] for at in quasi)].append(row)
    for model in job["privacy"]:
        yield from _breaks(model, classes, header, apart=apart)


def _role(schema: Any, name: str) -> str | None:
    """Return a column's role; an apostrophe before what spreadsheets run is not part of its name."""
    for known in (name, name[1:] if name.startswith("'") else name):
        if known in schema:
            return str(schema[known]["role"])
    return None


def _buckets(second: Cells) -> dict[Any, list[Any]]:
    header, rows = second
    bucket, count = header.index("bucket"), header.index("count")
    (value,) = [at for at in range(len(header)) if at not in (bucket, count)]
    found: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        found[row[bucket]] += [(row[value],)] * int(row[count])
    return found


def _breaks(model: Any, classes: dict[Any, list[Any]], header: list[str], *, apart: bool) -> Iterator[str]:
    key, sizes = model["model"], {name: len(members) for name, members in classes.items()}
    least = min(sizes.values(), default=None)
    if least is None:
        return
    at = 0
    if "attribute" in model and not apart:
        at = next(n for n, name in enumerate(header) if model["attribute"] in (name, name.removeprefix("'")))
    counts = [Counter(row[at] for row in members) for members in classes.values()]
    k = {"k-anonymity": model.get("k"), "alpha-k-anonymity": model.get("k")}.get(key)
    if not apart and isinstance(k, int | float) and least < k:
        yield f"{key} promises k = {k}, and a class has {least}"
    if key == "prosecutor-risk" and not apart and Fraction(1, least) > Fraction(str(model["limit"])):
        yield f"prosecutor-risk promises {model['limit']}, and a class has {least}"
    if key == "distinct-l-diversity" and min(map(len, counts)) < model["l"]:
        yield f"distinct-l-diversity promises l = {model['l']}, and a class has {min(map(len, counts))}"
    most = max(Fraction(max(found.values()), found.total()) for found in counts)
    if key == "frequency-l-diversity" and most > 1 / Fraction(str(model["l"])):
        yield f"frequency-l-diversity promises l = {model['l']}, and a value has the share {most}"
    if key == "alpha-k-anonymity" and most > Fraction(str(model["alpha"])):
        yield f"alpha-k-anonymity promises {model['alpha']}, and a value has the share {most}"


# -- leaks -----------------------------------------------------------------------------------------------------------


def content(path: Path) -> bytes:
    """Return everything that is in a file, unpacked where it is packed."""
    raw = path.read_bytes()
    parts = [raw]
    try:
        if path.name.endswith(".gz"):
            parts.append(gzip.decompress(raw))
        elif path.name.endswith(".xlsx"):
            with zipfile.ZipFile(path) as archive:
                parts += [archive.read(name) for name in archive.namelist()]
        elif path.name.endswith(".parquet"):
            table = pq.read_table(path)
            parts.append(repr([column.to_pylist() for column in table.columns]).encode())
            parts.append(str(pq.read_metadata(path).metadata).encode() + str(table.schema).encode())
    except Exception as error:
        raise Unreadable(f"{path.name}: {error}") from error
    return b"\0".join(parts)


def leaks(release: Path, words: Iterable[str]) -> Iterator[str]:
    """Say which of these words, or which trace of this machine, is in a file of the release folder."""
    traces = {str(release.resolve().parent), socket.gethostname(), os.environ.get("USER", "")}
    forbidden = [word for word in {*words, *traces} if len(word) > 5]
    for path in sorted(release.rglob("*")):
        if not path.is_file() or path.name == "report.html":
            continue
        found = content(path)
        for word in forbidden:
            if word.encode() in found:
                yield f"{word!r} is in {path.name}"


def left_lying(release: Path, custodian: Path) -> Iterator[str]:
    """Say what is hidden in either folder, and what of the custodian's others may read."""
    for folder in (release, custodian):
        for path in (folder, *sorted(folder.rglob("*"))):
            if path != folder and path.name.startswith("."):
                yield f"{path.name} is left in {folder.name}"
            ours = path == folder or path.is_file()  # a folder in the way of a file is somebody else's
            if folder == custodian and ours and path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077:
                yield f"{path.name} of the custodian has mode {stat.S_IMODE(path.stat().st_mode):o}"
