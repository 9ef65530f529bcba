"""Where a table begins and ends in a text file: titles above its header, sums and remarks below its records.

Exports put a title, a date and an empty line above the table, and a sum below it. What is found here is as for
workbooks (:mod:`nymity.io.workbook`), and ``ReadOptions.header_row`` and ``footer`` state it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from nymity.core.errors import FileError
from nymity.io.dialect import DELIMITERS, Rows, has_header, is_measured, split_lines

#: Rows in which a table's header is looked for, below what stands above it.
TITLE_ROWS = 20
#: Rows below a table, at most, that are sums and remarks; and records that must stand above them.
FOOTERS, _RECORDS = 5, 3
#: Rows at the end by which a sum is told from records.
_COMPARED = 50
#: First words of a row that sums up others.
_TOTAL = re.compile(
    r"(?i)\W*(?:grand |sub)?(?:total|totals|totale|totaux|totaal|summe|gesamt|gesamtsumme|insgesamt|sum|somme|suma|som)"
    r"(?: (?:general|général|generale|gesamt))?\W*"
)


def titles(filled: Sequence[int], columns: int) -> int:
    """Return how many rows stand above a table, as titles do: fewer than half of their cells are filled.

    ``filled`` counts those of the first rows. Below them must be a row with more, which is the header.
    """
    above = next((row for row, cells in enumerate(filled) if 2 * cells > columns), 0)
    return above if columns > 2 else 0


def sums(rows: Sequence[Sequence[str | None]]) -> int:
    """Return how many of the last rows are sums of those above, which say so first and leave cells empty, or remarks.

    A sum says so in its first cell that is filled, by a word that no other row has there; and cells are empty in it
    that all other rows fill, or its word stands where others have numbers or dates. A remark is of words in the first
    cell alone, below a sum, or where others have numbers or dates.
    """
    found = 0
    while found < FOOTERS and len(rows) - found > _RECORDS:
        above = rows[: len(rows) - found]
        if not _is_sum(above) and not _is_remark(above):
            break
        found += 1
    return found


def _is_sum(rows: Sequence[Sequence[str | None]]) -> bool:
    *others, last = rows[-_COMPARED:]
    place = next((place for place, cell in enumerate(last) if cell), None)
    if place is None or not _TOTAL.fullmatch((last[place] or "").strip()):
        return False
    beside = [row[place] or "" for row in others if place < len(row)]
    if any(_TOTAL.fullmatch(cell.strip()) for cell in beside):
        return False
    if len(last) < len(others[-1]) or (any(beside) and all(is_measured(cell) for cell in beside if cell)):
        return True
    return any(not cell and all(row[column] for row in others) for column, cell in enumerate(last))


def _is_remark(rows: Sequence[Sequence[str | None]]) -> bool:
    *others, last = rows[-_COMPARED:]
    if not _is_first_alone(last) or " " not in (last[0] or "").strip():
        return False
    while others and _is_first_alone(others[-1]):
        others.pop()
    if below_sum := len(others) > _RECORDS and _is_sum(others):
        others.pop()
    if len(others) < _RECORDS or not any(all(column) for column in list(zip(*others, strict=False))[1:]):
        return False  # no column but the first that all records fill
    first = [row[0] or "" for row in others[1:] if row]  # the first may be the header
    return below_sum or (any(first) and all(is_measured(cell) for cell in first if cell))


def _is_first_alone(row: Sequence[str | None]) -> bool:
    return bool(row) and bool(row[0]) and not any(row[1:])


# -- text ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """Where the header of a text stands below titles: in which line, from 0, and what separates its cells."""

    line: int
    delimiter: str


def beginning(sample: str, delimiter: str | None, plain: Rows) -> Beginning | None:
    """Find a header below titles, where rows cannot be read as they stand (``plain``): None where they can."""
    is_narrow = all(len(row) == 1 for row in plain)  # perhaps titles, perhaps a table of one column
    if not plain or not (is_narrow or _is_broken(plain)):
        return None
    lines = split_lines(sample)
    found: list[tuple[float, int, Beginning]] = []
    for one in DELIMITERS if delimiter is None else (delimiter,):
        rows = list(_numbered_rows(lines, one))
        widths = Counter(len(row) for _, row in rows)
        width = max(widths, key=lambda width: (widths[width], width), default=0)
        above = titles([_filled(row) if len(row) == width else 0 for _, row in rows[:TITLE_ROWS]], width)
        line = rows[above][0] if above else 0
        below = [row for _, row in rows[above:]]
        if not above or len(below) < 2 or (is_narrow and not _speaks_for_header(lines, line, below)):
            continue
        share = sum(len(row) == width for row in below) / len(below)
        found.append((share, width, Beginning(line=line, delimiter=one)))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _is_broken(rows: Rows) -> bool:
    """Return whether rows have different numbers of cells, or the first one leaves columns but the first unnamed."""
    first = rows[0]
    if any(len(row) != len(first) for row in rows):
        return True
    return 2 * _filled(first) <= len(first) and not all(first[1:]) and has_header(rows)


def _speaks_for_header(lines: Sequence[str], line: int, rows: Rows) -> bool:
    """Return whether an empty line stands above, or numbers stand below words, in rows that are all alike."""
    if any(len(row) != len(rows[0]) for row in rows):
        return False
    below = [[row[place] for row in rows[1:] if row[place]] for place in range(len(rows[0]))]
    words = [not is_measured(name) for name in rows[0]]
    told = any(word and cells and all(map(is_measured, cells)) for word, cells in zip(words, below, strict=True))
    return all(words) and (told or not lines[line - 1].strip())


def _numbered_rows(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows that are not empty, each with its first line; the last may be cut, and is left out of many."""
    reader = csv.reader(lines, delimiter=delimiter)
    start = 0
    try:
        for row in reader:
            if row and (reader.line_num < len(lines) or lines[-1].endswith(("\n", "\r")) or start < TITLE_ROWS):
                yield start, row
            start = reader.line_num
    except csv.Error:  # a cell too long for a sample; the rows before it are enough
        return


