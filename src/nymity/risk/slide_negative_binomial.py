"""Slide negative binomial model (Chen & Keller-McNulty 1998): population uniques by matching moments, derived here.

Of K population classes, each has 1 + X people, X negative binomial with shape a and odds x = (1 - beta) / beta, so that
N = K (1 + a x) and K (1 + x)^-a are unique. A sample takes each person with probability q = n / N. With
t = (1 + q x)^-a, the expected classes and uniques of the sample are

    u   = K (1 - (1 - q) t)
    s_1 = K q t (1 + (1 - q) a x / (1 + q x)).

For each x the first equation has one solution a, since (1 - (1 - q) t) / (1 + a x) falls strictly from q to 0 as a
grows: its derivative has the sign of (1 - q) t (L (1 + a x) + x) - x with L = ln(1 + q x) <= q x, which is negative at
a = 0 and falls with a. The second one is then solved for x, between bounds at which its two sides compare differently;
where there are none we say that there is no estimate. For Adult there is a solution, where ARX 3.9.2 reports none.
"""

from __future__ import annotations

from math import exp, expm1, log, log1p

from nymity.risk.root import root

_LOG_SHAPE = (-80.0, 80.0)
_LEAST_LOG_ODDS = log(1e-6)


def slide_negative_binomial(n: int, u: int, s1: int, people: float) -> float | None:
    """Return the expected uniques among so many people, from records, classes and uniques of the sample.

    None where no parameters give these moments.
    """
    q = n / people
    if not 0 < u < n or q >= 1:
        return None

    def shape(x: float) -> float:
        rate = log1p(q * x)

        def excess(log_a: float) -> float:
            a = exp(log_a)
            return (q - (1 - q) * expm1(-a * rate)) / (1 + a * x) - u / people

        log_a = root(excess, *_LOG_SHAPE)
        assert log_a is not None, "the left side falls from q, above u / N, to 0"
        return exp(log_a)

    def surplus(log_x: float) -> float:
        x = exp(log_x)
        a = shape(x)
        t = exp(-a * log1p(q * x))
        return people / (1 + a * x) * q * t * (1 + (1 - q) * a * x / (1 + q * x)) - s1

    log_x = root(surplus, _LEAST_LOG_ODDS, log(1e3 * people))
    if log_x is None:
        return None
    x = exp(log_x)
    a = shape(x)
    return people / (1 + a * x) * exp(-a * log1p(x))
