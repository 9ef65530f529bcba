"""Guesses about delimited text from its first rows: the delimiter, and whether there is a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice
from operator import itemgetter

from nymity.core.unpacking import CHUNK_BYTES
from nymity.io.limits import SAMPLE_ROWS

#: Delimiters that are looked for; among equals the earlier wins.
DELIMITERS = (",", ";", "\t", "|")

Rows = Sequence[Sequence[str]]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?\s*%?")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}.*", re.DOTALL)


def detect_delimiter(sample: str, *, prefer_tab: bool = False) -> str:
    """Return the delimiter with which most rows have as many fields as the first, then the one with more fields.

    Text in which no candidate splits the first row has one column; the delimiter is then a comma, or a tab when
    the suffix says so (``prefer_tab``), in which case a tab in the first row also settles the question.
    """
    fallback = "\t" if prefer_tab else ","
    best, best_score = fallback, (0.0, 1)
    for delimiter in DELIMITERS:
        rows = sample_rows(sample, delimiter)
        width = len(rows[0]) if rows else 0
        if width < 2:
            continue
        if prefer_tab and delimiter == "\t":
            return delimiter
        # Regularity first: a mark that occurs once in some texts splits rows into different numbers of fields.
        score = (sum(len(row) == width for row in rows) / len(rows), width)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def has_header(rows: Rows) -> bool:
    """Whether the first row looks like names rather than like the rows below.

    A column of numbers or dates under a word speaks for a header, under a number or date against it. Where no
    column speaks, the first row is a header, because nearly every file has one.
    """
    first, below = rows[0], rows[1:]
    against = False
    for place, name in enumerate(first):
        values = [row[place] for row in below if place < len(row) and row[place]]
        if not all(map(is_measured, values)):
            continue
        if values and not is_measured(name) and name:
            return True
        against |= is_measured(name)
    return not against


def sample_rows(sample: str, delimiter: str) -> list[list[str]]:
    """Return the first whole rows of a sample that may end in the middle of one."""
    rows: list[list[str]] = []
    reader = csv.reader(map(itemgetter(0), _LINE.finditer(sample)), delimiter=delimiter)
    try:
        rows.extend(islice((row for row in reader if row), SAMPLE_ROWS + 1))
    except csv.Error:  # a cell too long for a sample; the rows before it are enough
        return rows
    cut = len(rows) > SAMPLE_ROWS or len(sample) >= CHUNK_BYTES // 4
    return rows[:-1] if cut and len(rows) > 1 else rows


def with_all_names(sample: str, delimiter: str, rows: Rows) -> str | None:
    """Add the name that a header lacks where all rows have one cell more: row names, as R writes them, or an empty end.

    None where it lacks none. A first record would be taken for the header otherwise, and its cells for names.
    """
    header, below = rows[0] if rows else (), rows[1:]
    if len(header) < 2 or not all(header) or len(below) < 2 or any(len(row) != len(header) + 1 for row in below):
        return None
    line = split_lines(sample)[0].rstrip("\r\n")
    if not any(row[-1] for row in below) and line.count('"') % 2 == 0:
        return f"{line}{delimiter}{sample[len(line) :]}"
    first = [row[0] for row in below]
    return f"{delimiter}{sample}" if all(first) and len(set(first)) == len(first) else None


def split_lines(text: str) -> list[str]:
    """Split at line ends only (``str.splitlines`` also splits at form feeds and the like)."""
    return _LINE.findall(text)


def is_measured(cell: str) -> bool:
    """Return whether a cell is a number or a date."""
    return bool(_NUMBER.fullmatch(cell.strip()) or _DATE.fullmatch(cell.strip()))
