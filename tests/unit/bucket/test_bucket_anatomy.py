from __future__ import annotations

import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nymity.bucket import anatomize, anatomy_loss
from nymity.core.errors import NoSolutionError, ParameterError


def as_published(counts: list[int], l: int) -> list[set[int]] | None:  # noqa: E741
    """Anatomize of Xiao & Tao (2006, figure 3): the l most frequent values at a time, then the residue."""
    heap = [(-count, value) for value, count in enumerate(counts)]
    heapq.heapify(heap)
    buckets = []
    while len(heap) >= l:
        taken = [heapq.heappop(heap) for _ in range(l)]
        buckets.append({value for _, value in taken})
        for count, value in taken:
            if count < -1:
                heapq.heappush(heap, (count + 1, value))
    for count, value in heap:
        home = next((bucket for bucket in buckets if value not in bucket), None)
        if count < -1 or home is None:
            return None
        home.add(value)
    return buckets


@given(st.lists(st.integers(1, 30), min_size=1, max_size=10), st.integers(1, 8))
def test_buckets_exist_where_the_paper_finds_them_and_are_as_many(counts: list[int], l: int) -> None:  # noqa: E741
    published = as_published(counts, l)
    if published is None or sum(counts) < l:
        with pytest.raises(NoSolutionError, match="Try: l of at most"):
            anatomize(counts, l)
        return
    slots = anatomize(counts, l)
    assert slots.totals.tolist() == counts
    assert set(slots.records.tolist()) == {1}
    assert len(set(zip(slots.bucket.tolist(), slots.value.tolist(), strict=True))) == sum(counts)
    assert slots.n_buckets == len(published)
    assert slots.sizes.min() >= l
    assert slots.sizes.max() - slots.sizes.min() <= 1
    loss = sum((size - 1) ** 2 for size in slots.sizes.tolist())
    assert loss == anatomy_loss(counts, l) <= sum((len(bucket) - 1) ** 2 for bucket in published)


def test_a_value_that_is_too_frequent_is_named() -> None:
    message = "'flu' has 6 of 10 records, more than one in 2. Try: l of at most 1"
    with pytest.raises(NoSolutionError, match=message):
        anatomize({"flu": 6, "HIV": 4}, 2)
    with pytest.raises(ParameterError, match="l: expected a whole number of at least 1, got 0"):
        anatomize({"flu": 6}, 0)


def test_the_loss_for_studies_asks_nothing_of_the_values() -> None:
    assert anatomy_loss({"flu": 101}, 10) == 9 * 81 + 100
    assert anatomy_loss([5, 1], 4) == 25  # one bucket of six
    with pytest.raises(ParameterError, match="l: expected a whole number from 1 to 6"):
        anatomy_loss([5, 1], 7)
