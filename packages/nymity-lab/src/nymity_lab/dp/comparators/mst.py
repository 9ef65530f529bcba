"""MST: synthetic records from noisy marginals of a spanning tree (McKenna, Miklau and Sheldon 2021, algorithm 1).

A third of the budget goes to each of three parts: every column's counts with Gaussian noise; a spanning tree of pairs
of columns, drawn by the exponential mechanism (one edge at a time, score: how far the counts of the pair are from what
independent columns would have); the counts of its pairs with Gaussian noise. A graphical model is fitted to all of them
(package ``mbi``), and records are drawn from it. Values whose noisy count is below three standard deviations are one
value meanwhile.

The promise is (epsilon, delta)-differential privacy for adding or removing a record, by zero-concentrated privacy: of
rho, Gaussian noise of deviation s on counts that one record changes by 1 in all costs 1 / (2 s²), and a draw of epsilon
costs epsilon² / 8. What is drawn comes from a seed and floating-point noise: for studies on public data only.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from math import exp, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import MissingExtraError
from nymity.core.validation import number, whole_number

Codes = NDArray[np.int64]
Counts = NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class SpanningTree:
    """Draw as many synthetic records as the noisy counts say there are."""

    epsilon: float
    delta: float
    not_private_seed: int
    iterations: int = 1_000

    def __post_init__(self) -> None:
        number("SpanningTree.epsilon", self.epsilon, above=0)
        number("SpanningTree.delta", self.delta, above=0, at_most=1)
        whole_number("SpanningTree.iterations", self.iterations, at_least=1)

    def run(self, columns: Mapping[str, Codes], sizes: Mapping[str, int]) -> dict[str, Codes]:
        """Return synthetic codes of each column; ``sizes`` are those of the public domains."""
        rng, rho = np.random.default_rng(self.not_private_seed), largest_rho(self.epsilon, self.delta)
        names, third = list(columns), rho / 3
        noise = sqrt(len(names) / (2 * third))  # one record changes a count of every column
        singles = {name: _counts([columns[name]], [sizes[name]]) + rng.normal(0, noise, sizes[name]) for name in names}
        merged = {name: _merge(counts, 3 * noise) for name, counts in singles.items()}
        codes = {name: merged[name][columns[name]] for name in names}
        domain = {name: int(merged[name].max()) + 1 for name in names}
        shares = {name: _shares(np.bincount(merged[name], singles[name], domain[name]).astype(float)) for name in names}
        total = max(float(np.mean([counts.sum() for counts in singles.values()])), 1.0)
        scores = _dependences(codes, domain, shares, total)
        tree = _spanning_tree(names, scores, sqrt(8 * third / (len(names) - 1)), rng)
        pairs, of_pairs = {}, sqrt(len(tree) / (2 * third))
        for pair in tree:
            true = _counts([codes[name] for name in pair], [domain[name] for name in pair])
            pairs[pair] = true + rng.normal(0, of_pairs, true.size)
        mbi = _mbi()
        whole = mbi.Domain(names, [sizes[name] for name in names])
        measured = [
            mbi.LinearMeasurement(singles[name], (name,), stddev=noise).compress({name: merged[name]}, whole)
            for name in names
        ] + [mbi.LinearMeasurement(counts, pair, stddev=of_pairs) for pair, counts in pairs.items()]
        fit = mbi.estimation.MirrorDescent().estimate
        model = fit(mbi.Domain(names, [domain[name] for name in names]), measured, iters=self.iterations)
        np.random.seed(self.not_private_seed)  # what the package draws from
        drawn = model.synthetic_data().to_dict()
        return {
            name: _divide(np.asarray(drawn[name], dtype=np.int64), merged[name], singles[name], rng) for name in names
        }


def largest_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho whose zero-concentrated privacy is (epsilon, delta)-differential privacy.

    delta(rho) is the least over alpha > 1 of exp((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) (1 - 1 / alpha)^alpha
    (Canonne, Kamath and Steinke 2020, corollary 13); any alpha gives a bound, so a grid of them is safe.
    """
    low, high = 0.0, epsilon + 1
    for _ in range(60):
        rho = (low + high) / 2
        low, high = (rho, high) if _delta_of(rho, epsilon) <= delta else (low, rho)
    return low


def _delta_of(rho: float, epsilon: float) -> float:
    alphas = (1 + 1.05**i / 1_000 for i in range(400))
    exponents = [(a - 1) * (a * rho - epsilon) - log(a - 1) + a * log(1 - 1 / a) for a in alphas]
    return min(1.0, exp(min(0.0, min(exponents))))


def _counts(columns: Sequence[Codes], sizes: Sequence[int]) -> Counts:
    return np.bincount(np.ravel_multi_index(tuple(columns), tuple(sizes)), minlength=int(np.prod(sizes))).astype(float)


def _merge(counts: Counts, limit: float) -> Codes:
    """Return a code for each value: those with fewer than ``limit`` share the last one."""
    rare = counts < limit
    codes = np.cumsum(~rare) - 1
    codes[rare] = int((~rare).sum())
    return codes.astype(np.int64)


def _shares(counts: Counts) -> Counts:
    positive = np.clip(counts, 0, None)
    return positive / max(float(positive.sum()), 1.0)


def _dependences(
    codes: Mapping[str, Codes], domain: Mapping[str, int], shares: Mapping[str, Counts], total: float
) -> dict[Pair, float]:
    """Return how far counts of each pair are from those of independent columns; a record changes it by 1 at most."""
    found = {}
    for pair in combinations(codes, 2):
        true = _counts([codes[name] for name in pair], [domain[name] for name in pair])
        independent = total * np.outer(shares[pair[0]], shares[pair[1]]).ravel()
        found[pair] = float(np.abs(true - independent).sum())
    return found


def _spanning_tree(
    names: Sequence[str], scores: Mapping[Pair, float], epsilon: float, rng: np.random.Generator
) -> list[Pair]:
    """Draw edges one by one, each from those that join two parts, with chances of exp(epsilon score / 2)."""
    part = {name: place for place, name in enumerate(names)}
    tree: list[Pair] = []
    while len(tree) < len(names) - 1:
        joining = [pair for pair in scores if part[pair[0]] != part[pair[1]]]
        weights = epsilon / 2 * np.array([scores[pair] for pair in joining])
        pair = joining[int(np.argmax(weights + rng.gumbel(size=len(joining))))]
        kept, gone = part[pair[0]], part[pair[1]]
        part = {name: kept if place == gone else place for name, place in part.items()}
        tree.append(pair)
    return tree


def _divide(drawn: Codes, merged: Codes, counts: Counts, rng: np.random.Generator) -> Codes:
    """Give values back: those that were one value by lot, as often as their noisy counts say."""
    result = np.empty_like(drawn)
    for code in np.unique(drawn):
        values = np.flatnonzero(merged == code)
        weights = np.clip(counts[values], 1e-9, None)
        here = drawn == code
        result[here] = rng.choice(values, size=int(here.sum()), p=weights / weights.sum())
    return result


def _mbi() -> Any:
    try:
        jax = import_module("jax")
    except ImportError as error:
        raise MissingExtraError(
            "MST needs the package 'mbi', which is not installed. Try: pip install \"nymity-lab[synthetic]\""
        ) from error
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("mbi")
