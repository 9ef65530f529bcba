"""Frequent sets: the most frequent ones against enumeration, and what a release keeps of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.table.item_cells import ItemColumn
from nymity.utility.frequent_sets import most_frequent

ROWS = [["a1", "A", "*"], ["a2", "A", "*"], ["b1", "B", "*"], ["b2", "B", "*"], ["c", "c", "*"]]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.frozensets(st.sampled_from("abcde"), max_size=4), min_size=1, max_size=9),
    st.integers(1, 8),
    st.integers(1, 4),
)
def test_the_most_frequent_sets_are_those_of_all_sets(sets: list[frozenset[str]], top: int, largest: int) -> None:
    held = Counter(
        known for items in sets for size in range(1, largest + 1) for known in combinations(sorted(items), size)
    )
    expected = sorted(held, key=lambda known: (-held[known], known))[:top]
    entries = ItemColumn("x", ";").entries(pl.Series([";".join(items) for items in sets]))
    assert most_frequent(entries, top, largest) == {frozenset(known): held[known] for known in expected}


def test_what_a_release_keeps() -> None:
    sets = ["a1;b1"] * 6 + ["a2;b1"] * 3 + ["a1;c"] * 2 + ["b2"] * 1
    frame = pl.DataFrame({"age": [20] * len(sets), "ills": sets})
    schema = ny.Schema({"age": ny.quasi(), "ills": ny.items(ny.Hierarchy.from_rows(ROWS))})
    release = ny.publish(frame, schema, privacy=ny.KMAnonymity(k=3, m=2))
    found = ny.utility.kept_sets(release, frame, top=3, largest=2)
    # b1 (9), a1 (8), a1 with b1 (6): all of them are published as they are
    assert (found.sets, found.support, found.as_they_were, found.as_groups, found.lost) == (3, 6, 3, 0, 0)
    assert found.share == 1
    everything = ny.utility.kept_sets(release, frame, top=100, largest=2)
    assert everything.lost > 0
    assert everything.sets == 8  # five items and three pairs
    plain = ny.publish(frame, ny.Schema({"age": ny.quasi(), "ills": ny.identifying()}), privacy=ny.KAnonymity(k=2))
    with pytest.raises(ParameterError, match="a column of items"):
        ny.utility.kept_sets(plain, frame)


def test_groups_count_where_items_became_different_ones() -> None:
    sets = ["a1;b1", "a1;b2", "a2;b1", "a2;b2"] * 3
    frame = pl.DataFrame({"age": [20] * len(sets), "ills": sets})
    schema = ny.Schema({"age": ny.quasi(), "ills": ny.items(ny.Hierarchy.from_rows(ROWS))})
    release = ny.publish(frame, schema, privacy=ny.KMAnonymity(k=4, m=2))
    found = ny.utility.kept_sets(release, frame, top=100, largest=2)
    assert found.sets == 8
    assert found.as_groups > 0
    assert found.as_they_were + found.as_groups + found.lost == 8
