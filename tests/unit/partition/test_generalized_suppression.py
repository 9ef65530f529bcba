"""Generalization with cell suppression: levels that a search chooses, against running the heuristic at every node."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.draws import KeyedDraws
from nymity.core.errors import Interrupted, ParameterError, SchemaError
from nymity.core.progress import Progress, silent
from nymity.partition.generalized_suppression import GeneralizedSuppression
from nymity.partition.level_choice import UNIT, LevelSearch
from nymity.partition.outcome import GeneralizedOutcome
from nymity.partition.problem import problem_of
from nymity.privacy import DistinctLDiversity, KAnonymity, PrivacyModel
from nymity.table.attribute import quasi, sensitive
from nymity.table.encoding import EncodedTable, encode
from nymity.table.hierarchy import Hierarchy
from nymity.table.schema import Schema

#: Three columns: two levels above eight values, one above three of unequal groups, none but the top above two.
EIGHT = Hierarchy.from_rows(
    [[str(v), f"{v // 2 * 2}-{v // 2 * 2 + 1}", f"{v // 4 * 4}-{v // 4 * 4 + 3}", "*"] for v in range(8)]
)
UNEQUAL = Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
Row = tuple[int, str, str]
ROW = st.tuples(st.integers(0, 7), st.sampled_from("abc"), st.sampled_from("mf"))
ROWS = st.lists(ROW, min_size=4, max_size=14)
WEIGHTS = st.tuples(*[st.sampled_from([1.0, 1.0, 0.25, 3.0])] * 3)
NODES = [*product(range(4), range(3), range(2))]


def table_of(rows: list[Row], weights: tuple[float, ...] = (1.0, 1.0, 1.0)) -> tuple[pl.DataFrame, EncodedTable]:
    frame = pl.DataFrame(rows, schema=["age", "job", "sex"], orient="row")
    hierarchies = (EIGHT, UNEQUAL, None)
    named = zip(frame.columns, hierarchies, weights, strict=True)
    return frame, encode(frame, Schema({name: quasi(one, weight=weight) for name, one, weight in named}))


def searched(
    rows: list[Row], k: int, weights: tuple[float, ...] = (1.0, 1.0, 1.0), **options: Any
) -> tuple[GeneralizedOutcome, list[tuple[Any, ...]]]:
    frame, encoded = table_of(rows, weights)
    outcome = GeneralizedSuppression(**{"rounds": 2, **options}).run(
        encoded, [KAnonymity(k=k)], draws=KeyedDraws.seeded(1)
    )
    return outcome, outcome.recoding.apply(frame, draws=KeyedDraws.seeded(1)).table.rows()


def lost(raw: list[Row], published: list[tuple[Any, ...]], weights: tuple[float, ...]) -> Fraction:
    """By the definition: 1 for a star, (values it stands for - 1) / (values - 1) for any other cell, times weights."""
    mean, total = sum(map(Fraction, weights)) / 3, Fraction(0)
    domains: list[list[tuple[str, ...]]] = [
        [tuple(map(str, row)) for row in EIGHT.to_frame().rows()],
        [tuple(map(str, row)) for row in UNEQUAL.to_frame().rows()],
        [("f", "*"), ("m", "*")],
    ]
    for row in published:
        for cell, domain, weight in zip(map(str, row), domains, weights, strict=True):
            covered = {values[0] for values in domain if cell in values}
            assert covered
            share = Fraction(1) if cell == "*" else Fraction(len(covered) - 1, max(len(domain) - 1, 1))
            total += share * Fraction(weight) / mean
    assert len(raw) == len(published)
    return total


def cheapest_of_all(rows: list[Row], k: int, weights: tuple[float, ...]) -> Fraction:
    """The least that any partition into classes of k loses at any node: every partition, every node."""
    levels = [
        [[str(cell) for cell in row] for row in EIGHT.to_frame().rows()],
        [[str(cell) for cell in row] for row in UNEQUAL.to_frame().rows()],
        [["f", "*"], ["m", "*"]],
    ]
    of_value = [{row[0]: row for row in column} for column in levels]
    best = None
    for node in NODES:
        at = [tuple(of_value[a][str(cell)][node[a]] for a, cell in enumerate(row)) for row in rows]
        for classes in partitions(list(range(len(rows))), k):
            published = list(at)
            for members in classes:
                for a in range(3):
                    if len({at[i][a] for i in members}) > 1:
                        for i in members:
                            published[i] = (*published[i][:a], "*", *published[i][a + 1 :])
            found = lost(rows, published, weights)
            best = found if best is None else min(best, found)
    assert best is not None
    return best


def partitions(members: list[int], k: int) -> Any:
    """Yield every partition into groups of at least k."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for chosen in range(1 << len(rest)):
        group = [first, *(one for i, one in enumerate(rest) if chosen >> i & 1)]
        if len(group) >= k:
            left = [one for i, one in enumerate(rest) if not chosen >> i & 1]
            if not left or len(left) >= k:
                for others in partitions(left, k):
                    yield [group, *others]


