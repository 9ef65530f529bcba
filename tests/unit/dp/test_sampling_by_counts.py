"""Drawing how many records of a class are kept is drawing each record by itself: exact distributions, compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import nymity as ny
from nymity.core import bits
from nymity.dp.private_method import sampled
from nymity.dp.public_domain import public_schema
from nymity.dp.records import Records
from nymity.table import sampled_persons, sampled_recoding
from nymity.table.sampled_persons import SampledPersonsRecoding
from nymity.table.sampled_recoding import SampledRecoding

BETA = Fraction(2, 7)
AGES = ny.Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]])
WARDS = ny.Hierarchy.flat(["A", "B"])
HIERARCHIES = {"age": AGES, "ward": WARDS}


class Outcomes:
    """Goes through everything that could be drawn, with its probability: one run of a function for each outcome."""

    def __init__(self) -> None:
        self._plan: list[int] = []
        self._sizes: list[int] = []

    def distribution(self, run: Callable[[], Any]) -> dict[Any, Fraction]:
        found: dict[Any, Fraction] = {}
        self._plan = []
        while True:
            self._sizes, self._chance = [], Fraction(1)
            result = run()
            found[result] = found.get(result, Fraction(0)) + self._chance
            self._plan += [0] * (len(self._sizes) - len(self._plan))
            while self._plan and self._plan[-1] + 1 == self._sizes[len(self._plan) - 1]:
                self._plan.pop()
            if not self._plan:
                return found
            self._plan[-1] += 1

    def _next(self, size: int) -> int:
        self._sizes.append(size)
        return self._plan[len(self._sizes) - 1] if len(self._sizes) <= len(self._plan) else 0

    def coins(self, probability: Fraction, size: int, _: object) -> NDArray[np.bool_]:
        tossed = [bool(self._next(2)) for _ in range(size)]
        for one in tossed:
            self._chance *= probability if one else 1 - probability
        return np.array(tossed, dtype=np.bool_)

    def at_most_each(self, owners: NDArray[Any], most: int, _: object) -> NDArray[np.bool_]:
        kept = np.zeros(len(owners), dtype=np.bool_)
        for owner in dict.fromkeys(owners.tolist()):
            own = np.flatnonzero(owners == owner)
            choices = list(combinations(own, min(most, len(own))))
            self._chance /= len(choices)
            kept[list(choices[self._next(len(choices))])] = True
        return kept


@pytest.fixture
def outcomes(monkeypatch: pytest.MonkeyPatch) -> Outcomes:
    found = Outcomes()
    for module in (bits, sampled_recoding, sampled_persons):
        monkeypatch.setattr(module, "coins", found.coins)
    monkeypatch.setattr(sampled_persons, "at_most_each", found.at_most_each)
    monkeypatch.setattr("nymity.dp.private_method.at_most_each", found.at_most_each)
    return found


def counted(table: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    found = table.group_by(table.columns, maintain_order=True).len()
    return found.drop("len"), found["len"].to_numpy().astype(np.int64)


def tables(rows: int, seed: int, *, persons: bool = False) -> Iterator[pl.DataFrame]:
    draw = np.random.default_rng(seed)
    for _ in range(4):
        cells = {"age": draw.choice(["1", "2", "3", "9"], rows), "ward": draw.choice(["A", "B"], rows)}
        who = {"who": [f"p{i}" for i in draw.integers(0, 3, rows)]} if persons else {}
        yield pl.DataFrame({**cells, **who})


def shown(rows: pl.DataFrame, counts: NDArray[np.int64] | None = None) -> frozenset[tuple[Any, int]]:
    """What a release shows: each row with its count."""
    found: Counter[Any] = Counter()
    for row, n in zip(rows.iter_rows(), [1] * rows.height if counts is None else counts.tolist(), strict=True):
        found[row] += n
    return frozenset(found.items())


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("levels", [(0, 0), (1, 0), (1, 1), (2, 1)])
def test_a_release_by_counts_has_the_distribution_of_one_by_rows(
    outcomes: Outcomes, k: int, levels: tuple[int, int]
) -> None:
    recoding = SampledRecoding(
        ("age", "ward"), HIERARCHIES, dict(zip(HIERARCHIES, levels, strict=True)), k, BETA, bits.SYSTEM
    )
    for table in tables(6, k):
        by_rows = outcomes.distribution(lambda t=table: shown(recoding.apply(t).table))
        by_counts = outcomes.distribution(lambda t=table: shown(*recoding.of_counts(*counted(t))))
        assert by_rows == by_counts
        assert sum(by_rows.values()) == 1


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("level", [0, 1])
def test_of_persons_too(outcomes: Outcomes, most: int, level: int) -> None:
    recoding = SampledPersonsRecoding(
        ("age", "ward"),
        HIERARCHIES,
        {"age": level, "ward": 0},
        2,
        BETA,
        bits.SYSTEM,
        person="who",
        records_per_person=most,
    )
    for table in tables(5, most, persons=True):
        by_rows = outcomes.distribution(lambda t=table: shown(recoding.apply(t).table))
        by_counts = outcomes.distribution(lambda t=table: shown(*recoding.of_counts(*counted(t))))
        assert by_rows == by_counts


@pytest.mark.parametrize("person", [False, True])
def test_a_sample_to_choose_levels_on_is_one_of_records(outcomes: Outcomes, person: bool) -> None:
    columns: dict[str, Any] = {"who": ny.person(missing="drop")} if person else {}
    columns |= {"age": ny.quasi(AGES, missing="drop"), "ward": ny.quasi(WARDS, missing="drop")}
    schema = public_schema(ny.Schema(columns))
    for table in tables(5, 3, persons=person):
        ways = (Records.of(table, schema), Records.of(counted(table)[0], schema, counted(table)[1]))
        assert ways[0].n_records == ways[1].n_records
        assert ways[0].without_place == ways[1].without_place
        found = [outcomes.distribution(lambda w=way: _drawn(w.encoded)) for way in ways]
        assert found[0] == found[1]
        if person:
            continue
        expected: dict[Any, Fraction] = {}  # from the definition: each combination by itself, by the formula
        combos, sizes = ways[0].encoded.combinations.tolist(), ways[0].encoded.counts.tolist()
        for drawn in product(*(range(size + 1) for size in sizes)):
            key = frozenset((tuple(c), n) for c, n in zip(combos, drawn, strict=True) if n)
            chance = Fraction(1)
            for size, n in zip(sizes, drawn, strict=True):
                chance *= comb(size, n) * BETA**n * (1 - BETA) ** (size - n)
            expected[key] = expected.get(key, Fraction(0)) + chance
        assert found[0] == expected


def _drawn(table: Any) -> frozenset[tuple[Any, int]]:
    kept = sampled(table, BETA, bits.SYSTEM, most=1)
    return frozenset((tuple(c), n) for c, n in zip(kept.combinations.tolist(), kept.counts.tolist(), strict=True))


@pytest.mark.parametrize("at_once", [1, 3, 64, 10**6])
def test_coins_are_tossed_in_any_number_of_turns(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    tossed: list[NDArray[np.bool_]] = []
    toss = bits.coins

    def kept(*given: Any) -> NDArray[np.bool_]:
        tossed.append(toss(*given))
        return tossed[-1]

    monkeypatch.setattr(bits, "coins", kept)
    monkeypatch.setattr(bits, "_TOSSED_AT_ONCE", at_once)
    draw = np.random.default_rng(at_once)
    for sizes in ([], [0], [0, 0, 4, 0, 3, 1, 0], draw.integers(0, 9, 40).tolist()):
        tossed.clear()
        found = bits.binomials(np.array(sizes, dtype=np.uint32), Fraction(1, 4), bits.SYSTEM)  # no ties to break
        ends = np.cumsum([0, *sizes])
        every = np.concatenate([np.zeros(0, dtype=np.bool_), *tossed])
        assert len(every) == sum(sizes)
        assert found.tolist() == [int(every[a:b].sum()) for a, b in pairwise(ends)]
