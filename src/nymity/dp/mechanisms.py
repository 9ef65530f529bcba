"""Sampling of records and discrete Laplace noise, exactly as likely as stated.

No float decides anything here. Probabilities are fractions, and a comparison of a random number with one reads as many
of its bits as it takes.

OpenDP's vetted samplers were the alternative, and tests compare with them (``tests/unit/dp/test_opendp.py``). Ours are
a few lines each with the proof beside them, need no further compiled package, take probabilities and scores as
fractions, and draw from a source that a test can replace.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from nymity.core.bits import SYSTEM, Bits, Drawn, coins
from nymity.core.validation import whole_number
from nymity.dp.parameters import Number, fraction_between


def sample_records(records: int, *, beta: Number, bits: Bits = SYSTEM) -> Drawn[NDArray[np.bool_]]:
    """Return which of so many records are kept, each independently with probability beta."""
    whole_number("records", records, at_least=0)
    return Drawn(value=coins(fraction_between("beta", beta, 0, 1), int(records), bits), private=bits.private)


def discrete_laplace(*, scale: Number, size: int, bits: Bits = SYSTEM) -> Drawn[tuple[int, ...]]:
    """Return independent whole numbers z with P(z) ∝ e^(-|z| / scale).

    Added to whole numbers that one record changes by at most s in sum, with scale = s / epsilon, it makes them
    epsilon-differentially private. Real figures are rounded first to multiples of some grid, which may raise how much
    a record changes them; Laplace noise in floats betrays them by its last digits (Mironov 2012).
    """
    exact = fraction_between("scale", scale, 0)
    whole_number("size", size, at_least=0)
    return Drawn(value=tuple(_laplace(exact, bits) for _ in range(size)), private=bits.private)


def coin(p: int, q: int, bits: Bits) -> bool:
    """Return true exactly with probability p / q."""
    return bits.below(q) < p


def exponential_coin(p: int, q: int, bits: Bits) -> bool:
    """Return true exactly with probability e^-(p / q), for p ≤ q (Canonne, Kamath and Steinke 2020, algorithm 1).

    Toss coins of x / 1, x / 2, x / 3 … with x = p / q until one is false. The i-th is the first false one with
    probability x^(i-1) / (i-1)! - x^i / i!, and over odd i these sum to e^-x.
    """
    i = 1
    while coin(p, q * i, bits):
        i += 1
    return i % 2 == 1


def falling_coin(exponent: Fraction, bits: Bits) -> bool:
    """Return true exactly with probability e^-exponent, for an exponent of at least 0.

    It is the product of as many e^-1 as the exponent has wholes, and of what the rest gives.
    """
    wholes, rest = divmod(exponent, 1)
    if not exponential_coin(rest.numerator, rest.denominator, bits):
        return False
    return all(exponential_coin(1, 1, bits) for _ in range(wholes))


def _laplace(scale: Fraction, bits: Bits) -> int:
    """Draw one number (Canonne, Kamath and Steinke 2020, algorithm 2).

    With scale = t / s: x = u + t v, u below t accepted with e^(-u/t), v geometric with e^-1, has P(x) ∝ e^(-x/t). So
    ⌊x / s⌋ = y has P(y) ∝ e^(-y s/t). A sign is tossed, and -0 is drawn again.
    """
    t, s = scale.numerator, scale.denominator
    while True:
        u = bits.below(t)
        if not exponential_coin(u, t, bits):
            continue
        v = 0
        # Geometric with e^-1: a coin that falls so is tossed until it fails.
        while exponential_coin(1, 1, bits):
            v += 1
        magnitude, negative = (u + t * v) // s, bits.integer(1)
        if magnitude or not negative:
            return -magnitude if negative else magnitude
