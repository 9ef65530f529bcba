"""Log-linear models: how many who are unique in a sample are unique in the population (Skinner & Shlomo 2008).

People who look like cell k of the table of all quasi-identifiers are taken as Poisson with mean lambda_k, and each is
in the sample with probability pi. So the sample has f_k, Poisson with mean mu_k = pi lambda_k, and ln mu_k is a sum of
effects: of every single quasi-identifier (``main effects``), or of every pair (``two-way``). With
m_k = lambda_k (1 - pi) expected outside the sample, of those with f_k = 1

    tau_1 = sum of exp(-m_k)               are expected to be unique in the population, too,
    tau_2 = sum of (1 - exp(-m_k)) / m_k   are expected to be linked rightly: the sum of the expected 1 / F_k.

**Which model?** With too few effects risks come out too low or too high for whole groups, with too many each sample
unique looks rare. For tau = sum of h(lambda_k) over sample uniques, the bias is about

    B = sum over all cells of lambda_k exp(-mu_k) (-h'(lambda_k) e_k + h''(lambda_k) (e_k^2 - f_k) / (2 pi)),

e_k = f_k - mu_k, and its expectation is 0 where the model is right, with the variance v that Poisson numbers give it.
The model with the least |B| / sqrt(v) for tau_2 is chosen: their *minimum error criterion*. What it does not see is
that people of one cell may live together, or that the sample was not drawn with one pi for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError, TableError
from nymity.risk.combinations import as_frame, combinations_of
from nymity.risk.population_uniques import people_of
from nymity.risk.sampled_people import SampledPeople
from nymity.table.schema import Schema

#: Cells of the whole table, also those without a record; beyond it fitting takes minutes.
MOST_CELLS = 2_000_000
#: Margins are fitted until none is off by more than this share of the records, or so often.
_CLOSE, _ROUNDS = 1e-8, 200
#: Below it the difference quotient of exp is so many terms of its series, exact to the last digits.
_SMALL, _TERMS = 0.05, 12

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LogLinearFit:
    """What one model says: ``population_uniques`` (tau_1) and ``linked`` (tau_2) among sample uniques.

    ``error``: |B| / sqrt(v) for tau_2, the criterion; None where nothing varies.
    """

    population_uniques: float
    linked: float
    error: float | None


@dataclass(frozen=True, kw_only=True)
class LogLinearRisk:
    """Sample uniques by log-linear models; ``chosen`` is the one with the least error.

    Where it ``counts`` persons, sample uniques are the combinations that one person of the table alone has: a person
    with several records may have several. ``people`` are those of the population, each counted once.
    """

    people: Fraction
    sample_uniques: int
    chosen: str
    fits: Mapping[str, LogLinearFit]
    counts: Literal["records", "persons"] = "records"

    @property
    def population_uniques(self) -> float:
        """How many of the sample uniques are expected to be unique in the population, by the chosen model."""
        return self.fits[self.chosen].population_uniques

    @property
    def linked(self) -> float:
        """How many of the sample uniques are expected to be linked rightly, by the chosen model."""
        return self.fits[self.chosen].linked

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {
            "counts": self.counts,
            "people": float(self.people),
            "sample_uniques": self.sample_uniques,
            "chosen": self.chosen,
            "chosen_by": "minimum error criterion (Skinner & Shlomo 2008)",
            "population_uniques": self.population_uniques,
            "linked": self.linked,
            "models": {
                name: {"population_uniques": fit.population_uniques, "linked": fit.linked, "error": fit.error}
                for name, fit in self.fits.items()
            },
        }


def log_linear(
    table: Any,
    schema: Schema | Sequence[str],
    *,
    population_size: int | None = None,
    sampling_fraction: float | Fraction | None = None,
) -> LogLinearRisk:
    """Estimate the risk of sample uniques by their quasi-identifiers.

    The population is as large as the sampling weights of the schema say, unless ``population_size`` or
    ``sampling_fraction`` is given. The cells are all combinations of values that occur. Where the schema has a person
    column, persons are counted in place of records, once in each cell that they have a record in; pi is the share of
    the people who are in the table.
    """
    frame = as_frame("table", table)
    sampled = SampledPeople.of(frame, schema if isinstance(schema, Schema) else Schema({})).without_gaps()
    cells = combinations_of(sampled.frame, schema)
    units, there = sampled.by_class(cells.class_of), sampled.within(cells.class_of)
    n = there.frame.height if there.number_of_persons is None else there.number_of_persons
    people = people_of(n, population_size, sampling_fraction, there.counts)
    if people is None and (weighed := there.people_by_weights) is not None:
        people = Fraction(weighed)
    if people is None or people < n:
        raise ParameterError(
            "population_size",
            expected="the number of people: population_size, sampling_fraction, or sampling weights in the schema",
            got="none"
            if people is None
            else f"weights that sum to {float(people):,.1f}, for {n:,} {there.counts} in the table",
        )
    sizes = tuple(len(labels) for labels in cells.labels)
    if prod(sizes) > MOST_CELLS:
        raise TableError(
            "quasi-identifiers",
            expected=f"at most {MOST_CELLS:,} combinations of their values, each of which is fitted",
            got=f"{prod(sizes):,}",
            hint="fewer columns, or coarser ones",
        )
    # counts (one axis for each quasi-identifier): a contingency table with the cells that nobody is in, too.
    counts = np.zeros(sizes)
    counts[tuple(cells.codes)] = units
    pi = n / float(people)
    fits = {name: _fit(counts, pi, margins) for name, margins in _models(len(sizes)).items()}
    return LogLinearRisk(
        people=people,
        counts=there.counts,
        sample_uniques=int((counts == 1).sum()),
        chosen=min(fits, key=lambda name: error if (error := fits[name].error) is not None else np.inf),
        fits=fits,
    )


def _models(n_columns: int) -> dict[str, list[tuple[int, ...]]]:
    """Return the margins that each model fits; two columns have no model between main effects and the sample itself."""
    models: dict[str, list[tuple[int, ...]]] = {"main effects": [(i,) for i in range(n_columns)]}
    return models | ({"two-way": list(combinations(range(n_columns), 2))} if n_columns > 2 else {})


def _fit(counts: Floats, pi: float, margins: list[tuple[int, ...]]) -> LogLinearFit:
    mu = fitted(counts, margins)
    there = mu > 0  # elsewhere a margin is empty, and so is the cell
    f, mu = counts[there], mu[there]
    lam = mu / pi
    outside = lam * (1 - pi)
    h, first, second = _quotient(outside)
    alone = f == 1
    # h is a function of m = lambda (1 - pi)
    weight, residual = lam * np.exp(-mu), f - mu
    slope, bend = -first * (1 - pi) * weight, second * (1 - pi) ** 2 * weight / (2 * pi)
    bias = float((slope * residual + bend * (residual**2 - f)).sum())
    variance = float((slope**2 * mu + 2 * bend**2 * mu**2).sum())
    return LogLinearFit(
        population_uniques=float(np.exp(-outside[alone]).sum()),
        linked=float(h[alone].sum()),
        error=abs(bias) / variance**0.5 if variance > 0 else None,
    )


def fitted(counts: Floats, margins: list[tuple[int, ...]]) -> Floats:
    """Return the expected counts of greatest likelihood with the same margins, by iterative proportional fitting."""
    mu = np.full(counts.shape, counts.sum() / counts.size)
    others = [tuple(axis for axis in range(counts.ndim) if axis not in margin) for margin in margins]
    wanted = [counts.sum(axis=axes, keepdims=True) for axes in others]
    for _ in range(_ROUNDS):
        off = 0.0
        for axes, goal in zip(others, wanted, strict=True):
            now = mu.sum(axis=axes, keepdims=True)
            off = max(off, float(np.abs(now - goal).max()))
            # Each margin in turn is made right, which makes the others a little wrong again: it converges (Deming &
            # Stephan).
            mu = mu * np.divide(goal, now, out=np.zeros_like(goal), where=now > 0)
        if off <= _CLOSE * counts.sum():
            break
    return mu


def _quotient(m: Floats) -> tuple[Floats, Floats, Floats]:
    """Return h(m) = (1 - exp(-m)) / m with its first and second derivative; near 0, where digits cancel, by series."""
    small = m < _SMALL
    x, y = np.where(small, 1.0, m), np.where(small, m, 0.0)
    e = np.exp(-x)
    h, first = -np.expm1(-x) / x, (e * (x + 1) - 1) / x**2
    second = (2 - e * (x**2 + 2 * x + 2)) / x**3
    terms = [(-1) ** j / factorial(j + 1) for j in range(_TERMS)]  # of h, by powers of m
    series = [np.polynomial.polynomial.Polynomial(terms).deriv(order)(y) for order in range(3)]
    near_0, near_1, near_2 = series
    return np.where(small, near_0, h), np.where(small, near_1, first), np.where(small, near_2, second)
