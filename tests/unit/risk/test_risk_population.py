"""Population models against their definitions, by sums and grids that share nothing with the solvers."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, lgamma, log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from nymity.risk import measure_risk
from nymity.risk.pitman import pitman
from nymity.risk.population_uniques import dankar, estimate_uniques
from nymity.risk.root import root
from nymity.risk.slide_negative_binomial import slide_negative_binomial
from nymity.risk.zayatz import zayatz

#: size of a class: number of classes
SAMPLES = [{1: 50, 2: 20, 3: 10, 5: 4}, {1: 3, 2: 9, 7: 2}, {1: 9, 2: 1}]


def arrays(sample: dict[int, int]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(list(sample)), np.array(list(sample.values()))


# -- Zayatz --------------------------------------------------------------------------------------------------


def zayatz_by_definition(sample: dict[int, int], people: int) -> Fraction:
    n, u = sum(size * k for size, k in sample.items()), sum(sample.values())

    def chance(j: int) -> Fraction:  # a class of j people leaves one record in a sample of n
        return Fraction(j * comb(people - j, n - 1), comb(people, n))

    shares = {j: Fraction(k, u) * chance(j) for j, k in sample.items()}
    return sample[1] * shares[1] / sum(shares.values()) * people / n


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("more", [0, 1, 5, 300])
def test_zayatz(sample: dict[int, int], more: int) -> None:
    people = sum(size * k for size, k in sample.items()) + more
    assert zayatz(*arrays(sample), people) == pytest.approx(float(zayatz_by_definition(sample, people)), rel=1e-12)


def test_zayatz_without_sample_uniques_is_nothing_and_without_classes_not_available() -> None:
    assert zayatz(*arrays({2: 5}), 100) == 0
    assert zayatz(np.array([], dtype=np.int64), np.array([], dtype=np.int64), 100) is None


# -- Pitman --------------------------------------------------------------------------------------------------


def likelihood(sample: dict[int, int], alpha: float, theta: float) -> float:
    n, u = sum(size * k for size, k in sample.items()), sum(sample.values())
    value = sum(log(theta + i * alpha) for i in range(1, u)) - sum(log(theta + i) for i in range(1, n))
    return value + sum(k * sum(log(j - alpha) for j in range(1, size)) for size, k in sample.items())


def most_likely(sample: dict[int, int]) -> tuple[float, float]:
    """Climb the likelihood on grids that shrink; return alpha and theta."""
    alpha, log_phi, step = 0.5, 0.0, np.array([0.25, 4.0])
    for _ in range(300):
        around = [(alpha + i * step[0], log_phi + j * step[1]) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        inside = [(a, p) for a, p in around if 1e-9 < a < 1 - 1e-9]
        best = max(inside, key=lambda point: likelihood(sample, point[0], exp(point[1]) - point[0]))
        step = step / 2 if best == (alpha, log_phi) else step
        alpha, log_phi = best
    return alpha, exp(log_phi) - alpha


@pytest.mark.parametrize("sample", [{1: 20, 2: 4, 3: 2, 30: 1}, {1: 30, 2: 1, 9: 3}, {1: 40, 2: 12, 3: 5, 6: 4, 20: 1}])
def test_pitman_is_the_greatest_likelihood(sample: dict[int, int]) -> None:
    (alpha, theta), people = most_likely(sample), 1000
    alone = prod((theta + alpha + i - 1) / (theta + i) for i in range(1, people))  # the chance of one person
    assert pitman(*arrays(sample), people) == pytest.approx(people * alone, rel=1e-4)


@pytest.mark.parametrize("sample", [{1: 300, 2: 9, 3: 1}, {1: 600, 2: 25, 3: 2}, {1: 1830, 2: 76, 3: 6}])
def test_pitman_where_nearly_all_are_unique(sample: dict[int, int]) -> None:
    """The likelihood is nearly flat, and rounding made roots of its own where differences were taken carelessly."""
    ridge = minimize(
        lambda at: -likelihood(sample, at[0], exp(at[1]) - at[0]),
        x0=[0.5, log(2000)],
        method="Nelder-Mead",
        bounds=[(1e-9, 1 - 1e-9), (-9, 20)],
        options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 2000},
    )
    (alpha, phi), people = (ridge.x[0], exp(ridge.x[1])), 5000
    alone = prod((phi + i - 1) / (phi - alpha + i) for i in range(1, people))
    assert 1e-3 < alpha < 0.999
    assert pitman(*arrays(sample), people) == pytest.approx(people * alone, rel=1e-3)


@pytest.mark.parametrize("sample", [SAMPLES[0], {50: 4}, {1: 180, 2: 22, 3: 6}])
def test_pitman_is_not_available_where_the_likelihood_is_greatest_at_the_border(sample: dict[int, int]) -> None:
    assert most_likely(sample)[0] < 1e-6
    assert pitman(*arrays(sample), 1000) is None


@pytest.mark.parametrize("sample", [{1: 8}, {4: 1}])
def test_pitman_is_not_available_for_one_class_or_nothing_but_uniques(sample: dict[int, int]) -> None:
    assert pitman(*arrays(sample), 1000) is None


def test_pitman_on_a_sample_with_known_parameters() -> None:
    """Draw a sample by the model's urn; the estimate must be near the expectation under the true parameters."""
    rng, alpha, theta, n, people = np.random.default_rng(4), 0.6, 50.0, 20_000, 10**6
    sizes: list[int] = []
    choices = rng.random(n)
    order: list[int] = []  # class of each earlier record: a record joins its class in proportion to its size
    for i in range(n):
        if choices[i] * (theta + i) < theta + alpha * len(sizes):
            order.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # a random earlier record's class, taken with probability (size - alpha) / size
            c = order[int(rng.integers(i))]
            if rng.random() < 1 - alpha / sizes[c]:
                break
        order.append(c)
        sizes[c] += 1
    expected = exp(log(people) + lgamma(theta + 1) - lgamma(theta + alpha) + (alpha - 1) * log(people + theta))
    estimate = estimate_uniques(np.array(sizes), Fraction(people))
    assert estimate.chosen == "pitman"
    assert estimate.uniques == pytest.approx(expected, rel=0.15)


