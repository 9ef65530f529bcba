"""Upper tails of the binomial distribution, as certified intervals and as exact fractions.

An interval is a ball of python-flint: a midpoint and a radius that encloses the true value whatever was rounded.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from fractions import Fraction
from math import comb, log2
from typing import TYPE_CHECKING, Any

from nymity.core.extras import require

if TYPE_CHECKING:
    from flint import arb


def tail(n: int, m: int, beta: Fraction) -> tuple[arb, arb]:
    """Enclose f(m; n, beta) and P(Bin(n, beta) ≥ m) at the precision at hand.

    The ratio of a term to the one before, (n - j) beta / ((j + 1) (1 - beta)), falls with j. The caller vouches that it
    is at most 1/2 from j = m on (see ``notion``), so all terms after one sum to at most that one: wherever the sum is
    cut, the rest is enclosed. Where it is cut is a matter of speed only.
    """
    flint = balls()
    hit, miss = beta.numerator, beta.denominator - beta.numerator
    first = flint.arb(n).bin(min(m, n - m)) * ball(beta) ** m * ball(1 - beta) ** (n - m)
    total = term = first
    last = min(n, m + _terms((n - m) * hit / ((m + 1) * miss), flint.ctx.prec))
    for j in range(m, last):
        term = term * ((n - j) * hit) / ((j + 1) * miss)
        total += term
    return first, total if last == n else total.union(total + term)


def exact_tail(n: int, m: int, beta: Fraction) -> tuple[Fraction, Fraction]:
    """Return f(m; n, beta) and P(Bin(n, beta) ≥ m) exactly; slow, for deciding equality."""
    hit, miss = beta.numerator, beta.denominator - beta.numerator
    terms = [comb(n, j) * hit**j * miss ** (n - j) for j in range(m, n + 1)]
    return Fraction(terms[0], beta.denominator**n), Fraction(sum(terms), beta.denominator**n)


def balls() -> Any:
    """Return python-flint."""
    return require("flint", extra="dp", purpose="proving the parameters of differential privacy")


def precision(bits: int) -> AbstractContextManager[None]:
    """Compute balls with so many bits inside the block.

    This is one setting of the whole process. A thread that changes it makes the balls of another wider or narrower,
    never wrong.
    """
    return balls().ctx.workprec(bits)  # type: ignore[no-any-return]


def ball(value: Fraction) -> arb:
    """Enclose a fraction at the precision at hand."""
    flint = balls()
    return flint.arb(flint.fmpq(value.numerator, value.denominator))  # type: ignore[no-any-return]


def _terms(ratio: float, bits: int) -> int:
    """Return how many terms fall below the precision when each is at most the ratio times the one before."""
    return int(bits / -log2(ratio)) + 1 if ratio > 0 else 1
