"""How large the table in a Parquet file is, from the file's own headers, before a cell is unpacked.

A run of equal cells takes a few bytes however long it is, and a page unpacks to what its header says. So the headers
of the file (its footer) and of all pages are read first: they are in Thrift's compact protocol, of which a dozen lines
are enough. What they promise is what a reader allocates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from nymity.core.errors import FileError, TableError
from nymity.core.memory import free_memory
from nymity.core.unpacking import most_unpacked, too_much
from nymity.io.limits import PARQUET_CELLS, PARQUET_CELLS_A_BYTE

#: Bytes of the footer, of a page's header, and how deeply and how long their lists may be.
_MOST_FOOTER = 256 * 2**20
_MOST_HEADER = 2**16
_DEEPEST = 32
#: Memory that must be free for each cell where there are more than files of this size have: what reading, counting and
#: comparing them takes.
_BYTES_A_CELL = 64

#: Fields by their number in the format's definition (parquet.thrift).
_ROWS, _GROUPS = 3, 4
_COLUMNS = 1
_META = 3
_VALUES, _PACKED, _DATA_AT, _DICTIONARY_AT = 5, 7, 9, 11
_UNPACKED_PAGE, _PACKED_PAGE = 2, 3
_PAGES_OF_DATA = (5, 8)  # of version 1 and 2; the first field of both counts their cells


def check_parquet(path: Path, *, in_batches: bool = False) -> None:
    """Refuse a file with more records than are read, or one that would unpack beyond all measure.

    Also one at odds with itself: where numbers of cells differ, the reader asks for memory that nobody has, and aborts.
    Who reads ``in_batches`` has no more cells in memory than a group of rows has, whatever the number of groups.
    """
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            footer = _footer(file, size)
            rows = _number(footer, _ROWS)
            parts = [list(_group(file, group, size)) for group in _list(footer, _GROUPS)]
            groups = sum(_number(group, _ROWS) for group in _list(footer, _GROUPS))
            if rows < 0 or groups != rows:
                raise ValueError(f"{rows:,} records, and {groups:,} in its parts")
    except (ValueError, IndexError, OverflowError) as error:
        raise FileError(
            str(path), expected="an intact Parquet file", got=str(error), hint="write or download the file again"
        ) from error
    from nymity.table.encoding import MAX_RECORDS  # numba comes with it

    if rows > MAX_RECORDS:
        raise TableError(str(path), expected=f"at most {MAX_RECORDS:,} records", got=f"{rows:,}")
    _check_cells(path, [sum(n for n, _ in pages) for pages in parts], size, in_batches=in_batches)
    if (total := sum(unpacked for pages in parts for _, unpacked in pages)) > most_unpacked(size):
        raise too_much(str(path), most_unpacked(size), f"{total:,}")


def _check_cells(path: Path, of_groups: Sequence[int], size: int, *, in_batches: bool) -> None:
    """Refuse more cells than a file of this size has, unless memory holds many times as many."""
    cells = max(of_groups, default=0) if in_batches else sum(of_groups)
    most = max(PARQUET_CELLS, PARQUET_CELLS_A_BYTE * size)
    # A release of many records is sorted, and has a thousand cells for each of its bytes.
    if cells > max(most, (free_memory() or 0) // _BYTES_A_CELL):
        raise TableError(
            f"{path}, a group of rows" if in_batches else str(path),
            expected=f"at most {most:,} cells in a file of {size:,} bytes",
            got=f"{cells:,}",
            hint="if you trust the file, engine 'streaming' reads it in batches (nymity check --engine streaming); "
            "or save the table as .csv",
        )


def _footer(file: BinaryIO, size: int) -> dict[int, Any]:
    file.seek(max(0, size - 8))
    length = int.from_bytes(file.read(4), "little")
    if not 0 < length <= min(size - 8, _MOST_FOOTER):
        raise ValueError(f"a footer of {length:,} bytes")
    file.seek(size - 8 - length)
    return _Compact(file.read(length)).table()


def _group(file: BinaryIO, group: dict[int, Any], size: int) -> Iterator[tuple[int, int]]:
    """Yield the pages of all columns of some records; their numbers must fit together."""
    rows = _number(group, _ROWS)
    for chunk in _list(group, _COLUMNS):
        meta = _part(chunk, _META)
        pages, cells = list(_pages(file, meta, size)), _number(meta, _VALUES)
        if not 0 <= rows <= cells or sum(n for n, _ in pages) != cells:
            raise ValueError("another number of cells in a column than in its pages")
        yield from pages


def _pages(file: BinaryIO, chunk: dict[int, Any], size: int) -> Iterator[tuple[int, int]]:
    """Yield of each page of a column the cells it has and the bytes it unpacks to."""
    starts = [at for field in (_DATA_AT, _DICTIONARY_AT) if (at := _number(chunk, field)) > 0]
    at = min(starts, default=0)
    end = at + _number(chunk, _PACKED)
    if at < 0 or not 0 <= end <= size:
        raise ValueError("a column that lies outside of the file")
    while at < end:
        file.seek(at)
        # Headers have no length of their own: what follows one is found out by reading it.
        compact = _Compact(file.read(_MOST_HEADER))
        header = compact.table()
        packed, unpacked = _number(header, _PACKED_PAGE), _number(header, _UNPACKED_PAGE)
        cells = sum(_number(_part(header, kind), 1) for kind in _PAGES_OF_DATA if kind in header)
        if packed < 0 or unpacked < 0 or cells < 0:
            raise ValueError("a page of less than nothing")
        yield cells, unpacked
        at += compact.at + packed


def _number(table: dict[int, Any], field: int) -> int:
    value = table.get(field, 0)
    if not isinstance(value, int):
        raise ValueError("a field of another kind")
    return value


def _part(table: dict[int, Any], field: int) -> dict[int, Any]:
    value = table.get(field, {})
    if not isinstance(value, dict):
        raise ValueError("a field of another kind")
    return value


def _list(table: dict[int, Any], field: int) -> list[dict[int, Any]]:
    value = table.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("a field of another kind")
    return value


class _Compact:
    """Reads Thrift's compact protocol: tables by field number, lists, whole numbers; what else there is, is skipped."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def table(self, depth: int = 0) -> dict[int, Any]:
        """Read a table up to its end."""
        found: dict[int, Any] = {}
        field = 0
        while (head := self._byte()) != 0:
            field = field + (head >> 4) if head >> 4 else self._whole()
            found[field] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int, *, listed: bool = False) -> Any:
        if depth > _DEEPEST:
            raise ValueError("headers that are nested too deeply")
        if kind in (1, 2):  # truth values stand in the head of their field, in lists in a byte
            return self._byte() == 1 if listed else kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._unsigned())
        if kind in (9, 10):
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._unsigned()
            # An element takes a byte at least: checked before a list of that many is made.
            if size > len(self.content) - self.at:
                raise ValueError("a list that is longer than the file")
            return [self._value(head & 15, depth + 1, listed=True) for _ in range(size)]
        if kind == 12:
            return self.table(depth + 1)
        raise ValueError("a header of another kind")

    def _skip(self, count: int) -> None:
        self.at += count
        if self.at > len(self.content):
            raise ValueError("a header that ends early")

    def _byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def _whole(self) -> int:
        number = self._unsigned()
        return (number >> 1) ^ -(number & 1)
