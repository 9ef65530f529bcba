"""Checks of parameters, all answering in one message form; and numbers of numpy as Python's own."""

from __future__ import annotations

import dataclasses
import difflib
import sys
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from numbers import Integral, Rational, Real
from typing import Any, TypeVar

from nymity.core.errors import InputError, ParameterError
from nymity.core.quoting import as_given, kind_and_value

_Piece = TypeVar("_Piece")

#: Numerator and denominator of a short fraction stay below this, so that products with numbers of records fit 64 bits.
MAX_TERM = 2**31
#: Digits of a whole number: what a floating-point number can still hold.
MOST_DIGITS = 300


def whole_number(where: str, value: object, *, at_least: int | None = None, at_most: int | None = None) -> None:
    """Refuse anything but an integer within the bounds (booleans are not integers here)."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        plain = int(value)
        if _within(plain, at_least, at_most) and abs(plain) < 10**MOST_DIGITS:
            return
    raise ParameterError(where, expected=f"a whole number{_bounds(at_least, at_most)}", got=_written(value))


def number(
    where: str,
    value: object,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
) -> None:
    """Refuse anything but a finite number within the bounds."""
    if isinstance(value, Real) and not isinstance(value, bool):
        plain = _as_float(value)
        if isfinite(plain) and _within(plain, at_least, at_most) and (above is None or plain > above):
            return
    limits = [f" above {above}" if above is not None else "", _bounds(at_least, at_most)]
    bounds = " and".join(filter(None, limits)).replace(" and of at most", " and at most")
    raise ParameterError(where, expected=f"a number{bounds}", got=_written(value))


def one_of(where: str, value: object, allowed: Iterable[str]) -> None:
    """Refuse anything but one of the allowed words, naming the nearest."""
    words = list(allowed)
    if isinstance(value, str) and value in words:
        return
    hint = nearest(value[:80], words) if isinstance(value, str) else ""
    raise ParameterError(where, expected=f"one of {', '.join(map(repr, words))}", got=as_given(value), hint=hint)


def instance(where: str, value: object, kind: type[Any] | tuple[type[Any], ...], *, expected: str) -> None:
    """Refuse anything but an object of some class."""
    if not isinstance(value, kind):
        raise ParameterError(where, expected=expected, got=kind_and_value(value))


def columns_there(
    error: type[InputError], where: str, needed: Iterable[str], columns: Iterable[str], *, expected: str = ""
) -> None:
    """Refuse a table without one of the ``needed`` columns, by an error of the kind that suits where it came from."""
    wanted, there = list(dict.fromkeys(needed)), list(columns)
    for name in wanted:
        if name not in there:
            raise error(
                where,
                expected=expected or f"the columns {', '.join(map(repr, wanted))}",
                got=f"no column {name!r}",
                hint=nearest(name, there),
            )


def nearest(word: object, words: Iterable[object]) -> str:
    """Return ``did you mean 'x'?`` for the closest known word, or an empty string; names of columns may be no text."""
    originals = {str(k).lower(): k for k in words}
    match = difflib.get_close_matches(str(word).lower(), originals, n=1, cutoff=0.5)
    return f"did you mean {originals[match[0]]!r}?" if match else ""


def exact_fraction(value: float | int | str | Decimal | Fraction) -> Fraction:
    """Return the number *as written*: 0.29 is 29/100, not the nearest binary float.

    A float's shortest ``repr`` is the decimal its author typed, so ``Fraction(repr(x))`` recovers it.
    """
    if isinstance(value, Real) and not isinstance(value, Rational):
        return Fraction(repr(float(value)))  # numpy's floats have a repr of their own
    return Fraction(value)


def short_fraction(where: str, value: float) -> Fraction:
    """Return the number as written, or refuse one with so many digits that products with counts leave 64 bits."""
    fraction = exact_fraction(value)
    if max(fraction.numerator, fraction.denominator) < MAX_TERM:
        return fraction
    raise ParameterError(
        where, expected="a number of at most nine digits", got=as_given(value), hint="round it to fewer digits"
    )


def _as_float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


def _written(value: object) -> str:
    if isinstance(value, Rational) and abs(value) >= 10**MOST_DIGITS:  # Python refuses to write the longest ones
        return f"a number of more than {MOST_DIGITS} digits"
    return as_given(value)


def _within(value: float, at_least: float | None, at_most: float | None) -> bool:
    return (at_least is None or value >= at_least) and (at_most is None or value <= at_most)


def _bounds(at_least: float | None, at_most: float | None) -> str:
    if at_least is not None and at_most is not None:
        return f" from {at_least} to {at_most}"
    if at_least is not None:
        return f" of at least {at_least}"
    return f" of at most {at_most}" if at_most is not None else ""


def with_plain_numbers(piece: _Piece) -> _Piece:
    """Return a frozen dataclass with its numbers, and those of dataclasses in its fields, as Python has them.

    ``for k in np.arange(2, 20)`` hands out ``np.int64``: its comparisons are no ``bool``, and JSON does not know it.
    """
    if "numpy" not in sys.modules or not dataclasses.is_dataclass(piece) or isinstance(piece, type):
        return piece
    fields = {field.name: getattr(piece, field.name) for field in dataclasses.fields(piece) if field.init}
    changed = {name: plain for name, given in fields.items() if (plain := _plain(given)) is not given}
    return dataclasses.replace(piece, **changed) if changed else piece


def _plain(given: Any) -> Any:
    if isinstance(given, sys.modules["numpy"].generic):
        return given.item()
    return with_plain_numbers(given)
