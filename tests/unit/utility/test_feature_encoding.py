"""Cells as vectors, against the definition."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.table.level_recoding import Layer, LevelRecoding
from nymity.table.published_cells import by_recoding, by_text
from nymity.utility.feature_encoding import MOST_FEATURES, FeatureRows, FeatureSpace
from strategies import cases


def dense(rows: FeatureRows) -> list[list[float]]:
    found: list[list[float]] = rows.take(np.arange(len(rows.cells))).toarray().tolist()
    return found


def test_figure_3_5_of_the_thesis() -> None:
    original = pl.DataFrame({"gender": [0, 0, 0, 1], "age": [1, 3, 0, 1]})
    original = pl.concat([original, pl.DataFrame({"gender": [1], "age": [2]})])  # ages range from 0 to 3
    released = pl.DataFrame({"gender": ["0", "0", "{0, 1}", "{0, 1}"], "age": ["{1, 3}", "{1, 3}", "{0, 1}", "{0, 1}"]})
    schema = ny.Schema({"gender": ny.quasi(), "age": ny.quasi()})
    hierarchies = {name: schema.hierarchy(name, original[name]) for name in schema}
    space = FeatureSpace.of([original], ["gender", "age"])
    assert dense(space.encode(released, hierarchies, by_text(hierarchies, original))) == [
        [1, 0, 0, 1, 0, 1],
        [1, 0, 0, 1, 0, 1],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 0, 0],
    ]
    assert dense(space.encode(original[:2])) == [[1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 1]]


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_levels_and_masked_rows_against_the_definition(data: st.DataObject) -> None:
    """One value at a time: may the cell stand for it? Values that do not occur have no feature."""
    case = data.draw(cases(n_sensitive=1))
    hierarchies = dict(zip(case.schema.quasi, case.encoded.hierarchies, strict=True))
    levels = {name: data.draw(st.integers(0, h.height)) for name, h in hierarchies.items()}
    recoding = LevelRecoding(
        tuple(case.frame.columns), hierarchies, (Layer(levels, np.empty((0, len(levels)), dtype=np.int64)),)
    )
    space = FeatureSpace.of([case.frame], [*case.schema.quasi, *case.schema.sensitive])

    def may_be(row: dict[str, str | None], name: str, value: str | None, masked: bool) -> bool:
        if name not in hierarchies:
            return value == row[name]
        return masked or hierarchies[name].generalize(value, levels[name]) == row[name]

    for how in ("keep", "mask"):
        published = recoding.apply(case.frame, outliers=how).table  # type: ignore[arg-type]
        assert dense(space.encode(published, hierarchies, by_recoding(recoding))) == [
            [may_be(row, column.name, value, how == "mask") for column in space.columns for value in column.index]
            for row in published.iter_rows(named=True)
        ]


AGES = pl.DataFrame({"age": [20, 30, 40, 60, None], "day": [dt.date(2024, 1, d) for d in (1, 2, 3, 4, 5)]})


@pytest.mark.parametrize(
    ("encoding", "raw", "generalized"),
    [
        # low, high and whether it may be missing; low and high of the day
        ("interval", [0.25, 0.25, 0, 0.25, 0.25], [[0.25, 1, 0, 0, 1], [0, 1, 1, 0, 1]]),
        # the mean and the share of missing values; of all five values one is missing
        ("mean", [0.25, 0, 0.25], [[(0.25 + 0.5 + 1) / 3, 0, 0.5], [(0 + 0.25 + 0.5 + 1) / 4, 0.2, 0.5]]),
    ],
)
def test_numbers_and_dates(encoding: str, raw: list[float], generalized: list[list[float]]) -> None:
    schema = ny.Schema({"age": ny.quasi(), "day": ny.quasi()})
    hierarchies = {name: schema.hierarchy(name, AGES[name]) for name in schema}
    space = FeatureSpace.of([AGES], ["age", "day"], encoding)  # type: ignore[arg-type]
    assert np.allclose(dense(space.encode(AGES))[1], raw)
    released = pl.DataFrame({"age": ["[30, 60]", "*"], "day": ["*", "*"]})
    assert np.allclose(dense(space.encode(released, hierarchies, by_text(hierarchies, AGES))), generalized)
    gap = dense(space.encode(AGES))[4]  # the middle, and that it is missing
    assert gap == ([0.5, 0.5, 1, 1, 1] if encoding == "interval" else [0.5, 1, 1])


def test_columns_with_very_many_values_are_grouped() -> None:
    n = 3 * MOST_FEATURES
    table = pl.DataFrame({"number": range(n), "name": [f"n{i:04}" for i in range(n - 3)] + ["n0005"] * 3})
    number, name = FeatureSpace.of([table], ["number", "name"]).columns
    assert number.features[[number.index[str(i)] for i in range(n)]].tolist() == [i // 3 for i in range(n)]
    alone = name.features[name.index["n0005"]]  # the most frequent one is kept
    assert (name.features == alone).sum() == 1
    assert int(name.features.max()) == MOST_FEATURES - 1


def test_values_that_no_trained_cell_tells_apart_are_one() -> None:
    original = pl.DataFrame({"age": [1, 2, 3, 4]})
    hierarchies = {"age": ny.Schema({"age": ny.quasi()}).hierarchy("age", original["age"])}
    space = FeatureSpace.of([original], ["age"])
    read = by_text(hierarchies, original)
    halves = space.encode(pl.DataFrame({"age": ["[1, 2]", "[3, 4]", "*"]}), hierarchies, read)
    trained, tested = space.joined(halves, space.encode(original))
    assert dense(trained) == [[1, 0], [0, 1], [1, 1]]
    assert dense(tested) == [[1, 0], [1, 0], [0, 1], [0, 1]]
    overlapping = space.encode(pl.DataFrame({"age": ["[1, 3]", "[2, 4]"]}), hierarchies, read)
    trained, tested = space.joined(overlapping, space.encode(original))
    assert dense(trained) == [[1, 1, 0], [0, 1, 1]]
    assert dense(tested) == [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]


def test_shares_of_joined_values_add_up() -> None:
    original = pl.DataFrame({"town": ["a", "b", "c"]})
    hierarchies = {"town": ny.Schema({"town": ny.quasi()}).hierarchy("town", original["town"])}
    space = FeatureSpace.of([original], ["town"], "mean")
    rows = space.encode(pl.DataFrame({"town": ["{a, b}", "c", "*"]}), hierarchies, by_text(hierarchies, original))
    trained, tested = space.joined(rows, space.encode(original))
    assert np.allclose(dense(trained), [[1, 0], [0, 1], [2 / 3, 1 / 3]])
    assert dense(tested) == [[1, 0], [1, 0], [0, 1]]


def test_unknown_values_stand_for_nothing() -> None:
    space = FeatureSpace.of([pl.DataFrame({"town": ["a", "b"]})], ["town"])
    assert dense(space.encode(pl.DataFrame({"town": ["b", "z"]}))) == [[0, 1], [0, 0]]


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ParameterError, match="did you mean 'binary'"):
        FeatureSpace.of([AGES], ["age"], "binery")  # type: ignore[arg-type]
