"""Caps on the share that each sensitive value may have of a class: which classes keep them, how much of a class can.

Several models are such caps, with one number for all values or one for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.table.classes import Classes

#: More than sums of shares are off by, so that a bound computed with them is never too small.
ROUNDING = 1e-9
#: Products are compared in two halves of as many bits, because they may have 93.
HALF = 31
#: Terms of caps below this are 64-bit integers.
MAX_TERM = 2**62


@dataclass(frozen=True, eq=False)
class Caps:
    """The largest share of each value, numerators / denominators, (n_values,): at most 1.

    Below 2**62, or Python's integers.
    """

    numerators: NDArray[Any]
    denominators: NDArray[Any]

    @staticmethod
    def uniform(share: Fraction, n_values: int) -> Caps:
        """Return the same cap for every value."""
        return Caps(np.full(n_values, share.numerator), np.full(n_values, share.denominator))

    @staticmethod
    def of(shares: Iterable[tuple[int, int]]) -> Caps:
        """Return the caps of (numerator, denominator) for each value; more than 1 is 1."""
        pairs = [(min(numerator, denominator), denominator) for numerator, denominator in shares]
        large = any(denominator >= MAX_TERM for _, denominator in pairs)
        return Caps(*np.array(pairs, dtype=object if large else np.int64).reshape(-1, 2).T)

    def accept(self, classes: Classes, attribute: str) -> NDArray[np.bool_]:
        """Return which classes have no value above its cap, in integers: count * denominator <= numerator * size."""
        histogram = classes.holders(attribute)
        sizes = classes.units[histogram.classes]
        accepted = np.ones(histogram.n_classes, dtype=np.bool_)
        if object in (self.denominators.dtype, sizes.dtype):
            above = self.denominators[histogram.codes] * histogram.counts > self.numerators[histogram.codes] * sizes
            accepted[histogram.classes[above.astype(np.bool_)]] = False
            return accepted
        count, count_rest = _product(self.denominators[histogram.codes], histogram.counts.astype(np.int64))
        most, most_rest = _product(self.numerators[histogram.codes], sizes)
        above = (count > most) | ((count == most) & (count_rest > most_rest))
        accepted[histogram.classes[above]] = False
        return accepted

    def most_kept(self, classes: Classes, attribute: str) -> NDArray[np.int64]:
        """Bound the records of each class in parts of it that keep the caps, (n_classes,).

        Such parts together keep the caps too: of their s records at most min(n_v, cap_v s) have the value v, of which
        the class has n_v. For any set A of values, these taken at their caps and the others in full,

            s <= sum over v not in A of n_v + s * sum over A of cap_v,

        which bounds s if the caps of A sum to less than 1. A are the values that exceed their caps in what is left of
        the class under the bound so far, which makes the next one the smallest; it starts with the class itself.
        """
        histogram = classes.histograms[attribute]
        caps, counts = (self.numerators / self.denominators)[histogram.codes], histogram.counts.astype(np.float64)
        most = classes.sizes.astype(np.float64)
        while True:
            capped = caps * most[histogram.classes] < counts
            free = np.bincount(histogram.classes, np.where(capped, 0, counts), histogram.n_classes)
            room = 1 - np.bincount(histogram.classes, np.where(capped, caps, 0), histogram.n_classes) - ROUNDING
            bound = np.floor(np.divide(free, room, out=most.copy(), where=room > 0))
            if (bound >= most).all():
                return most.astype(np.int64)
            most = np.minimum(most, bound)


def _product(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a * b as high * 2**HALF + low, for a below 2**62 and b below 2**31."""
    low = (a & (2**HALF - 1)) * b
    return (a >> HALF) * b + (low >> HALF), low & (2**HALF - 1)
