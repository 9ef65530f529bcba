"""Intervals: numbers become ranges that widen level by level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any, ClassVar, Protocol

import polars as pl

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import MOST_DIGITS, exact_fraction
from nymity.table.builders.column import Column, distinct, refuse
from nymity.table.builders.number import is_nan, read_number
from nymity.table.builders.range_label import RANGE_FORMS, range_label
from nymity.table.hierarchy import MOST_LEVELS, Hierarchy, Label
from nymity.table.label_form import LabelForm
from nymity.table.rule import NOWHERE, Fixes, is_count, is_flag

#: Lower end (inside) and upper end (outside); ``None`` is unbounded.
Interval = tuple[Fraction | None, Fraction | None]

_WIDEST = 10**MOST_DIGITS


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Group numbers into half-open intervals, from ``low`` to under ``high``.

    Say either ``width`` or ``cuts``.

    ``width``: level 1 holds ``[origin + i * width, origin + (i + 1) * width)``, and each further level merges
    ``factor`` neighbours. ``levels`` counts the levels below the top, the raw values among them:
    ``width=5, levels=4`` is raw, 5, 10, 20 and then ``*``. Without ``levels`` merging goes on as long as it
    leaves at least two intervals between the column's smallest and largest value, so the height then
    depends on the data.

    ``cuts``: one list of cut points per level, finest first, coarser ones taken from the finer ones; a single
    list is one level. What lies below the first cut is ``under first``, the rest above the last ``last+``.

    ``bottom`` and ``top`` code the ends: from level 1 on values below ``bottom`` are ``under bottom`` and values of at
    least ``top`` are ``top+``. Intervals that reach beyond them are named by what is left, so with ``top=90`` the
    values 80 to 99 are ``80-89`` and ``90+``.

    Whole numbers with whole bounds are written with both ends inside (``20-24``, ``-5 to -1``), a single one as it is
    (``78``), anything else as ``20 to under 22.5``; a top below zero is ``-5 or more``. Arithmetic is exact on the
    decimals as written, so a width of 0.1 gives ``0.3 to under 0.4``. NaN is missing.
    """

    key: ClassVar[str] = "intervals"
    coarser: ClassVar[str] = "ranges of numbers"
    forms: ClassVar[tuple[LabelForm, ...]] = RANGE_FORMS
    fixes: ClassVar[Fixes] = {"levels": is_count, "whole": is_flag}

    width: float | None = None
    levels: int | None = None
    factor: int = 2
    origin: float = 0
    bottom: float | None = None
    top: float | None = None
    cuts: tuple[tuple[float, ...], ...] | None = None

    def __post_init__(self) -> None:
        if (self.width is None) == (self.cuts is None):
            raise ParameterError(
                "intervals",
                expected="either a width or cuts",
                got="neither" if self.width is None else "both",
                hint="width = 5 for equal intervals, cuts = [[18, 65]] for your own",
            )
        if self.width is not None:
            validation.number("intervals.width", self.width, above=0)
        validation.whole_number("intervals.factor", self.factor, at_least=2)
        validation.number("intervals.origin", self.origin)
        self._check_ends()
        if self.levels is not None:
            validation.whole_number("intervals.levels", self.levels, at_least=1, at_most=MOST_LEVELS - 1)
            self._check_widest(self.levels)
        if self.cuts is not None:
            if self.levels is not None:
                raise ParameterError(
                    "intervals.levels", expected="none with cuts, which have a list per level", got=str(self.levels)
                )
            object.__setattr__(self, "cuts", _nested(self.cuts))

    def _check_widest(self, levels: int) -> None:
        """Refuse intervals that take more digits to write than anybody reads."""
        if self.width is not None and exact_fraction(self.width) * self.factor ** max(0, levels - 2) > _WIDEST:
            raise ParameterError(
                "intervals.levels",
                expected=f"a widest interval of at most {MOST_DIGITS} digits",
                got=f"{levels} levels, each {_digits(self.factor)} times as wide as the one below",
                hint="fewer levels, or a smaller factor",
            )

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the intervals of a column of numbers; text that reads as numbers will do."""
        column = distinct(values)
        numbers = _numbers(column, where)  # in order of value; last None for NaN written as text
        known = [number for number in numbers.values() if number is not None]
        scales = self._scales(known)
        whole = all(_is_whole(number) for number in [*known, *self._bounds()])
        levels = [self._labels(known, scale, whole=whole) for scale in scales]
        unknown = [None] * (len(numbers) - len(known))
        rows = [list(row) for row in zip(numbers, *([*labels, *unknown] for labels in levels), strict=True)]
        fixed = {"levels": len(scales) + 1, "whole": whole}
        return column.hierarchy(rows, levels=len(scales) + 1, where=where, rule=(self, fixed))

    def between(self, text: str, fixed: Mapping[str, Any]) -> list[Label] | None:
        """Find the intervals of any number; beside whole ones it must lie between the ends as they are written."""
        return self.between_all([text], fixed)[0]

    def between_all(self, texts: Sequence[str], fixed: Mapping[str, Any]) -> list[list[Label] | None]:
        """Find the intervals of many numbers: an interval is worked out once."""
        numbers = {text: number for text in texts if (number := read_number(text)) is not None}
        around = {end for number in numbers.values() for end in _ends(number, whole=fixed["whole"])}
        # In order, so that the interval of each is found by going on from the one before.
        ordered = sorted(around, key=_fast)
        levels = [
            dict(zip(ordered, self._labels(ordered, scale, whole=fixed["whole"]), strict=True))
            for scale in self._scales([], levels=fixed["levels"])
        ]
        return [
            [_if_one({labels[end] for end in _ends(numbers[text], whole=fixed["whole"])}) for labels in levels]
            if text in numbers
            else [None] * len(levels)
            if is_nan(text)
            else None
            for text in texts
        ]

    def _labels(self, numbers: Sequence[Fraction], scale: _Scale, *, whole: bool) -> list[Label]:
        """Write rising numbers on one level; an interval is worked out once, for the first number in it."""
        labels: list[Label] = []
        low: Fraction | None = None
        high: Fraction | None = None
        label = ""
        for place, number in enumerate(numbers):
            if place == 0 or (high is not None and number >= high):
                low, high = self._around(number, scale)
                label = range_label(low, high, whole=whole)
            labels.append(label)
        return labels

    def _around(self, number: Fraction, scale: _Scale) -> Interval:
        """The scale's interval as far as it lies between bottom and top, or what lies outside of them."""
        bottom, top = _optional(self.bottom), _optional(self.top)
        if bottom is not None and number < bottom:
            return None, bottom
        if top is not None and number >= top:
            return top, None
        low, high = scale.around(number)
        low = low if bottom is None else bottom if low is None else max(low, bottom)
        high = high if top is None else top if high is None else min(high, top)
        return low, high

    def _scales(self, numbers: Sequence[Fraction], levels: int | None = None) -> Sequence[_Scale]:
        """One scale per level above the raw values; ``levels``: as many as another column had."""
        levels = self.levels if levels is None else levels
        if self.cuts is not None:
            return [_Cuts(tuple(exact_fraction(cut) for cut in cuts)) for cuts in self.cuts]
        assert self.width is not None  # checked at birth
        width, origin = exact_fraction(self.width), exact_fraction(self.origin)
        if levels is not None:
            return [_Grid(origin, width * self.factor**step) for step in range(levels - 1)]
        bottom, top = _optional(self.bottom), _optional(self.top)
        inside = [n for n in numbers if (bottom is None or n >= bottom) and (top is None or n < top)]
        grids = [_Grid(origin, width)]
        if inside:
            low, high = min(inside), max(inside)
            wider = _Grid(origin, width * self.factor)
            # Two intervals that meet at the origin never merge, hence the second condition.
            while 2 <= wider.count(low, high) < grids[-1].count(low, high) and len(grids) < MOST_LEVELS - 2:
                grids.append(wider)
                wider = _Grid(origin, wider.width * self.factor)
        return grids

    def _bounds(self) -> Iterable[Fraction]:
        ends = [end for end in (self.bottom, self.top) if end is not None]
        points = [self.width, self.origin] if self.width is not None else [c for cuts in self.cuts or () for c in cuts]
        return [exact_fraction(point) for point in [*ends, *points] if point is not None]

    def _check_ends(self) -> None:
        for name, end in (("bottom", self.bottom), ("top", self.top)):
            if end is not None:
                validation.number(f"intervals.{name}", end)
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise ParameterError("intervals.top", expected=f"more than bottom, {self.bottom}", got=str(self.top))


