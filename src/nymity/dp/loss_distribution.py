"""What several private releases cost together, tighter than by addition: privacy loss distributions, rounded up.

**The exact curve of the sampling operator.** With alpha = e^epsilon, H(alpha) is the smallest delta of a mechanism at
epsilon in one direction: the largest hockey-stick divergence Σ max(0, P - alpha Q) over neighbours and classes of n
records. Let F_n = P(Bin(n, beta) < k), F_(n-1) = F_n + beta f(k - 1; n - 1).

*A record that is there* (P with it, Q without), alpha ≥ 1: ``notion.Standard`` proves for every such alpha that the
worst n is the first with gamma n ≥ k - 1, gamma = 1 - (1 - beta) / alpha, where H = (1 - F_n) - alpha (1 - F_(n-1)).

*A record that is missing* (P without it, Q with), alpha ≥ 1: f(j; n - 1) > alpha f(j; n) exactly where j < c n, with
c = 1 - (1 - beta) alpha. For c ≤ 0 that is nowhere, and H = 0. Else two cases, as before:

* Where c n ≥ k - 1, all counts below k are among those (or tie), so to show "nothing" for them merges summands of one
  sign: H(n) is the divergence of the whole Bin(n - 1) from Bin(n), which falls with n, as one more coin is tossed in
  both.
* Where c n ≤ k - 1, no count from k on is, so H(n) = max(0, D(n)), D(n) = F_(n-1) - alpha F_n, and D(n + 1) - D(n) =
  beta (alpha f(k - 1; n) - f(k - 1; n - 1)), which is positive where k - 1 > c n: H rises.

So the worst n is the first with c n ≥ k - 1, at least 1, and H = max(0, F_(n-1) - alpha F_n) there. Below alpha = 1
each direction follows from the other: H(alpha; P, Q) = 1 - alpha + alpha H(1 / alpha; Q, P). A supremum of divergences
is convex in alpha, so there is a pair of distributions with exactly this curve, a *dominating pair* (Zhu, Dong and
Wang 2022, proposition 8). The search is epsilon_search-differentially private; randomized response dominates it in both
directions (Kairouz, Oh and Viswanath 2015).

**Composition.** If pairs dominate mechanisms, their product dominates the mechanisms one after the other, the later
ones chosen by what the earlier ones showed, as long as each stays below *its* pair (Zhu, Dong and Wang 2022, theorem
10). That is for pairs that are fixed beforehand: it does not cover *parameters* that follow from earlier releases.

**Rows of one person** are of different classes, which are drawn independently: they are mechanisms one after the other,
and their pairs are multiplied. A person with fewer rows costs less, as each further pair can only raise the curve.

**Rounding up.** On a grid alpha_i = e^(i h) the curve is replaced by its chords, which lie above it as it is convex;
they are the curve of a distribution with losses i h alone ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar and
Manurangsi 2022). Its masses are computed in ball arithmetic and rounded up to floats. Sums and products of floats that
are not negative are off by a known share at most, which is added. What is cut off above counts as a loss without end,
what is cut off below counts as the lowest loss that is kept (Koskela, Jälkö and Honkela 2020 do the same). So all that
is returned is an upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from math import ceil, inf, nextafter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nymity.dp.binomial import ball, balls, precision
from nymity.dp.threshold import certain

if TYPE_CHECKING:
    from flint import arb

#: Distance of the losses that are told apart.
STEP = Fraction(1, 100)
#: So many losses of one release are told apart on each side, and so many of all together. Sharpness, not safety.
_REACH = 1000
_FARTHEST = 4000
#: Enough that differences of differences keep more digits than a float has.
_BITS = 320
#: At most this share of a sum of so many floats is lost to rounding, for each of them.
_LOST = 2.0**-50
#: More than what vanishes where floats underflow.
_UNDERFLOW = 1e-290

#: alpha, at least 1, to the divergence of a pair there.
Divergence = Callable[["arb"], "arb"]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one release may cost: levels drawn with ``search``, then a sample by ``beta`` and classes of k records.

    Without ``search`` levels were known before, as when a recoding is applied again. ``rows`` of the unit of privacy
    take part, which are of as many classes: one where that is a record, several of a person.
    """

    k: int
    beta: Fraction
    search: Fraction | None = None
    rows: int = 1


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """Masses of the losses (lowest + i) STEP, not below the true ones, and of a loss without end."""

    lowest: int
    masses: NDArray[np.float64]
    endless: float

    def then(self, other: LossDistribution) -> LossDistribution:
        """Return the distribution of both losses together."""
        joint = np.convolve(self.masses, other.masses)
        joint *= 1 + _LOST * min(len(self.masses), len(other.masses))
        endless = (self.endless + other.endless + _UNDERFLOW * len(joint)) * (1 + _LOST)
        lowest = self.lowest + other.lowest
        cut = max(0, -_FARTHEST - lowest)
        if cut:  # what is lower counts as the lowest that is kept
            joint[cut] = joint[: cut + 1].sum() * (1 + _LOST * cut)
            joint, lowest = joint[cut:], lowest + cut
        over = joint[_FARTHEST - lowest + 1 :]
        endless += over.sum() * (1 + _LOST * (len(over) + 1))
        return LossDistribution(lowest, joint[: _FARTHEST - lowest + 1], endless)

    def delta(self, epsilon: Fraction) -> float:
        """Return an upper bound of delta at epsilon: Σ (1 - e^(epsilon - loss)) mass over larger losses."""
        losses = (self.lowest + np.arange(len(self.masses))) * float(STEP)
        above = losses > float(epsilon) - float(STEP)  # whatever is rounded, no larger loss is left out
        shares = np.minimum(1.0, np.maximum(0.0, -np.expm1(float(epsilon) - losses[above]) + 1e-12))
        total = float((shares * self.masses[above]).sum()) * (1 + _LOST * (len(losses) + 4))
        return min(1.0, nextafter(total + self.endless, inf) * (1 + _LOST))


