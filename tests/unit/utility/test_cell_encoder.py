"""Features of published cells, against the hierarchies that published them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import InputError
from nymity.table.text import as_text

DRAWN = np.random.default_rng(4)
CODES = pl.Series("c", [f"{code:05d}" for code in DRAWN.integers(0, 99_999, 200)])
SHORT = pl.Series("c", ["E11.65", "E11", "E12.1", "A00", "A00.1", "B"])

#: Masks of each form, and the values that they hide.
MASKS: dict[str, tuple[ny.Hierarchy, pl.Series]] = {
    "codes": (ny.Hierarchy.masking().build(CODES), CODES),
    "from the left": (ny.Hierarchy.masking(side="left").build(CODES), CODES),
    "one star for a run": (ny.Hierarchy.masking(keep_length=False).build(CODES), CODES),
    "in steps": (ny.Hierarchy.masking(steps=(2, 4)).build(CODES), CODES),
    "padded": (ny.Hierarchy.masking(pad="*").build(SHORT), SHORT),
}


@pytest.mark.parametrize("form", MASKS)
def test_a_value_is_the_cell_that_hides_it(form: str) -> None:
    """Whoever trains on ``101**`` predicts for ``10115``: it has the feature of the cell that it was published as."""
    hierarchy, column = MASKS[form]
    raw, compared = as_text(column).to_list(), 0
    for level in range(1, hierarchy.height):
        cells = [str(hierarchy.generalize(value, level)) for value in raw]
        if any(not cell.strip("*") for cell in cells):
            continue
        encoder = ny.CellEncoder().fit(pl.DataFrame({"c": cells}))
        given = encoder.transform(pl.DataFrame({"c": cells}))
        new = encoder.transform(pl.DataFrame({"c": raw}))
        assert new.sum(axis=1) == pytest.approx(1), level
        assert ((given > 0) & (new > 0)).any(axis=1).all(), level
        compared += 1
    assert compared > 0


def test_a_hidden_cell_shares_what_it_hides() -> None:
    encoder = ny.CellEncoder().fit(pl.DataFrame({"c": ["a1", "a2", "b1", "b*"]}))
    assert list(encoder.get_feature_names_out()) == ["c=a1", "c=a2", "c=b*", "c=b1"]
    assert encoder.transform(pl.DataFrame({"c": ["a*", "b9", "b1", "c1"]})).tolist() == [
        [0.5, 0.5, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
        [0, 0, 0, 0],
    ]


def test_the_cell_that_hides_least_is_taken() -> None:
    encoder = ny.CellEncoder().fit(pl.DataFrame({"c": ["1****", "10***", "{10***, 2****}"]}))
    found = encoder.transform(pl.DataFrame({"c": ["10115", "19999", "20095"]}))
    assert list(encoder.get_feature_names_out()) == ["c=1****", "c=10***", "c=2****"]
    assert found.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "cells", [["Western Europe", "Asia", "*"], ["J40-J47", "A00-A09", "J40-J47"], ["low - mid", "high - top", "*"]]
)
def test_a_column_of_which_nothing_is_known_is_told(cells: list[str]) -> None:
    """All zeros for everybody is no prediction, and looked like one."""
    from nymity.utility.cell_encoder import UnknownCellsWarning

    encoder = ny.CellEncoder().fit(pl.DataFrame({"c": cells}))
    with pytest.warns(
        UnknownCellsWarning, match=r"column 'c': no cell is like any .*ny.apply\(release, frame\)"
    ) as told:
        encoder.transform(pl.DataFrame({"c": ["FR", "JP", None]}))
    assert not any(cell in str(one.message) for one in told for cell in ("FR", "JP", *cells[:2]))
    quiet: list[Any] = [cells, ["FR", cells[0]], [None], ["*"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for known in quiet:
            encoder.transform(pl.DataFrame({"c": known}, schema={"c": pl.String}))


def test_a_release_has_its_rows_in_its_table() -> None:
    frame = pl.DataFrame({"age": [20 + n % 9 for n in range(90)]})
    release = ny.publish(frame, ["age"], k=5)
    with pytest.raises(InputError, match=r"X: expected rows, got a Release. Try: .table of it"):
        ny.CellEncoder().fit(release)
