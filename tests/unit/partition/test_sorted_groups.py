"""SortedGroups: consecutive records in sorted order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geometries import Exact, exacts, fars, groups
from nymity.core.errors import Interrupted, NoSolutionError
from nymity.partition.sorted_groups import SortedGroups


def test_the_initial_solution_of_the_worked_example() -> None:
    """As corrected: the last two sets are [8, 2, 15] and [17, 0, 4, 18, 3]."""
    found = groups(SortedGroups().partition(fars().geometry, 3))
    expected = [[12, 1, 11], [14, 7, 10], [16, 19, 13], [6, 9, 5], [8, 2, 15], [17, 0, 4, 18, 3]]
    assert found == [sorted(members) for members in expected]


@given(exacts(), st.integers(1, 5))
def test_groups(records: Exact, k: int) -> None:
    if len(records) < k:
        with pytest.raises(NoSolutionError, match=f"no class has {k} records: the table has {len(records)} in all"):
            SortedGroups().partition(records.geometry, k)
        return
    order, cut = records.order(), (len(records) // k - 1) * k
    expected = [order[start : start + k] for start in range(0, cut, k)] + [order[cut:]]
    assert groups(SortedGroups().partition(records.geometry, k)) == [sorted(members) for members in expected]


def test_an_observer_can_stop_it() -> None:
    with pytest.raises(Interrupted):
        SortedGroups().partition(fars().geometry, 3, lambda _: False)
