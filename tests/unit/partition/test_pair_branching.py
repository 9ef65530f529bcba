"""Branching on pairs against every choice of listed classes, with ties, repeats, and classes that hardly fit."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from math import inf
from time import monotonic
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import Interrupted
from nymity.partition import listed_program, pair_branching
from nymity.partition.geometry import Ints
from nymity.partition.pair_branching import ChosenClasses, PairBranching

Listed = tuple[Ints, int, list[Ints], list[int]]


@st.composite
def lists(draw: st.DrawFn) -> Listed:
    """Types with one to three records, and some of the classes of k to 2k - 1 of them, at whole costs."""
    counts = np.array(draw(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=3, max_size=7)), dtype=np.int64)
    k = draw(st.integers(2, 3))
    every = [
        np.array(members, dtype=np.int64)
        for size in range(k, 2 * k)
        for members in combinations_with_replacement(range(len(counts)), size)
        if (np.bincount(members, minlength=len(counts)) <= counts).all()
    ]
    if not every:
        return counts, k, [], []
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kept = rng.random(len(every)) < draw(st.sampled_from([0.2, 0.5, 1.0]))
    classes = [members for members, keep in zip(every, kept, strict=True) if keep]
    return counts, k, classes, rng.integers(1, 12, len(classes)).tolist()


def cheapest(counts: Ints, classes: list[Ints], costs: list[int]) -> float:
    """The definition: the first type that has records left is in one of the classes that fit."""
    uses = [np.bincount(members, minlength=len(counts)) for members in classes]

    @cache
    def rest(left: tuple[int, ...]) -> float:
        if not any(left):
            return 0
        first = next(t for t, number in enumerate(left) if number)
        return min(
            (
                cost + rest(tuple((np.array(left) - used).tolist()))
                for used, cost in zip(uses, costs, strict=True)
                if used[first] and (used <= left).all()
            ),
            default=inf,
        )

    return rest(tuple(counts.tolist()))


def solve(listed: Listed, target: float, *, nodes: float = inf) -> tuple[ChosenClasses, PairBranching]:
    counts, k, classes, costs = listed
    triples = np.empty((0, 3), dtype=np.int64)
    branching = PairBranching(counts, k, classes, np.array(costs, dtype=np.float64), triples, target=target)
    return branching.solve(until=inf, nodes=nodes, alive=lambda: None), branching


def cost_of(chosen: ChosenClasses, listed: Listed) -> int:
    """Return what a choice costs, which uses each record once."""
    counts, _, classes, costs = listed
    known = {members.tobytes(): cost for members, cost in zip(classes, costs, strict=True)}
    members = np.concatenate(chosen.classes)
    assert (np.bincount(members, minlength=len(counts)) == counts).all()
    return sum(known[of.tobytes()] for of in chosen.classes)


@settings(max_examples=150)
@given(lists(), st.booleans(), st.booleans())
def test_the_choice_is_the_cheapest_of_all(listed: Listed, cuts: bool, few: bool) -> None:
    """Without cuts there are more nodes; a program that starts with one class must price the others."""
    counts, _, classes, costs = listed
    if not classes:
        return
    optimum, worst = cheapest(counts, classes, costs), float(12 * counts.sum() + 1)
    patches = {"ROUNDS": 5 if cuts else 0, "FIRST": 1 if few else 1_500}
    with patch.multiple(pair_branching, **patches), patch.object(listed_program, "ADDED", 1 if few else 300):
        found, _ = solve(listed, worst)
        assert found.done
        assert found.bound == pytest.approx(min(optimum, worst), abs=1e-6)
        assert bool(found.classes) == (optimum < inf)
        if found.classes:
            assert cost_of(found, listed) == optimum
            assert not solve(listed, optimum)[0].classes
            assert cost_of(solve(listed, optimum + 0.01)[0], listed) == optimum


@settings(max_examples=60)
@given(lists(), st.integers(0, 5))
def test_a_search_that_stops_has_a_bound_that_holds(listed: Listed, nodes: int) -> None:
    counts, _, classes, costs = listed
    if not classes:
        return
    optimum, worst = cheapest(counts, classes, costs), float(12 * counts.sum() + 1)
    with patch.object(pair_branching, "ROUNDS", 0):
        found, branching = solve(listed, worst, nodes=nodes)
    assert branching.nodes <= nodes
    assert found.bound <= min(optimum, worst) + 1e-6
    if found.classes:
        assert cost_of(found, listed) >= optimum


def fano() -> Listed:
    """Seven types, of which any two meet in one of seven classes of three: they fit in thirds, whole never."""
    lines = [(0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)]
    return np.ones(7, dtype=np.int64), 2, [np.array(line, dtype=np.int64) for line in lines], [3] * 7


def test_what_fits_in_fractions_alone_is_no_choice() -> None:
    with patch.object(pair_branching, "ROUNDS", 0):
        found, branching = solve(fano(), 100.0)
    assert (found.classes, found.done, found.bound) == ([], True, 100.0)
    assert branching.nodes > 1


def test_an_observer_can_stop_it() -> None:
    counts, k, classes, costs = fano()
    branching = PairBranching(counts, k, classes, np.array(costs, float), np.empty((0, 3), np.int64), target=9.0)

    def stop() -> None:
        raise Interrupted("stopped")

    with pytest.raises(Interrupted, match="stopped"):
        branching.solve(until=inf, nodes=inf, alive=stop)


def test_a_search_whose_time_is_up_claims_nothing() -> None:
    counts, k, classes, costs = fano()
    branching = PairBranching(counts, k, classes, np.array(costs, float), np.empty((0, 3), np.int64), target=9.0)
    found = branching.solve(until=monotonic(), nodes=inf, alive=lambda: None)
    assert (found.classes, found.bound, found.done) == ([], -inf, False)
