"""How much privacy the sampling operator gives, by two notions of delta.

The operator keeps each record with probability beta, recodes by a mapping fixed beforehand, and publishes the classes
of at least k sampled records. Take a table in which a record's class has n records, and the table without that record.
All other classes are sampled alike and independently, so only the number shown of this class tells the tables apart: j
where j ≥ k, nothing otherwise, with j from Bin(n, beta) or from Bin(n - 1, beta).

*Without the record, nothing can be too likely.* f(j; n - 1) / f(j; n) = (n - j) / ((1 - beta) n) ≤ 1 / (1 - beta), for
every j and so for every union of j, "nothing" among them. This is at most e^epsilon as beta ≤ 1 - e^-epsilon: the
direction in which the record is missing never costs anything, and it is where beta is tied to epsilon.

*With it, only large counts can.* "Nothing" is at most as likely with the record as without, since more records show
more. A count j ≥ k is more than e^epsilon times as likely exactly if j > gamma n (see ``threshold``).

Both notions look at this second direction, in the worst n. Both need tails from some m > gamma n on only, where each
term is at most (1 - gamma) beta / (gamma (1 - beta)) times the one before. That rises with beta, and at the largest,
1 - e^-epsilon, it is 1 / (e^epsilon + 1) < 1/2, as ``binomial.tail`` asks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from nymity.dp.binomial import ball, exact_tail, precision, tail
from nymity.dp.threshold import BITS, Threshold, certain

if TYPE_CHECKING:
    from flint import arb


@dataclass(frozen=True)
class Notion(ABC):
    """delta(k) is the largest ``value(m)`` with m ≥ k; the values fall along runs of m, and lie below rho^m."""

    threshold: Threshold

    @abstractmethod
    def size(self, m: int) -> int:
        """Return the n at which the value is attained."""

    @abstractmethod
    def value(self, m: int) -> arb:
        """Enclose the value at the precision at hand."""

    @abstractmethod
    def exact(self, m: int) -> Fraction | None:
        """Return the value where it is a fraction, None where it is irrational."""

    @abstractmethod
    def start(self, m: int) -> int:
        """Return where the run of m starts: values do not rise from there to m."""

    @abstractmethod
    def following(self, m: int) -> int | None:
        """Return where the run after that of m starts, None if there is none."""

    def worst(self, k: int) -> tuple[int, arb]:
        """Return an n at which delta(k) is attained up to the precision, and enclose delta(k).

        Only k and the starts of later runs matter, and none of them from where rho^m is below what was found.
        """
        size, largest = self.size(k), self.value(k)
        decay = self.threshold.decay()
        m = self.following(k)
        while m is not None and not (m * decay).exp() < largest:
            value = self.value(m)
            if value.mid() > largest.mid():
                size = self.size(m)
            largest, m = largest.max(value), self.following(m)
        return size, largest

    def smallest_k(self, delta: Fraction) -> int:
        """Return the smallest k with delta(k) ≤ delta: one more than the last m whose value exceeds it."""
        last = self._negligible_from(delta) - 1
        while last > 0:
            first = self.start(last)
            if self.exceeds(first, delta):
                return self._last_exceeding(delta, first, last) + 1
            last = first - 1
        return 1

    def exceeds(self, m: int, delta: Fraction) -> bool:
        """Return whether value(m) > delta, exactly: no precision decides equality; an irrational never equals it."""
        bits = BITS
        while True:
            with precision(bits):
                difference = self.value(m) - ball(delta)
            if not difference.contains(0):
                return bool(difference > 0)
            exact = self.exact(m)
            if exact is not None:
                return exact > delta
            bits *= 2

    def _last_exceeding(self, delta: Fraction, first: int, last: int) -> int:
        """Return the last m of a falling run whose value exceeds delta, as the first one does."""
        while first < last:
            middle = (first + last + 1) // 2
            first, last = (middle, last) if self.exceeds(middle, delta) else (first, middle - 1)
        return first

    def _negligible_from(self, delta: Fraction) -> int:
        """Return some m with rho^m ≤ delta, hardly larger than the smallest."""
        return certain(lambda: (ball(delta).log() / self.threshold.decay()).upper().ceil())


class Standard(Notion):
    """P[A(D) in S] ≤ e^epsilon P[A(D') in S] + delta for all S: what post-processing and composition rely on.

    For fixed n the smallest such delta is H(n) = Σ_{j ≥ k} max(0, f(j; n) - e^epsilon f(j; n - 1)). The summands are
    positive exactly for j > gamma n. Two facts give the largest H(n) in closed form:

    * Where gamma n ≥ k - 1, "j ≥ k" excludes no positive summand, and H(n) is the full hockey-stick divergence of
      Bin(n) from Bin(n - 1). Adding the same independent coin to both gives n + 1, and no processing raises a
      divergence: H falls with n.
    * Where gamma n ≤ k - 1, no summand is negative, so H(n) = P(Bin(n) ≥ k) - e^epsilon P(Bin(n - 1) ≥ k). As
      P(Bin(n + 1) ≥ k) - P(Bin(n) ≥ k) = beta f(k - 1; n), H(n + 1) - H(n) = beta (f(k - 1; n) - e^epsilon
      f(k - 1; n - 1)), which is positive where k - 1 > gamma n: H rises up to the first n with gamma n ≥ k - 1.

    So the largest is at n = ⌈(k - 1) / gamma⌉ = k - 1 + ⌈(k - 1) w⌉, or n = 1 for k = 1. No other n need be looked at.
    With e^epsilon f(j; n - 1) summed by the identity above, delta(k) = e^epsilon (k / n) f(k; n) - (e^epsilon - 1)
    P(Bin(n) ≥ k). It falls with k by its definition: one run.
    """

    def size(self, m: int) -> int:
        """Return ⌈(m - 1) / gamma⌉, at least 1."""
        return max(1, m - 1 + self.threshold.multiple(m - 1))

    def value(self, m: int) -> arb:
        """Enclose the largest hockey-stick divergence."""
        n = self.size(m)
        first, total = tail(n, m, self.threshold.beta)
        if n == m:
            return first
        growth = self.threshold.growth()
        return growth * first * m / n - (growth - 1) * total

    def exact(self, m: int) -> Fraction | None:
        """Return the value where e^epsilon is a fraction, or where its factor P(Bin(n - 1) ≥ m) is 0."""
        n, growth = self.size(m), self.threshold.exact_growth()
        if n == m:
            return self.threshold.beta**m
        if growth is None:
            return None
        first, total = exact_tail(n, m, self.threshold.beta)
        return growth * first * m / n - (growth - 1) * total

    def start(self, m: int) -> int:
        """Return 1: all values are one run."""
        return 1

    def following(self, m: int) -> int | None:
        """Return None: all values are one run."""
        return None


class Probabilistic(Notion):
    """Only outputs of probability at most delta are more than e^epsilon times as likely: the papers' d.

    d(k) is the largest P(Bin(n) ≥ k and Bin(n) > gamma n) over n (Bild, Kuhn and Prasser 2018, equation 2). For given
    n the count runs from some m ≥ k with m > gamma n on. For given m, P(Bin(n) ≥ m) rises with n, so take the largest n
    with gamma n < m: n = ⌈m / gamma⌉ - 1 = m + ⌈m w⌉ - 1. d(k) is the largest value(m) = P(Bin(n) ≥ m) with m ≥ k.

    Along a run of m with the same c = ⌈m w⌉ - 1, which are ⌊c / w⌋ < m ≤ ⌊(c + 1) / w⌋, n - m = c: the value is the
    probability of at most c misses among m + c records, and falls with m.
    """

    def size(self, m: int) -> int:
        """Return the largest n with gamma n < m, strictly."""
        return m + self.threshold.multiple(m) - 1

    def value(self, m: int) -> arb:
        """Enclose the probability of m records or more."""
        return tail(self.size(m), m, self.threshold.beta)[1]

    def exact(self, m: int) -> Fraction | None:
        """Return the probability, always a fraction."""
        return exact_tail(self.size(m), m, self.threshold.beta)[1]

    def start(self, m: int) -> int:
        """Return the smallest m with the same number of misses."""
        return self.threshold.quotient(self.threshold.multiple(m) - 1) + 1

    def following(self, m: int) -> int | None:
        """Return the smallest m with more misses."""
        return self.threshold.quotient(self.threshold.multiple(m)) + 1


NOTIONS: dict[str, type[Notion]] = {"standard": Standard, "probabilistic": Probabilistic}