@given(rows=ROWS, k=st.integers(1, 4), weights=WEIGHTS, rounds=st.sampled_from([0, 2]))
@settings(max_examples=30, deadline=None)
def test_the_choice_is_the_best_of_the_heuristic_at_every_node(
    rows: list[Row], k: int, weights: tuple[float, ...], rounds: int
) -> None:
    _, encoded = table_of(rows, weights)
    problem = problem_of(encoded, GeneralizedSuppression().layout(encoded), [KAnonymity(k=k)], KeyedDraws.seeded(1))

    def search(checks: int) -> LevelSearch:
        return LevelSearch(problem, (0, 0, 0), encoded.max_levels, checks=checks, rounds=rounds, observe=silent)

    everywhere = search(1000)
    tried = {node: everywhere._try(node) for node in NODES}
    chosen = search(1000).choose(keep_best=False)
    assert chosen.exhaustive
    assert tried[chosen.node] == min(tried.values())
    assert chosen.bound <= min(tried.values()) / UNIT
    # What is proved of a node, and of a box of nodes, is below what is found there.
    for node in NODES:
        assert everywhere._bound(node, node) <= tried[node]
        for high in ((3, 2, 1), (node[0], 2, node[2]), (3, node[1], node[2])):
            inside = [n for n in NODES if all(a <= b <= c for a, b, c in zip(node, n, high, strict=True))]
            assert everywhere._bound(node, high) <= min(tried[n] for n in inside)


@given(rows=st.lists(ROW, min_size=3, max_size=5), k=st.integers(2, 3), weights=WEIGHTS)
@settings(max_examples=25, deadline=None)
def test_bounds_hold_for_every_partition_at_every_node(rows: list[Row], k: int, weights: tuple[float, ...]) -> None:
    outcome, table = searched(rows, k, weights)
    least = float(cheapest_of_all(rows, k, weights))
    assert outcome.exhaustive
    assert outcome.bound is not None
    assert outcome.bound <= least + 1e-5
    assert least <= outcome.loss + 1e-9
    assert min(table.count(row) for row in table) >= k
    assert outcome.loss == pytest.approx(float(lost(rows, table, weights)))


@given(rows=ROWS, k=st.integers(2, 4), weights=WEIGHTS)
@settings(max_examples=25, deadline=None)
def test_cells_are_values_of_the_chosen_levels_or_stars(rows: list[Row], k: int, weights: tuple[float, ...]) -> None:
    outcome, table = searched(rows, k, weights)
    frame, _ = table_of(rows)
    for name, level in outcome.levels.items():
        a = frame.columns.index(name)
        hierarchy = (EIGHT, UNEQUAL, Hierarchy.from_rows([["f", "*"], ["m", "*"]]))[a]
        for raw, published in zip(rows, table, strict=True):
            assert str(published[a]) in (str(hierarchy.generalize(str(raw[a]), level)), "*")
    assert min(table.count(row) for row in table) >= k
    assert outcome.loss == pytest.approx(float(lost(rows, table, weights)))
    alone = searched(rows, k, weights, levels={"age": 0, "job": 0, "sex": 0})[0]
    assert outcome.loss <= alone.loss + 1e-5  # never worse than suppressing cells alone


SIXTEEN: list[Row] = [(i % 8, "abc"[i % 3], "mf"[i % 2]) for i in range(16)]


def test_a_budget_keeps_the_best_so_far_and_says_so() -> None:
    outcome, _ = searched(SIXTEEN, 3, checks=1)
    assert not outcome.exhaustive
    assert outcome.levels == {"age": 0, "job": 0, "sex": 0}
    assert outcome.searched() == {
        "stopped": "after 1 choices of levels",
        "levels": dict(outcome.levels),
        "exhaustive": False,
    }
    assert outcome.bound is not None
    whole, _ = searched(SIXTEEN, 3)
    assert whole.exhaustive
    assert outcome.bound <= whole.loss < outcome.loss


