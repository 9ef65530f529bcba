"""The words of a column's name, and what they say about it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise


def words_of(name: str) -> list[str]:
    """Split a column name: ``dateOfBirth``, ``date_of_birth`` and ``Date of birth`` are three words each."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).casefold()
    return re.findall(r"[^\W\d_]+|\d+", "".join(c for c in plain if not unicodedata.combining(c)))


def with_neighbours(words: list[str]) -> list[str]:
    """Add what neighbouring words make together: ``zip code`` is also ``zipcode``."""
    return words + [first + second for first, second in pairwise(words)]


def first_known(words: Iterable[str], stems: tuple[str, ...]) -> str | None:
    """Return the shortest word that is known; a known one of five letters or more stands for what begins with it."""
    matches = sorted(
        word for word in words if any(word == stem or (len(stem) >= 5 and word.startswith(stem)) for stem in stems)
    )
    return min(matches, key=len) if matches else None


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())
