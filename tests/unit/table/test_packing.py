"""Packed keys: every field comes back, fields do not touch each other, wide tables take more words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.table.packing import KeyLayout


def unpack(layout: KeyLayout, keys: np.ndarray, attribute: int) -> list[int]:
    word, shift, mask = (int(part[attribute]) for part in (layout.word, layout.shift, layout.mask))
    return [(int(key) >> shift) & mask for key in keys[:, word]]


@st.composite
def packed(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 255, 256, 257, 2**20 + 1, 2**31]), min_size=1, max_size=12))
    n = draw(st.integers(1, 6))
    return sizes, [draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n)) for size in sizes]


@given(packed())
@settings(max_examples=100)
def test_codes_come_back(case: tuple[list[int], list[list[int]]]) -> None:
    sizes, columns = case
    layout = KeyLayout.for_sizes(sizes)
    keys = layout.pack([np.array(column, dtype=np.int64) for column in columns])
    assert keys.shape == (len(columns[0]), layout.n_words)
    for attribute, column in enumerate(columns):
        assert unpack(layout, keys, attribute) == column
    same_row = len(set(zip(*columns, strict=True)))
    assert len(np.unique(keys, axis=0)) == same_row


@given(st.lists(st.integers(1, 2**32), min_size=1, max_size=150))
@settings(max_examples=100)
def test_fields_never_overlap_or_straddle(sizes: list[int]) -> None:
    layout = KeyLayout.for_sizes(sizes)
    used = [0] * layout.n_words
    for size, word, shift, mask in zip(sizes, layout.word, layout.shift, layout.mask, strict=True):
        assert int(mask) >= size - 1
        field = int(mask) << int(shift)
        assert field < 2**64
        assert used[int(word)] & field == 0
        used[int(word)] |= field
    assert all(used)  # no empty word


@pytest.mark.parametrize(
    ("sizes", "words"),
    [([2] * 64, 1), ([2] * 65, 2), ([2**32, 2**32], 1), ([2**32, 2**32 + 1], 2), ([8192] * 100, 25), ([1], 1)],
)
def test_words(sizes: list[int], words: int) -> None:
    assert KeyLayout.for_sizes(sizes).n_words == words


def test_no_records() -> None:
    layout = KeyLayout.for_sizes([3, 2**40])
    assert layout.pack([np.empty(0, np.int32), np.empty(0, np.int32)]).shape == (0, layout.n_words)
