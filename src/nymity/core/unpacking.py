"""How much a packed file may unpack to: a few kilobytes must not become the whole memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from nymity.core.errors import FileError

#: Every file may unpack to this many bytes (1 GiB) …
UNPACKED_BYTES = 2**30
#: … and to so many times its own size, where that is more: text packs about tenfold, deflate at most 1,032-fold.
UNPACKED_TIMES = 100

#: Bytes read at a time; also how much of a file the detection of delimiter and header looks at.
CHUNK_BYTES = 2**20


def most_unpacked(packed: int) -> int:
    """Return the bytes that a packed file of this size may unpack to."""
    return max(UNPACKED_BYTES, UNPACKED_TIMES * packed)


def gunzipped(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a gzip file in pieces, and stop at one that unpacks beyond all measure."""
    most, seen = most_unpacked(path.stat().st_size), 0
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            while chunk := unpacked.read(CHUNK_BYTES):
                # Counted as it comes: what a packed file says of its own size is not believed.
                seen += len(chunk)
                if seen > most:
                    raise too_much(str(path), most)
                yield chunk
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileError(
            str(path), expected="an intact gzip file", got=str(error), hint="copy or download the file again"
        ) from error


def too_much(where: str, most: int, got: str = "more") -> FileError:
    """Explain that a file would unpack to more than is read."""
    return FileError(
        where,
        expected=f"a file that unpacks to at most {most:,} bytes",
        got=got,
        hint="if you trust the file, unpack it yourself, or save the table as .csv",
    )
