"""One pass over delimited text: how many rows and fields it has, and where the first irregular row is.

A quote inside a quoted cell is doubled (RFC 4180), so a byte lies inside quotes exactly when an odd number of quotes
precedes it. Delimiters and line ends outside quotes are the table's structure; counting them between line ends gives
the fields of each row, and the gaps between them the cells' lengths. All of it is a few numpy operations per chunk.

The rule of parity holds only while every quote opens or closes a cell. As soon as one does not (``5" pipe``), or a
line ends with a carriage return alone, the text is called irregular and must be read by a slower, exact parser.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nymity.core.errors import TableError
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS

_QUOTE, _NEWLINE, _RETURN = 34, 10, 13

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Outline:
    """What one pass tells about delimited text.

    ``regular`` is False when quotes or line ends need the exact parser; then the other numbers mean nothing.
    ``gaps`` says that empty lines stand between rows. In a table of one column an empty line is a missing cell;
    in a wider one it is nothing.
    """

    rows: int
    fields: int
    regular: bool
    quoted: bool
    gaps: bool


class Scanner:
    """Takes UTF-8 text in chunks (:meth:`feed`) and gives its :class:`Outline` at the end (:meth:`finish`).

    Raises TableError at the first row with another number of fields than the first row, at a cell longer than
    MAX_CELL_BYTES and at more than MAX_COLUMNS fields, before the rest of the file has been read.
    """

    def __init__(self, where: str, delimiter: str, first_line: int = 1) -> None:
        self.where, self.delimiter = where, ord(delimiter)
        self._shown = delimiter
        # Bytes that may stand beside a quote: a delimiter, a line end, another quote.
        self._boundary = np.zeros(256, dtype=np.bool_)
        self._boundary[[self.delimiter, _NEWLINE, _QUOTE]] = True
        self._expected = 0  # fields of the first row; 0 before it
        self._rows = self._lines_with_content = 0
        self._regular, self._quoted, self._gaps = True, False, False
        # What the next chunk continues: the byte held back as lookahead, the byte before, and the open row and cell.
        self._held, self._previous, self._inside = b"", _NEWLINE, False
        self._line = self._row_line = first_line
        self._row_fields = self._cell_bytes = self._pending_blanks = 0

    def feed(self, chunk: bytes) -> None:
        """Take the next part of the text."""
        block = self._held + chunk
        if len(block) > 1:
            self._read(block)
        self._held = block[-1:]

    def finish(self) -> Outline:
        """Close the last row and tell what was seen."""
        if self._held:
            self._read(self._held + (b"\n" if self._held == b"\n" else b"\n\n"))
        return Outline(
            rows=self._rows if self._expected == 1 else self._lines_with_content,
            fields=self._expected,
            regular=self._regular and not self._inside,
            quoted=self._quoted,
            gaps=self._gaps,
        )

    def _read(self, block: bytes) -> None:
        """Take all of ``block`` but its last byte, which only serves to look ahead."""
        data: Bytes = np.frombuffer(block, dtype=np.uint8)
        body = data[:-1]
        structural = (body == self.delimiter) | (body == _NEWLINE)
        if self._regular:
            inside = self._quotes(block, data)
            if inside is not None and self._regular:
                structural &= ~inside
            self._regular = self._regular and not self._has_lone_return(block, data, inside)
        ends: Positions = np.flatnonzero(structural)
        lengths = self._cells(body, ends)  # lengths: (n_cells,), bytes of each cell that ends here
        if self._regular:
            self._take_rows(body, ends, lengths)
        self._line += int(np.count_nonzero(body == _NEWLINE))
        self._previous = int(body[-1])

    def _quotes(self, block: bytes, data: Bytes) -> npt.NDArray[np.bool_] | None:
        """Return which bytes lie inside quotes, or None for none; notice quotes that neither open nor close."""
        body = data[:-1]
        if not self._inside and b'"' not in block[:-1]:
            return None
        quotes = body == _QUOTE
        # A byte is inside where the quotes up to it are odd; a doubled quote closes and opens again.
        inside = np.logical_xor.accumulate(quotes)
        if self._inside:
            inside = ~inside
        at = np.flatnonzero(quotes)
        opens = inside[at]
        before = np.where(at > 0, body[at - 1], self._previous)
        after = data[at + 1]
        may_open = self._boundary[before]
        may_close = self._boundary[after] | (after == _RETURN)
        self._regular = bool(np.where(opens, may_open, may_close).all())
        self._quoted = True
        self._inside = bool(inside[-1])
        return inside

    def _has_lone_return(self, block: bytes, data: Bytes, inside: npt.NDArray[np.bool_] | None) -> bool:
        if b"\r" not in block[:-1]:
            return False
        lone = (data[:-1] == _RETURN) & (data[1:] != _NEWLINE)
        return bool((lone if inside is None else lone & ~inside).any())

    def _cells(self, body: Bytes, ends: Positions) -> Positions:
        """Return the lengths of the cells that end in this chunk and refuse one that is too long."""
        # The first cell began in an earlier chunk, so many bytes ago.
        lengths = np.diff(ends, prepend=-1 - self._cell_bytes) - 1
        rest = len(body) - 1 - int(ends[-1]) if len(ends) else self._cell_bytes + len(body)
        longest = max(rest, int(lengths.max(initial=0)))
        if longest > MAX_CELL_BYTES:
            place = int(ends[int(lengths.argmax())]) if longest != rest else len(body)
            line = self._line + int(np.count_nonzero(body[:place] == _NEWLINE))
            raise TableError(
                f"{self.where}, up to line {line}",
                expected=f"cells of at most {MAX_CELL_BYTES:,} bytes",
                got=f"one of at least {longest:,} bytes",
                hint="look for a quote that is never closed, or a wrong delimiter",
            )
        self._cell_bytes = rest
        return lengths

    def _take_rows(self, body: Bytes, ends: Positions, lengths: Positions) -> None:
        """Count the rows that end in this chunk and compare their number of fields."""
        last = np.flatnonzero(body[ends] == _NEWLINE)  # index into ends of each row's last cell
        if not len(last):
            self._row_fields += len(ends)
            self._check_width(self._row_fields)
            return
        fields = np.diff(last, prepend=-1 - self._row_fields)
        stops = ends[last]
        before = np.where(stops > 0, body[stops - 1], self._previous)
        only_return = (lengths[last] == 1) & (before == _RETURN)
        blank = (fields == 1) & ((lengths[last] == 0) | only_return)
        self._count(blank, fields)
        wrong = np.flatnonzero((fields != self._expected) & ~blank)
        if len(wrong):
            raise self._ragged(body, stops, int(wrong[0]), int(fields[wrong[0]]))
        self._row_fields = len(ends) - 1 - int(last[-1])
        self._row_line = self._line + int(np.count_nonzero(body[: stops[-1] + 1] == _NEWLINE))

    def _count(self, blank: npt.NDArray[np.bool_], fields: Positions) -> None:
        content = np.flatnonzero(~blank)
        if not len(content):
            self._pending_blanks += len(blank)
            self._rows += len(blank) if self._expected else 0
            return
        first, last = int(content[0]), int(content[-1])
        started = self._expected > 0
        if not started:
            self._expected = int(fields[first])
            self._check_width(self._expected)
        self._gaps |= (started and self._pending_blanks + first > 0) or last - first + 1 != len(content)
        self._pending_blanks = len(blank) - 1 - last
        self._rows += len(blank) if started else len(blank) - first
        self._lines_with_content += len(content)

    def _check_width(self, fields: int) -> None:
        if fields > MAX_COLUMNS:
            raise too_wide(self.where, fields)

    def _ragged(self, body: Bytes, stops: Positions, row: int, fields: int) -> TableError:
        line = self._row_line
        if row:
            line = self._line + int(np.count_nonzero(body[: stops[row - 1] + 1] == _NEWLINE))
        return ragged(self.where, line, self._expected, fields, self._shown)


def ragged(where: str, line: int, expected: int, fields: int, delimiter: str) -> TableError:
    """Explain a row with another number of fields than the first row."""
    return TableError(
        f"{where}, line {line}",
        expected=f"{expected} fields as in the first row",
        got=f"{fields}",
        hint=f"quote cells that contain the delimiter {delimiter!r}, or give another delimiter",
    )


def too_wide(where: str, fields: int) -> TableError:
    """Explain a table with more columns than are read."""
    return TableError(
        where,
        expected=f"at most {MAX_COLUMNS:,} columns",
        got=f"{fields:,} or more",
        hint="check the delimiter, or keep only the columns that are needed",
    )
