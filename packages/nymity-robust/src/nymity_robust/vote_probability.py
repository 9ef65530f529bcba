"""Equation 4.2.5 of the thesis, and what it is meant to be: the probability that a vote is right.

    thesis:  Σ over all partitions h of the m networks of P(L_h),     L_h the largest part, P that all of it are right

The sum is no probability: it counts one outcome for many partitions, and passes 1 from two networks on (p + p² for two
that are right with probability p each). What the text argues for is the probability that the networks that are
right outnumber those that agree on another label. If they err independently, it is at least

    Σ over all sets A of more than m / 2 networks of  Π over A of p_i · Π over the others of (1 − p_i)

and more where those that are wrong disagree among themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from nymity.core.validation import number, whole_number


def printed_success(probability: float | Fraction, members: int) -> Fraction:
    """Return equation 4.2.5 as printed, for independent members that are all right with one probability.

    Partitions are counted by the size k of their largest part: each adds p^k.
    """
    number("probability", float(probability), at_least=0, at_most=1)
    whole_number("members", members, at_least=1)
    p = Fraction(probability)
    within = [_partitions_within(members, size) for size in range(members + 1)]
    return sum(((within[size] - within[size - 1]) * p**size for size in range(1, members + 1)), Fraction(0))


def majority_success(probabilities: Sequence[float | Fraction]) -> Fraction:
    """Return the probability that more than half of independent members are right, each with its own probability."""
    whole_number("members", len(probabilities), at_least=1)
    right = [Fraction(1)]  # right[j]: the probability that j of those so far are right
    for probability in probabilities:
        number("probability", float(probability), at_least=0, at_most=1)
        p = Fraction(probability)
        padded = [Fraction(0), *right, Fraction(0)]
        right = [padded[j] * p + padded[j + 1] * (1 - p) for j in range(len(right) + 1)]
    return sum(right[len(probabilities) // 2 + 1 :], Fraction(0))


def _partitions_within(members: int, size: int) -> int:
    """Return how many partitions of a set have no part larger than ``size``.

    The part of the last member has j further ones, j < size, in C(n − 1, j) ways.
    """
    counts = [1]
    for n in range(1, members + 1):
        counts.append(sum(comb(n - 1, j) * counts[n - 1 - j] for j in range(min(size, n))))
    return counts[members]
