"""Numbers exactly as written: text to fractions and back, with no binary rounding in between."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_LARGEST_EXPONENT = 400  # beyond every float; larger ones would only exhaust memory


def read_number(text: str) -> Fraction | None:
    """Return the number a text stands for, or ``None`` if it is not a (finite, sanely sized) one."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None  # an exponent that even Decimal cannot hold
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_LARGEST_EXPONENT or number.adjusted() > _LARGEST_EXPONENT:
        return None
    return Fraction(number)


def is_nan(text: str) -> bool:
    """Return whether a text is what programs write for a missing number."""
    return text.strip().lower() == "nan"


def write_number(number: Fraction) -> str:
    """Write a terminating decimal in full: no exponent, no rounding, no needless zeros."""
    digits = 0
    while number.denominator != 1:
        number *= 10
        digits += 1
    if not digits:
        return str(number.numerator)
    text = str(abs(number.numerator)).rjust(digits + 1, "0")
    return f"{'-' if number < 0 else ''}{text[:-digits]}.{text[-digits:]}"
