"""Microaggregation, against its steps in plain Python and against all partitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.core.draws import KeyedDraws
from nymity.kernels.mdav import best_groups, mdav
from nymity.transforms import TRANSFORMS

DRAWS = KeyedDraws.seeded(1)
POINTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=30)


def naive_mdav(points: list[tuple[int, ...]], k: int) -> list[set[int]]:
    """The steps of the definition, in fractions; of equal distances the first counts."""
    left, groups = list(range(len(points))), []

    def apart(one: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    def take(of: int) -> None:
        near = sorted(left, key=lambda i: (i != of, apart(points[i], points[of])))[:k]
        groups.append(set(near))
        left[:] = [i for i in left if i not in near]

    while len(left) >= 2 * k:
        middle = tuple(Fraction(sum(points[i][c] for i in left), len(left)) for c in range(len(points[0])))
        far = max(left, key=lambda i: (apart(points[i], middle), -left.index(i)))
        second = max(left, key=lambda i: (apart(points[i], points[far]), -left.index(i)))
        several = len(left) >= 3 * k and second != far
        take(far)
        if several:
            # in its place even if the first group has it already
            near = sorted(left, key=lambda i: (i != second, apart(points[i], points[second])))[:k]
            groups.append(set(near))
            left[:] = [i for i in left if i not in near]
    if left:
        groups.append(set(left))
    return groups


@given(POINTS, st.integers(2, 4))
def test_groups_are_those_of_the_definition(points: list[tuple[int, int]], k: int) -> None:
    groups = mdav(np.array(points, dtype=np.float64), k)
    found = [set(np.flatnonzero(groups == one).tolist()) for one in range(groups.max() + 1)]
    # Centroids are fractions in one and floats in the other: points equally far from one may be told apart by rounding.
    assert Counter(map(len, found)) == Counter(map(len, naive_mdav(points, k)))
    if len(set(points)) == len(points) and _no_ties(points, k):
        assert found == naive_mdav(points, k)
    assert all(k <= len(one) < 2 * k for one in found) or len(points) < k


def _no_ties(points: list[tuple[int, int]], k: int) -> bool:
    """Whether other orders of the points give the same groups, so that nothing hangs on ties."""
    groups = {frozenset(frozenset(points[i] for i in one) for one in naive_mdav(points, k))}
    for turn in (1, len(points) // 2):
        other = points[turn:] + points[:turn]
        groups.add(frozenset(frozenset(other[i] for i in one) for one in naive_mdav(other, k)))
    return len(groups) == 1


def squares(groups: list[list[int]]) -> Fraction:
    return sum((sum((Fraction(x) - Fraction(sum(one), len(one))) ** 2 for x in one) for one in groups), Fraction(0))


def partitions(items: list[int], k: int) -> Any:
    """All partitions into groups of at least k, whatever their members."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(range(len(rest)), size):
            left = [rest[i] for i in range(len(rest)) if i not in others]
            if len(left) == 0 or len(left) >= k:
                for further in partitions(left, k):
                    yield [[first, *(rest[i] for i in others)], *further]


@given(st.lists(st.integers(0, 30), min_size=3, max_size=8), st.integers(2, 3))
def test_no_partition_of_any_kind_loses_less(numbers: list[int], k: int) -> None:
    ordered = sorted(numbers)
    groups = best_groups(np.array(ordered, dtype=np.float64), k)
    found = [[x for x, one in zip(ordered, groups, strict=True) if one == group] for group in sorted(set(groups))]
    assert all(len(one) >= k for one in found)
    assert squares(found) == min(map(squares, partitions(ordered, k)))


@given(
    st.lists(st.integers(-99, 99), min_size=4, max_size=40),
    st.sampled_from(["microaggregation", "optimal-microaggregation"]),
)
def test_every_number_is_that_of_k_records_and_means_are_kept(numbers: list[int], key: str) -> None:
    one = TRANSFORMS[key](columns=["x"], k=3)  # type: ignore[call-arg]
    made = one.changed(pl.DataFrame({"x": numbers}), DRAWS, "")["x"]
    assert min(Counter(made.to_list()).values()) >= 3
    assert abs(made.mean() - np.mean(numbers)) <= 0.005 + 1e-9  # type: ignore[operator]


def test_several_columns_are_grouped_together() -> None:
    rng = np.random.default_rng(5)
    table = pl.DataFrame({"x": rng.integers(0, 1_000, 200), "y": rng.normal(0, 1, 200).round(3)})
    made = table.with_columns(ny.Microaggregation(columns=["x", "y"], k=5).changed(table, DRAWS, "").values())
    sizes = made.group_by("x", "y").len()["len"]
    assert sizes.min() >= 5  # type: ignore[operator]
    apart = table.with_columns(
        *(ny.Microaggregation(columns=[name], k=5).changed(table, DRAWS, "")[name] for name in ("x", "y"))
    )
    assert apart.group_by("x", "y").len()["len"].min() == 1  # column by column promises nothing about combinations


def test_gaps_are_in_all_columns_or_in_none() -> None:
    table = pl.DataFrame({"x": [1, 2, None, 4], "y": [1, 2, 3, 4]})
    with pytest.raises(ny.NymityError, match="records with some"):
        ny.Microaggregation(columns=["x", "y"], k=2).changed(table, DRAWS, "")
    assert ny.Microaggregation(columns=["x"], k=3).changed(table, DRAWS, "")["x"].to_list() == [2.33, 2.33, None, 2.33]


def test_too_few_records_are_told() -> None:
    with pytest.raises(ny.NymityError, match="at least k = 5 records"):
        ny.Microaggregation(columns=["x"], k=5).changed(pl.DataFrame({"x": [1, 2]}), DRAWS, "")
    with pytest.raises(ny.NymityError, match="one column"):
        ny.OptimalMicroaggregation(columns=["x", "y"], k=2)
    with pytest.raises(ny.NymityError, match="of at least 2"):
        ny.Microaggregation(columns=["x"], k=1)
