"""Comparing fractions with powers of e, exactly."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction

#: Digits to start with; doubled until they are enough.
DIGITS = 40


def exceeds_exp(ratio: Fraction, exponent: Fraction) -> bool:
    """Return whether ratio > e ** exponent, for an exponent other than 0 and of at most 1000 in size.

    A power of e with such an exponent is irrational (Lindemann), so no ratio equals it and more digits decide in the
    end. A margin of eight digits is far more than the two roundings before it can make.
    """
    digits = DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            power = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
            difference = Decimal(ratio.numerator) / Decimal(ratio.denominator) - power
            if abs(difference) > power.scaleb(8 - digits):
                return difference > 0
        digits *= 2