class _Scale(Protocol):
    def around(self, number: Fraction) -> Interval: ...


@dataclass(frozen=True)
class _Grid:
    origin: Fraction
    width: Fraction

    def around(self, number: Fraction) -> Interval:
        low = self.origin + (number - self.origin) // self.width * self.width
        return low, low + self.width

    def count(self, low: Fraction, high: Fraction) -> int:
        return (high - self.origin) // self.width - (low - self.origin) // self.width + 1


@dataclass(frozen=True)
class _Cuts:
    points: tuple[Fraction, ...]

    def around(self, number: Fraction) -> Interval:
        place = bisect_right(self.points, number)
        return (
            self.points[place - 1] if place else None,
            self.points[place] if place < len(self.points) else None,
        )


def _numbers(column: Column, where: str) -> dict[str, Fraction | None]:
    """Read the column's texts as numbers, in order of value."""
    read = {text: read_number(text) for text in column.texts}
    refuse(
        where,
        [text for text, number in read.items() if number is None and not is_nan(text)],
        expected="numbers, to group them into intervals",
        hint="correct them, make them missing, or use an 'ordering' or 'taxonomy' for words and 'dates' for dates",
    )
    return dict(sorted(read.items(), key=lambda item: (item[1] is None, _fast(item[1]), item[0])))


