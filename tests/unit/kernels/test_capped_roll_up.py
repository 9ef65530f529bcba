"""Roll-ups of blocks against dictionaries of sets: keys of one word and more, few entries of a block and many."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nymity.kernels.rollup import records_of_blocks, roll_up, roll_up_capped, spans_of_blocks
from nymity.table.packing import KeyLayout

#: Values of an attribute below and above.
WIDE, NARROW = 6, 3
N_CODES = 40
Entries = dict[int, int]


@dataclass(frozen=True)
class Blocks:
    """Different combinations, and what each has of each code; ``raised``: attributes that get coarser by ``steps``."""

    combinations: list[tuple[int, ...]]
    entries: list[Entries]
    raised: list[int]
    steps: list[list[int]]
    bits: int

    def arguments(self) -> tuple[NDArray[np.uint64], ...]:
        """As kernels take it; with fields of so many bits, combinations take several words."""
        layout = KeyLayout.for_sizes([2**self.bits] * len(self.combinations[0]))
        keys = layout.pack([np.array(column) for column in zip(*self.combinations, strict=True)])
        flat = [(b, code, weight) for b, own in enumerate(self.entries) for code, weight in own.items()]
        columns = [np.array([entry[i] for entry in flat], dtype=np.uint32) for i in range(3)]
        at = np.cumsum([0, *(len(step) for step in self.steps)])[:-1].astype(np.uint64)
        maps = np.array([code for step in self.steps for code in step], dtype=np.uint32)
        changed = np.array(self.raised, dtype=np.uint64)
        return keys, *columns, changed, layout.word, layout.shift, layout.mask, at, maps

    def expected(self) -> dict[tuple[int, ...], Entries]:
        """Return the entries of each raised combination."""
        found: dict[tuple[int, ...], Entries] = {}
        for combination, own in zip(self.combinations, self.entries, strict=True):
            key = list(combination)
            for a, step in zip(self.raised, self.steps, strict=True):
                key[a] = step[key[a]]
            merged = found.setdefault(tuple(key), {})
            for code, weight in own.items():
                merged[code] = merged.get(code, 0) + weight
        return found

    def read(self, keys: NDArray[np.uint64]) -> list[tuple[int, ...]]:
        layout = KeyLayout.for_sizes([2**self.bits] * len(self.combinations[0]))
        fields = zip(layout.word.tolist(), layout.shift.tolist(), layout.mask.tolist(), strict=True)
        fields = list(fields)
        return [tuple((row[w] >> s) & m for w, s, m in fields) for row in keys.tolist()]


def capped(keys: NDArray[np.uint64], block: Any, codes: Any, weights: Any, *rising: Any) -> tuple[Any, ...]:
    return roll_up_capped(keys, *spans_of_blocks(block, weights, len(keys)), codes, *rising)  # type: ignore[no-any-return]


@st.composite
def blocks(draw: st.DrawFn) -> Blocks:
    m = draw(st.integers(1, 4))
    rows = draw(st.lists(st.tuples(*[st.integers(0, WIDE - 1)] * m), min_size=1, max_size=30, unique=True))
    own = st.dictionaries(st.integers(0, N_CODES - 1), st.integers(1, 5), max_size=25)
    raised = sorted(draw(st.sets(st.integers(0, m - 1))))
    steps = [draw(st.lists(st.integers(0, NARROW - 1), min_size=WIDE, max_size=WIDE)) for _ in raised]
    entries = [draw(own) for _ in rows]
    return Blocks(rows, entries, raised, steps, draw(st.sampled_from([3, 20, 33])))


@given(blocks())
@settings(max_examples=200)
def test_roll_up(case: Blocks) -> None:
    keys, block, codes, weights = roll_up(*case.arguments(), N_CODES)
    expected = case.expected()
    assert case.read(keys) == list(expected)
    found: list[Entries] = [{} for _ in keys]
    for b, code, weight in zip(block.tolist(), codes.tolist(), weights.tolist(), strict=True):
        assert code not in found[b]
        found[b][code] = weight
    assert found == list(expected.values())
    assert records_of_blocks(block, weights, len(keys)).tolist() == [sum(own.values()) for own in expected.values()]


@given(blocks(), st.sampled_from([1, 2, 5, 15, 16, 17, 20, 100]))
@settings(max_examples=300)
def test_capped_roll_up_keeps_the_number_of_entries_up_to_the_cap_and_all_records(case: Blocks, most: int) -> None:
    keys, block, codes, weights = capped(*case.arguments(), most)
    expected = case.expected()
    assert case.read(keys) == list(expected)
    assert all(before <= after for before, after in pairwise(block.tolist()))
    for b, own in enumerate(expected.values()):
        listed = codes[block == b].tolist()
        assert len(listed) == len(set(listed)) == min(most, len(own))
        assert set(listed) <= set(own)
        assert all(weights[block == b] > 0)
        assert weights[block == b].sum() == sum(own.values())


@pytest.mark.parametrize("most", [5, 17])
def test_capped_roll_up_of_a_capped_one_counts_as_if_none_were_left_out(most: int) -> None:
    rng = np.random.default_rng(most)
    rows = [(a, b) for a in range(WIDE) for b in range(WIDE)]
    own = [{int(code): 1 for code in rng.choice(N_CODES, rng.integers(1, 25), replace=False)} for _ in rows]
    case = Blocks(rows, own, [0], [[0, 0, 1, 1, 2, 2]], 33)
    keys, block, codes, weights, *rising = case.arguments()
    half = capped(keys, block, codes, weights, *rising, most)
    rising[0], top = np.array([1], dtype=np.uint64), Blocks(rows, own, [0, 1], [[0, 0, 1, 1, 2, 2], [0] * WIDE], 33)
    rising[-1] = np.zeros(WIDE, dtype=np.uint32)
    _, block, _, weights = capped(*half, *rising, most)
    assert np.bincount(block).tolist() == [min(most, len(found)) for found in top.expected().values()]
    assert np.bincount(block, weights=weights).tolist() == [sum(found.values()) for found in top.expected().values()]


@given(blocks(), st.sampled_from([1, 2, 5, 17]), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_capped_roll_up_takes_blocks_in_any_order(case: Blocks, most: int, random: Random) -> None:
    keys, block, codes, weights, *rising = case.arguments()
    order = list(range(len(keys)))
    random.shuffle(order)
    turn = np.concatenate([np.flatnonzero(block == b) for b in order])
    _, found, _, counted = capped(keys, block[turn], codes[turn], weights[turn], *rising, most)
    expected = list(case.expected().values())
    assert np.bincount(found, minlength=len(expected)).tolist() == [min(most, len(own)) for own in expected]
    assert records_of_blocks(found, counted, len(expected)).tolist() == [sum(own.values()) for own in expected]