def composed_delta(costs: Sequence[Cost], epsilon: Fraction) -> float:
    """Return a delta that releases keep together at epsilon; the costs are fixed before the first of them."""
    return max((found.delta(epsilon) for found in _composed(costs)), default=0.0)


def composed_epsilon(costs: Sequence[Cost], delta: Fraction) -> Fraction | None:
    """Return the smallest multiple of STEP that releases keep together with delta; None if there is none."""
    directions = _composed(costs)
    low, high = 0, _FARTHEST
    if any(found.delta(high * STEP) > delta for found in directions):
        return None
    while low < high:
        middle = (low + high) // 2
        fine = all(Fraction(found.delta(middle * STEP)) <= delta for found in directions)
        low, high = (low, middle) if fine else (middle + 1, high)
    return low * STEP


def curve(cost: Cost, *, missing: bool) -> Divergence:
    """Return the exact curve of the sampling operator for alpha ≥ 1, of one direction."""
    return (lambda alpha: _of_missing(cost, alpha)) if missing else (lambda alpha: _of_present(cost, alpha))


def _composed(costs: Sequence[Cost]) -> list[LossDistribution]:
    """Compose both directions; nothing at all costs nothing."""
    if not costs:
        return []
    return [reduce(LossDistribution.then, (_of_cost(cost, missing) for cost in costs)) for missing in (False, True)]


@cache
def _of_cost(cost: Cost, missing: bool) -> LossDistribution:
    """Return the distribution of one release."""
    with precision(_BITS):
        of_a_row = _connected(curve(cost, missing=missing), curve(cost, missing=not missing), _REACH)
        drawn = reduce(LossDistribution.then, [of_a_row] * cost.rows)
        if cost.search is None:
            return drawn
        search = ball(cost.search)

        def response(alpha: arb) -> arb:
            return _positive((search.exp() - alpha) / (1 + search.exp()))

        return _connected(response, response, ceil(cost.search / STEP) + 1).then(drawn)


def _connected(divergence: Divergence, reverse: Divergence, reach: int) -> LossDistribution:
    """Return the distribution whose curve runs along the chords between e^(i STEP), |i| ≤ reach."""
    alphas = [(ball(STEP) * i).exp() for i in range(-reach, reach + 1)]
    values = [1 - alpha + alpha * reverse(1 / alpha) for alpha in alphas[:reach]]
    values += [divergence(alpha) for alpha in alphas[reach:]]
    slopes = [(values[0] - 1) / alphas[0]]
    slopes += [(values[i + 1] - values[i]) / (alphas[i + 1] - alphas[i]) for i in range(2 * reach)]
    slopes.append(balls().arb(0))
    masses = [_up(alpha * (slopes[i + 1] - slopes[i])) for i, alpha in enumerate(alphas)]
    return LossDistribution(-reach, np.array(masses), _up(values[-1]))


def _of_present(cost: Cost, alpha: arb) -> arb:
    """Enclose the divergence of tables with the record from those without it."""
    n = _worst(cost, lambda: 1 - ball(1 - cost.beta) / alpha, alpha)
    below, more = _below(cost, n)
    return _positive((1 - below) - alpha * (1 - more))


def _of_missing(cost: Cost, alpha: arb) -> arb:
    """Enclose the divergence of tables without the record from those with it."""
    share, none = 1 - ball(1 - cost.beta) * alpha, ball(Fraction(0))
    if share <= 0:
        return none
    n = _worst(cost, lambda: share, alpha)
    below, more = _below(cost, n)
    return _positive(more - alpha * below)


def _worst(cost: Cost, share: Callable[[], arb], alpha: arb) -> int:
    """Return the first n ≥ 1 with share · n ≥ k - 1; at alpha = 1 the share is beta, else it is irrational."""
    if alpha == 1:
        return max(1, ceil((cost.k - 1) / cost.beta))
    return max(1, certain(lambda: ((cost.k - 1) / share()).ceil()))


def _below(cost: Cost, n: int) -> tuple[arb, arb]:
    """Enclose P(Bin(n) < k) and P(Bin(n - 1) < k)."""
    hit, miss = cost.beta.numerator, cost.beta.denominator - cost.beta.numerator
    term = ball(1 - cost.beta) ** (n - 1)
    more = term
    for j in range(min(cost.k - 1, n - 1)):
        term = term * ((n - 1 - j) * hit) / ((j + 1) * miss)
        more += term
    last = term if cost.k - 1 <= n - 1 else balls().arb(0)  # f(k - 1; n - 1)
    return more - ball(cost.beta) * last, more


def _positive(value: arb) -> arb:
    return value.max(balls().arb(0))


def _up(value: arb) -> float:
    """Return a float that is not below a ball, nor below 0."""
    mantissa, exponent = (int(part) for part in value.upper().man_exp())
    if mantissa <= 0:
        return 0.0
    return nextafter(float(mantissa * Fraction(2) ** exponent), inf)
