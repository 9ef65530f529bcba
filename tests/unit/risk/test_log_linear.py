"""Log-linear models of sample uniques, against populations drawn from known Poisson models."""

from __future__ import annotations

from math import exp, factorial

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import ParameterError, TableError
from nymity.risk.log_linear import LogLinearRisk, _quotient, fitted

COLUMNS = ["a", "b", "c"]


def means(rng: np.random.Generator, *, pairs: bool) -> np.ndarray:
    """20,000 people over 12 x 10 x 8 cells: independent columns, or a and b strongly associated."""
    a, b, c = (rng.dirichlet(np.full(size, 2.0)) for size in (12, 10, 8))
    found = a[:, None, None] * b[None, :, None] * c[None, None, :]
    if pairs:
        found = found * np.exp(rng.normal(0, 0.9, (12, 10)))[:, :, None]
    return found * 20_000 / found.sum()


def estimated(f: np.ndarray, pi: float) -> LogLinearRisk:
    cells = np.repeat(np.argwhere(f > 0), f[f > 0], axis=0)
    table = pl.DataFrame({name: cells[:, i] for i, name in enumerate(COLUMNS)})
    return ny.risk.log_linear(table, COLUMNS, sampling_fraction=pi)


@pytest.mark.parametrize("pairs", [False, True], ids=["main effects", "two-way"])
def test_simulated_populations(pairs: bool) -> None:
    """Mean of 40 samples against the truth that only the population shows; 5 standard errors of the truth."""
    rng, pi = np.random.default_rng(11 + pairs), 0.2
    people = means(rng, pairs=pairs)
    true, found, chosen = [], [], []
    for _ in range(40):
        population = rng.poisson(people)
        f = rng.binomial(population, pi)
        alone = f == 1
        true.append(((population[alone] == 1).sum(), (1 / population[alone]).sum()))
        answer = estimated(f, pi)
        assert answer.sample_uniques == alone.sum()
        found.append((answer.population_uniques, answer.linked))
        chosen.append(answer.chosen)
    error = np.std(true, axis=0) / 40**0.5
    off = np.abs(np.mean(true, axis=0) - np.mean(found, axis=0))
    assert (off < 5 * error + 0.02 * np.mean(true, axis=0)).all()
    assert chosen.count("two-way" if pairs else "main effects") >= 28


def test_a_model_with_too_few_effects_is_wrong_and_its_criterion_says_so() -> None:
    rng = np.random.default_rng(5)
    population = rng.poisson(means(rng, pairs=True))
    fits = estimated(rng.binomial(population, 0.2), 0.2).fits
    poor, rich = fits["main effects"].error, fits["two-way"].error
    assert poor is not None
    assert rich is not None
    assert poor > 2.5 > rich


@pytest.mark.parametrize("m", [0.0, 1e-9, 1e-4, 0.01, 0.0499, 0.0501, 1.0, 7.0])
def test_the_risk_of_a_cell_is_that_of_poisson_people_outside(m: float) -> None:
    """E[1 / (1 + G)] for G Poisson with mean m, summed; derivatives by differences of that sum."""

    def inverse(x: float) -> float:
        return sum(exp(-x) * x**j / factorial(j) / (1 + j) for j in range(80))

    step = 1e-3
    h, first, second = (float(part[0]) for part in _quotient(np.array([m])))
    assert h == pytest.approx(inverse(m), rel=1e-12)
    if m > 2 * step:
        low, high = inverse(m - step), inverse(m + step)
        assert first == pytest.approx((high - low) / (2 * step), rel=1e-5)
        assert second == pytest.approx((high + low - 2 * inverse(m)) / step**2, rel=1e-5)
    else:
        assert first == pytest.approx(-1 / 2 + m / 3, rel=1e-7)
        assert second == pytest.approx(1 / 3 - m / 4, rel=1e-7)


def test_fitted_counts_have_the_margins_they_should() -> None:
    rng = np.random.default_rng(2)
    counts = rng.poisson(2.0, (4, 5, 3)).astype(float)
    counts[1, 2] = 0  # an empty pair
    both = fitted(counts, [(0, 1), (0, 2), (1, 2)])
    for axis in range(3):
        assert both.sum(axis=axis) == pytest.approx(counts.sum(axis=axis), abs=1e-5)
    alone = fitted(counts, [(0,), (1,), (2,)])
    shares = [counts.sum(axis=tuple({0, 1, 2} - {axis})) / counts.sum() for axis in range(3)]
    product = counts.sum() * np.einsum("i,j,k->ijk", *shares)
    assert alone == pytest.approx(product)


