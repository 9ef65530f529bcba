"""Stray texts: few words among numbers are told with how many cells they are; codes and names are none."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nymity as ny
from nymity.publishing import StrayTexts, stray_texts

CELLS = st.one_of(st.integers(-99, 99).map(str), st.sampled_from(["unbek.", "?", "ca. 40", "1,5", "a", "b", "c", None]))


@given(cells=st.lists(CELLS, max_size=120))
def test_they_are_what_is_no_number(cells: list[str | None]) -> None:
    filled = [cell for cell in cells if cell is not None]
    words = Counter(cell for cell in filled if re.fullmatch(r"[-+]?\d+([.,]\d+)*", cell) is None)
    found = stray_texts(pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)}), "x")
    if not words or len(words) > 5 or 10 * words.total() > len(filled):
        assert found is None
    else:
        ordered = tuple(sorted(words, key=lambda word: (-words[word], word)))
        assert found == StrayTexts(texts=ordered, cells=words.total(), of=len(filled))


@pytest.mark.parametrize("column", [[1, 2], ["A1", "A2"], [None, None], []])
def test_a_column_without_numbers_among_texts_has_none(column: list[object]) -> None:
    assert stray_texts(pl.DataFrame({"x": column}), "x") is None


def test_they_are_found_in_a_large_file_of_coded_columns(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("age\n" + "\n".join(str(number % 90) for number in range(200_000)) + "\nca. 40\nca. 40\n")
    cells = ny.Source(path=str(path)).read_valued().table
    assert stray_texts(cells, "age") == StrayTexts(texts=("ca. 40",), cells=2, of=200_002)
