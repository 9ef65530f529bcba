"""Grouping kernels against dictionaries."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.kernels.grouping import distinct, histograms


@st.composite
def keys(draw: st.DrawFn) -> np.ndarray:
    """Rows of a few words; many equal, some different in one high or low bit only."""
    n_words = draw(st.integers(1, 4))
    words = st.sampled_from([0, 1, 2**63, 2**64 - 1, 0x9E3779B97F4A7C15, 1 << 29])
    rows = draw(st.lists(st.lists(words, min_size=n_words, max_size=n_words), max_size=40))
    return np.array(rows, dtype=np.uint64).reshape(-1, n_words)


def check_distinct(rows: np.ndarray) -> None:
    group, first = distinct(rows)
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()]
    assert group.tolist() == expected
    assert first.tolist() == [expected.index(g) for g in range(len(seen))]


@given(keys())
@settings(max_examples=100)
def test_distinct(rows: np.ndarray) -> None:
    check_distinct(rows)


@pytest.mark.parametrize("n", [511, 512, 513, 2047, 2049, 9000])
def test_distinct_where_the_table_grows(n: int) -> None:
    rng = np.random.default_rng(n)
    rows = rng.permutation(np.repeat(np.arange(n, dtype=np.uint64) << np.uint64(40), 2))
    check_distinct(np.stack([rows, rows >> np.uint64(41)], axis=1))


def test_distinct_of_keys_that_hash_alike() -> None:
    """Multiples of the multiplier's inverse hash to small numbers: all start in the same slot."""
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    rows = np.array([[inverse * i % 2**64] for i in [*range(700), *range(700)]], dtype=np.uint64)
    check_distinct(rows)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=40))
@settings(max_examples=100)
def test_histograms(entries: list[tuple[int, int, int]]) -> None:
    group, codes, weights = (np.array(part, dtype=np.uint32) for part in zip(*entries, strict=True))
    expected: Counter[tuple[int, int]] = Counter()
    for g, code, weight in entries:
        expected[g, code] += weight
    found = [part.tolist() for part in histograms(group, 5, codes, weights, 4)]
    assert found[0] == sorted(found[0])
    assert dict(zip(zip(found[0], found[1], strict=True), found[2], strict=True)) == expected
    assert len(found[0]) == len(expected)
