"""The order of a column's values, for distances that count how far apart two values are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nymity.table.builders.number import read_number

if TYPE_CHECKING:
    from nymity.table.hierarchy import Hierarchy, Label

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DIGITS = re.compile(r"\d+-\d+", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{6})?", re.ASCII)
_LARGEST = 10**300


def numbers(values: Sequence[Label]) -> dict[Label, Fraction] | None:
    """Return the number each value stands for, missing ones left out, or None if one of them is no number.

    Numbers as nymity writes them: ``7``, ``-2.5``; ``0214`` is a code. So is one beyond what floats can tell apart.
    """
    found: dict[Label, Fraction] = {}
    for value in values:
        if value is None:
            continue
        if _WHOLE.fullmatch(value):  # most are: no need for decimals
            found[value] = Fraction(int(value))
            continue
        number = read_number(value) if _NUMBER.fullmatch(value) else None
        if number is None or abs(number) > _LARGEST:
            return None
        found[value] = number
    return found or None


def days(values: Sequence[Label]) -> dict[Label, Fraction] | None:
    """Return the day each date stands for, missing ones left out, or None if one of them is no date (2024-05-31).

    A moment (2024-05-31 06:00:42.000000) is its day and the part of the day that has passed.
    """
    try:
        found: dict[Label, Fraction] = {value: _day(value) for value in values if value is not None}
    except ValueError:
        return None
    return found or None


def _day(value: str) -> Fraction:
    if not _MOMENT.fullmatch(value):
        return Fraction(date.fromisoformat(value).toordinal())
    moment = datetime.fromisoformat(value)
    passed = moment - datetime.combine(moment.date(), time())
    return moment.toordinal() + Fraction(passed // timedelta(microseconds=1), 86_400_000_000)


@dataclass(frozen=True, eq=False)
class ValueOrder:
    """Values of a column in order: by number or day, others as their hierarchy groups them, a missing one first.

    codes (n_values,): of the values, in that order. places: the number or day of each, missing ones left out; empty
    where they are neither. ``read``: tells the places of other values.
    """

    hierarchy: Hierarchy
    codes: NDArray[np.int64]
    places: dict[Label, Fraction]
    read: Callable[[Sequence[Label]], dict[Label, Fraction] | None]

    def between(self, low: Label, high: Label) -> NDArray[np.int64]:
        """Return the codes of everything the hierarchy lists from one value to another, whether it occurs or not.

        The ends are numbers or days where values are, whether listed or not; otherwise they must be listed.
        """
        (start, _), (_, end) = self._extent(low), self._extent(high)
        return self._listed[0][start:end]

    def interval(self, low: Label, high: Label) -> str:
        """Write an interval with both ends inside: ``34-36`` where all that is listed is whole, else ``34 to 36.5``.

        Days and words are written ``2024-02-28 to 2024-03-01``, and so is what begins below zero: ``-5 to 3``.
        """
        return f"{low}-{high}" if self.is_whole and _DIGITS.fullmatch(f"{low}-{high}") else f"{low} to {high}"

    @cached_property
    def is_whole(self) -> bool:
        """Whether the values are numbers, and whole wherever the hierarchy lists one."""
        return self.read is numbers and all(place.denominator == 1 for place in self._listed[1])

    def _extent(self, value: Label) -> tuple[int, int]:
        """Return where a value begins and ends among those listed; cells of many classes end at the same few."""
        if value not in self._extents:
            places, place = self._listed[1], self._place(value)
            self._extents[value] = bisect_left(places, place), bisect_right(places, place)
        return self._extents[value]

    def _place(self, value: Label) -> Fraction:
        found = self._read_one(value) if self.places else int(self._listed_rank[self.hierarchy.index[value]])
        if found is None:
            raise ValueError(f"{value!r} has no place in the order")
        return Fraction(found)

    def _read_one(self, value: Label) -> Fraction | None:
        """Return the number or day of a value, None if it is neither."""
        return self.places[value] if value in self.places else (self.read([value]) or {}).get(value)

    @cached_property
    def _extents(self) -> dict[Label, tuple[int, int]]:
        return {}

    @cached_property
    def _listed(self) -> tuple[NDArray[np.int64], list[Fraction]]:
        """Codes of all values that have a place in this order, and their places, ascending."""
        values = self.hierarchy.values
        if self.places:
            known = ((self._read_one(value), code) for code, value in enumerate(values))
            found = sorted((place, code) for place, code in known if place is not None)
            return np.array([code for _, code in found], dtype=np.int64), [place for place, _ in found]
        present = np.array([code for code, value in enumerate(values) if value is not None], dtype=np.int64)
        codes = present[np.argsort(self._listed_rank[present])]
        return codes, [Fraction(rank) for rank in self._listed_rank[codes].tolist()]

    @cached_property
    def _listed_rank(self) -> NDArray[np.int64]:
        """Place of each value in the order in which the hierarchy groups them, (domain_size,)."""
        rank = np.empty(self.hierarchy.domain_size, dtype=np.int64)
        rank[_grouped(self.hierarchy, np.arange(len(rank)))] = np.arange(len(rank))
        return rank


def value_order(hierarchy: Hierarchy, occurring: NDArray[np.int64]) -> ValueOrder:
    """Put the raw values with these codes in order; numbers that are codes as their hierarchy groups them."""
    values = {code: hierarchy.values[code] for code in occurring.tolist()}
    for read in () if hierarchy.of_codes else (numbers, days):
        if places := read(list(values.values())):
            ordered = sorted(values, key=lambda code: (values[code] is not None, places.get(values[code], 0)))
            return ValueOrder(hierarchy, np.array(ordered, dtype=np.int64), places, read)
    return ValueOrder(hierarchy, _grouped(hierarchy, occurring), {}, lambda _: None)


def _grouped(hierarchy: Hierarchy, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put values in the order in which their hierarchy groups them, by the coarsest level first, a missing one first.

    A part of the values stands in the order of all.
    """
    paths = [hierarchy.codes[level][codes] for level in range(hierarchy.height)]
    present = np.array([hierarchy.values[code] is not None for code in codes.tolist()])
    return codes[np.lexsort([*paths, present])]


def ranks(labels: Sequence[Label], hierarchy: Hierarchy | None) -> NDArray[np.int64] | None:
    """Return the place of each value in their order, (n_values,); None where they have none.

    Numbers are ordered by size, anything else as the hierarchy lists it. A missing value stands before all others.
    """
    numbers = {label: read_number(label) for label in labels if label is not None}
    if all(number is not None for number in numbers.values()):
        known = sorted(numbers, key=lambda label: (numbers[label], label))
    elif hierarchy is not None:
        known = sorted(numbers, key=lambda label: hierarchy.index[label])
    else:
        return None
    place = {label: i for i, label in enumerate([None, *known])}
    return np.array([place[label] for label in labels], dtype=np.int64)
