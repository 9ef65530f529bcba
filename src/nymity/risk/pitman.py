"""Pitman's model: population uniques from the sizes of classes in a sample (Hoshino 2001; Dankar et al. 2012).

With parameters 0 < alpha < 1 and theta > -alpha, u classes and n records, s_i classes of size i, the likelihood is
greatest where

    sum over i < u of 1 / (theta + i alpha)  =  sum over i < n of 1 / (theta + i)
    sum over i < u of i / (theta + i alpha)  =  sum over i of s_i (sum over j < i of 1 / (j - alpha)),

and the expected number of uniques among N people is

    N  Gamma(theta + 1) / Gamma(theta + alpha)  Gamma(N + theta + alpha - 1) / Gamma(N + theta).

The literature has N^alpha in place of the factors with N, which is their limit; that exceeds N where theta is not small
beside N. On Adult with 317 million people both agree to 3 parts in a million.

For each alpha the first equation has a solution between two bounds, so that two nested bisections need no start: with
phi = theta + alpha, the left side is above 1 / phi, which outweighs the right one as phi nears 0; and it is at most
(u - 1) / theta, below (n - 1) / (theta + n) and so below the right one, once theta > n (u - 1) / (n - u).
"""

from __future__ import annotations

from math import exp, log, log1p

import numpy as np
from numpy.typing import NDArray

from nymity.risk.root import root

_ALPHA = (1e-6, 1 - 1e-9)
_LEAST_LOG_PHI = -40.0
#: From here on three terms of the asymptotic series are exact to the last digits.
_LARGE = 1e3


def pitman(sizes: NDArray[np.int64], classes: NDArray[np.int64], people: float) -> float | None:
    """Return the expected uniques among so many people; None where the likelihood has no maximum inside.

    sizes, classes (n_sizes,): the different class sizes of the sample, and how many classes have each.
    """
    from scipy.special import digamma, poch

    u, n = int(classes.sum()), int(sizes @ classes)
    # One class, or uniques alone: the likelihood is largest at the border of the parameters.
    if u < 2 or u == n:
        return None
    most = log(n * u / (n - u) + 2)

    def phi_of(alpha: float) -> float:
        log_phi = root(lambda log_phi: _by_theta(alpha, exp(log_phi), u, n), _LEAST_LOG_PHI, most)
        assert log_phi is not None, "the bounds enclose a solution"
        return exp(log_phi)

    def by_alpha(alpha: float) -> float:
        phi = phi_of(alpha)
        inverses = digamma(sizes.astype(np.float64) - alpha) - digamma(1 - alpha)
        return (u - 1 - (phi - alpha) * _inverses(alpha, phi, u)) / alpha - float(classes @ inverses)

    alpha = root(by_alpha, *_ALPHA)
    if alpha is None:
        return None
    phi = phi_of(alpha)
    # poch(x, a) is Gamma(x + a) / Gamma(x). A difference of ln Gamma is wrong by a millionth at 300 million people.
    return float(people * poch(phi, 1 - alpha) * poch(people + phi - alpha, alpha - 1))


def _by_theta(alpha: float, phi: float, u: int, n: int) -> float:
    return _inverses(alpha, phi, u) - _digamma_difference(phi - alpha + 1, n - 1)


def _inverses(alpha: float, phi: float, u: int) -> float:
    """Return the sum over 0 < i < u of 1 / (theta + i alpha), which is 1 / phi for i = 1."""
    return _digamma_difference(phi / alpha, u - 1) / alpha


def _digamma_difference(x: float, step: float) -> float:
    """Return digamma(x + step) - digamma(x), for large x by the asymptotic series (DLMF 5.11.2).

    Near alpha = 0 both are alike in all but their last digits, and their rounded difference has roots of its own.
    """
    from scipy.special import digamma

    if x < _LARGE:
        return float(digamma(x + step) - digamma(x))
    y = x + step
    return log1p(step / x) + step / (2 * x * y) * (1 + (x + y) / (6 * x * y))
