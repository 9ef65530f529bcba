"""Cells: labels, and the raw values each stands for."""

from __future__ import annotations

import numpy as np

from nymity.table.cells import Cells


def test_no_cells() -> None:
    none = Cells.of([], [])
    assert (none.labels, none.sizes.tolist(), none.raw) == ((), [], True)
    assert Cells.from_dict(none.to_dict()).to_dict() == {"labels": [], "covered": []}


def test_cells_from_and_to_plain_data() -> None:
    cells = Cells.of(["a", "{b, c}", None], [np.array([0]), np.array([1, 2]), np.array([3])])
    again = Cells.from_dict(cells.to_dict())
    assert (again.labels, again.sizes.tolist(), again.raw) == (("a", "{b, c}", None), [1, 2, 1], False)
    assert [again.codes(i).tolist() for i in range(3)] == [[0], [1, 2], [3]]


def test_cells_of_one_value_each_are_raw() -> None:
    assert Cells.of(["a", None], [np.array([1]), np.array([0])]).raw


def test_a_label_of_several_cells_stands_for_all_of_them() -> None:
    cells = Cells.of(["{a, b}", "c", "{a, b}"], [np.array([0, 1]), np.array([2]), np.array([3])])
    assert {label: codes.tolist() for label, codes in cells.by_label().items()} == {"{a, b}": [0, 1, 3], "c": [2]}
