"""How numbers are written for a reader, on the terminal, on pages and in sentences."""

from __future__ import annotations


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
