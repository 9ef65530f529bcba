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
from nymity.kernels.mdav import best_groups, mdav, variable_groups
from nymity.kernels.point_tree import PointMetric
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
    groups = mdav(np.array(points, dtype=np.float64), PointMetric(2, np.ones(2), True), k)
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


@pytest.mark.parametrize("far", [10**6, 10**11, 2**52])
def test_few_numbers_far_away_do_not_blur_the_best_groups_of_others(far: int) -> None:
    near = [0, 3, 7, 8, 15, 17, 21, 22]
    for at in (far, -far):
        ordered = sorted([*near, at, at, at])
        groups = best_groups(np.array(ordered, dtype=np.int64), 3)
        found = [[x for x, one in zip(ordered, groups, strict=True) if one == group] for group in sorted(set(groups))]
        assert squares(found) == min(map(squares, partitions(near, 3)))


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


#: Every centre of up to 24 points that are multiples of it is whole: ties are ties.
SCALE = 5040 * 11 * 13 * 17 * 19 * 23


def gower(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Whole numbers, and a category in the last place that counts as much as the longest way of a number."""
    return sum(abs(a - b) for a, b in zip(one[:-1], other[:-1], strict=True)) + 9 * SCALE * (one[-1] != other[-1])


def naive_variable(points: list[tuple[int, int]], k: int, gain: int) -> list[set[int]]:
    """The steps of V-MDAV, in fractions; of equal distances the first counts."""
    left, groups = list(range(len(points))), []
    middle = tuple(Fraction(sum(column), len(points)) for column in zip(*points, strict=True))

    def apart(one: tuple[Any, ...], other: tuple[Any, ...]) -> Any:
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    while len(left) >= k:
        far = max(left, key=lambda i: (apart(points[i], middle), -i))
        group = sorted(left, key=lambda i: (i != far, apart(points[i], points[far]), i))[:k]
        left = [i for i in left if i not in group]
        while left and len(group) < 2 * k - 1:
            inside, further = min((min(apart(points[i], points[j]) for j in group), i) for i in left)
            outside = [apart(points[further], points[i]) for i in left if i != further]
            if outside and inside >= gain**2 * min(outside):
                break
            group.append(further)
            left.remove(further)
        groups.append(set(group))
    if not groups:
        return [set(left)]
    found = [set(one) for one in groups]
    for i in left:
        nearest = min((apart(points[i], points[j]), j) for one in groups for j in one)[1]
        next(one for one, group in zip(found, groups, strict=True) if nearest in group).add(i)
    return found


@given(POINTS, st.integers(2, 4), st.integers(1, 2))
def test_groups_of_variable_sizes_are_those_of_the_definition(points: list[tuple[int, int]], k: int, gain: int) -> None:
    # Sums that are whole multiples of the number of points have an exact centre, so that ties are ties.
    points = [(a * len(points), b * len(points)) for a, b in points]
    groups = variable_groups(np.array(points, dtype=np.float64), PointMetric(2, np.ones(2), True), k, float(gain))
    found = {frozenset(np.flatnonzero(groups == one).tolist()) for one in range(groups.max() + 1)}
    assert found == {frozenset(one) for one in naive_variable(points, k, gain)}


def naive_mixed(points: list[tuple[int, int, int]], k: int) -> list[set[int]]:
    """MDAV with the distance of Gower; the centre has the most frequent category, the lowest of several."""
    left, groups = list(range(len(points))), []

    def group(of: int) -> None:
        groups.append(set(sorted(left, key=lambda i: (i != of, gower(points[i], points[of]), i))[:k]))
        left[:] = [i for i in left if i not in groups[-1]]

    while len(left) >= 2 * k:
        *axes, words = zip(*(points[i] for i in left), strict=True)
        mode = min(words, key=lambda word: (-words.count(word), word))
        middle = (*(Fraction(sum(column), len(left)) for column in axes), mode)
        far = max(left, key=lambda i: (gower(points[i], middle), -i))  # type: ignore[arg-type]
        second = max(left, key=lambda i: (gower(points[i], points[far]), -i))
        several = len(left) >= 3 * k and second != far
        group(far)
        if several:
            group(second)
    return [*groups, set(left)] if left else groups


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=24))
def test_mixed_groups_are_those_of_the_definition(points: list[tuple[int, int, int]]) -> None:
    scaled = [(a * SCALE, b * SCALE, c) for a, b, c in points]
    metric = PointMetric(2, np.full(3, 9.0 * SCALE), False)
    groups = mdav(np.array(scaled, dtype=np.float64), metric, 3)
    found = [set(np.flatnonzero(groups == one).tolist()) for one in range(groups.max() + 1)]
    assert found == naive_mixed(scaled, 3)


def test_words_are_shared_by_their_most_frequent() -> None:
    table = pl.DataFrame({"x": [1, 1, 1, 90, 91, 92], "w": ["b", "b", "a", "c", "a", "c"]})
    made = ny.Microaggregation(columns=["x", "w"], k=3).changed(table, DRAWS, "")
    assert made["x"].to_list() == [1, 1, 1, 91, 91, 91]
    assert made["w"].to_list() == ["b", "b", "b", "c", "c", "c"]


@given(st.lists(st.integers(-50, 50), min_size=6, max_size=30), st.sampled_from([0.4, 0.5, 0.75]))
def test_no_record_has_more_than_its_share_of_a_groups_sum(numbers: list[int], limit: float) -> None:
    one = ny.Microaggregation(columns=["x"], k=3, dominance=limit)
    total = sum(map(abs, numbers))
    if max(map(abs, numbers)) > Fraction(str(limit)) * total:
        with pytest.raises(ny.NymityError, match="top-coding"):
            one.changed(pl.DataFrame({"x": numbers}), DRAWS, "")
        return
    made = one.changed(pl.DataFrame({"x": numbers}), DRAWS, "")["x"].to_list()
    for mean in set(made):  # groups with equal means are looked at together, which only lowers shares
        group = [abs(x) for x, shown in zip(numbers, made, strict=True) if shown == mean]
        assert len(group) >= 3
        assert max(group) <= Fraction(str(limit)) * sum(group)


@pytest.mark.parametrize("given", [0, 1.5, "half"])
def test_a_limit_is_a_share(given: Any) -> None:
    with pytest.raises(ny.NymityError, match="dominance"):
        ny.Microaggregation(columns=["x"], k=3, dominance=given)


@pytest.mark.parametrize("given", [0, -1, "wide"])
def test_a_gain_is_positive(given: Any) -> None:
    with pytest.raises(ny.NymityError, match="variable"):
        ny.Microaggregation(columns=["x"], k=3, variable=given)
