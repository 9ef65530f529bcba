"""Places of values: where the values of an ordered attribute lie, as a share of the span of its domain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nymity.table.hierarchy import Hierarchy
from nymity.table.value_order import days, numbers

#: Whole numbers up to this, and their differences, are floats.
_EXACT = 2**52


def places(hierarchy: Hierarchy) -> NDArray[np.float64] | None:
    """Return the place of each value from 0 (smallest) to 1 (largest), (domain_size,); NaN for a missing one.

    None where values have no order: an attribute is ordered if its hierarchy lists nothing but numbers, or nothing but
    days, missing values aside, and these are no codes.
    """
    known = None if hierarchy.of_codes else numbers(hierarchy.values) or days(hierarchy.values)
    if known is None:
        return None
    lowest, highest = min(known.values()), max(known.values())
    span = (highest - lowest) or 1
    if max(-lowest, highest) < _EXACT and all(number.denominator == 1 for number in known.values()):
        above = np.array([np.nan if v is None else known[v].numerator for v in hierarchy.values]) - int(lowest)
        return above / int(span)  # whole numbers that floats hold: rounded once, as a fraction is
    return np.array([float((known[v] - lowest) / span) if v is not None else np.nan for v in hierarchy.values])
