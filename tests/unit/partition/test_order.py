"""The sorted order against fractions, and table 3.2b."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given

from geometries import Exact, exacts, fars
from nymity.partition.geometry import Geometry
from nymity.partition.sorted_order import column_order, sorted_order


def test_table_3_2b() -> None:
    expected = [12, 1, 11, 14, 7, 10, 16, 19, 13, 6, 9, 5, 8, 2, 15, 17, 0, 4, 18, 3]
    assert column_order(fars().geometry).tolist() == [3, 1, 2, 0]
    assert sorted_order(fars().geometry).tolist() == expected


def test_a_large_weight_brings_a_column_forward() -> None:
    weights = [Fraction(w, 100) for w in (97, 1, 1, 1)]
    assert column_order(fars(weights).geometry).tolist() == [0, 3, 1, 2]


@given(exacts())
def test_order(records: Exact) -> None:
    assert sorted_order(records.geometry).tolist() == records.order()


def test_columns_without_weight_come_last() -> None:
    records = Exact(((1, 5), (0, 9), (0, 5)), ((1,), (0,), (1,)), (2,), (Fraction(0), Fraction(1), Fraction(0)))
    assert column_order(records.geometry).tolist() == [1, 0, 2]
    assert sorted_order(records.geometry).tolist() == [2, 0, 1]


def test_equal_variances_keep_the_order_of_columns() -> None:
    """One column is one minus the other; summed in floating point their variances differ."""
    first = tuple((int(r < 7), int(r >= 7)) for r in range(10))
    records = Exact(first, ((),) * 10, (), (Fraction(1), Fraction(1)))
    assert column_order(records.geometry).tolist() == [0, 1]
    swapped = replace(records, places=tuple((b, a) for a, b in first))
    assert column_order(swapped.geometry).tolist() == [0, 1]


def test_nothing_to_compare() -> None:
    assert sorted_order(Geometry.of_points(np.empty((3, 0)), np.empty(0))).tolist() == [0, 1, 2]
    assert sorted_order(Geometry.of_points(np.empty((0, 2)), np.ones(2))).tolist() == []
