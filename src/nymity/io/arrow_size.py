"""How large an Arrow file is unpacked, told from its headers before anything is allocated.

A file ends with a footer that names its batches; the header of a batch names its buffers, and each compressed buffer
begins with its length when unpacked. Headers are FlatBuffers (Arrow columnar format, *IPC File Format*; File.fbs,
Message.fbs): a table begins with the distance back to a list of where its fields lie.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from nymity.core.errors import FileError, TableError
from nymity.core.unpacking import most_unpacked, too_much
from nymity.io.limits import PARQUET_CELLS, PARQUET_CELLS_A_BYTE

#: Fields by their number in the tables of the format.
_SCHEMA, _DICTIONARIES, _BATCHES, _FOOTER_METADATA = 1, 2, 3, 4
_FIELDS, _SCHEMA_METADATA = 1, 2
_HEADER_TYPE, _HEADER = 1, 2
_IN_DICTIONARY, _ROWS, _BUFFERS, _COMPRESSION = 1, 0, 2, 3
_DICTIONARY_BATCH = 2
_END = b"ARROW1"
_MOST_HEADER = 64 * 2**20


def check_arrow(path: Path) -> None:
    """Refuse a file that would fill the memory, or whose headers contradict it."""
    size = path.stat().st_size
    try:
        with path.open("rb") as file:
            footer = _footer(file, size)
            columns = len(_vector(*_child(*footer, _SCHEMA), _FIELDS, 4))
            rows = unpacked = 0
            # Dictionaries are batches of their own, and unpack like others.
            for block in (*_blocks(*footer, _DICTIONARIES), *_blocks(*footer, _BATCHES)):
                more, length = _batch(file, block, size)
                rows, unpacked = rows + more, unpacked + length
    except (ValueError, IndexError, struct.error, OSError) as error:
        raise FileError(
            str(path), expected="an intact Arrow file", got=str(error), hint="write or download the file again"
        ) from error
    most = max(PARQUET_CELLS, PARQUET_CELLS_A_BYTE * size)
    if rows * max(columns, 1) > most:
        raise TableError(
            str(path),
            expected=f"at most {most:,} cells in a file of {size:,} bytes",
            got=f"{rows * columns:,}",
            hint="if you trust the file, save the table as .csv",
        )
    if unpacked > most_unpacked(size):
        raise too_much(str(path), most_unpacked(size), f"{unpacked:,}")


def has_metadata(path: Path) -> bool:
    """Return whether a file holds texts beside its columns."""
    with path.open("rb") as file:
        content, at = _footer(file, path.stat().st_size)
    schema = _child(content, at, _SCHEMA)
    return bool(_place(content, at, _FOOTER_METADATA) or _place(*schema, _SCHEMA_METADATA))


def _footer(file: BinaryIO, size: int) -> tuple[bytes, int]:
    file.seek(max(0, size - 10))
    length, end = struct.unpack("<i6s", file.read(10))
    if end != _END or not 0 < length <= min(size - 10, _MOST_HEADER):
        raise ValueError("no footer where it should be")
    file.seek(size - 10 - length)
    content = file.read(length)
    return content, _number(content, 0, "<I")


def _batch(file: BinaryIO, block: tuple[int, int, int], size: int) -> tuple[int, int]:
    """Return the rows of a batch, and the bytes that its buffers unpack to."""
    at, header, body = block
    # Offsets come from the file: none may lead outside of it, or ask for more than a header can be.
    if at < 0 or not 8 < header <= _MOST_HEADER or body < 0 or at + header + body > size:
        raise ValueError("a batch that lies outside of the file")
    file.seek(at)
    content = file.read(header)[8:]
    message = _number(content, 0, "<I")
    kind_at = _place(content, message, _HEADER_TYPE)
    batch = _child(content, message, _HEADER)
    if kind_at and content[kind_at] == _DICTIONARY_BATCH:
        batch = _child(*batch, _IN_DICTIONARY)
    rows_at = _place(*batch, _ROWS)
    rows = _number(content, rows_at, "<q") if rows_at else 0
    if rows < 0:
        raise ValueError("a batch of less than nothing")
    unpacked = 0
    packed = _place(*batch, _COMPRESSION)
    for place in _vector(*batch, _BUFFERS, 16):
        start, length = struct.unpack_from("<qq", content, place)
        if start < 0 or length < 0 or start + length > body:
            raise ValueError("a buffer that lies outside of its batch")
        unpacked += _unpacked(file, at + header + start, length) if packed and length >= 8 else length
    return rows, unpacked


def _unpacked(file: BinaryIO, at: int, length: int) -> int:
    file.seek(at)
    told = int(struct.unpack("<q", file.read(8))[0])
    return length if told < 0 else told


def _blocks(content: bytes, at: int, field: int) -> Iterator[tuple[int, int, int]]:
    for place in _vector(content, at, field, 24):
        start, header, body = struct.unpack_from("<qi4xq", content, place)
        yield start, header, body


# -- FlatBuffers ---------------------------------------------------------------------------------------------


def _number(content: bytes, at: int, form: str) -> int:
    if at < 0:
        raise ValueError("a header that points before its start")
    return int(struct.unpack_from(form, content, at)[0])


def _place(content: bytes, table: int, field: int) -> int:
    """Return where a field of a table lies, 0 if it has none."""
    listed = table - _number(content, table, "<i")
    entry = 4 + 2 * field
    if entry + 2 > _number(content, listed, "<H"):
        return 0
    offset = _number(content, listed + entry, "<H")
    return table + offset if offset else 0


def _child(content: bytes, table: int, field: int) -> tuple[bytes, int]:
    """Return the table that a field points to."""
    at = _place(content, table, field)
    if not at:
        raise ValueError("a header without a part of it")
    return content, at + _number(content, at, "<I")


def _vector(content: bytes, table: int, field: int, width: int) -> range:
    """Return the places of the items of a list."""
    at = _place(content, table, field)
    if not at:
        return range(0)
    start = at + _number(content, at, "<I")
    length = _number(content, start, "<I")
    if length * width > len(content) - start - 4:
        raise ValueError("a list that is longer than its header")
    return range(start + 4, start + 4 + length * width, width)
