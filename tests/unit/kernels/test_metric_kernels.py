"""Kernels of metrics against all pairs of rows, and against sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.kernels.association import atoms_of
from nymity.kernels.diameter import diameter


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(1, 9), st.integers(1, 4), st.integers(1, 8))
def test_diameter_is_that_of_all_pairs(seed: int, n: int, m: int, values: int, skew: int) -> None:
    """Skewed columns rarely differ, so that no pair differs everywhere, and blocks are looked at or left out."""
    drawn = (np.random.default_rng(seed).random((n, m)) ** skew * values).astype(np.int64)
    rows = np.unique(drawn, axis=0)
    expected = max(int((rows != row).sum(axis=1).max()) for row in rows)
    found, compared = diameter(rows, np.arange(m), 10**9)
    assert found == expected
    assert compared <= 10**9
    some, _ = diameter(rows, np.arange(m)[::-1].copy(), 0)
    assert some <= expected


@given(st.lists(st.sets(st.integers(0, 7), min_size=1), max_size=6))
def test_atoms_are_values_of_the_same_cells(cells: list[set[int]]) -> None:
    covered = np.array([value for cell in cells for value in sorted(cell)], dtype=np.int64)
    starts = np.cumsum([0, *(len(cell) for cell in cells)])
    found = atoms_of(covered, starts, 8).tolist()
    inside = [tuple(value in cell for cell in cells) for value in range(8)]
    assert found == [list(dict.fromkeys(inside)).index(key) for key in inside]
