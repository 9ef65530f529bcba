"""Discrete Laplace noise for millions of counts, exactly as likely as stated.

``nymity.dp.discrete_laplace`` draws one number after the other, which takes minutes for the cells of a fine table. Here
all numbers are drawn at once, which takes a scale that is not large: rounds grow with it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import Bits, coins


def noise_of_many(scale: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    """Return independent whole numbers z with P(z) ∝ e^(-|z| / scale).

    The difference of two independent numbers with P(at least j) = e^(-j / scale): with q = e^(-1 / scale) it is z with
    probability Σ (1 - q)² q^(2 i + |z|) = (1 - q) / (1 + q) · q^|z|.
    """
    return _lengths(1 / scale, size, bits) - _lengths(1 / scale, size, bits)


def noise_variance(scale: Fraction) -> float:
    """Return the variance of such a number, 2 q / (1 - q)², which anyone can compute."""
    q = float(np.exp(-1 / float(scale)))
    return 2 * q / (1 - q) ** 2


def _lengths(exponent: Fraction, size: int, bits: Bits) -> NDArray[np.int64]:
    """Return how often a coin of e^-exponent is true before it is false, (size,)."""
    lengths, alive = np.zeros(size, dtype=np.int64), np.arange(size)
    while alive.size:
        alive = alive[_falling_coins(exponent, alive.size, bits)]
        lengths[alive] += 1
    return lengths


def _falling_coins(exponent: Fraction, size: int, bits: Bits) -> NDArray[np.bool_]:
    """Return coins that are true with probability e^-exponent: e^-1 for each whole, and what the rest gives."""
    wholes, rest = divmod(exponent, 1)
    true = _exponential_coins(rest, size, bits)
    for _ in range(wholes):
        still = np.flatnonzero(true)
        true[still] = _exponential_coins(Fraction(1), still.size, bits)
    return true


def _exponential_coins(x: Fraction, size: int, bits: Bits) -> NDArray[np.bool_]:
    """Return coins that are true with probability e^-x, x ≤ 1 (Canonne, Kamath and Steinke 2020, algorithm 1).

    Coins of x / 1, x / 2, x / 3 … are tossed until one is false; it is true if that was one of odd number.
    """
    true, alive, i = np.zeros(size, dtype=np.bool_), np.arange(size), 1
    while alive.size:
        # A probability of 1 needs no bits, and ``coins`` takes those below.
        tossed = coins(x / i, alive.size, bits) if x / i < 1 else np.ones(alive.size, dtype=np.bool_)
        true[alive[~tossed]] = i % 2 == 1
        alive, i = alive[tossed], i + 1
    return true