def _filled(row: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


class Ending:
    """Passes text on in pieces but for the rows below the table, which ``rows`` counts in the end.

    ``stated`` says how many these are; None finds out.
    """

    def __init__(self, where: str, delimiter: str, width: int, stated: int | None) -> None:
        self.rows = stated or 0
        self._where = where
        self._delimiter, self._width, self._stated = delimiter, width, stated

    def passed(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the pieces, the last two as one without what stands below."""
        if self._stated == 0:
            yield from pieces
            return
        held: list[bytes] = []
        for piece in pieces:
            held.append(piece)
            if len(held) > 2:
                yield held.pop(0)
        yield self._cut(b"".join(held))

    def _cut(self, tail: bytes) -> bytes:
        end = tail[-(2**16) :] if self._stated is None and len(tail) > 2**17 else tail
        text = end.decode(errors="replace" if end is not tail else "strict")
        lines = split_lines(text)[1 if end is not tail else 0 :]
        full = [place for place, line in enumerate(lines) if line.strip("\r\n")]
        if self._stated is None:
            self.rows = self._found(lines, full)
        if not self.rows:
            return tail
        if self.rows >= len(full):
            raise FileError(
                self._where,
                expected=f"a table above the last {self.rows:,} rows (footer)",
                got=f"{len(full):,} rows at its end, with the header",
                hint="count the rows below the last record; 0 where there are none",
            )
        below = full[-self.rows]
        return tail[: len(tail) - len("".join(lines[below:]).encode())]

    def _found(self, lines: Sequence[str], full: Sequence[int]) -> int:
        """Return how many rows stand below: sparse ones after an empty line, and sums."""
        full = full[-_COMPARED:]
        # An odd number of quotes: a cell goes on over lines, and these are no rows.
        if self._width <= 1 or any(lines[place].count('"') % 2 for place in full):
            return 0
        rows = [next(csv.reader([lines[place]], delimiter=self._delimiter)) for place in full]
        apart = next((i for i in range(len(full) - 1, 0, -1) if full[i] - full[i - 1] > 1), 0)
        below = len(full) - apart if apart else 0
        if (
            self._width > 2
            and below <= FOOTERS < len(full)
            and all(2 * _filled(row) <= self._width for row in rows[apart:])
        ):
            return below + sums(rows[:apart])
        return sums(rows)
