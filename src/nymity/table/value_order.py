"""The order of a column's values, for distances that count how far apart two values are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nymity.table.builders.number import read_number

if TYPE_CHECKING:
    from nymity.table.hierarchy import Hierarchy, Label

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_LARGEST = 10**300


def numbers(values: Sequence[Label]) -> dict[Label, Fraction] | None:
    """Return the number each value stands for, missing ones left out, or None if one of them is no number.

    Numbers as nymity writes them: ``7``, ``-2.5``; ``0214`` is a code. So is one beyond what floats can tell apart.
    """
    found: dict[Label, Fraction] = {}
    for value in values:
        if value is not None:
            number = read_number(value) if _NUMBER.fullmatch(value) else None
            if number is None or abs(number) > _LARGEST:
                return None
            found[value] = number
    return found or None


def days(values: Sequence[Label]) -> dict[Label, Fraction] | None:
    """Return the day each date stands for, missing ones left out, or None if one of them is no date (2024-05-31)."""
    try:
        found: dict[Label, Fraction] = {
            value: Fraction(date.fromisoformat(value).toordinal()) for value in values if value is not None
        }
    except ValueError:
        return None
    return found or None


@dataclass(frozen=True, eq=False)
class ValueOrder:
    """Values of a column in order: by number or day, others as their hierarchy groups them, a missing one first.

    codes (n_values,): of the values, in that order. places: the number or day of each, missing ones left out; empty
    where they are neither. ``read``: tells the places of other values.
    """

    codes: NDArray[np.int64]
    places: dict[Label, Fraction]
    read: Callable[[Sequence[Label]], dict[Label, Fraction] | None]


def value_order(hierarchy: Hierarchy, occurring: NDArray[np.int64]) -> ValueOrder:
    """Put the raw values with these codes in order."""
    values = {code: hierarchy.values[code] for code in occurring.tolist()}
    for read in (numbers, days):
        if places := read(list(values.values())):
            ordered = sorted(values, key=lambda code: (values[code] is not None, places.get(values[code], 0)))
            return ValueOrder(np.array(ordered, dtype=np.int64), places, read)
    paths = [hierarchy.codes[level][occurring] for level in range(hierarchy.height)]
    present = np.array([value is not None for value in values.values()])
    return ValueOrder(occurring[np.lexsort([*paths, present])], {}, lambda _: None)  # by the coarsest level first


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
