"""The words of a column's name, and what they say about it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import pairwise


def words_of(name: str) -> list[str]:
    """Split a column name: ``dateOfBirth``, ``date_of_birth`` and ``Date of birth`` are three words each."""
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=[a-zäöü])(?=[A-ZÄÖÜ])", " ", name)).casefold().translate(_PLAIN)
    return re.findall(r"[^\W\d_]+|\d+", "".join(c for c in plain if not unicodedata.combining(c)))


#: Letters that are no others with a mark.
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"})


def with_neighbours(words: list[str]) -> list[str]:
    """Add what neighbouring words make together: ``zip code`` is also ``zipcode``."""
    return words + [first + second for first, second in pairwise(words)]


def first_known(words: Iterable[str], stems: tuple[str, ...]) -> str | None:
    """Return the shortest word that is known; a known one of five letters or more stands for what begins with it."""
    whole, beginnings = _known(stems)
    matches = sorted(word for word in words if word in whole or word.startswith(beginnings))
    return min(matches, key=len) if matches else None


@cache
def _known(stems: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the stems, and those of five letters or more."""
    return frozenset(stems), tuple(stem for stem in stems if len(stem) >= 5)


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())
