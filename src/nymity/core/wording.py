"""How numbers are written for a reader, on the terminal, on pages and in sentences."""

from __future__ import annotations

import re

#: A name before its sentence; what it quotes may hold a colon, too. A word of warning may stand before it.
_NAMED = re.compile(
    r"""((?:[A-Z ]+:\ )?(?:[^'":]|:(?!\ )|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")*):\ (.*)""", re.DOTALL | re.VERBOSE
)


def name_of(promise: str) -> str:
    """Return what a promise is called; all of it where it has no name."""
    return name_and_sentence(promise)[0] or promise


def name_and_sentence(promise: str) -> tuple[str, str]:
    """Divide the words of a promise; the name is empty where there is none."""
    found = _NAMED.fullmatch(promise)
    return ("", promise) if found is None else (found[1], found[2])


def count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 record``, ``20,000 records``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def people(number: int) -> str:
    """Return ``1 person``, ``2 people``."""
    return count(number, "person", "people")


def percent(part: float, whole: float = 1.0) -> str:
    """Return a share with one digit, near nothing or all with three; neither is said unless it is exactly so."""
    share = part / whole if whole else 0.0
    if 0 < share < 0.000005:
        return "under 0.001%"
    if 0.999995 <= share < 1:
        return "over 99.999%"
    digits = 3 if 0 < abs(share) < 0.001 or 0.999 < share < 1 else 1
    return f"{100 * share:.{digits}f}".removesuffix(".0") + "%"
