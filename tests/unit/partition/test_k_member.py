"""KMember against a scan with fractions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geometries import Exact, exacts, fars, grown
from nymity.core.errors import Interrupted, NoSolutionError
from nymity.partition.geometry import Geometry
from nymity.partition.k_member import KMember


def scanned(records: Exact, k: int) -> list[list[int]]:
    """The furthest starts, the first of several; a leftover joins the class that it makes dearer by least."""
    return grown(
        records,
        k,
        lambda left, last: max(left, key=lambda r: records.each([last, r])),
        lambda members, r: records.cost([*members, r]) - records.cost(members),
    )


@given(exacts(), st.integers(1, 6))
@settings(max_examples=80)
def test_a_scan_finds_the_same_classes(records: Exact, k: int) -> None:
    if len(records) < k:
        with pytest.raises(NoSolutionError, match="lower k"):
            KMember().partition(records.geometry, k)
        return
    assert KMember().grow(records.geometry, k).members == scanned(records, k)


def test_a_scan_of_more_records_finds_the_same_classes() -> None:
    rng = np.random.default_rng(5)
    places = tuple(map(tuple, rng.integers(0, 30, (150, 3)).tolist()))
    codes = tuple(map(tuple, rng.integers(0, 80, (150, 1)).tolist()))
    records = Exact(places, codes, (80,), fars().weights)
    assert KMember().grow(records.geometry, 4).members == scanned(records, 4)


def test_the_worked_example() -> None:
    """12 comes first; 3 is furthest from it, then 17 from the last record of that class, and so on."""
    grown_classes = KMember().grow(fars().geometry, 3)
    assert grown_classes.members[:2] == [[3, 18, 4], [17, 15, 0]]
    assert fars().geometry.total(grown_classes.classes) == pytest.approx(21.1370967742, abs=1e-9)


def test_equal_records() -> None:
    geometry = Geometry.of_points(np.ones((7, 1)), np.zeros(1))
    assert np.bincount(KMember().partition(geometry, 3)).tolist() == [4, 3]


def test_an_observer_can_stop_it() -> None:
    with pytest.raises(Interrupted):
        KMember().partition(fars().geometry, 3, lambda _: False)
