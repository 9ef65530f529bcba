"""What the package offers, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from nymity.core.errors import ParameterError
from nymity.io import ReadOptions, WriteOptions
from nymity.io.limits import MAX_CELL_BYTES, MAX_COLUMNS


def test_limits_are_the_documented_ones() -> None:
    assert MAX_COLUMNS == 10_000
    assert MAX_CELL_BYTES == 16 * 1024 * 1024


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
