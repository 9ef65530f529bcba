"""Suggest: which builder makes a sensible first hierarchy for a column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Protocol

import polars as pl

from nymity.core import validation
from nymity.table.builders.ages import Ages
from nymity.table.builders.column import Column, distinct
from nymity.table.builders.dates import Dates
from nymity.table.builders.flat import Flat
from nymity.table.builders.intervals import Intervals
from nymity.table.builders.masking import Masking
from nymity.table.builders.money import Money
from nymity.table.builders.number import read_number
from nymity.table.builders.ready import ReadyHierarchy
from nymity.table.builders.recognition import (
    LONG_CODES,
    READY,
    are_codes,
    fitted,
    money,
    names_codes,
    recognized,
    short_codes,
)
from nymity.table.hierarchy import HierarchySource

FEW = 8  #: up to so many distinct values need no levels in between
MOST_INTERVALS = 20  #: a first level of numbers has about 10 to 20 intervals
MOST_STEPS = 4  #: masked levels of a long code
_LARGEST = 10**100  #: nobody reads intervals of longer numbers

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?", re.ASCII)
_YEAR_LAST = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}", re.ASCII)
_YEAR_LAST_FORMS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9 ./-]{2,15}", re.ASCII)


#: What a column can be said to hold; a ready hierarchy is asked for by its key.
KINDS = ("code", "number", "whole number", "date", "category", "text")
_ALL: tuple[type[ReadyHierarchy], ...] = (*READY, Money)
_READY: dict[str, type[ReadyHierarchy]] = {builder.key: builder for builder in _ALL}


class TellsKinds(Protocol):
    """A data dictionary, as far as it is asked."""

    def kind(self, column: str) -> str | None:
        """What a column holds; None if it does not say."""
        ...


def suggest(
    values: pl.Series,
    *,
    name: str | None = None,
    kind: str | None = None,
    dictionary: TellsKinds | None = None,
    label: str = "",
) -> HierarchySource:
    """Return a builder that fits the column and is sure to build on it.

    Dates get the levels that divide their span, also days such as 31.12.2024; diagnoses, countries and other well-known
    codes their ready hierarchy; ages bands of years; amounts of money bands that widen; other numbers intervals of a
    round width (… 0.5, 1, 2, 5, 10, 25, 50 …); codes of nearly one length with digits in them, such as postcodes, are
    masked from the right; few distinct values and free text are kept or suppressed as they are. Digits kept as text
    with one length of four or more (``02138``, ``1984``) are taken for codes, and so are whole numbers of one length
    that leave most of the numbers between them out (``111, 112, 240 …``), and those that are called by a classification
    or ``code``: to group these by size means nothing. Codes that are certain to have lost a zero get it back
    (:func:`short_codes`).

    ``name`` is that of the column (unless said, the series'), ``label`` what it is called elsewhere. ``kind`` says what
    it holds, one of :data:`KINDS` or the key of a ready hierarchy; unless said, a ``dictionary`` is asked.
    """
    column, name = distinct(values), values.name if name is None else name
    if kind is None and dictionary is not None:
        kind = dictionary.kind(name)
    elif kind is not None:
        validation.one_of("kind", kind, (*KINDS, *_READY))
    name = f"{name} {label}" if label else name
    if kind in _READY:
        return fitted(_READY[kind], column.texts).builder
    if kind in ("category", "text", "truth value"):
        some = _few(column, of_codes=True) or _known(column, name)
        return some or (_code(column, name) if kind == "category" else None) or Flat(of_codes=True)
    if kind == "code":
        return _known(column, name) or _code(column, name) or Flat(of_codes=True)
    dates = _dates(values, column) or _few(column, of_codes=kind is None and _named_codes(column, name))
    if kind in ("number", "whole number"):
        return dates or _known(column, name, (Ages,)) or _numbers(values, column, name, said=True) or Flat()
    return dates or _known(column, name) or _text_code(values, column) or _numbers(values, column, name) or Flat()


def _known(column: Column, name: str, kinds: Sequence[type[ReadyHierarchy]] = READY) -> HierarchySource | None:
    found = recognized(column.texts, name, kinds)
    return None if found is None else found.builder


def _few(column: Column, *, of_codes: bool = False) -> HierarchySource | None:
    return Flat(of_codes=of_codes) if len(column.texts) <= FEW else None


def _named_codes(column: Column, name: str) -> bool:
    numbers = [read_number(text) for text in column.texts]
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(numbers):
        return False
    return names_codes(known, name) or (min(known) >= LONG_CODES and are_codes(known))


def _dates(values: pl.Series, column: Column) -> HierarchySource | None:
    """Years and decades for a long span, quarters and months for a shorter one, weeks within two months."""
    if values.dtype in (pl.Date, pl.Datetime):
        days: Sequence[date] = values.drop_nulls().dt.date().to_list()
        form = None
    else:
        form = _form(column.texts)
        read = [Dates(format=form).day(text) if form or _ISO_DATE.fullmatch(text) else None for text in column.texts]
        days = [day for day in read if day is not None]
        if len(days) < len(read):
            return None
    if not days:
        return None
    months = {(day.year, day.month) for day in days}
    # Months would be two groups at most: days and weeks are all that can be told apart.
    if len(months) <= 2:
        return Dates(levels=("day", "week"), format=form)
    years = {year for year, _ in months}
    quarters = {(year, (month + 2) // 3) for year, month in months}
    wanted = {
        "day": True,
        "month": True,
        "quarter": len(years) <= 3 and len(quarters) > 1,
        "year": len(years) > 1,
        "decade": len({year // 10 for year in years}) > 1,
    }
    levels = tuple(level for level, want in wanted.items() if want)
    return Dates(levels=levels, format=form)


def _form(texts: Sequence[str]) -> str | None:
    """Return the one form with the year last that all texts have; none where they leave open what is the month."""
    if not texts or not all(_YEAR_LAST.fullmatch(text) for text in texts):
        return None
    fitting = [form for form in _YEAR_LAST_FORMS if all(Dates(format=form).day(text) for text in texts)]
    return fitting[0] if len(fitting) == 1 else None


def _text_code(values: pl.Series, column: Column) -> HierarchySource | None:
    """Masks of texts that look like codes; digits must be of one length."""
    if values.dtype.is_numeric() or not all(_CODE.fullmatch(text) for text in column.texts):
        return None
    shortest, longest = _lengths(column)
    if all(read_number(text) is not None for text in column.texts):
        if shortest < 4 or shortest < longest or not all(text.isdecimal() for text in column.texts):
            return None
    elif longest - shortest > 2:
        return None
    return _masks(longest)


def _code(column: Column, name: str) -> HierarchySource | None:
    """Masks of what is said to be codes: of one length and more than one character, or with a zero put back."""
    shortest, longest = _lengths(column)
    if 1 < shortest == longest <= 16:
        return _masks(longest)
    lost = short_codes(column.texts, name)
    return replace(_masks(longest), pad="0", align="right") if lost is not None and lost.certain else None


def _lengths(column: Column) -> tuple[int, int]:
    lengths = [len(text) for text in column.texts]
    return min(lengths, default=0), max(lengths, default=0)


def _masks(longest: int) -> Masking:
    if longest <= MOST_STEPS + 1:
        return Masking()
    step = -(-longest // (MOST_STEPS + 1))
    return Masking(steps=tuple(range(step, longest, step))[:MOST_STEPS])


def _numbers(values: pl.Series, column: Column, name: str, *, said: bool = False) -> HierarchySource | None:
    """Masks of codes, unless they are said to be numbers, bands of money, or intervals of a round width.

    The width is doubled twice: with 10 to 20 on level 1 about four are left below the top.
    """
    if values.dtype.is_temporal():
        return None
    numbers = [read_number(text) for text in column.texts]
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(numbers) or max(map(abs, known)) > _LARGEST:
        return None
    if not said and (are_codes(known) or names_codes(known, name)):
        return _code(column, name) or Flat(of_codes=True)
    if amounts := money(known, name):
        return amounts
    width = _round_width(max(known) - min(known), whole=all(number.denominator == 1 for number in known))
    written = int(width) if width.denominator == 1 else float(width)
    return Intervals(width=written, levels=4) if written > 0 else None


def _round_width(span: Fraction, *, whole: bool) -> Fraction:
    """Return the smallest round width that divides the span into at most ``MOST_INTERVALS``.

    Whole numbers get at least 2, for with a width of 1 the first level would be the raw values again.
    """
    least = max(span / MOST_INTERVALS, Fraction(2 if whole else 0))
    ten = Fraction(1)
    while ten * 10 <= least:
        ten *= 10
    while ten > least > 0:
        ten /= 10
    steps = (1, 2, 5, 10) if ten < 10 else (1, Fraction(5, 2), 5, 10)
    return next(ten * step for step in steps if ten * step >= least)
