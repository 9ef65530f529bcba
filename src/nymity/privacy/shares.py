"""Caps on the share that each sensitive value may have of a class: which classes keep them, how much of a class can.

Several models are such caps, with one number for all values or one for each.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.kernels.caps import keep_caps, most_under_caps
from nymity.kernels.frontier import CAPS
from nymity.privacy.kernel_rule import KernelRule
from nymity.privacy.sensitive import SensitiveModel
from nymity.table.classes import Classes
from nymity.table.encoding import EncodedTable, SensitiveColumn

#: Terms of caps below this are 64-bit integers.
MAX_TERM = 2**62
#: More than sums of caps are off by.
ROUNDING = 1e-9


class CappedModel(SensitiveModel):
    """A promise that limits the share of every value in a class alike."""

    @property
    @abstractmethod
    def cap(self) -> Fraction:
        """The limit."""

    def most_kept(self, classes: Classes, accepted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The accepted parts of a class together are within the limit too, by records."""
        if classes.persons is not None:
            return super().most_kept(classes, accepted)
        caps = Caps.uniform(self.cap, classes.histograms[self.attribute].n_values)
        return np.minimum(super().most_kept(classes, accepted), caps.most_kept(classes, self.attribute))

    def rule(self, table: EncodedTable) -> KernelRule | None:
        """Return the caps."""
        return Caps.uniform(self.cap, len(table.sensitive[self.attribute].labels)).rule()

    def value_shares(self, column: SensitiveColumn) -> list[Fraction]:
        """The limit for every value."""
        return [self.cap] * len(column.labels)


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

    @property
    def fewest_values(self) -> int:
        """The fewest different values that a class within the caps can have: their caps sum to 1."""
        largest = np.sort((self.numerators / self.denominators).astype(np.float64))[::-1]
        return int(np.searchsorted(np.cumsum(largest), 1 - ROUNDING)) + 1

    def rule(self) -> KernelRule | None:
        """Return the caps for a kernel, unless their terms are too large."""
        numerators, denominators = self.numerators, self.denominators
        if object in (numerators.dtype, denominators.dtype):
            return None
        least = self.fewest_values
        return KernelRule(kind=CAPS, least_values=least, numerators=numerators, denominators=denominators)

    def accept(self, classes: Classes, attribute: str) -> NDArray[np.bool_]:
        """Return which classes have no value above its cap, in integers: count * denominator <= numerator * size."""
        histogram = classes.holders(attribute)
        sizes = classes.units[histogram.classes]
        accepted = np.ones(histogram.n_classes, dtype=np.bool_)
        if object in (self.denominators.dtype, sizes.dtype):
            above = self.denominators[histogram.codes] * histogram.counts > self.numerators[histogram.codes] * sizes
            accepted[histogram.classes[above.astype(np.bool_)]] = False
            return accepted
        caps = self.numerators, self.denominators
        return np.asarray(keep_caps(histogram.classes, histogram.codes, histogram.counts, classes.units, *caps))

    def most_kept(self, classes: Classes, attribute: str) -> NDArray[np.int64]:
        """Bound the records of each class in parts of it that keep the caps, (n_classes,).

        Such parts together keep the caps too: a part of s_i records has at most floor(cap_v s_i) of the value v, hence
        parts of s records have at most min(n_v, floor(cap_v s)), where the class has n_v. So s is at most

            the largest s <= size with s <= sum over v of min(n_v, floor(cap_v s)).

        Both sides rise with s: from the size down, each sum in turn is a bound, until one is no less than that before.
        It takes few sums to get there by way of sets A of values, those above their caps under the bound so far:

            s <= sum over v not in A of n_v + s * sum over A of cap_v   where the caps of A sum to less than 1.
        """
        histogram = classes.histograms[attribute]
        caps = (self.numerators / self.denominators).astype(np.float64)
        return np.asarray(most_under_caps(histogram.classes, histogram.codes, histogram.counts, classes.sizes, caps))
