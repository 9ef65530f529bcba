"""A file's content: opened, unpacked and turned into UTF-8 chunk by chunk, with every failure explained."""

from __future__ import annotations

import codecs
import errno
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nymity.core.errors import FileError
from nymity.core.unpacking import CHUNK_BYTES, gunzipped


def utf8_chunks(path: Path, *, compressed: bool, encoding: str | None) -> Iterator[bytes]:
    """Yield the file's text as UTF-8, in pieces of whole characters, without byte order mark."""
    name = encoding if encoding is not None else detect_encoding(path, compressed=compressed)
    decode, plain = codecs.getincrementaldecoder(name)(), codecs.lookup(name).name in _WITH_ASCII
    seen, first = 0, True
    for chunk in _with_end(raw_chunks(path, compressed=compressed)):
        # Bytes of a character that the last piece cut in two: they lie before the place where this one begins.
        pending = len(decode.getstate()[0])
        if plain and chunk and not pending and chunk.isascii():  # as it is; most text is, and decoding takes its time
            if b"\0" in chunk:
                raise _binary(path, 1 + _lines(path, name, seen + chunk.index(b"\0"), compressed=compressed))
            seen, first = seen + len(chunk), False
            yield chunk
            continue
        try:
            text = decode.decode(chunk, final=not chunk)
        except UnicodeError as error:
            lines = 1 + _lines(path, name, seen - pending, compressed=compressed)
            raise _undecodable(path, name, error, offset=seen - pending, lines=lines) from error
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        if "\0" in text:
            lines = 1 + _lines(path, name, seen - pending, compressed=compressed)
            raise _binary(path, lines + text[: text.index("\0")].count("\n"))
        seen += len(chunk)
        if text:
            yield text.encode()


#: Encodings in which ASCII is as it is.
_WITH_ASCII = frozenset(["ascii", "utf-8", "cp1252", "iso8859-1", "iso8859-15"])


def _lines(path: Path, name: str, size: int, *, compressed: bool) -> int:
    """Count the line ends in the first bytes of a file, for a message."""
    decode, lines = codecs.getincrementaldecoder(name)(), 0
    for chunk in raw_chunks(path, compressed=compressed):
        lines += decode.decode(chunk[:size]).count("\n")
        size -= len(chunk)
        if size <= 0:
            break
    return lines


def detect_encoding(path: Path, *, compressed: bool) -> str:
    """Return the encoding by byte order mark, else UTF-8 or Windows-1252, whichever fits every byte.

    ISO 8859-1 is not tried: it gives a meaning to all bytes, so it would also "fit" a file in any other encoding.
    """
    if (marked := marked_encoding(path, compressed=compressed)) is not None:
        return marked
    return next((name for name in ("utf-8", "cp1252") if _fits(path, name, compressed=compressed)), "utf-8")


def marked_encoding(path: Path, *, compressed: bool) -> str | None:
    """Return the encoding that a byte order mark tells, None without one."""
    head = next(raw_chunks(path, compressed=compressed), b"")
    for mark, name in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if head.startswith(mark):
            return name
    if b"\0" in head:
        raise _binary(path, 1 + head[: head.index(b"\0")].count(b"\n"))
    return None


def raw_chunks(path: Path, *, compressed: bool) -> Iterator[bytes]:
    """Yield the file's bytes, unpacked if it is compressed."""
    try:
        with path.open("rb") as file:
            if not compressed:
                yield from iter(lambda: file.read(CHUNK_BYTES), b"")
                return
            yield from gunzipped(path, file)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> FileError:
    """Explain why the system does not let a file be read."""
    reasons = {
        errno.ENOENT: ("no such file", "check the path; relative paths start at the current folder"),
        errno.EACCES: ("no permission to read it", "ask its owner, or copy it to a folder of yours"),
        errno.EPERM: ("no permission to read it", "ask its owner, or copy it to a folder of yours"),
        errno.EISDIR: ("a folder", "name one file inside it"),
    }
    got, hint = reasons.get(error.errno or 0, (error.strerror or str(error), "check the file and its disk"))
    return FileError(str(path), expected="a readable file", got=got, hint=hint)


def empty(path: Path) -> FileError:
    """Explain that a file holds nothing."""
    return FileError(str(path), expected="at least a header row", got="an empty file", hint="check how it was saved")


def _with_end(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Append one empty chunk, with which a decoder learns that nothing follows."""
    yield from chunks
    yield b""


def _fits(path: Path, name: str, *, compressed: bool) -> bool:
    decode = codecs.getincrementaldecoder(name)()
    try:
        for chunk in _with_end(raw_chunks(path, compressed=compressed)):
            if chunk and chunk.isascii() and not decode.getstate()[0]:
                continue
            decode.decode(chunk, final=not chunk)
    except UnicodeDecodeError:
        return False
    return True


def _undecodable(path: Path, name: str, error: UnicodeError, *, offset: int, lines: int) -> FileError:
    got, where = str(error), str(path)
    if isinstance(error, UnicodeDecodeError):
        before = ""
        with suppress(UnicodeError):  # some codecs cannot ignore anything
            before = error.object[: error.start].decode(name, errors="ignore")
        where = f"{path}, line {lines + before.count(chr(10))}"
        got = f"byte 0x{error.object[error.start]:02x} at position {offset + error.start} of the file"
    return FileError(
        where,
        expected=f"text in {name}",
        got=got,
        hint="give the file's encoding, for instance encoding='cp1252' (--encoding cp1252)",
    )


def _binary(path: Path, line: int) -> FileError:
    return FileError(
        f"{path}, line {line}",
        expected="text",
        got="a NUL byte, which only binary files (or UTF-16 without its mark) have",
        hint="save the table as text, or give encoding='utf-16-le'",
    )
