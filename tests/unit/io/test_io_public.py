"""What the package offers, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import nymity.io
from nymity.core.errors import ParameterError
from nymity.io import ReadOptions, WriteOptions


def test_public_names_are_exactly_these() -> None:
    assert sorted(nymity.io.__all__) == [
        "FORMATS",
        "HIDDEN_PREFIX",
        "MAX_CELL_BYTES",
        "MAX_COLUMNS",
        "RELEASED",
        "ReadOptions",
        "SUFFIXES",
        "Stage",
        "WriteOptions",
        "compact",
        "format_of",
        "found_options",
        "like",
        "neutralize",
        "read_table",
        "read_text_cells",
        "replace_file",
        "staging",
        "strip_neutralization",
        "text_cells",
        "to_polars",
        "write_table",
    ]
    assert all(getattr(nymity.io, name).__doc__ for name in nymity.io.__all__ if callable(getattr(nymity.io, name)))


def test_limits_are_the_documented_ones() -> None:
    assert nymity.io.MAX_COLUMNS == 10_000
    assert nymity.io.MAX_CELL_BYTES == 16 * 1024 * 1024


def test_importing_brings_no_optional_package() -> None:
    code = """
import sys, nymity.io as io
io.to_polars({"a": [1, None]})
heavy = {"pandas", "pyarrow", "fastexcel", "xlsxwriter", "numba"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"delimiter": ""},
        {"delimiter": ",,"},
        {"delimiter": '"'},
        {"delimiter": "\n"},
        {"delimiter": "§"},
        {"encoding": "klingon"},
        {"encoding": "hex"},
        {"header": 1},
        {"sheet": -1},
        {"sheet": 1.5},
    ],
)
def test_read_options_are_checked_at_birth(wrong: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        ReadOptions(**wrong)
    assert caught.value.where == next(iter(wrong))


@pytest.mark.parametrize("wrong", [{"delimiter": "ab"}, {"neutralize_formulas": None}])
def test_write_options_are_checked_at_birth(wrong: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        WriteOptions(**wrong)
    assert caught.value.where == next(iter(wrong))


def test_options_are_frozen_and_equal_by_value() -> None:
    assert ReadOptions(delimiter=";") == ReadOptions(delimiter=";")
    with pytest.raises(AttributeError):
        ReadOptions().delimiter = ";"  # type: ignore[misc]
