from __future__ import annotations

import sys
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import ceil, comb, exp, floor, log

import polars as pl
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import MissingExtraError, ParameterError
from nymity.dp import threshold
from nymity.dp.binomial import ball, exact_tail, precision
from nymity.dp.binomial import tail as binomial_tail
from nymity.dp.notion import NOTIONS
from nymity.dp.threshold import Threshold

# -- oracles, from the definition -----------------------------------------------------------------------------


def outputs(n: int, k: int, beta: Fraction) -> list[Fraction]:
    """Probabilities of what is shown of a class with n records: nothing, or the count k, k + 1, …"""
    chance = [comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(n + 1)]
    return [sum(chance[:k], Fraction(0)), *chance[k:]]


def divergence(p: list[Fraction], q: list[Fraction], growth: Decimal, notion: str) -> Decimal:
    """The smallest delta for this pair of tables, by 60-digit arithmetic over all outputs."""
    total = Decimal(0)
    for i, chance in enumerate(p):
        here, there = as_decimal(chance), as_decimal(q[i]) if i < len(q) else Decimal(0)
        excess = here - growth * there
        if excess > Decimal("1e-50"):  # an exact tie is none
            total += excess if notion == "standard" else here
    return total


def brute_force(k: int, beta: Fraction, growth: Decimal, notion: str, sizes: int) -> tuple[Decimal, Decimal]:
    """The largest delta with the record added and with it removed, over all n up to some size."""
    added = removed = Decimal(0)
    for n in range(1, sizes + 1):
        larger, smaller = outputs(n, k, beta), outputs(n - 1, k, beta)
        added = max(added, divergence(larger, smaller, growth, notion))
        removed = max(removed, divergence(smaller, larger, growth, notion))
    return added, removed


def as_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def tail(n: int, m: int, beta: Fraction) -> Fraction:
    return sum((comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(m, n + 1)), Fraction(0))


# -- delta against 60-digit arithmetic ------------------------------------------------------------------------


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize(
    ("beta", "epsilon"),
    [("0.5934", "0.9"), ("0.3", "0.9"), ("0.095", "0.1"), ("0.05", "2"), ("0.86", "2"), ("0.7", None), ("0.75", None)],
)
def test_delta_is_the_largest_over_all_sizes_and_both_directions(beta: str, epsilon: str | None, notion: str) -> None:
    share = Fraction(beta)
    with localcontext(prec=60):
        growth = as_decimal(1 / (1 - share)) if epsilon is None else Decimal(epsilon).exp()
        odds = (1 - share) / (Fraction(growth) - 1 + share)
        for k in (1, 2, 3, 5, 9):
            found = ny.dp.delta(k=k, beta=share, epsilon=None if epsilon is None else Decimal(epsilon), notion=notion)
            added, removed = brute_force(k, share, growth, notion, sizes=min(3 * ceil(k + k * odds), 90))
            assert removed == 0
            assert found.lower * (1 - Decimal("1e-40")) <= added <= found.upper * (1 + Decimal("1e-40"))
            assert found.digits >= 18
            larger, smaller = outputs(found.n, k, share), outputs(found.n - 1, k, share)
            assert abs(divergence(larger, smaller, growth, notion) / added - 1) < Decimal("1e-18")


