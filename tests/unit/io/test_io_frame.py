"""Frames of every kind, in and out."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from nymity.core.errors import InputError, TableError
from nymity.io import like, to_polars

TABLE = pl.DataFrame({"name": ["Anna", None, "Bob"], "age": [34, 35, None], "size": [1.5, None, 2.0]})


class Stream:
    """Streams Arrow data and is nothing else."""

    def __init__(self, content: Any) -> None:
        self.content = content

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.content.__arrow_c_stream__(requested_schema)


FRAMES = {
    "polars": TABLE,
    "lazy": TABLE.lazy(),
    "pandas": TABLE.to_pandas().assign(age=pd.array([34, 35, None], dtype="Int64")),
    "pyarrow": TABLE.to_arrow(),
    "stream": Stream(TABLE),
    "dict": TABLE.to_dict(as_series=False),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_becomes_the_same_table(kind: Any) -> None:
    assert_frame_equal(to_polars(FRAMES[kind]), TABLE)


@pytest.mark.parametrize("kind", [kind for kind in FRAMES if kind != "stream"])
def test_the_callers_kind_comes_back(kind: Any) -> None:
    back = like(FRAMES[kind], TABLE)
    assert type(back) is type(FRAMES[kind])
    assert_frame_equal(to_polars(back), TABLE, check_dtypes=kind != "pandas")


def test_a_stream_of_unknown_kind_gets_polars_back() -> None:
    assert like(FRAMES["stream"], TABLE) is TABLE


def test_a_polars_table_is_not_copied_or_changed() -> None:
    assert to_polars(TABLE) is TABLE


def test_pandas_index_never_leaks() -> None:
    frame = pd.DataFrame({"age": [1, 2]}, index=pd.Index(["secret", "names"], name="who"))
    assert to_polars(frame).columns == ["age"]
    back = like(frame, to_polars(frame))
    assert isinstance(back.index, pd.RangeIndex)
    assert (list(back.columns), back.index.name) == (["age"], None)


def test_pandas_types() -> None:
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["b", None, "a"]),
            "coded": pd.Categorical([3, None, 1]),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "gaps": [1.0, np.nan, 2.5],
            "truth": pd.array([True, None, False], dtype="boolean"),
            "object": pd.Series(["x", None, np.nan], dtype=object),
            "mixed": pd.Series([1, "x", pd.NA], dtype=object),
            "numbers": pd.Series([1, 2.5, None], dtype=object),
            "day": pd.Series([date(2020, 1, 1), None, pd.NaT], dtype=object),
        }
    ).set_axis([5, 5, 7])
    expected = {
        "category": ["b", None, "a"],
        "coded": [3, None, 1],
        "nullable": [1, None, 3],
        "gaps": [1.0, None, 2.5],
        "truth": [True, None, False],
        "object": ["x", None, None],
        "mixed": ["1", "x", None],
        "numbers": [1.0, 2.5, None],
        "day": [date(2020, 1, 1), None, None],
    }
    table = to_polars(frame)
    assert table.to_dict(as_series=False) == expected
    assert (table.schema["category"], table.schema["nullable"], table.schema["day"]) == (pl.String, pl.Int64, pl.Date)


def test_pandas_subclasses_and_empty_frames() -> None:
    class Special(pd.DataFrame):
        pass

    assert to_polars(Special({"a": [1]})).rows() == [(1,)]
    assert to_polars(pd.DataFrame({"a": [], "b": []})).shape == (0, 2)


def test_polars_categories_become_their_values() -> None:
    frame = pl.DataFrame(
        {"c": pl.Series(["x", None], dtype=pl.Categorical), "e": pl.Series(["u", "v"], dtype=pl.Enum(["u", "v"]))}
    )
    for kind in (frame, frame.lazy(), frame.to_arrow()):
        table = to_polars(kind)
        assert table.dtypes == [pl.String, pl.String]
        assert table.rows() == [("x", "u"), (None, "v")]


def test_dict_columns() -> None:
    table = to_polars(
        {
            "mixed": [1, "x", None],
            "truths": [True, "x", 2.0],
            "numbers": [1, 2.5, None],
            "array": np.array([1, 2, 3]),
            "range": range(3),
            "exact": [Decimal("1.50"), "x", None],
        }
    )
    assert table.to_dict(as_series=False) == {
        "mixed": ["1", "x", None],
        "truths": ["true", "x", "2"],
        "numbers": [1.0, 2.5, None],
        "array": [1, 2, 3],
        "range": [0, 1, 2],
        "exact": ["1.50", "x", None],
    }


@pytest.mark.parametrize(
    ("frame", "part"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' twice"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "'1' twice"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "'a' twice"),
        ({1: [1], "1": [2]}, "'1' twice"),
        ({"a": [1, 2], "b": [1]}, "'a': 2, 'b': 1"),
        ({"a": "text"}, "str"),
        ({"a": 5}, "int"),
        (pd.DataFrame({("a", "b"): [1]}), "2 levels"),
        (pl.LazyFrame({"a": [1]}).select("absent"), "absent"),
    ],
)
def test_unusable_tables_are_refused(frame: Any, part: Any) -> None:
    with pytest.raises(TableError) as caught:
        to_polars(frame)
    assert part in caught.value.got


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        (None, "builtins.NoneType"),
        ([1, 2], "builtins.list"),
        ("people.csv", "the text 'people.csv'"),
        (pl.Series([1]), "polars.series.series.Series"),
        (pd.Series([1]), "Series"),
        (Stream(pl.Series([1])), "Stream"),
        (np.zeros((2, 2)), "numpy.ndarray"),
    ],
)
def test_other_types_are_named(frame: Any, name: str) -> None:
    with pytest.raises(InputError) as caught:
        to_polars(frame)
    assert caught.value.got.endswith(name)


def test_like_refuses_other_types() -> None:
    with pytest.raises(InputError, match=r"builtins\.int"):
        like(3, TABLE)


def test_pandas_is_not_imported_for_polars_and_dicts() -> None:
    code = """
import sys, polars as pl
from nymity.io import like, to_polars
for frame in (pl.DataFrame({"a": ["x"]}), pl.LazyFrame({"a": ["x"]}), {"a": ["x"]}):
    like(frame, to_polars(frame))
try:
    to_polars(object())
except ValueError:
    pass
assert not {"pandas", "pyarrow"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


class _Broken:
    """Says that it streams Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise RuntimeError("no")


@pytest.mark.parametrize("frame", [_Broken(), _Broken, pl.DataFrame, pd.DataFrame])
def test_what_cannot_stream_and_classes_are_refused(frame: object) -> None:
    with pytest.raises(InputError):
        to_polars(frame)
