"""What a published cell says about a value: read from its text as anybody would read it. Imports nothing of nymity."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction
from typing import Any

from .texts import MASK, Text, same, text_of


def allows(cell: Text, value: Any, labels: list[Text], domain: list[Text]) -> bool:
    """Say whether the text of a cell can stand for a value.

    ``labels`` are those of the value at each level of its hierarchy, ``domain`` all values in the hierarchy's order.
    """
    text = text_of(value)
    if cell == MASK or same(cell, value) or cell in labels:
        return True
    if cell is None:
        return text is None
    rest = cell.removeprefix("missing or ")
    if rest != cell and (text is None or allows(rest, value, labels, domain)):
        return True
    if cell == "missing" and text is None:
        return True
    if cell.startswith("{") and cell.endswith("}"):
        return _in_set(cell[1:-1], "missing" if text is None else text) or _in_set(cell[1:-1], text or "")
    if text is None:
        return False
    whole = all(re.fullmatch(r"-?\d+", listed) for listed in domain if listed is not None)
    return _between(cell, " to ", text, domain) or (whole and _between(cell, "-", text, domain))


def _in_set(body: str, text: str) -> bool:
    return f", {text}, " in f", {body}, "


def _between(cell: str, sign: str, text: str, domain: list[Text]) -> bool:
    parts, found = cell.split(sign), place_of(text)
    for cut in range(1, len(parts)):
        low, high = sign.join(parts[:cut]), sign.join(parts[cut:])
        ends = place_of(low), place_of(high)
        kinds = {type(end) for end in (*ends, found)}
        if len(kinds) == 1 and None not in (*ends, found) and ends[0] <= found <= ends[1]:
            return True
        if low in domain and high in domain and domain.index(low) <= domain.index(text) <= domain.index(high):
            return True
    return False


def place_of(text: str) -> Fraction | datetime.date | None:
    """Return the number or the day that a text is."""
    try:
        if re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", text):
            return Fraction(text)
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def truthful(label: Text, value: Any, builder: str) -> bool:
    """Say whether a label that a builder made says nothing wrong about a value, where the text can tell."""
    text = text_of(value)
    if label in (MASK, text, None) or text is None:
        return (label is None) <= (text is None)
    if builder == "intervals":
        return _within(label, Fraction(text))
    if builder == "money":
        return label == "other" or _within(label, Fraction(text))
    if builder == "ages":  # completed years
        placed = 0 <= Fraction(text) <= 125
        return _within(label, Fraction(int(Fraction(text)))) if placed else label == "other"
    if builder == "masking":
        return all(a in (b, MASK) for a, b in zip(label, text, strict=False)) and len(label) <= max(
            len(text), len(label)
        )
    if builder == "dates":
        return _in_period(label, datetime.date.fromisoformat(text[:10]))
    return True


_NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def _within(label: str, number: Fraction) -> bool:
    if found := re.fullmatch(rf"({_NUMBER}) to under ({_NUMBER})", label):
        return Fraction(found[1]) <= number < Fraction(found[2])
    if found := re.fullmatch(rf"({_NUMBER})(?:-| to )({_NUMBER})", label):
        return Fraction(found[1]) <= number <= Fraction(found[2])
    if found := re.fullmatch(rf"under ({_NUMBER})", label):
        return number < Fraction(found[1])
    if found := re.fullmatch(rf"({_NUMBER})(?:\+| or more)", label):
        return number >= Fraction(found[1])
    return place_of(label) == number


def _in_period(label: str, day: datetime.date) -> bool:
    if found := re.fullmatch(r"(\d{4})-Q([1-4])", label):
        return (day.year, (day.month + 2) // 3) == (int(found[1]), int(found[2]))
    if found := re.fullmatch(r"(\d{4})-W(\d\d)", label):
        return day.isocalendar()[:2] == (int(found[1]), int(found[2]))
    if found := re.fullmatch(r"(\d{3}0)s", label):
        return day.year // 10 == int(found[1]) // 10
    return day.isoformat().startswith(label)
