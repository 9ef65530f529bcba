"""Draws are seeded, so these tests always end the same way.

A correct mechanism would fail a chi-square test here with probability 1e-6 under a fresh seed.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import nymity as ny
from nymity.core.bits import Bits, coins
from nymity.core.errors import ParameterError
from nymity.dp import exponential
from nymity.dp.exponential import (
    _DOUBLE,
    _SLACK,
    _ball_weights,
    _double_weights,
    _enclosures,
    lazy_exponential_mechanism,
)
from nymity.dp.mechanisms import exponential_coin, falling_coin

ERROR_RATE = 1e-6


class Scripted(Bits):
    """Bits that a test wrote down, for going through all of them."""

    private = False

    def __init__(self, *readings: bytes) -> None:
        self.readings = list(readings)

    def read(self, size: int) -> bytes:
        reading = self.readings.pop(0)
        assert len(reading) == size
        return reading


def statistic(found: Counter[int], expected: dict[int, float]) -> float:
    """Chi-square of counts against expected ones; what is not expected one by one is one bin."""
    total = sum(found.values())
    rest = total - sum(expected.values())
    terms = [(found[i] - mean) ** 2 / mean for i, mean in expected.items()]
    others = total - sum(found[i] for i in expected)
    assert (others == 0) if rest < 1e-6 else rest > 5
    return sum(terms) + ((others - rest) ** 2 / rest if rest >= 1e-6 else 0)


def limit(bins: int) -> float:
    return float(chi2.isf(ERROR_RATE, bins - 1))


# -- sampling of records --------------------------------------------------------------------------------------


def test_a_coin_is_true_for_exactly_its_share_of_all_bits() -> None:
    """All 65,536 pairs of bytes for a probability of 0x8055 / 65,536: the first byte decides all but one in 256."""
    probability = Fraction(0x8055, 65536)
    found = [coins(probability, 256, Scripted(bytes(range(256)), bytes([second]))) for second in range(256)]
    assert int(np.sum(found)) == 0x8055


def test_a_coin_reads_on_as_long_as_bits_tie() -> None:
    third = b"\x55"  # 1/3 = 0.010101…
    assert coins(Fraction(1, 3), 1, Scripted(third, third, third, b"\x54")).all()
    assert not coins(Fraction(1, 3), 1, Scripted(third, third, third, b"\x56")).any()
    assert not coins(Fraction(1, 2), 1, Scripted(b"\x80")).any()  # U = 1/2 or more, never below


def test_records_are_kept_with_probability_beta() -> None:
    drawn = ny.dp.sample_records(1_000_000, beta=0.5934, bits=ny.dp.NotPrivate(1))
    kept = Counter(drawn.value.tolist())
    assert statistic(kept, {True: 593_400, False: 406_600}) < limit(2)
    pairs = Counter((2 * drawn.value[:-1:2] + drawn.value[1::2]).tolist())
    shares = {3: 0.5934**2, 2: 0.5934 * 0.4066, 1: 0.5934 * 0.4066, 0: 0.4066**2}
    assert statistic(pairs, {i: 500_000 * share for i, share in shares.items()}) < limit(4)


def test_a_seed_shows_and_repeats_and_the_system_does_not() -> None:
    once, again = (ny.dp.sample_records(1000, beta=0.5, bits=ny.dp.NotPrivate(7)) for _ in range(2))
    assert (once.value == again.value).all()
    assert not once.private
    fresh, other = (ny.dp.sample_records(1000, beta=0.5) for _ in range(2))
    assert fresh.private
    assert (fresh.value != other.value).any()
    assert not ny.dp.exponential_mechanism([1, 2], epsilon=1, interval=1, bits=ny.dp.NotPrivate(7)).private
    assert ny.dp.exponential_mechanism([1, 2], epsilon=1, interval=1).private
    assert not ny.dp.discrete_laplace(scale=1, size=1, bits=ny.dp.NotPrivate(7)).private
    assert ny.dp.discrete_laplace(scale=1, size=1).private


def test_a_seed_means_the_same_everywhere() -> None:
    bits = ny.dp.NotPrivate(20)
    assert [bits.read(4).hex(), bits.integer(12), bits.below(10)] == ["e18dc222", 3219, 0]


# -- exponential mechanism ------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [8, 64, 128])
def test_weights_are_whole_parts_however_coarse_the_first_look_is(unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """⌊2^unit e^-gap/3⌋; where a precision does not decide it, another one does."""
    real = exponential.precision
    monkeypatch.setattr(exponential, "precision", lambda bits: real(bits if bits > unit + 40 else 4))
    with localcontext() as context:
        context.prec = 200
        expected = {gap: int(2**unit * (Decimal(-gap) / 3).exp()) for gap in range(12)}
    assert _ball_weights(set(range(12)), Fraction(1, 3), unit) == expected


def draws(scores: object, epsilon: object, interval: object, times: int, seed: int) -> Counter[int]:
    bits = ny.dp.NotPrivate(seed)
    return Counter(
        ny.dp.exponential_mechanism(scores, epsilon=epsilon, interval=interval, bits=bits).value  # type: ignore[arg-type]
        for _ in range(times)
    )


def test_candidates_are_drawn_by_their_weights() -> None:
    scores = np.array([0, -3, 5, 5, 2, -40])
    weights = [exp(0.5 * score / 2) for score in scores.tolist()[:5]]
    found = draws(scores, 0.5, 2, 5_000, seed=1)
    assert statistic(found, {i: 5_000 * weight / sum(weights) for i, weight in enumerate(weights)}) < limit(5)


@pytest.mark.parametrize(
    "scores",
    [
        [10**30, 10**30 + 1, 10**30 - 1],
        [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**40), Fraction(1, 3) - Fraction(1, 10**40)],
    ],
)
def test_differences_below_double_precision_count(scores: list[Fraction]) -> None:
    """As floats these scores are one number; drawn alike, they would be a third each and fail by far."""
    assert len({float(score) for score in scores}) == 1
    found = draws(scores, 1, scores[1] - scores[0], 5_000, seed=2)
    weights = [1, exp(1), exp(-1)]
    assert statistic(found, {i: 5_000 * weight / sum(weights) for i, weight in enumerate(weights)}) < limit(3)
    assert statistic(found, dict.fromkeys(range(3), 5_000 / 3)) > 10 * limit(3)


def test_a_hopeless_candidate_is_not_kept_alive_by_rounding() -> None:
    scores = [0, -(10**200)]
    assert draws(scores, Fraction(2, 10**150), 1, 200, seed=3) == {0: 200}  # a weight of e^-(2 10^50)
    assert draws([0, -1], 10**200, 1, 200, seed=4) == {0: 200}
    assert set(draws([0, -1], Fraction(1, 10**200), 1, 200, seed=5)) == {0, 1}
    assert draws(np.array([2**63 - 1, -(2**63)]), 1, 1, 50, seed=6) == {0: 50}


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(-(10**6), 10**6) | st.fractions(-50, 50), min_size=1, max_size=30),
    st.fractions("1/1000", 10),
    st.integers(0, 2**32),
)
def test_the_candidate_is_the_one_whose_share_holds_u(scores: list[Fraction], rate: Fraction, seed: int) -> None:
    """By 60-digit weights and the same U: doubles only decide how soon the answer is known."""
    drawn = ny.dp.exponential_mechanism(scores, epsilon=rate, interval=1, bits=ny.dp.NotPrivate(seed))
    bits = ny.dp.NotPrivate(seed)
    with localcontext(prec=60):
        exponents = [rate * (score - max(scores)) for score in scores]
        weights = [(Decimal(x.numerator) / Decimal(x.denominator)).exp() for x in exponents]
        at = Decimal(bits.integer(64)) / 2**64 * sum(weights)
        assert drawn.value == next(i for i, reached in enumerate(accumulate(weights)) if at < reached)


@pytest.mark.parametrize(
    ("readings", "winner"),
    [
        ([b"\xff" * 7 + b"\x7f", b"\xff" * 23 + b"\x00"], 0),  # 0.0111… with a 0 after 64 bits
        ([b"\x00" * 7 + b"\x80", b"\x00" * 23 + b"\xff"], 1),  # 0.1000… with a 1 after 64 bits
        ([b"\x00" * 7 + b"\x80", b"\x00" * 24, b"\x01" * 32, b"\x00" * 64], 1),  # after 263 bits
    ],
)
def test_a_draw_near_a_border_is_decided_by_later_bits(readings: list[bytes], winner: int) -> None:
    """Two equal shares meet at U = 1/2, and 64 bits of U do not tell on which side of it U lies."""
    bits = Scripted(*readings)
    assert ny.dp.exponential_mechanism([4, 4], epsilon=1, interval=1, bits=bits).value == winner
    assert bits.readings == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(0, 80), min_size=1, max_size=50))
def test_weights_from_doubles_enclose_the_true_ones(exponents: list[Fraction]) -> None:
    found = _double_weights(np.array([float(x) for x in exponents]), _DOUBLE)
    for exponent, low in zip(exponents, found.tolist(), strict=True):
        exact = Fraction(_ball_weights({1}, exponent, 200)[1] if exponent else 2**200, 2 ** (200 - _DOUBLE))
        assert low <= exact <= low + _SLACK


def test_finer_weights_are_nested_in_coarser_ones() -> None:
    steps = _enclosures(list(range(0, 4000, 7)), Fraction(1, 76))
    for (coarse, unit), (fine, finer) in pairwise(
        zip([next(steps)[0] for _ in range(3)], [_DOUBLE, 128, 256], strict=True)
    ):
        for i, (low, exact) in enumerate(zip(coarse, fine, strict=True)):
            assert int(low) << (finer - unit) <= exact + _SLACK * (i + 1)
            assert exact <= int(low) + _SLACK * (i + 1) << (finer - unit)


def test_many_candidates_take_part() -> None:
    scores = np.zeros(62_208, dtype=np.int32)
    scores[-1] = 30
    found = draws(scores, 1, 2, 40, seed=8)
    assert found[62_207] > 30  # a share of e^15 / (e^15 + 62,207), 0.98
    assert ny.dp.exponential_mechanism([Fraction(7, 3)], epsilon=1, interval=1).value == 0


@pytest.mark.parametrize("slack", [[0, 0, 0, 0], [3, 0, 9, 1], [0, 40, 2, 60], [5, 8, 3, 4]])
def test_bounds_instead_of_scores_change_no_probability(slack: list[int]) -> None:
    """Scores looked at one by one, and every other bound lowered by a look as far as it may be."""
    scores, bits, found, looks = [0, -3, 2, 1], ny.dp.NotPrivate(11), Counter[int](), 0
    for _ in range(1_500):
        bounds = np.array(scores) + slack

        def look(i: int, bounds: np.ndarray = bounds) -> int:
            nonlocal looks
            looks += 1
            bounds[:i] = np.maximum(scores[:i], bounds[:i] - 5)
            return scores[i]

        found[lazy_exponential_mechanism(bounds, look, epsilon=Fraction(1), interval=Fraction(2), bits=bits).value] += 1
    weights = [exp(score / 2) for score in scores]
    assert statistic(found, {i: 1_500 * weight / sum(weights) for i, weight in enumerate(weights)}) < limit(4)
    assert looks >= 1_500


def test_a_bound_below_its_score_is_refused() -> None:
    with pytest.raises(ParameterError, match="bounds: expected none below its score"):
        lazy_exponential_mechanism(np.array([1]), lambda _: 2, epsilon=Fraction(1), interval=Fraction(1))


# -- discrete Laplace -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(10, 3), Fraction(7)])
def test_laplace_noise_falls_by_a_constant_factor(scale: Fraction) -> None:
    drawn = ny.dp.discrete_laplace(scale=scale, size=5_000, bits=ny.dp.NotPrivate(9))
    ratio = exp(-1 / scale)
    expected = {z: 5_000 * (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-200, 201)}
    likely = {z: mean for z, mean in expected.items() if mean > 10}
    assert statistic(Counter(drawn.value), likely) < limit(len(likely) + 1)


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 7), (1, 1)])
def test_an_exponential_coin(p: int, q: int) -> None:
    bits = ny.dp.NotPrivate(10)
    true = sum(exponential_coin(p, q, bits) for _ in range(20_000))
    if p == 0:
        assert true == 20_000
    else:
        expected = 20_000 * exp(-p / q)
        assert statistic(Counter({1: true, 0: 20_000 - true}), {1: expected, 0: 20_000 - expected}) < limit(2)


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(3, 7), Fraction(1), Fraction(9, 4)])
def test_a_falling_coin(exponent: Fraction) -> None:
    bits = ny.dp.NotPrivate(12)
    true = sum(falling_coin(exponent, bits) for _ in range(10_000))
    expected = 10_000 * exp(-exponent)
    if exponent == 0:
        assert true == 10_000
    else:
        assert statistic(Counter({1: true, 0: 10_000 - true}), {1: expected, 0: 10_000 - expected}) < limit(2)


# -- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "arguments", "where"),
    [
        ([], {}, "scores"),
        (np.array([], dtype=np.int64), {}, "scores"),
        ([1, 2.5], {}, "scores"),
        (np.array([0.5, 1.0]), {}, "scores"),
        ([True, False], {}, "scores"),
        ([1], {"epsilon": 0}, "epsilon"),
        ([1], {"epsilon": float("inf")}, "epsilon"),
        ([1], {"interval": -2}, "interval"),
    ],
)
def test_bad_parameters_of_the_exponential_mechanism(scores: object, arguments: dict[str, object], where: str) -> None:
    with pytest.raises(ParameterError) as raised:
        ny.dp.exponential_mechanism(scores, **({"epsilon": 1, "interval": 1} | arguments))  # type: ignore[arg-type]
    assert raised.value.where == where


def test_bad_parameters_of_the_other_mechanisms() -> None:
    with pytest.raises(ParameterError, match="beta: expected a number between 0 and 1"):
        ny.dp.sample_records(10, beta=1)
    with pytest.raises(ParameterError, match="records: expected a whole number of at least 0"):
        ny.dp.sample_records(-1, beta=0.5)
    with pytest.raises(ParameterError, match="scale: expected a number above 0"):
        ny.dp.discrete_laplace(scale=0, size=1)
    with pytest.raises(ParameterError, match="size: expected a whole number of at least 0"):
        ny.dp.discrete_laplace(scale=1, size=-1)
    with pytest.raises(ParameterError, match="seed"):
        ny.dp.NotPrivate("7")  # type: ignore[arg-type]
