from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.bucket import check, fill
from nymity.bucket.filling import deal
from nymity.core.errors import ParameterError


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any), st.integers(1, 9), st.integers(0, 5))
def test_records_are_dealt_in_turn(records: list[int], n_buckets: int, first: int) -> None:
    dealt: dict[tuple[int, int], int] = {}
    in_order = [value for value, count in enumerate(records) for _ in range(count)]
    for turn, value in enumerate(in_order):
        place = (first + turn % n_buckets, value)
        dealt[place] = dealt.get(place, 0) + 1
    bucket, value, count = deal(np.array(records), n_buckets, first)
    assert list(zip(bucket.tolist(), value.tolist(), strict=True)) == sorted(dealt)
    assert count.tolist() == [dealt[place] for place in sorted(dealt)]


def test_buckets_are_numbered_size_by_size() -> None:
    slots = fill(check({"a": 4, "b": 3, "c": 2}, ["1/2", "1/2", "1/2"], sizes=[2, 5], buckets=[2, 1]))
    assert slots.sizes.tolist() == [2, 2, 5]
    assert slots.totals.tolist() == [4, 3, 2]


def test_a_setting_that_is_not_valid_is_not_filled() -> None:
    with pytest.raises(ParameterError, match="plan: expected a valid one, got privacy constraint of 'a'"):
        fill(check({"a": 3, "b": 1}, ["3/4", 1], sizes=[2], buckets=[2]))