# -- slide negative binomial ---------------------------------------------------------------------------------


def sample_moments(shape: float, odds: float, fraction: float) -> tuple[float, float, float]:
    """Expected records, classes and uniques in the sample per population class, by summing over its size."""
    records = classes = uniques = 0.0
    probability = (1 + odds) ** -shape
    for extra in range(4000):
        size = 1 + extra
        records += probability * size * fraction
        classes += probability * (1 - (1 - fraction) ** size)
        uniques += probability * size * fraction * (1 - fraction) ** extra
        probability *= (shape + extra) / (extra + 1) * odds / (1 + odds)
    return records, classes, uniques


@given(st.floats(0.05, 4), st.floats(0.2, 20), st.floats(0.02, 0.9))
def test_the_slide_negative_binomial_finds_the_parameters_of_its_moments(
    shape: float, odds: float, fraction: float
) -> None:
    records, classes, uniques = (100_000 * moment for moment in sample_moments(shape, odds, fraction))
    found = slide_negative_binomial(records, classes, uniques, records / fraction)  # type: ignore[arg-type]
    assert found == pytest.approx(100_000 * (1 + odds) ** -shape, rel=1e-4)


@pytest.mark.parametrize(("n", "u", "s1"), [(100, 100, 100), (100, 50, 0), (100, 0, 0), (100, 60, 60)])
def test_moments_that_no_parameters_have(n: int, u: int, s1: int) -> None:
    assert slide_negative_binomial(n, u, s1, 1000.0) is None


# -- the rule ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fraction", "pitmans", "zayatzs", "snb", "chosen"),
    [
        ("1/10", 5.0, 3.0, 1.0, "pitman"),
        ("1/10", None, 3.0, 1.0, "zayatz"),
        ("1/9", 5.0, 3.0, 1.0, "snb"),
        ("1/9", 5.0, 3.0, 4.0, "zayatz"),
        ("1/9", 5.0, 3.0, None, "zayatz"),
        ("1/9", 5.0, None, None, None),
    ],
)
def test_dankars_rule(
    fraction: str, pitmans: float | None, zayatzs: float | None, snb: float | None, chosen: str | None
) -> None:
    assert dankar(Fraction(fraction), {"pitman": pitmans, "zayatz": zayatzs, "snb": snb}) == chosen


def test_a_sample_that_is_the_population_is_counted() -> None:
    found = measure_risk({"x": [1, 2, 2, 3]}, ["x"], sampling_fraction=1).population
    assert found is not None
    assert (found.chosen, found.uniques, found.share, found.estimates) == ("counted", 2, 0.5, {})


def test_size_and_fraction_say_the_same() -> None:
    table = {"x": [1, 2, 2, 3, 4, 4, 4]}
    assert (
        measure_risk(table, ["x"], population_size=70).population
        == measure_risk(table, ["x"], sampling_fraction=0.1).population
    )


def test_an_estimate_that_does_not_exist_is_not_nought() -> None:
    found = measure_risk({"x": list(range(9))}, ["x"], sampling_fraction=0.01).population
    assert found is not None
    assert found.estimates["pitman"] is None
    assert found.estimates["snb"] is None
    assert (found.chosen, found.uniques) == ("zayatz", 900)


# -- roots ---------------------------------------------------------------------------------------------------


@given(st.floats(-5, 5), st.floats(0.1, 10))
def test_root(place: float, bend: float) -> None:
    found = root(lambda x: exp(bend * (x - place)) - 1, place - 7, place + 3)
    assert found == pytest.approx(place, abs=1e-9)
    assert root(lambda x: x * x + 1, -1, 1) is None


# -- robustness ----------------------------------------------------------------------------------------------


@given(
    st.dictionaries(st.one_of(st.integers(1, 6), st.integers(1, 5000)), st.integers(1, 400), min_size=1, max_size=6),
    st.one_of(st.integers(0, 50), st.integers(0, 10**10)),
)
def test_estimates_are_numbers_of_people_or_not_available(sample: dict[int, int], more: int) -> None:
    sizes, classes = arrays(dict(sorted(sample.items())))
    people = int(sizes @ classes) + more
    found = estimate_uniques(np.repeat(sizes, classes), Fraction(people))
    for estimate in (*found.estimates.values(), found.uniques):
        assert estimate is None or -1e-6 <= estimate <= people * (1 + 1e-9)
    assert found.uniques is not None
