"""Proven optima against all partitions, the program that defines them, and the thesis' examples."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from big_m import big_m_optimum
from nymity.core.errors import Interrupted, NoSolutionError, ParameterError
from nymity.core.progress import Progress
from nymity.kernels.columns import cheap_classes
from nymity.partition import column_generation, exact, pricing
from nymity.partition.distinct import Distinct
from nymity.partition.exact import ExactPartition
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.optimum import Optimum

# Liang (2020), table 3.2: AGE, SEX, INJ_SEV, DRINKING
FARS = np.array(
    [
        [64, 2, 4, 0], [29, 1, 0, 0], [42, 2, 0, 0], [41, 2, 4, 1], [53, 1, 2, 1], [59, 1, 4, 0], [49, 1, 4, 0],
        [59, 1, 2, 0], [80, 1, 4, 0], [50, 1, 4, 0], [64, 1, 3, 0], [55, 1, 0, 0], [25, 1, 0, 0], [42, 1, 4, 0],
        [33, 1, 2, 0], [31, 2, 2, 0], [68, 1, 3, 0], [20, 2, 4, 0], [40, 1, 4, 1], [18, 1, 4, 0],
    ],
    dtype=np.float64,
)  # fmt: skip
OPTIMAL = [{0, 2, 15, 17}, {1, 11, 12}, {3, 4, 18}, {5, 6, 8, 9}, {7, 10, 16}, {13, 14, 19}]
WEIGHTED = [{0, 8, 10, 16}, {1, 14, 15}, {2, 3, 13, 18}, {4, 6, 9}, {5, 7, 11}, {12, 17, 19}]  # table A.1c


@st.composite
def geometries(draw: st.DrawFn, *, least: int = 1, most: int = 9) -> Geometry:
    """Axes and sets with ties, columns without weight, equal records."""
    n = draw(st.integers(least, most))
    p, s = draw(st.sampled_from([(1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (1, 2), (0, 2)]))
    values = draw(st.integers(1, 6))
    rows = draw(st.lists(st.tuples(*[st.integers(0, values)] * p, *[st.integers(0, 3)] * s), min_size=n, max_size=n))
    table = np.array(sorted(rows), dtype=np.int64).reshape(n, p + s)
    weights = st.sampled_from([0.0, 0.05, 0.3, 1.0, 1.0])
    return Geometry(
        points=table[:, :p].astype(np.float64),
        scales=np.array([draw(weights) / values for _ in range(p)]),
        codes=table[:, p:].copy(),
        set_sizes=np.full(s, 4, dtype=np.int64),
        set_scales=np.array([draw(weights) / 4 for _ in range(s)]),
    )


def continuous(n: int, p: int, seed: int) -> Geometry:
    points = np.random.default_rng(seed).random((n, p))
    return Geometry.of_points(points[np.lexsort(points.T)], np.ones(p))


def fars(weights: list[float] | None = None) -> Geometry:
    return Geometry.of_points(FARS, np.array(weights or [1.0] * 4) / np.ptp(FARS, axis=0))


def cheapest(geometry: Geometry, k: int) -> float:
    """The definition: all partitions into classes of at least k, the first record left choosing its company."""
    cost = cache(lambda members: geometry.cost(np.array(members)))

    @cache
    def rest(records: tuple[int, ...]) -> float:
        if not records:
            return 0.0
        first, others = records[0], records[1:]
        best = np.inf
        for size in range(k - 1, len(others) + 1):
            for company in combinations(others, size):
                left = tuple(record for record in others if record not in company)
                if not left or len(left) >= k:
                    best = min(best, cost((first, *company)) + rest(left))
        return best

    return rest(tuple(range(len(geometry))))


def by_columns(geometry: Geometry, k: int, seconds: float | None = None) -> Optimum:
    """Solve by column generation, however few records there are."""
    with patch.object(exact, "FEW", 0):
        return ExactPartition(seconds=seconds).partition(geometry, k)


def sets_of(classes: Ints) -> list[set[int]]:
    return sorted(({int(i) for i in np.flatnonzero(classes == c)} for c in np.unique(classes)), key=min)


def check(geometry: Geometry, k: int, found: Optimum) -> None:
    assert found.classes.shape == (len(geometry),)
    assert found.classes.dtype == np.int64
    assert np.unique(found.classes, return_counts=True)[1].min() >= k
    assert found.value == geometry.total(found.classes)
    assert found.bound <= found.value


# -- the optimum ---------------------------------------------------------------------------------------


@settings(max_examples=70)
@given(geometries(most=8), st.integers(1, 4))
def test_the_search_finds_the_cheapest_of_all_partitions(geometry: Geometry, k: int) -> None:
    if len(geometry) < k:
        return
    found = ExactPartition().partition(geometry, k)
    check(geometry, k, found)
    assert found.optimal
    assert found.value == pytest.approx(cheapest(geometry, k), abs=1e-9)


@settings(max_examples=40)
@given(geometries(least=4, most=9), st.integers(2, 4))
def test_column_generation_finds_the_cheapest_of_all_partitions(geometry: Geometry, k: int) -> None:
    found = by_columns(geometry, k)
    check(geometry, k, found)
    assert found.optimal
    assert found.value == pytest.approx(cheapest(geometry, k), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("n", "p", "k"), [(11, 1, 2), (11, 2, 3), (12, 3, 3), (12, 4, 4), (12, 2, 5)])
def test_a_dozen_records_without_ties(n: int, p: int, k: int) -> None:
    geometry = continuous(n, p, seed=n + k)
    optimum = cheapest(geometry, k)
    for found in (ExactPartition().partition(geometry, k), by_columns(geometry, k)):
        assert found.optimal
        assert found.value == pytest.approx(optimum, rel=1e-9)


@settings(max_examples=15)
@given(geometries(least=3, most=7), st.integers(2, 3))
def test_the_program_that_defines_the_optimum_agrees(geometry: Geometry, k: int) -> None:
    defined = big_m_optimum(geometry, k)
    assert defined.optimal
    assert defined.value == pytest.approx(ExactPartition().partition(geometry, k).value, abs=1e-6)


def test_the_program_agrees_on_eight_records() -> None:
    geometry = continuous(8, 2, seed=1)
    assert big_m_optimum(geometry, 3).value == pytest.approx(ExactPartition().partition(geometry, 3).value, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_search_and_column_generation_agree_on_more_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.sort(rng.integers(0, [9, 4, 3], (18, 3)).astype(np.float64), axis=0)
    rng.shuffle(points[:, 1])
    geometry = Geometry.of_points(points, np.array([1 / 8, 1 / 3, 1 / 2]))
    few, many = ExactPartition().partition(geometry, 3), by_columns(geometry, 3)
    assert few.optimal
    assert many.optimal
    assert few.columns == 0 < many.columns
    assert few.value == pytest.approx(many.value, rel=1e-7)


# -- the thesis' examples ------------------------------------------------------------------------------


@pytest.mark.parametrize("solve", [lambda g: ExactPartition().partition(g, 3), lambda g: by_columns(g, 3)])
def test_twenty_records_of_table_3_2(solve: object) -> None:
    found = solve(fars())  # type: ignore[operator]
    assert found.optimal
    assert found.value == pytest.approx(19.2661290323, abs=1e-9)
    assert sets_of(found.classes) == OPTIMAL


def test_weights_of_table_a_1() -> None:
    for found in (
        ExactPartition().partition(fars([0.8, 0.05, 0.1, 0.05]), 3),
        by_columns(fars([0.8, 0.05, 0.1, 0.05]), 3),
    ):
        assert found.optimal
        assert sets_of(found.classes) == WEIGHTED


def test_seven_records_of_table_3_1() -> None:
    points = np.array([[37, 0, 22071], [35, 0, 22098], [36, 0, 23061], [61, 1, 55107], [63, 1, 55099],
                       [66, 1, 55324], [63, 1, 55229]], dtype=np.float64)  # fmt: skip
    geometry = Geometry.of_points(points, 1 / np.ptp(points, axis=0))
    for found in (ExactPartition().partition(geometry, 3), by_columns(geometry, 3), big_m_optimum(geometry, 3)):
        assert found.optimal
        assert sets_of(found.classes) == [{0, 1, 2}, {3, 4, 5, 6}]


# -- bounds --------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1e-9, 0.003, 0.02, 0.1]))
def test_bounds_hold_whenever_the_time_ends(seed: int, seconds: float) -> None:
    geometry = continuous(22, 3, seed % 3)
    found, optimum = by_columns(geometry, 3, seconds), _optima()[seed % 3]
    check(geometry, 3, found)
    assert found.bound <= optimum + 1e-9
    assert found.value >= optimum - 1e-9
    assert found.optimal == (found.gap <= 1e-7)


@cache
def _optima() -> list[float]:
    return [ExactPartition().partition(continuous(22, 3, seed), 3).value for seed in range(3)]


def test_every_bound_on_the_way_holds() -> None:
    bounds: list[float] = []
    search = column_generation.ColumnGeneration._search

    def watched(self: column_generation.ColumnGeneration, *args: object, **options: object) -> object:
        found = search(self, *args, **options)  # type: ignore[arg-type]
        bounds.append(self.bound / self.geometry.scales[0])  # in a unit of its own
        return found

    with patch.object(column_generation.ColumnGeneration, "_search", watched):
        optimum = ExactPartition().partition(continuous(30, 4, seed=5), 3)
    assert optimum.optimal
    assert bounds == sorted(bounds)
    assert len(bounds) > 3
    assert bounds[-1] <= optimum.value + 1e-6


def test_without_room_for_all_classes_nothing_is_claimed() -> None:
    geometry = continuous(30, 4, seed=3)
    with patch.object(column_generation, "ROOM", 1), patch.object(column_generation, "VIOLATED", 9.0):
        found = ExactPartition().partition(geometry, 3)
    proved = ExactPartition().partition(geometry, 3)
    assert not found.optimal
    assert 0 < found.bound <= proved.value <= found.value
    assert proved.optimal


def test_a_search_without_patience_claims_nothing() -> None:
    geometry = continuous(24, 5, seed=2)
    with patch.object(exact, "PATIENCE", 50):
        begun = exact._search(geometry, Distinct.of(geometry, 3), 3, Optimum(np.repeat(np.arange(8), 3), 99.0, 0.1))
    assert begun.bound == 0.1
    assert not begun.optimal


# -- the search for classes ----------------------------------------------------------------------------


@given(geometries(most=7), st.integers(2, 3), st.integers(0, 10**6))
def test_all_classes_below_a_limit_are_found_once(geometry: Geometry, k: int, seed: int) -> None:
    if len(geometry) < k or geometry.total(np.zeros(len(geometry), dtype=np.int64)) == 0:
        return
    distinct, rng = Distinct.of(geometry, k), np.random.default_rng(seed)
    prices, levy, limit = rng.random(len(distinct)), rng.random() / 2, rng.random() * 2
    triples = np.array(list(combinations(range(len(distinct)), 3)), dtype=np.int64).reshape(-1, 3)
    fines = rng.random(len(triples)) / 5
    owners = np.argsort(triples.ravel(), kind="stable")
    starts = np.searchsorted(triples.ravel()[owners], np.arange(len(distinct) + 1))
    found = {}
    members, sizes, surpluses = np.empty((5000, 2 * k - 1), np.int64), np.empty(5000, np.int64), np.empty(5000)
    for root in range(len(distinct)):
        n, complete = cheap_classes(
            distinct.points, distinct.codes, distinct.set_costs, distinct.set_limits, distinct.counts, prices, levy,
            fines, starts, owners // 3, root, k, limit, 10**9, np.zeros(1, np.bool_), True, members, sizes, surpluses,
        )  # fmt: skip
        assert complete
        for i in range(n):
            key = tuple(sorted(members[i, : sizes[i]].tolist()))
            assert key not in found
            found[key] = surpluses[i]
    expected = {}
    for key in _classes(distinct, k):
        hits = [sum(t in triple for t in key) // 2 for triple in triples.tolist()]
        surplus = distinct.cost(np.array(key)) + levy + np.dot(hits, fines) - prices[list(key)].sum()
        if surplus < limit - 1e-9:
            expected[key] = surplus
    assert expected.keys() <= found.keys()
    assert all(surplus < limit for surplus in found.values())
    assert {key: found[key] for key in expected} == pytest.approx(expected)


def _classes(distinct: Distinct, k: int) -> Iterator[tuple[int, ...]]:
    records = np.repeat(np.arange(len(distinct)), distinct.counts).tolist()
    for size in range(k, 2 * k):
        yield from set(combinations(records, size))


# -- the rest ------------------------------------------------------------------------------------------


def test_one_record_to_a_class() -> None:
    found = ExactPartition().partition(fars(), 1)
    assert sets_of(found.classes) == [{i} for i in range(20)]
    assert (found.value, found.bound, found.optimal, found.gap) == (0.0, 0.0, True, 0.0)


@pytest.mark.parametrize("scales", [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]])
def test_equal_records_and_constant_columns_cost_nothing(scales: list[float]) -> None:
    points = np.array([[float(i if scales == [0.0, 1.0] else 0), 2.0] for i in range(30)])
    found = ExactPartition().partition(Geometry.of_points(points, np.array(scales)), 4)
    assert found.value == 0
    assert found.optimal


def test_many_equal_records_are_one_type() -> None:
    points = np.sort(np.random.default_rng(3).integers(0, 12, (90, 1)).astype(np.float64), axis=0)
    found = by_columns(Geometry.of_points(points, np.ones(1)), 7)
    assert found.optimal
    assert found.value == pytest.approx(_on_a_line(points[:, 0], 7))


def _on_a_line(points: np.ndarray, k: int) -> float:
    """On one axis classes of neighbours suffice: dynamic programming over prefixes."""
    best = [0.0] + [np.inf] * len(points)
    for end in range(k, len(points) + 1):
        best[end] = min(best[start] + (end - start) * (points[end - 1] - points[start]) for start in range(end - k + 1))
    return best[-1]


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_cost_does_not_matter(scale: float) -> None:
    geometry = continuous(30, 4, seed=7)
    found = ExactPartition().partition(Geometry.of_points(geometry.points, geometry.scales * scale), 3)
    usual = ExactPartition().partition(geometry, 3)
    assert found.optimal
    assert found.value == pytest.approx(usual.value * scale, rel=1e-7)


def test_too_few_records() -> None:
    with pytest.raises(NoSolutionError, match="lower k to at most 20"):
        ExactPartition().partition(fars(), 21)


@pytest.mark.parametrize("seconds", [0, -1.0, float("inf"), "soon"])
def test_seconds_are_checked(seconds: object) -> None:
    with pytest.raises(ParameterError, match=r"exact-partition\.seconds"):
        ExactPartition(seconds=seconds)  # type: ignore[arg-type]


def test_an_observer_sees_stages_and_can_stop() -> None:
    stages: list[str] = []

    def stop(progress: Progress) -> bool:
        stages.append(progress.stage)
        return progress.stage != "pricing classes"

    with pytest.raises(Interrupted, match="pricing classes"):
        ExactPartition().partition(continuous(40, 4, seed=1), 3, stop)
    assert stages[-1] == "pricing classes"


def test_equal_results_without_compiling() -> None:
    here = Path(__file__).parent
    path = os.pathsep.join((str(here), str(here.parents[1])))
    script = (
        "from test_exact import *\n"
        "for g in (fars(), fars([0.8, 0.05, 0.1, 0.05]), continuous(14, 2, 4)):\n"
        "    print(ExactPartition().partition(g, 3).classes.tolist())\n"
        "print(by_columns(fars(), 3).classes.tolist())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 4


def test_equal_results_with_any_number_of_threads() -> None:
    geometry, found = continuous(40, 6, seed=5), []
    for threads in (1, 3):
        with patch.object(pricing, "cpu_count", lambda threads=threads: threads):
            found.append(ExactPartition().partition(geometry, 3))
    assert found[0].classes.tolist() == found[1].classes.tolist()
    assert found[0].columns == found[1].columns
