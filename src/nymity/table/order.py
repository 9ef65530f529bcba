"""The order of a column's values, for distances that count how far apart two values are."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
