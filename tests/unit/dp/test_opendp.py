"""Our mechanisms beside OpenDP's: the same epsilon for the same scale, and draws of the same distribution.

OpenDP draws from the operating system, so its draws differ from run to run. Two equal distributions fail a test here
with probability 1e-6.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp
from typing import Any

import pytest
from scipy.stats import chi2

import nymity as ny

dp: Any = pytest.importorskip("opendp.prelude", reason="OpenDP is not installed: pip install opendp")

ERROR_RATE = 1e-6
DRAWS = 8_000


@pytest.fixture(autouse=True)
def _features() -> None:
    dp.enable_features("contrib")


def alike(one: Counter[int], other: Counter[int]) -> bool:
    """Compare two samples of one size by chi-square; values that come fewer than ten times are one."""
    frequent = [value for value in one | other if one[value] + other[value] >= 10]
    pairs = [(one[value], other[value]) for value in frequent]
    rest = tuple(sum(sample.values()) - sum(sample[v] for v in frequent) for sample in (one, other))
    pairs += [rest] if sum(rest) else []
    statistic = sum((a - b) ** 2 / (a + b) for a, b in pairs)
    return bool(statistic < chi2.isf(ERROR_RATE, len(pairs) - 1))


@pytest.mark.parametrize(("changes", "epsilon"), [(1, Fraction(1)), (3, Fraction(1, 2)), (2, Fraction(7, 5))])
def test_discrete_laplace(changes: int, epsilon: Fraction) -> None:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = dp.m.make_laplace(*space, scale=float(changes / epsilon))
    assert theirs.map(d_in=changes) == pytest.approx(float(epsilon))
    ours = ny.dp.discrete_laplace(scale=changes / epsilon, size=DRAWS).value
    assert alike(Counter(ours), Counter(theirs([0] * DRAWS)))


@pytest.mark.parametrize(("change", "epsilon"), [(1, Fraction(1)), (2, Fraction(3, 2))])
def test_the_exponential_mechanism(change: int, epsilon: Fraction) -> None:
    """Gumbel noise of a scale, and then the largest, draws i with a probability of about e^(score / scale)."""
    scores, scale = [0, 1, 1, 4, 7, -2], 2 * change / float(epsilon)
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    theirs = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=scale)
    rho = theirs.map(d_in=change)  # bounded range epsilon gives zero-concentrated privacy of epsilon² / 8
    assert rho == pytest.approx(float(epsilon) ** 2 / 8)
    ours = Counter(
        ny.dp.exponential_mechanism(scores, epsilon=epsilon, interval=2 * change).value for _ in range(DRAWS)
    )
    assert alike(ours, Counter(theirs(scores) for _ in range(DRAWS)))


def test_samples_that_differ_are_told_apart() -> None:
    near = ny.dp.discrete_laplace(scale=Fraction(6, 5), size=DRAWS).value
    assert not alike(Counter(near), Counter(ny.dp.discrete_laplace(scale=1, size=DRAWS).value))


def test_randomized_response_is_a_coin_with_the_odds_of_epsilon() -> None:
    """A truthful answer comes e^epsilon times as often as the other one: our sampling of records, seen as answers."""
    epsilon = 1.25
    truthful = exp(epsilon) / (1 + exp(epsilon))
    theirs = dp.m.make_randomized_response_bool(prob=truthful)
    assert theirs.map(d_in=1) == pytest.approx(epsilon)
    ours = ny.dp.sample_records(DRAWS, beta=Fraction(truthful)).value
    assert alike(Counter(map(int, ours)), Counter(int(theirs(True)) for _ in range(DRAWS)))
