"""Learnability: against its definition, in any order of rows, and on a release as users call it."""

from __future__ import annotations

import numpy as np
import pytest

import nymity as ny
from nymity.core.errors import TableError
from nymity.utility.naive_bayes import FOLDS, SMOOTHING, naive_bayes_area


def test_learnability_is_the_area_of_naive_bayes() -> None:
    rng = np.random.default_rng(5)
    n, classes = 40, np.array([0, 1] * 20)
    values = np.stack([(classes + rng.integers(0, 2, n)) % 3, rng.integers(0, 2, n)], axis=1)
    shares = [np.array([[0.5, 0.5, 0], [0, 0, 1.0]]), np.array([[0.5, 0.5]])]  # {0, 1} or 2; all
    cells = np.stack([(values[:, 0] == 2).astype(int), np.zeros(n, int)], axis=1)
    fold = np.random.default_rng(0).permutation(n) % FOLDS
    scores = np.empty(n)
    for i in range(n):
        weights = []
        for c in (0, 1):
            seen = [j for j in range(n) if fold[j] != fold[i] and classes[j] == c]
            weight = len(seen) + SMOOTHING
            for a, share in enumerate(shares):
                count = sum(share[cells[j, a], values[i, a]] for j in seen)
                weight *= (count + SMOOTHING / share.shape[1]) / (len(seen) + SMOOTHING)
            weights.append(weight)
        scores[i] = weights[1] / sum(weights)
    areas = []
    for here in range(FOLDS):
        ours, others = (scores[(classes == c) & (fold == here)] for c in (1, 0))
        areas.append(np.mean([0.5 if abs(p - q) < 1e-12 else float(p > q) for p in ours for q in others]))
    assert naive_bayes_area(cells, shares, values, classes, np.arange(n)) == pytest.approx(np.mean(areas))


def test_neither_the_order_of_rows_nor_missing_ones_matter_to_who_is_tested() -> None:
    rng = np.random.default_rng(6)
    n, classes = 60, np.array([0, 1, 2] * 20)
    values = np.stack([(classes + rng.integers(0, 2, n)) % 3], axis=1)
    shares, order = [np.eye(3)], rng.permutation(n)
    whole = naive_bayes_area(values, shares, values, classes, np.arange(n))
    assert naive_bayes_area(values[order], shares, values, classes, order) == pytest.approx(whole)
    half = order[: n // 2]
    assert 0.5 < naive_bayes_area(values[half], shares, values, classes, half) < 1


def test_of_a_release_and_of_nothing() -> None:
    people = ny.datasets.hospital(800, seed=3).select("age", "sex", "occupation", "insurance")
    schema = ny.Schema(
        {
            "age": ny.quasi(ny.Hierarchy.intervals(width=10, levels=3)),
            "sex": ny.quasi(),
            "occupation": ny.quasi(),
            "insurance": ny.sensitive(),
        }
    )
    release = ny.publish(people, schema, privacy=[ny.KAnonymity(k=5)], method=ny.Mondrian())
    found = ny.utility.learnability(people, release, target="insurance")
    assert 0.5 < found.release <= found.original < 1
    nothing = ny.publish(people, schema, privacy=[ny.KAnonymity(k=800)], method=ny.OptimalLattice(suppression=0))
    assert ny.utility.learnability(people, nothing, target="insurance").release == 0.5
    with pytest.raises(TableError, match="link"):
        ny.utility.learnability(people, ny.open(release.frame, schema=schema), target="insurance")