@pytest.mark.parametrize("terms", [1, 2, 5, 100])
def test_a_tail_is_enclosed_wherever_its_sum_is_cut(terms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nymity.dp.binomial._terms", lambda ratio, bits: terms)
    for n, m, beta in [(40, 30, Fraction(1, 2)), (60, 12, Fraction(1, 10)), (25, 25, Fraction(2, 3))]:
        with precision(128):
            found = binomial_tail(n, m, beta)
        with precision(2000):
            assert all(map(arb.contains, found, map(ball, exact_tail(n, m, beta))))
        assert exact_tail(n, m, beta)[1] == tail(n, m, beta)


def test_k_1_shows_a_lone_record_with_probability_beta() -> None:
    found = ny.dp.delta(k=1, beta=0.25, epsilon=1)
    assert found == replace(found, lower=Decimal("0.25"), upper=Decimal("0.25"), n=1)


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize(("epsilon", "k"), [(1e-9, 60), (1e-6, 200), (50, 3), (999, 5), (8, 200_000)])
def test_extreme_parameters_keep_their_digits(epsilon: float, k: int, notion: str) -> None:
    found = ny.dp.delta(k=k, beta=ny.dp.largest_beta(epsilon), epsilon=epsilon, notion=notion)
    assert 0 < found.lower <= found.upper < 1
    assert found.digits >= 18
    assert Fraction(float(found)) >= Fraction(found.upper)


def test_rare_sampling_tends_to_poisson() -> None:
    """For small epsilon, gamma n is 2 beta n: the tail of Poisson(m / 2) from m on."""
    found = float(ny.dp.delta(k=40, beta=ny.dp.largest_beta(1e-7), epsilon=1e-7, notion="probabilistic"))
    term = poisson = exp(-20.0) * 20.0**40 / float(comb(40, 0) * factorial(40))
    for j in range(41, 200):
        term *= 20.0 / j
        poisson += term
    assert found == pytest.approx(poisson, rel=1e-4)


def factorial(n: int) -> int:
    return n * factorial(n - 1) if n else 1


# -- the smallest k -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("notion", "k"), [("standard", 44), ("probabilistic", 58)])
def test_the_reference_parameters(notion: str, k: int) -> None:
    assert ny.dp.smallest_k(epsilon=0.9, delta=1e-5, notion=notion) == k


@settings(max_examples=60, deadline=None)
@given(
    st.decimals("0.01", "5", places=3),
    st.integers(1, 20),
    st.integers(1, 9),
    st.fractions("1/10", "9/10", max_denominator=20) | st.none(),
    st.sampled_from(list(NOTIONS)),
)
def test_k_suffices_and_k_less_1_does_not(
    epsilon: Decimal, places: int, digit: int, share: Fraction | None, notion: str
) -> None:
    limit = Fraction(digit, 10**places)
    largest = ny.dp.largest_beta(epsilon)
    beta = largest if share is None else share * largest
    k = ny.dp.smallest_k(epsilon=epsilon, delta=limit, beta=beta, notion=notion)
    assert Fraction(ny.dp.delta(k=k, beta=beta, epsilon=epsilon, notion=notion).upper) <= limit
    if k > 1:
        assert Fraction(ny.dp.delta(k=k - 1, beta=beta, epsilon=epsilon, notion=notion).lower) > limit


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_limit_that_is_met_exactly_is_met(notion: str) -> None:
    judged = NOTIONS[notion](Threshold(beta=Fraction(1, 2), epsilon=None))
    values = {m: judged.exact(m) for m in range(1, 60)}
    for k in (5, 17, 30):
        limit = max(value for m, value in values.items() if m >= k)
        smallest = min(m for m in range(1, 31) if max(v for i, v in values.items() if i >= m) <= limit)
        assert judged.smallest_k(limit) == smallest
        assert judged.smallest_k(limit - Fraction(1, 10**60)) > k


def test_where_every_record_is_needed_irrational_growth_does_not_hide_a_tie() -> None:
    """With n = k the value is beta^k, whatever epsilon: ten coins meet a limit of 1/1024."""
    assert ny.dp.smallest_k(epsilon=9, beta=0.5, delta=Fraction(1, 1024)) == 10


# -- how delta depends on its parameters ----------------------------------------------------------------------


@pytest.mark.parametrize("notion", NOTIONS)
def test_delta_falls_with_k_and_with_epsilon_and_rises_with_beta(notion: str) -> None:
    by_k = [ny.dp.delta(k=k, beta=0.6, epsilon=1, notion=notion) for k in range(1, 60)]
    assert all(later.lower <= earlier.upper for earlier, later in pairwise(by_k))
    assert by_k[-1].upper < by_k[0].lower * Decimal("1e-4")
    curve = ny.dp.smoothness(k=30, beta=0.6, epsilons=[1 + i / 10 for i in range(30)], notion=notion)
    assert [point.epsilon for point in curve] == [1 + Fraction(i, 10) for i in range(30)]
    assert all(later.lower <= earlier.upper for earlier, later in pairwise(curve))
    assert curve[-1].upper < curve[0].lower * Decimal("1e-2")
    by_beta = [ny.dp.delta(k=30, beta=i / 20, epsilon=1, notion=notion) for i in range(1, 13)]
    assert all(later.lower > earlier.upper for earlier, later in pairwise(by_beta))


def test_the_standard_notion_asks_for_less() -> None:
    for k in (20, 44, 58):
        standard = ny.dp.delta(k=k, beta=0.5934, epsilon=0.9)
        probabilistic = ny.dp.delta(k=k, beta=0.5934, epsilon=0.9, notion="probabilistic")
        assert 5 < probabilistic.lower / standard.upper < 40


def test_the_largest_beta_is_the_last_of_six_digits() -> None:
    for epsilon in (0.01, 0.9, 1, 5):
        beta = ny.dp.largest_beta(epsilon)
        places = 10 ** (5 - floor(log(beta, 10)))
        assert (beta * places).denominator == 1
        assert beta < 1 - exp(-epsilon) < beta + Fraction(1, places)
    assert ny.dp.largest_beta(1e-40) == Fraction("9.99999e-41")


# -- what was published ---------------------------------------------------------------------------------------

#: (thesis on epsilon-safe lattice anonymization, tables 5.1 and 5.5): beta -> k -> delta as printed, in 1e-7.
PRINTED = {
    "0.60": {55: "159", 60: "71", 65: "32", 70: "14", 75: "6.4", 80: "2.9", 85: "1.3"},
    "0.65": {55: "240", 60: "129", 65: "80", 70: "26", 75: "10.5", 80: "6.5", 85: "3.0"},
    "0.70": {55: "500", 60: "330", 65: "112", 70: "74", 75: "25.3", 80: "16.8", 85: "5.8"},
    "0.75": {55: "972", 60: "972", 65: "309", 70: "123", 75: "123", 80: "39.3", 85: "15.9"},
    "0.80": {55: "3440", 60: "1320", 65: "673", 70: "673", 75: "386", 80: "151", 85: "58.6"},
}
#: Where gamma n is whole at the n in question, the tables count j = gamma n too. What is right, in 1e-7.
TIES = {
    ("0.75", 55): "774", ("0.75", 60): "774", ("0.75", 70): "98", ("0.75", 75): "98.2", ("0.75", 85): "12.7",
    ("0.80", 65): "559", ("0.80", 70): "559",
}  # fmt: skip


@pytest.mark.parametrize(("beta", "k"), [(beta, k) for beta, row in PRINTED.items() for k in row])
def test_the_tables_of_the_thesis(beta: str, k: int) -> None:
    found = ny.dp.delta(k=k, beta=Decimal(beta), notion="probabilistic")
    assert agrees(found.upper, TIES.get((beta, k), PRINTED[beta][k]))
    share = Fraction(beta)
    gamma = 1 - (1 - share) ** 2
    if (beta, k) in TIES:
        ties = [m for m in range(k, 2 * k) if (m / gamma).denominator == 1]
        assert agrees(as_decimal(max(tail(int(m / gamma), m, share) for m in ties)), PRINTED[beta][k])


def agrees(value: Decimal, printed: str) -> bool:
    """Say whether the value in 1e-7 was rounded, or cut, to what is printed."""
    last = Decimal(1).scaleb(Decimal(printed).as_tuple().exponent)
    if printed in ("3440", "1320"):  # three digits of them
        last = Decimal(10)
    return abs(value * 10**7 - Decimal(printed)) < last


def test_the_colours_of_the_thesis() -> None:
    grid = ny.dp.delta_table(ks=[55, 65, 75], betas=[0.6, 0.7, 0.8], records=30_162, notion="probabilistic")
    assert grid.columns == ["k", "beta", "delta", "n", "colour"]
    assert grid["colour"].to_list() == ["yellow", "red", "red", "green", "yellow", "red", "green", "green", "red"]
    chosen = grid.row(by_predicate=(pl.col("k") == 75) & (pl.col("beta") == 0.7), named=True)
    assert chosen["delta"] == pytest.approx(2.53e-6, rel=2e-3)
    standard = ny.dp.delta_table(ks=[55], betas=[0.6, 0.7, 0.8], records=30_162)
    assert standard["colour"].to_list() == ["green", "yellow", "red"]


def test_a_colour_on_its_border() -> None:
    def colour(records: int) -> str:
        return ny.dp.delta_table(ks=[1], betas=[Fraction(1, 2**10)], records=records)["colour"].item()

    assert [colour(1025), colour(1024), colour(103), colour(102)] == ["red", "yellow", "yellow", "green"]


@pytest.mark.parametrize(
    ("limit", "k", "ours", "published"),
    [(1e-5, 61, "1.59e-9", "1e-9"), (1e-6, 74, "1.53e-11", "2e-11"), (1e-7, 91, "4.69e-14", "4e-14")],
)
def test_the_smoothness_table_of_safepub(limit: float, k: int, ours: str, published: str) -> None:
    """Bild, Kuhn and Prasser (2018), table 1, printed to one digit: it has the delta' of a k that is one too large."""
    beta = ny.dp.largest_beta(1)
    assert ny.dp.smallest_k(epsilon=1, delta=limit, notion="probabilistic") == k
    assert f"{ny.dp.delta(k=k, beta=beta, epsilon=2, notion='probabilistic').upper:.3g}" == ours
    larger = ny.dp.delta(k=k + 1, beta=beta, epsilon=2, notion="probabilistic").upper
    assert Decimal(f"{larger:.1g}") == Decimal(published)


# -- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({"k": 0}, "k"),
        ({"k": 2.5}, "k"),
        ({"beta": 0}, "beta"),
        ({"beta": 1}, "beta"),
        ({"beta": float("nan")}, "beta"),
        ({"beta": True}, "beta"),
        ({"beta": 0.65, "epsilon": 1}, "beta"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": 1000}, "epsilon"),
        ({"epsilon": Decimal("Infinity")}, "epsilon"),
        ({"epsilon": "0.9"}, "epsilon"),
        ({"notion": "strict"}, "notion"),
    ],
)
def test_bad_parameters_of_delta(arguments: dict[str, object], where: str) -> None:
    with pytest.raises(ParameterError) as raised:
        ny.dp.delta(**({"k": 5, "beta": 0.5, "epsilon": 1} | arguments))  # type: ignore[arg-type]
    assert raised.value.where == where