def _ends(number: Fraction, *, whole: bool) -> tuple[Fraction, ...]:
    """The number, or beside whole ones those around it: it lies in an interval if both do."""
    return (Fraction(floor(number)), Fraction(ceil(number))) if whole and not _is_whole(number) else (number,)


def _if_one(labels: set[Label]) -> Label:
    return labels.pop() if len(labels) == 1 else NOWHERE


def _fast(number: Fraction | None) -> Fraction | int:
    """The same number as an integer where it is one: those compare much faster."""
    return 0 if number is None else number.numerator if _is_whole(number) else number


def _nested(levels: object) -> tuple[tuple[float, ...], ...]:
    """Check the cut points: numbers that rise within a level, each level a choice of the one below."""
    if isinstance(levels, str) or not isinstance(levels, Sequence) or not levels:
        raise ParameterError("intervals.cuts", expected="one list of cut points per level", got=as_given(levels))
    if all(isinstance(level, int | float) for level in levels):
        levels = [levels]
    nested: list[tuple[float, ...]] = []
    for number, level in enumerate(levels, start=1):
        where = f"intervals.cuts, level {number}"
        if isinstance(level, str) or not isinstance(level, Sequence) or not level:
            raise ParameterError(where, expected="a list of cut points", got=as_given(level))
        for cut in level:
            validation.number(where, cut)
        if any(left >= right for left, right in pairwise(level)):
            raise ParameterError(where, expected="cut points in rising order, each once", got=repr(list(level)))
        extra = [cut for cut in level if nested and cut not in nested[-1]]
        if extra:
            raise ParameterError(
                where,
                expected=f"cut points of level {number - 1} ({', '.join(map(str, nested[-1]))})",
                got=f"{extra[0]}, which would split one of its intervals",
                hint=f"add {extra[0]} to level {number - 1} too",
            )
        nested.append(tuple(level))
    return tuple(nested)


def _optional(end: float | None) -> Fraction | None:
    return None if end is None else exact_fraction(end)


def _digits(number: int) -> str:
    return str(number) if number < 10**6 else f"10^{len(str(number)) - 1}"


def _is_whole(number: Fraction) -> bool:
    return number.denominator == 1
