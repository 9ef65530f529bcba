"""The line ``sep=;`` with which spreadsheets are told, at the top of a text file, what separates its cells."""

from __future__ import annotations

import re

#: Quoted or not; a program that saved the file again may have filled the line up with delimiters.
_LINE = re.compile(r'\A(?i:"?sep=)([,;:|~^\t ])"?\1*(\r\n|\r|\n|\Z)')


def separator_line(text: str) -> tuple[str, int] | None:
    """Return the delimiter that the first line of a text names and the length of that line; None for other lines."""
    found = _LINE.match(text)
    return None if found is None else (found[1], found.end())