@pytest.mark.parametrize(
    ("arguments", "where"),
    [({"delta": 0}, "delta"), ({"delta": 1}, "delta"), ({"delta": None}, "delta"), ({"beta": 0.7}, "beta")],
)
def test_bad_parameters_of_the_smallest_k(arguments: dict[str, object], where: str) -> None:
    with pytest.raises(ParameterError) as raised:
        ny.dp.smallest_k(**({"epsilon": 1, "delta": 1e-5} | arguments))  # type: ignore[arg-type]
    assert raised.value.where == where


def test_a_beta_above_what_epsilon_allows_names_the_largest() -> None:
    with pytest.raises(ParameterError, match=r"0\.63212 for epsilon = 1, got 0\.65\. Try: .*leave epsilon out"):
        ny.dp.delta(k=5, beta=0.65, epsilon=1)


def test_without_the_package_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(MissingExtraError, match=r"nymity\[dp\]"):
        ny.dp.smallest_k(epsilon=0.9, delta=1e-5)


@pytest.mark.parametrize("m", [1, 7, 10**6])
def test_multiples_of_the_odds_are_rounded_exactly_however_coarse_the_first_look_is(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """⌈m w⌉ and ⌊m / w⌋ with w = (1 - beta) / (e^epsilon - 1 + beta), by 60 digits."""
    monkeypatch.setattr(threshold, "precision", lambda bits: precision(bits if bits > threshold.BITS else 2))
    with localcontext() as context:
        context.prec = 60
        beta, growth = Decimal("0.3"), Decimal(1).exp()
        odds = (1 - beta) / (growth - 1 + beta)
        expected = ceil(m * odds), floor(m / odds)
    found = Threshold(beta=Fraction(3, 10), epsilon=Fraction(1))
    assert (found.multiple(m), found.quotient(m)) == expected


def test_a_certified_delta_has_twenty_digits_and_encloses_the_truth() -> None:
    """The two ends are decimals of twenty significant digits (an exact one has fewer), and next to each other."""
    found = ny.dp.delta(k=5, beta=Fraction(1, 2))
    assert found.lower <= found.upper
    assert max(len(end.as_tuple().digits) for end in (found.lower, found.upper)) <= 20
    assert found.digits >= 18
    longer = ny.dp.delta(k=5, beta=Fraction(3, 10), epsilon=1)  # e is in it
    assert [len(end.as_tuple().digits) for end in (longer.lower, longer.upper)] == [20, 20]
    assert longer.upper - longer.lower == Decimal((0, (1,), longer.upper.as_tuple().exponent))
