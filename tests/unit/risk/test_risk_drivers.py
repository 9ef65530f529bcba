"""Combinations, minimal sample uniques and their scores against brute force."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections import Counter
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import Interrupted, ParameterError
from nymity.core.progress import Progress
from nymity.risk import drivers
from nymity.risk.drivers import weight

NAMES = ["a", "b", "c", "d", "e"]
tables = st.integers(1, 5).flatmap(
    lambda m: st.lists(st.tuples(*[st.integers(0, 3)] * m), min_size=1, max_size=30).map(lambda rows: (NAMES[:m], rows))
)


def minimal_uniques(rows: list[tuple[int, ...]], limit: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return (record, columns) of every minimal unique: unique in the columns and in no proper part of them."""
    m, found = len(rows[0]), []
    for record, row in enumerate(rows):
        ways: list[tuple[int, ...]] = []
        for k in range(1, limit + 1):
            for columns in combinations(range(m), k):
                if any(set(way) <= set(columns) for way in ways):
                    continue
                if sum(all(other[c] == row[c] for c in columns) for other in rows) == 1:
                    ways.append(columns)
        found += [(record, way) for way in ways]
    return found


@settings(max_examples=150)
@given(tables, st.integers(1, 6))
def test_everything_is_what_brute_force_finds(table: Any, size: int) -> None:
    names, rows = table
    m, n, limit = len(names), len(rows), min(size, len(names))
    found = drivers(pl.DataFrame(rows, orient="row", schema=names), names, size=size)
    assert found.size == limit
    uniques = minimal_uniques(rows, limit)
    assert found.combinations.height == sum(comb(m, k) for k in range(1, limit + 1))
    for row in found.combinations.iter_rows(named=True):
        columns = tuple(sorted(names.index(name) for name in row["columns"]))
        counts = Counter(tuple(record[c] for c in columns) for record in rows)
        assert row["size"] == len(columns) == len(set(columns))
        assert row["distinct"] == len(counts)
        assert row["distinction"] == len(counts) / n
        differ = sum(any(p[c] != q[c] for c in columns) for p, q in combinations(rows, 2))
        assert row["separation"] == pytest.approx(differ / comb(n, 2) if n > 1 else 0)
        assert row["unique"] == sum(count == 1 for count in counts.values())
        assert row["minimal_unique"] == sum(way == columns for _, way in uniques)
    assert len(set(map(tuple, found.combinations["columns"]))) == found.combinations.height

    score = {way: prod(m - i for i in range(len(way), min(limit, m - 1) + 1)) for _, way in uniques}
    total = sum(score[way] for _, way in uniques)
    for record in range(n):
        assert found.scores[record] == sum(score[way] for r, way in uniques if r == record)
    for name, share in found.columns.iter_rows():
        expected = sum(score[way] for _, way in uniques if names.index(name) in way)
        assert share == pytest.approx(expected / max(total, 1))
    values: Counter[tuple[str, str]] = Counter()
    for record, way in uniques:
        for c in way:
            values[names[c], str(rows[record][c])] += score[way]
    told = {(name, value): share * max(total, 1) for name, value, share in found.values.iter_rows()}
    assert told == pytest.approx(dict(values))
    assert found.special_records == len({record for record, _ in uniques})
    assert found.minimal_uniques == {k: sum(len(way) == k for _, way in uniques) for k in range(1, limit + 1)}


def test_more_than_a_word_of_records() -> None:
    """Records beyond the 64th have bits of their own."""
    rows = [(i % 13, i % 11, i % 7) for i in range(200)]
    found = drivers(pl.DataFrame(rows, orient="row", schema=NAMES[:3]), NAMES[:3])
    uniques = minimal_uniques(rows, 3)
    assert uniques
    assert sum(found.minimal_uniques.values()) == len(uniques)
    assert {record for record, _ in uniques} == set(found.scores.nonzero()[0].tolist())


@pytest.mark.parametrize(("columns", "limit", "scores"), [(9, 4, (1680, 210, 30, 5)), (3, 3, (2, 1, 1)), (1, 1, (1,))])
def test_scores_by_size(columns: int, limit: int, scores: tuple[int, ...]) -> None:
    assert tuple(weight(columns, limit, size) for size in range(1, limit + 1)) == scores


def test_masked_rows_have_a_score_and_dropped_ones_none() -> None:
    table = {"x": ["*", "a", "b", "b"], "y": ["*", "p", "p", "p"]}
    assert drivers(table, ["x", "y"]).scores.tolist() == [2, 1, 0, 0]
    schema = ny.Schema({"x": ny.quasi(missing="drop")})
    assert drivers(pl.DataFrame({"x": [None]}, schema={"x": pl.String}), schema).special_records == 0


def test_the_result_is_plain_json() -> None:
    data = json.loads(json.dumps(drivers({"x": [1, 1, 2], "y": [1, 2, 2]}, ["x", "y"]).to_dict(), allow_nan=False))
    assert data["minimal_uniques"] == {"1": 2, "2": 1}
    assert data["special_records"] == 3
    assert [row["columns"] for row in data["combinations"]] == [["x"], ["y"], ["x", "y"]]


def test_it_tells_how_far_it_is_and_stops_when_asked() -> None:
    seen: list[Progress] = []

    def observe(progress: Progress) -> bool:
        seen.append(progress)
        return progress.done < 2

    with pytest.raises(Interrupted):
        drivers({"x": [1, 2], "y": [1, 2], "z": [1, 2]}, ["x", "y", "z"], observe=observe)
    assert [progress.done for progress in seen] == [1, 2]


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_sizes_that_make_no_sense(size: Any) -> None:
    with pytest.raises(ParameterError, match="size"):
        drivers({"x": [1, 2]}, ["x"], size=size)


def test_more_combinations_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["nymity.risk.drivers"], "MEMORY", 1)
    table = {name: list(range(100)) for name in NAMES}
    with pytest.raises(ParameterError, match="a smaller size"):
        drivers(table, NAMES, size=4)


def test_a_large_table_is_not_held_many_times() -> None:
    drawn, columns = np.random.default_rng(0), 10
    table = pl.DataFrame({f"c{i}": drawn.integers(0, 1000, 100_000, dtype=np.uint32) for i in range(columns)})
    drivers(table.head(10), table.columns, size=1)  # what is compiled is no part of it
    tracemalloc.start()
    try:
        drivers(table, table.columns, size=1)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 4 * table.estimated_size()  # codes, their classes, and what sorts them
