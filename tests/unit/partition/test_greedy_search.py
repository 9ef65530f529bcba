"""GreedySearch against a scan with fractions, and table 3.5."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometries import Exact, exacts, fars, groups, grown
from nymity.core.errors import Interrupted, NoSolutionError
from nymity.core.progress import Progress
from nymity.partition.geometry import Geometry
from nymity.partition.greedy_search import GreedySearch


def test_table_3_5() -> None:
    """Each class in the order in which it grew; 4 and 18 are left and join [14, 7, 10] and [19, 13, 6]."""
    expected = [[12, 1, 11], [14, 7, 10, 4], [16, 5, 9], [19, 13, 6, 18], [8, 0, 17], [2, 15, 3]]
    assert GreedySearch().grow(fars().geometry, 3).members == expected


def test_table_3_1() -> None:
    places = ((37, 0, 22071), (35, 0, 22098), (36, 0, 23061), (61, 1, 55107), (63, 1, 55099), (66, 1, 55324))
    records = Exact((*places, (63, 1, 55229)), ((),) * 7, (), (Fraction(1),) * 3)
    assert groups(GreedySearch().partition(records.geometry, 3)) == [[0, 1, 2], [3, 4, 5, 6]]


def scanned(records: Exact, k: int) -> list[list[int]]:
    return grown(records, k, lambda left, _: left[0], lambda members, r: records.cost([*members, r]))


@given(exacts(), st.integers(1, 6))
@settings(max_examples=100)
def test_a_scan_finds_the_same_classes(records: Exact, k: int) -> None:
    if len(records) < k:
        with pytest.raises(NoSolutionError, match="lower k"):
            GreedySearch().partition(records.geometry, k)
        return
    found = GreedySearch().grow(records.geometry, k)
    assert found.members == scanned(records, k)
    assert [found.classes[members].tolist() for members in found.members] == [
        [c] * len(members) for c, members in enumerate(found.members)
    ]


@pytest.mark.parametrize(("n", "k", "tops", "sizes"), [(150, 4, (9, 40, 2), (3, 90)), (130, 7, (1000,), (2, 2, 6))])
def test_a_scan_of_more_records_finds_the_same_classes(
    n: int, k: int, tops: tuple[int, ...], sizes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(n)
    places = np.stack([rng.integers(0, top, n) for top in tops], axis=1).tolist()
    codes = np.stack([rng.integers(0, size, n) for size in sizes], axis=1).tolist()
    weights = tuple(Fraction(w) for w in range(1, len(tops) + len(sizes) + 1))
    records = Exact(tuple(map(tuple, places)), tuple(map(tuple, codes)), sizes, weights)
    assert GreedySearch().grow(records.geometry, k).members == scanned(records, k)


def test_equal_records_stay_in_order() -> None:
    geometry = Geometry.of_points(np.zeros((7, 2)), np.zeros(2))
    assert GreedySearch().grow(geometry, 3).members == [[0, 1, 2, 6], [3, 4, 5]]


def test_one_record_a_class_costs_nothing() -> None:
    geometry = fars().geometry
    classes = GreedySearch().partition(geometry, 1)
    assert sorted(classes.tolist()) == list(range(20))
    assert geometry.total(classes) == 0


def test_it_reports_and_can_be_stopped() -> None:
    seen: list[Progress] = []
    GreedySearch().partition(fars().geometry, 3, seen.append)
    assert (seen[-1].stage, seen[-1].done, seen[-1].total) == ("greedy search", 18, 20)
    with pytest.raises(Interrupted):
        GreedySearch().partition(fars().geometry, 3, lambda _: False)
