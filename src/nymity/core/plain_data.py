"""Plain data from files, JSON and TOML, within bounds: a hostile file is refused before anything suffers from it.

All files that others may have written are parsed here. What is refused: text that is nested too deeply for the code
that walks it, keys of too many parts (a TOML parser takes quadratic time over them), numbers that no field can mean
(NaN, infinities, hundreds of digits), a field that stands twice (readers differ in which of them they believe), and
halves of characters that no file could be written with.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from nymity.core.errors import FileError
from nymity.core.files import open_file
from nymity.core.validation import MOST_DIGITS

_Data = TypeVar("_Data")

#: How deeply tables and lists may be nested, and how many parts a key may have: a taxonomy of 100 levels inside a job.
MOST_DEPTH = 120
#: Bytes of a job file, and of a file that the custodian keeps (recoding, log, ledger).
MOST_JOB_BYTES = 64 * 2**20
MOST_KEPT_BYTES = 4 * 2**30
#: Bytes that are read at a time.
_PIECE = 2**20

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
#: A dotted key of too many parts, where a key can stand: at the start of a line, in a head, in an inline table.
_LONG_KEY = re.compile(rf"(?m)(?:^[ \t]*\[{{0,2}}|[{{,])[ \t]*{_PART}(?:[ \t]*\.[ \t]*{_PART}){{{MOST_DEPTH}}}")


def parse_json(content: str | bytes, *, where: str, expected: str, hint: str = "") -> Any:
    """Parse JSON, or say why not; ``expected`` is what the file should be."""

    def parsed() -> Any:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_int=_whole)
        _check(data, texts="\\ud" in text.lower())
        return data

    return _told(parsed, where, expected, hint)


def parse_toml(text: str, *, where: str, expected: str, hint: str = "") -> dict[str, Any]:
    """Parse TOML, or say why not; ``expected`` is what the file should be."""

    def parsed() -> dict[str, Any]:
        if _LONG_KEY.search(text):
            raise ValueError(f"a key of more than {MOST_DEPTH} parts")
        data = tomllib.loads(text)
        _check(data)
        return data

    return _told(parsed, where, expected, hint)


def read_content(path: str | Path, *, most: int, expected: str, hint: str = "") -> bytes:
    """Read a file of at most so many bytes."""
    try:
        with open_file(path) as stream:
            content = _read_at_most(stream, most + 1)
    except OSError as error:
        got = error.strerror or str(error)
        raise FileError(str(path), expected=expected, got=got, hint=hint) from error
    if len(content) > most:
        raise FileError(str(path), expected=f"{expected}, at most {most:,} bytes", got="more")
    return content


def _read_at_most(stream: BinaryIO, most: int) -> bytes:
    """Read in pieces: to read gigabytes at once, Python asks for their memory before it looks what is there."""
    pieces, left = [], most
    while left and (piece := stream.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_json(path: str | Path, *, expected: str, most: int = MOST_KEPT_BYTES, hint: str = "") -> dict[str, Any]:
    """Read a JSON file that holds a table of fields."""
    content = read_content(path, most=most, expected=expected, hint=hint)
    data = parse_json(content, where=str(path), expected=expected)
    if not isinstance(data, dict):
        raise FileError(str(path), expected=expected, got=f"a {type(data).__name__}, no table of fields")
    return data


def _told(parsed: Callable[[], _Data], where: str, expected: str, hint: str = "") -> _Data:
    try:
        return parsed()
    except RecursionError as error:
        raise FileError(where, expected=expected, got=_TOO_DEEP) from error
    except UnicodeDecodeError as error:
        raise FileError(
            where, expected=f"{expected}, in UTF-8", got=f"byte 0x{error.object[error.start]:02x}"
        ) from error
    except ValueError as error:  # those of json and tomllib tell the line
        got = _TOO_LONG if "int_max_str_digits" in str(error) else str(error)[:200]
        raise FileError(where, expected=expected, got=got, hint=hint) from error


def _check(data: Any, *, texts: bool = False) -> None:
    """Refuse what is nested too deeply, level by level, and values that nothing can be done with."""
    level, depth = [data], 0
    while level:
        depth += 1
        if depth > MOST_DEPTH + 1:  # the values inside the innermost tables are one level more
            raise ValueError(_TOO_DEEP)
        level = [item for held in level for item in _inside(held)]
        for item in level:
            kind = type(item)
            if kind is int and abs(item) >= _BEYOND:
                raise ValueError(_TOO_LONG)
            if kind is float and not isfinite(item):
                raise ValueError(f"{item}, which is no number")
            if texts and kind is str:
                _check_text(item)


def _inside(held: Any) -> Iterator[Any]:
    if isinstance(held, dict):
        yield from held
        yield from held.values()
    elif isinstance(held, list):
        yield from held


def _check_text(text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half of a character (a lone surrogate)")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the field {twice!r} twice"[:200])
    return fields


def _no_number(name: str) -> Any:
    raise ValueError(f"{name}, which is no number")


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(_TOO_LONG)
    return int(digits)


_BEYOND = 10**MOST_DIGITS
_TOO_DEEP = f"one that is nested too deeply, more than {MOST_DEPTH} levels"
_TOO_LONG = f"a number of more than {MOST_DIGITS} digits"
