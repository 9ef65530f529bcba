"""Numbers that decide privacy, taken as they were written."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from numbers import Real
from typing import TypeAlias

from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import exact_fraction

#: 0.9 is 9/10 here, not the nearest binary float.
Number: TypeAlias = float | Fraction | Decimal


def fraction_between(where: str, value: Number, above: float, below: float = inf) -> Fraction:
    """Return the number as written, which must lie strictly between the bounds."""
    if isinstance(value, Real | Decimal) and not isinstance(value, bool) and _is_finite(value):
        exact = exact_fraction(value)
        if above < exact < below:
            return exact
    bounds = f"above {above}" if below == inf else f"between {above} and {below}, both excluded"
    raise ParameterError(where, expected=f"a number {bounds}", got=as_given(value))


def _is_finite(value: Real | Decimal) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # too large for what is computed with it
        return False