def test_whoever_stops_it_gets_an_error_or_the_best() -> None:
    _, encoded = table_of(SIXTEEN)

    def run(after: int, **options: Any) -> GeneralizedOutcome:
        def observe(progress: Progress) -> bool:
            return progress.done < after

        return GeneralizedSuppression(**{"rounds": 2, **options}).run(encoded, [KAnonymity(k=3)], observe=observe)

    with pytest.raises(Interrupted):
        run(2)
    with pytest.raises(Interrupted):  # nothing was found yet
        run(0, on_interrupt="best")
    best = run(2, on_interrupt="best")
    assert not best.exhaustive
    assert best.stopped == "when it was asked to"
    assert best.bound is None  # a proof that was broken off proves nothing
    assert best.loss <= run(10**6, checks=1).loss + 1e-9


def test_columns_can_be_fixed_and_bounded() -> None:
    free = searched(SIXTEEN, 3)[0]
    fixed = searched(SIXTEEN, 3, levels={"age": 1})[0]
    assert fixed.levels["age"] == 1
    assert fixed.exhaustive
    assert fixed.loss >= free.loss - 1e-5
    with pytest.raises(ParameterError, match="a level from 0 to 3"):
        searched(SIXTEEN, 3, levels={"age": 4})
    with pytest.raises(ParameterError, match="checks"):
        GeneralizedSuppression(checks=0)
    frame, _ = table_of(SIXTEEN)
    bounded = encode(frame, Schema({"age": quasi(EIGHT, min_level=2), "job": quasi(UNEQUAL), "sex": quasi()}))
    assert GeneralizedSuppression().run(bounded, [KAnonymity(k=3)]).levels["age"] >= 2
    bounded = encode(frame, Schema({"age": quasi(EIGHT, max_level=2), "job": quasi(UNEQUAL), "sex": quasi()}))
    with pytest.raises(SchemaError, match="no max_level"):
        GeneralizedSuppression().run(bounded, [KAnonymity(k=3)])


@given(
    rows=ROWS,
    order=st.randoms(use_true_random=False),
    values=st.lists(st.sampled_from("xyz"), min_size=14, max_size=14),
)
@settings(max_examples=30, deadline=None)
def test_levels_are_a_function_of_quasi_identifiers(rows: list[Row], order: Any, values: list[str]) -> None:
    """Neither the order of rows nor sensitive values have a say in which levels are chosen."""

    def levels(some: list[Row], told: list[str], models: list[PrivacyModel]) -> Any:
        frame = pl.DataFrame(some, schema=["age", "job", "sex"], orient="row")
        frame = frame.with_columns(ill=pl.Series(told[: len(some)]))
        schema = Schema({"age": quasi(EIGHT), "job": quasi(UNEQUAL), "sex": quasi(), "ill": sensitive()})
        try:
            outcome = GeneralizedSuppression(rounds=1).run(encode(frame, schema), models)
        except (ny.NoSolutionError, ParameterError):  # fewer than two values, or never both in all classes
            return None
        return outcome.levels, outcome.exhaustive

    before = levels(rows, values, [KAnonymity(k=3)])
    shuffled = list(rows)
    order.shuffle(shuffled)
    assert levels(shuffled, values[::-1], [KAnonymity(k=3)]) == before
    diverse = levels(rows, values, [KAnonymity(k=3), DistinctLDiversity(l=2, attribute="ill")])
    assert diverse in (None, before)


def test_more_columns_than_patterns_can_be_tried_for() -> None:
    frame = pl.DataFrame({f"c{a}": [str((i * (a + 1)) % 3) for i in range(40)] for a in range(12)})
    encoded = encode(frame, Schema(dict.fromkeys(frame.columns, quasi())))
    outcome = GeneralizedSuppression(checks=4, rounds=1).run(encoded, [KAnonymity(k=3)])
    assert outcome.bound is not None
    assert outcome.bound <= outcome.loss + 1e-9
    table = outcome.recoding.apply(frame, draws=KeyedDraws.seeded(1)).table.rows()
    assert min(table.count(row) for row in table) >= 3
