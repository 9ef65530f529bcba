"""MST: its budget against the exact delta of Gaussian noise, its tree against all trees, a run where mbi is there."""

from __future__ import annotations

from itertools import combinations
from math import erfc, exp, sqrt

import numpy as np
import pytest

from nymity.core.errors import ParameterError
from nymity_lab.dp.comparators.mst import SpanningTree, _dependences, _merge, _shares, _spanning_tree, largest_rho


def gaussian_delta(epsilon: float, deviation: float) -> float:
    """Return the exact delta of Gaussian noise on a count that one record changes by 1 (Balle and Wang 2018)."""

    def below(x: float) -> float:
        return erfc(-x / sqrt(2)) / 2

    half = 1 / (2 * deviation)
    return below(half - epsilon * deviation) - exp(epsilon) * below(-half - epsilon * deviation)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (3.0, 1e-9)])
def test_the_budget_keeps_the_promise_and_wastes_little(epsilon: float, delta: float) -> None:
    rho = largest_rho(epsilon, delta)
    assert gaussian_delta(epsilon, 1 / sqrt(2 * rho)) <= delta
    assert gaussian_delta(epsilon, 1 / sqrt(2 * 1.6 * rho)) > delta
    simple = (sqrt(epsilon - np.log(delta)) - sqrt(-np.log(delta))) ** 2  # Bun and Steinke (2016), proposition 1.3
    assert rho > simple


def test_rare_values_are_one() -> None:
    assert _merge(np.array([50.0, 2.0, 40.0, -3.0]), 10).tolist() == [0, 2, 1, 2]
    assert _merge(np.array([50.0, 40.0]), 10).tolist() == [0, 1]
    assert _merge(np.array([5.0, 4.0]), 10).tolist() == [0, 0]


def test_one_record_changes_a_score_by_one_at_most() -> None:
    rng = np.random.default_rng(0)
    codes = {"a": rng.integers(0, 3, 30), "b": rng.integers(0, 4, 30), "c": rng.integers(0, 2, 30)}
    sizes = {"a": 3, "b": 4, "c": 2}
    shares = {name: _shares(rng.normal(5, 4, size)) for name, size in sizes.items()}
    whole = _dependences(codes, sizes, shares, 28.0)
    for gone in range(30):
        less = _dependences({name: np.delete(of, gone) for name, of in codes.items()}, sizes, shares, 28.0)
        assert all(abs(whole[pair] - less[pair]) <= 1 + 1e-9 for pair in whole)


def test_with_a_large_budget_the_tree_is_the_heaviest() -> None:
    names = ["a", "b", "c", "d"]
    rng = np.random.default_rng(1)
    scores = {pair: float(score) for pair, score in zip(combinations(names, 2), rng.random(6), strict=True)}
    tree = _spanning_tree(names, scores, 1e9, rng)

    def spans(edges: tuple[tuple[str, str], ...]) -> bool:
        reached = {"a"}
        for _ in names:
            reached |= {name for edge in edges if reached & set(edge) for name in edge}
        return len(reached) == 4

    heaviest = max((sum(scores[e] for e in edges), edges) for edges in combinations(scores, 3) if spans(edges))
    assert set(tree) == set(heaviest[1])


def test_trees_are_drawn_with_the_chances_of_the_mechanism() -> None:
    """With three columns the first edge says it: chances of exp(epsilon score / 2), within five deviations."""
    scores = {("a", "b"): 0.0, ("a", "c"): 1.0, ("b", "c"): 2.0}
    rng, runs = np.random.default_rng(2), 4_000
    first = [_spanning_tree(["a", "b", "c"], scores, 1.0, rng)[0] for _ in range(runs)]
    weights = {pair: exp(score / 2) for pair, score in scores.items()}
    for pair, weight in weights.items():
        chance = weight / sum(weights.values())
        assert abs(first.count(pair) / runs - chance) < 5 * sqrt(chance * (1 - chance) / runs)


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"SpanningTree\.epsilon"):
        SpanningTree(epsilon=0, delta=1e-5, not_private_seed=0)
    with pytest.raises(ParameterError, match=r"SpanningTree\.delta"):
        SpanningTree(epsilon=1, delta=2, not_private_seed=0)


def test_synthetic_records_have_the_tables_counts() -> None:
    pytest.importorskip("mbi", reason="the extra synthetic is not installed")
    rng = np.random.default_rng(3)
    a = rng.integers(0, 3, 5_000)
    b = np.where(rng.random(5_000) < 0.9, a, rng.integers(0, 3, 5_000))
    columns = {"a": a, "b": b, "c": rng.integers(0, 2, 5_000)}
    drawn = SpanningTree(epsilon=5, delta=1e-5, not_private_seed=0, iterations=300).run(
        columns, {"a": 3, "b": 3, "c": 2}
    )
    assert abs(len(drawn["a"]) - 5_000) < 100
    assert abs((drawn["a"] == drawn["b"]).mean() - (a == b).mean()) < 0.02
    again = SpanningTree(epsilon=5, delta=1e-5, not_private_seed=0, iterations=300).run(
        columns, {"a": 3, "b": 3, "c": 2}
    )
    assert all((drawn[name] == again[name]).all() for name in drawn)
