"""What published cells stand for by their recoding: the same to all who read it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import nymity as ny
from nymity.core.errors import TableError
from nymity.table.cells import Cells
from nymity.table.partition_recoding import PartitionRecoding
from nymity.table.published_cells import by_recoding
from nymity.table.sampled_recoding import SampledRecoding

PEOPLE = pl.DataFrame({"x": ["a", "b", "c", "d"] * 3})
SCHEMA = ny.Schema({"x": ny.quasi()})


def test_cells_that_are_written_alike_are_read_alike_by_compare_and_by_the_rest() -> None:
    made = ny.publish(PEOPLE, SCHEMA, privacy=ny.KAnonymity(k=6), method=ny.Mondrian()).recoding
    assert isinstance(made, PartitionRecoding)
    cells = made.cells["x"]
    alike = replace(made, cells={"x": Cells(("{?}",) * len(cells.labels), cells.covered, cells.starts)})
    assert sorted(by_recoding(alike)("x", ["{?}"]).codes(0).tolist()) == [0, 1, 2, 3]
    released = pl.DataFrame({"x": ["{?}"] * 12})
    assert ny.compare(PEOPLE, ny.open(released, schema=SCHEMA, recoding=alike)).value("loss") == 1.0
    with pytest.raises(TableError, match="cells of the recoding"):
        by_recoding(alike)("x", ["a"])


def test_a_sampled_recoding_publishes_on_its_levels_alone() -> None:
    hierarchy = ny.Hierarchy.from_rows([["a", "s", "*"], ["b", "s", "*"], ["s", "t", "*"]])  # s is a value as well
    sampled = SampledRecoding(("x",), {"x": hierarchy}, {"x": 1}, 2, ny.dp.largest_beta(1), ny.dp.NotPrivate(1))
    assert sampled.levels_in_use("x") == [1]
    assert by_recoding(sampled)("x", ["s"]).codes(0).tolist() == [0, 1]
    table = pl.DataFrame({"x": ["a", "b", "s"] * 2})
    schema = ny.Schema({"x": ny.quasi(hierarchy)})
    found = ny.compare(table, ny.open(pl.DataFrame({"x": ["s"] * 4}), schema=schema, recoding=sampled))
    assert found.levels == {"x": 1}
    assert np.isclose(found.value("height"), 1)
