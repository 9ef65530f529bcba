"""How numbers are written in warnings."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write ``1 class``, ``2 classes``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def people(number: int) -> str:
    """Write ``1 person``, ``2 people``."""
    return counted(number, "person", "people")
