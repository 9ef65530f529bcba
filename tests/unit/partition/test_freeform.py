"""Freeform covers against the definitions, brute force and pairs sorted in full."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core import aside
from nymity.core.draws import KeyedDraws
from nymity.core.errors import Interrupted, NoSolutionError, ParameterError, PromiseError
from nymity.kernels.freeform import cycles
from nymity.partition import freeform
from nymity.partition.cover import RowBoxes, draw_links, verify
from nymity.partition.freeform import Freeform, FreeformGreedy, FreeformHungarian, FreeformSortGreedy
from nymity.partition.geometry import Geometry, Ints

METHODS: list[Freeform] = [FreeformGreedy(), FreeformSortGreedy(), FreeformHungarian()]
by_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)

LINE = np.array([[0.0], [1.0], [3.0], [7.0], [8.0]])


@st.composite
def geometries(draw: st.DrawFn, most: int = 9) -> Geometry:
    """Small tables with many ties: whole-number costs keep sums of floats exact."""
    n, p, s = draw(st.integers(1, most)), draw(st.integers(0, 2)), draw(st.integers(0, 2))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 4)] * p, *[st.integers(0, 3)] * s), min_size=n, max_size=n))
    table = np.array(sorted(rows), dtype=np.int64).reshape(n, p + s)
    return Geometry(
        points=table[:, :p].astype(np.float64),
        scales=np.array(draw(st.lists(st.integers(0, 3), min_size=p, max_size=p)), dtype=np.float64),
        codes=table[:, p:].copy(),
        set_sizes=np.full(s, 4, dtype=np.int64),
        set_scales=np.array(draw(st.lists(st.integers(0, 3), min_size=s, max_size=s)), dtype=np.float64),
    )


# -- what every cover promises -------------------------------------------------------------------------


@by_method
@settings(max_examples=60, deadline=None)
@given(geometry=geometries(), data=st.data())
def test_the_promise_holds_by_its_definition(method: Freeform, geometry: Geometry, data: st.DataObject) -> None:
    n = len(geometry)
    k = data.draw(st.integers(1, n))
    cover = method.partition(geometry, k)
    boxes = RowBoxes.of(geometry, cover.records)
    verify(geometry, cover.records, boxes, k)
    fits = [[_fits(geometry, boxes, row, record) for record in range(n)] for row in range(n)]
    assert all(sum(line) >= k for line in fits)  # each row fits k records
    assert all(sum(line) >= k for line in zip(*fits, strict=True))  # each record fits k rows
    pairs = [(row, record) for row, records in enumerate(cover.records.tolist()) for record in records]
    assert len(set(pairs)) == n * k
    assert all(sorted(column) == list(range(n)) for column in cover.records.T.tolist())
    costs = [geometry.cost(records) / k for records in cover.records]  # cost() counts a class once for each record
    assert cover.loss == pytest.approx(sum(costs), abs=1e-9)
    assert cover.bound <= cover.loss + 1e-9


@by_method
@settings(max_examples=25, deadline=None)
@given(geometry=geometries(most=5), data=st.data())
def test_no_cover_of_all_is_below_the_bound(method: Freeform, geometry: Geometry, data: st.DataObject) -> None:
    n = len(geometry)
    k = data.draw(st.integers(1, min(n, 3)))
    cover = method.partition(geometry, k)
    best = min(_row_costs(geometry, columns) for columns in _covers(n, k))
    assert cover.bound <= best + 1e-9
    assert cover.loss >= best - 1e-9


@given(geometry=geometries(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_bound_is_the_distance_of_the_last_neighbour_needed(geometry: Geometry, data: st.DataObject) -> None:
    n = len(geometry)
    k = data.draw(st.integers(1, n))
    pair = [sorted(geometry.cost(np.array([row, other])) / 2 for other in range(n)) for row in range(n)]
    assert FreeformGreedy().partition(geometry, k).bound == pytest.approx(sum(line[k - 1] for line in pair))


# -- the rounds ----------------------------------------------------------------------------------------


@given(geometry=geometries(most=6), data=st.data())
@settings(max_examples=40, deadline=None)
def test_hungarian_rounds_are_optimal(geometry: Geometry, data: st.DataObject) -> None:
    n = len(geometry)
    records = FreeformHungarian().partition(geometry, data.draw(st.integers(1, n))).records
    for columns in range(1, records.shape[1]):
        before = records[:, :columns]
        best = min(
            _row_costs(geometry, np.column_stack([before, order]))
            for order in permutations(range(n))
            if not np.any(before == np.array(order)[:, None])
        )
        assert _row_costs(geometry, records[:, : columns + 1]) == pytest.approx(best, abs=1e-9)


@given(geometry=geometries(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_greedy_rows_take_the_nearest_free_record(geometry: Geometry, data: st.DataObject) -> None:
    n = len(geometry)
    records = FreeformGreedy().partition(geometry, data.draw(st.integers(1, n))).records
    for columns in range(1, records.shape[1]):
        before = records[:, :columns]
        pairs = ((row, record) for row in range(n) for _, _, record in _preferences(geometry, before, row))
        expected = _matched(before, pairs)
        if expected is not None:  # nobody was left over
            assert records[:, columns].tolist() == expected


@given(geometry=geometries(), data=st.data())
@settings(max_examples=60, deadline=None)
def test_sort_greedy_takes_all_pairs_in_order_of_cost(geometry: Geometry, data: st.DataObject) -> None:
    n = len(geometry)
    records = FreeformSortGreedy().partition(geometry, data.draw(st.integers(1, n))).records
    for columns in range(1, records.shape[1]):
        before = records[:, :columns]
        pairs = sorted(
            (cost, row, place, r) for row in range(n) for cost, place, r in _preferences(geometry, before, row)
        )
        expected = _matched(before, ((row, record) for _, row, _, record in pairs))
        if expected is not None:
            assert records[:, columns].tolist() == expected


def test_a_line_of_five() -> None:
    geometry = Geometry.of_points(LINE, np.ones(1))
    # Row 0 takes 1, row 1 takes 0, row 2 takes 3 (4 away, while 4 is 5 away), row 3 takes 4; row 4 is left with 2.
    assert FreeformGreedy().partition(geometry, 2).records[:, 1].tolist() == [1, 0, 3, 4, 2]
    # The pairs of cost 1 first, 0-1 and 3-4 both ways. Row 2 is left with its own record: it takes that of row 0 or of
    # row 1, which takes record 2 instead; 2 + 3 - 1 and 3 + 2 - 1 are equal, and row 0 is the first.
    sort = FreeformSortGreedy().partition(geometry, 2)
    assert sort.records[:, 1].tolist() == [2, 0, 1, 4, 3]
    assert sort.loss == 3 + 1 + 2 + 1 + 1
    assert FreeformHungarian().partition(geometry, 2).loss == 8


def test_an_exchange_is_the_cheapest_of_the_shortest() -> None:
    geometry = Geometry.of_points(np.array([[0.0], [1.0], [6.0], [9.0], [10.0]]), np.ones(1))
    # Row 2 is left with its own record again; with row 3 or 4 the exchange costs 4 + 3 - 1, with row 0 or 1 5 + 6 - 1.
    assert FreeformSortGreedy().partition(geometry, 2).records[:, 1].tolist() == [1, 0, 4, 2, 3]


@by_method
def test_longer_paths_where_nearly_everybody_is_covered(method: Freeform) -> None:
    random = np.random.default_rng(5)
    for n in range(2, 14):
        geometry = Geometry.of_points(np.sort(random.integers(0, 6, (n, 2)).astype(np.float64), axis=0), np.ones(2))
        for k in {n - 1, n}:
            cover = method.partition(geometry, k)
            verify(geometry, cover.records, RowBoxes.of(geometry, cover.records), k)


# -- plain cases ---------------------------------------------------------------------------------------


@by_method
def test_k_of_one_publishes_everybody_as_they_are(method: Freeform) -> None:
    cover = method.partition(Geometry.of_points(LINE, np.ones(1)), 1)
    assert cover.records.tolist() == [[0], [1], [2], [3], [4]]
    assert (cover.loss, cover.bound) == (0.0, 0.0)


@by_method
def test_as_many_records_as_k_all_cover_all(method: Freeform) -> None:
    cover = method.partition(Geometry.of_points(LINE, np.ones(1)), 5)
    assert all(sorted(row) == list(range(5)) for row in cover.records.tolist())
    assert cover.loss == 5 * 8.0


@by_method
def test_fewer_records_than_k_are_refused(method: Freeform) -> None:
    with pytest.raises(NoSolutionError, match="6 of 5 records; publish a table of at least 6 or lower k"):
        method.partition(Geometry.of_points(LINE, np.ones(1)), 6)


@by_method
def test_duplicates_constant_columns_and_zero_weights_cost_nothing(method: Freeform) -> None:
    pairs = np.repeat(np.arange(6.0), 3)[:, None]
    codes = np.zeros((18, 1), dtype=np.int64)
    threes = Geometry(pairs, np.ones(1), codes, np.array([1]), np.ones(1))
    assert method.partition(threes, 3).loss == 0.0
    assert method.partition(threes, 4).loss > 0.0
    weightless = Geometry(pairs, np.zeros(1), np.arange(18)[:, None], np.array([18]), np.zeros(1))
    assert method.partition(weightless, 4).loss == 0.0


def test_a_large_matrix_is_refused_before_it_is_made() -> None:
    large = Geometry.of_points(np.zeros((200_000, 1)), np.ones(1))
    with pytest.raises(ParameterError, match=r"200,000 records.*got 10,000.*320.0 GB.*freeform-sort-greedy"):
        FreeformHungarian().partition(large, 2)
    with pytest.raises(ParameterError, match="whole number"):
        FreeformHungarian(most_records=0)


# -- progress and repetition ---------------------------------------------------------------------------


@by_method
def test_an_observer_can_stop_it_at_any_report(method: Freeform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freeform, "_CELLS_PER_CALL", 10)
    monkeypatch.setattr(aside, "_SECONDS_BETWEEN_REPORTS", 0)
    geometry = Geometry.of_points(LINE, np.ones(1))
    stages: list[str] = []
    whole = method.partition(geometry, 3, lambda progress: stages.append(progress.stage))
    assert len(set(stages)) >= 4
    assert whole.records.tolist() == method.partition(geometry, 3).records.tolist()
    sure = [stage for stage in stages if stage != "freeform assignment"]  # reported only if it takes long
    for last in ("freeform bound", "freeform rounds", sure[-1]):
        with pytest.raises(Interrupted):
            method.partition(geometry, 3, lambda progress, last=last: progress.stage != last)


def test_without_compiled_kernels_it_is_the_same() -> None:
    code = (
        "import numpy as np;from nymity.partition.geometry import Geometry;"
        "from nymity.partition.freeform import FreeformGreedy as G, FreeformSortGreedy as S;"
        "r=np.random.default_rng(1);x=r.normal(size=(40,3));c=r.integers(0,4,(40,2));"
        "g=Geometry(x,1/np.ptp(x,axis=0),c,np.array([4,4]),np.array([.25,.1]));"
        "print([m.partition(g,4).records.tolist() for m in (G(),S())])"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **more}, capture_output=True, text=True, check=True
        ).stdout
        for more in ({}, {"NUMBA_DISABLE_JIT": "1"})
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 400


# -- verification and links ----------------------------------------------------------------------------


def test_every_broken_promise_is_found() -> None:
    geometry = Geometry(LINE, np.ones(1), np.array([[0], [0], [1], [1], [2]]), np.array([3]), np.ones(1))
    good = FreeformGreedy().partition(geometry, 2).records
    boxes = RowBoxes.of(geometry, good)
    verify(geometry, good, boxes, 2)

    def changed(row: int, column: int, record: int) -> Ints:
        copy = good.copy()
        copy[row, column] = record
        return copy

    broken = [
        ("has 3 records each", good, boxes, 3),
        ("its own record first", changed(0, 0, 1), boxes, 2),
        ("column 1 of the cover is no permutation", changed(0, 1, 2), boxes, 2),
        ("covers a record twice", np.column_stack([np.arange(5), np.arange(5)]), boxes, 2),
        ("do not lie in the cells", good, RowBoxes(boxes.low + 0.5, boxes.high, boxes.values), 2),
        ("do not lie in the cells", good, RowBoxes(boxes.low, boxes.high - 0.5, boxes.values), 2),
        ("do not lie in the cells", good, RowBoxes(boxes.low, boxes.high, np.zeros_like(boxes.values)), 2),
    ]
    for text, records, cells, k in broken:
        with pytest.raises(PromiseError, match=text):
            verify(geometry, records, cells, k)


@pytest.mark.parametrize(("n", "k", "seed"), [(4, 2, 0), (5, 3, 1), (5, 4, 2), (6, 3, 3)])
def test_each_link_has_the_same_probability(n: int, k: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(n, 2))
    records = FreeformSortGreedy().partition(Geometry.of_points(points, np.ones(2)), k).records
    chance: Counter[tuple[int, int]] = Counter()
    for probability, links in _all_draws(records):
        assert sorted(links) == list(range(n))
        for row, record in enumerate(links):
            chance[row, record] += probability
    assert chance == {(row, record): Fraction(1, k) for row in range(n) for record in records[row].tolist()}


def test_links_are_drawn_from_a_secure_source() -> None:
    records = FreeformGreedy().partition(Geometry.of_points(np.arange(200.0)[:, None], np.ones(1)), 3).records
    draws = {tuple(draw_links(records, KeyedDraws.fresh().below("links")).tolist()) for _ in range(5)}
    assert len(draws) == 5  # 100 cycles: the same twice is out of the question
    for links in draws:
        assert sorted(links) == list(range(200))
        assert all(record in row for record, row in zip(links, records.tolist(), strict=True))


@given(st.permutations(range(8)))
def test_cycles_of_a_permutation(permutation: list[int]) -> None:
    numbers = cycles(np.array(permutation)).tolist()
    assert sorted(set(numbers)) == list(range(len(set(numbers))))
    for start in range(8):
        orbit, at = {start}, permutation[start]
        while at != start:
            orbit.add(at)
            at = permutation[at]
        assert {i for i in range(8) if numbers[i] == numbers[start]} == orbit


# -- oracles -------------------------------------------------------------------------------------------


def _fits(geometry: Geometry, boxes: RowBoxes, row: int, record: int) -> bool:
    place, codes = geometry.points[record], geometry.codes[record]
    inside = all(boxes.low[row, a] <= place[a] <= boxes.high[row, a] for a in range(len(place)))
    return inside and all(codes[a] in boxes.values[row, :, a] for a in range(len(codes)))


def _row_costs(geometry: Geometry, columns: Ints) -> float:
    return sum(geometry.cost(records) / len(records) for records in np.asarray(columns))


def _grows(geometry: Geometry, before: Ints, row: int, record: int) -> float:
    wider = np.append(before[row], record)
    return round(geometry.cost(wider) / len(wider) - geometry.cost(before[row]) / len(before[row]), 9)


def _preferences(geometry: Geometry, before: Ints, row: int) -> list[tuple[float, int, int]]:
    """Records by cost, then by number; but those without cost in a circle from the row on."""
    n = len(before)
    costs = [_grows(geometry, before, row, record) for record in range(n)]
    return sorted((cost, record if cost else (record - row) % n, record) for record, cost in enumerate(costs))


def _matched(before: Ints, pairs: Iterator[tuple[int, int]]) -> list[int] | None:
    """Take pairs in their order as long as both are free; None if somebody is left without."""
    matched: dict[int, int] = {}
    for row, record in pairs:
        if row not in matched and record not in matched.values() and record not in before[row]:
            matched[row] = record
    return [matched[row] for row in range(len(before))] if len(matched) == len(before) else None


def _covers(n: int, k: int) -> Iterator[Ints]:
    """All covers, as columns of disjoint permutations that start with everybody's own record."""
    orders = [np.array(order) for order in permutations(range(n))]
    for columns in product(orders, repeat=k - 1):
        cover = np.column_stack([np.arange(n), *columns])
        if all(len(set(row)) == k for row in cover.tolist()):
            yield cover


def _all_draws(records: Ints) -> Iterator[tuple[Fraction, list[int]]]:
    """Every outcome of the draw with its probability, by walking the tree of what ``below`` may answer."""
    paths: list[list[int]] = [[]]
    while paths:
        path, asked = paths.pop(), []

        def below(m: int, path: list[int] = path, asked: list[int] = asked) -> int:
            asked.append(m)
            return path[len(asked) - 1] if len(asked) <= len(path) else 0

        links = draw_links(records, below).tolist()
        paths += [
            [*path, *[0] * (depth - len(path)), other]
            for depth in range(len(path), len(asked))
            for other in range(1, asked[depth])
        ]
        yield Fraction(1, math.prod(asked)), links
