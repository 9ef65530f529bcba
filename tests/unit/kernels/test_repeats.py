"""Rows that may have a twin: none that has one is missed, and nearly all others are known to be alone."""

from __future__ import annotations

from collections import Counter

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from nymity.kernels.repeats import rows_that_may_repeat


@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**32 - 1)), max_size=60), bits=st.integers(0, 8))
def test_no_row_that_repeats_is_missed(pairs: list[tuple[int, int]], bits: int) -> None:
    first, second = (np.array(one, np.uint32) for one in (zip(*pairs, strict=True) if pairs else ((), ())))
    found = rows_that_may_repeat(first, second, np.zeros(1 << bits, np.uint8)).tolist()
    times = Counter(pairs)
    assert {row for row, pair in enumerate(pairs) if times[pair] > 1} <= set(found)
    assert found == sorted(set(found))


def test_nearly_all_others_are_known_to_be_alone() -> None:
    """Of 20,000 different pairs and 2**21 counters, about 20,000**2 / 2**21 = 190 share one."""
    numbers = np.arange(20_000, dtype=np.uint32)
    found = rows_that_may_repeat(numbers % 200, numbers // 200, np.zeros(2**19, np.uint8))
    assert len(found) < 400