def test_two_independent_columns_by_hand() -> None:
    """mu_ij = n_i n_j / n; the criterion with derivatives as differences, its variance that of drawn tables."""
    rng = np.random.default_rng(5)
    a, b, people = rng.integers(0, 25, 300), rng.zipf(1.6, 300) % 20, 4_000
    found = ny.risk.log_linear(pl.DataFrame({"a": a, "b": b}), ["a", "b"], population_size=people)
    f = np.histogram2d(a, b, bins=(25, np.arange(21) - 0.5))[0]
    f = f[f.sum(axis=1) > 0][:, f.sum(axis=0) > 0]
    pi, mu = 300 / people, np.outer(f.sum(axis=1), f.sum(axis=0)) / 300
    rate, alone = mu / pi, f == 1

    def chance(rates: np.ndarray) -> np.ndarray:
        return -np.expm1(-rates * (1 - pi)) / (rates * (1 - pi))

    step = 1e-4 * rate
    slope = (chance(rate + step) - chance(rate - step)) / (2 * step)
    bend = (chance(rate + step) - 2 * chance(rate) + chance(rate - step)) / step**2

    def bias(counts: np.ndarray) -> float:
        off = counts - mu
        return float((rate * np.exp(-mu) * (-slope * off + bend * (off**2 - counts) / (2 * pi))).sum())

    fit = found.fits["main effects"]
    assert found.sample_uniques == alone.sum()
    assert fit.population_uniques == pytest.approx(np.exp(-rate[alone] * (1 - pi)).sum())
    assert fit.linked == pytest.approx(chance(rate)[alone].sum())
    assert fit.error == pytest.approx(abs(bias(f)) / np.std([bias(rng.poisson(mu)) for _ in range(3_000)]), rel=0.06)


def test_the_population_is_what_weights_sum_to() -> None:
    table = pl.DataFrame({"a": [1, 2, 3, 3], "b": [1, 1, 2, 2], "w": [10.0, 20.0, 30.0, 40.0]})
    weighed = ny.risk.log_linear(table, ny.Schema({"a": ny.quasi(), "b": ny.quasi(), "w": ny.weight()}))
    given = ny.risk.log_linear(table, ["a", "b"], population_size=100)
    assert weighed == given
    assert (weighed.people, weighed.sample_uniques, weighed.chosen) == (100, 2, "main effects")
    assert weighed.to_dict()["chosen_by"] == "minimum error criterion (Skinner & Shlomo 2008)"


def test_persons_are_counted_where_a_column_tells_them() -> None:
    table = pl.DataFrame({"a": [1, 2, 3, 3], "b": [1, 1, 2, 2], "w": [10.0, 20.0, 30.0, 40.0], "who": list("xyzt")})
    roles = {"a": ny.quasi(), "b": ny.quasi(), "w": ny.weight()}
    once = ny.risk.log_linear(table.drop("who"), ny.Schema(roles))
    twice = ny.risk.log_linear(pl.concat([table, table]), ny.Schema({**roles, "who": ny.person()}))
    assert (twice.people, twice.sample_uniques, twice.fits) == (once.people, once.sample_uniques, once.fits)
    assert (twice.counts, once.counts) == ("persons", "records")


def test_what_cannot_be_fitted_is_refused() -> None:
    table = pl.DataFrame({"a": range(2000), "b": range(2000)})
    with pytest.raises(TableError, match="at most 2,000,000 combinations"):
        ny.risk.log_linear(table, ["a", "b"], population_size=10_000)
    with pytest.raises(ParameterError, match="the number of people"):
        ny.risk.log_linear(table, ["a"])
    few = ny.Schema({"a": ny.quasi(), "w": ny.weight()})
    with pytest.raises(ParameterError, match="weights that sum to 1,000"):
        ny.risk.log_linear(table.select("a").with_columns(w=0.5), few)
