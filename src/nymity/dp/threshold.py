"""Which counts of a sampled class speak for a record by more than e^epsilon, decided exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from nymity.dp.binomial import ball, precision

if TYPE_CHECKING:
    from flint import arb

#: Precision to start with; doubled until it is enough.
BITS = 128


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Records are kept with probability beta; a class of n records then shows j of them.

    With f the binomial probability, f(j; n, beta) / f(j; n - 1, beta) = (1 - beta) n / (n - j). That is above e^epsilon
    exactly where j > gamma n, with gamma = 1 - (1 - beta) e^-epsilon (Li, Qardaji and Su 2012). All that follows needs
    are the *odds* w = (1 - gamma) / gamma = (1 - beta) / (e^epsilon - 1 + beta), as j > gamma n says n < j + j w.

    Whole numbers are rounded exactly. Where epsilon is a fraction, e^epsilon and with it w is irrational (Lindemann),
    so no whole multiple of w but 0 is whole and some precision decides. Where epsilon is None it stands for the
    smallest that beta allows, -ln(1 - beta); then e^epsilon = 1 / (1 - beta) and w are fractions, and so is each tie.
    """

    beta: Fraction
    epsilon: Fraction | None

    def multiple(self, m: int) -> int:
        """Return ⌈m w⌉."""
        if self.epsilon is None:
            return ceil(m * self._exact_odds)
        return certain(lambda: (m * self._odds()).ceil())

    def quotient(self, c: int) -> int:
        """Return ⌊c / w⌋."""
        if self.epsilon is None:
            return floor(c / self._exact_odds)
        return certain(lambda: (c / self._odds()).floor())

    def growth(self) -> arb:
        """Enclose e^epsilon at the precision at hand."""
        return ball(1 / (1 - self.beta)) if self.epsilon is None else ball(self.epsilon).exp()

    def exact_growth(self) -> Fraction | None:
        """Return e^epsilon where it is a fraction."""
        return 1 / (1 - self.beta) if self.epsilon is None else None

    def decay(self) -> arb:
        """Enclose ln rho at the precision at hand, where P(Bin(n, beta) ≥ m) ≤ rho^m for all m > gamma n.

        Chernoff's bound is exp(-h(n)), h(n) = n KL(m/n ‖ beta). For real n, h'(n) = ln((1 - m/n) / (1 - beta)) is at
        most 0 where m/n ≥ beta, and n < m / gamma, so that h(n) ≥ (m / gamma) KL(gamma ‖ beta). With
        (1 - gamma) / (1 - beta) = e^-epsilon this is -m ln rho for ln rho = ln(beta / gamma) + epsilon w. At n = m the
        bound is beta^m, the limit of the same expression.
        """
        odds = self._odds()
        return (ball(self.beta) * (1 + odds)).log() + self.growth().log() * odds

    def _odds(self) -> arb:
        return ball(1 - self.beta) / (self.growth() - ball(1 - self.beta))

    @property
    def _exact_odds(self) -> Fraction:
        return (1 - self.beta) / (1 / (1 - self.beta) - (1 - self.beta))


def certain(rounded: Callable[[], arb]) -> int:
    """Return the whole number that is found, with as many bits as that takes."""
    bits = BITS
    while True:
        with precision(bits):
            found = rounded().unique_fmpz()
        if found is not None:
            return int(found)
        bits *= 2
