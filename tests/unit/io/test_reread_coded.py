"""What nymity wrote comes back alike, whether a file is large enough to be read by its different cells or not."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import nymity.io.delimited as delimited_module
from nymity.io import ReadOptions, WriteOptions, reread_table, write_table

TEXT = st.one_of(
    st.none(),
    st.sampled_from(
        ["", "*", "007", "67", "67.0", "1.50", "2020-02-30", "2020-02-29", "total", "a;b", 'say "x"', "'=1"]
    ),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=5),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(TEXT, TEXT, st.one_of(st.none(), st.integers(-9, 9)), st.floats(allow_nan=False)), min_size=1)
)
def test_large_files_are_reread_as_small_ones(rows: list[tuple[object, ...]]) -> None:
    kinds = {"word": pl.String, "other": pl.String, "count": pl.Int64, "share": pl.Float64}
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        write_table(table, path, WriteOptions())
        options = ReadOptions(delimiter=",", encoding="utf-8", header=True, footer=0)
        by_text = reread_table(path, options)
        with mock.patch.object(delimited_module, "LARGE", 0):
            by_cells = reread_table(path, options)
            assert reread_table(path, options, expected=by_cells) is by_cells
            for other in _altered(by_cells):
                assert reread_table(path, options, expected=other).equals(by_cells)
    assert by_cells.schema == by_text.schema
    assert by_cells.equals(by_text)


def _altered(table: pl.DataFrame) -> list[pl.DataFrame]:
    """Return tables that a file of the table does not hold."""
    last = pl.arange(table.height, eager=True) == table.height - 1
    other = pl.when(pl.col("word").is_null()).then(pl.lit("x")).otherwise(pl.lit(None, pl.String))
    return [
        table.with_columns(word=pl.when(last).then(other).otherwise(pl.col("word").cast(pl.String))),
        table.with_columns(count=pl.col("count").cast(pl.Int32)),
        table.rename({"other": "another"}),
        table.vstack(table.tail(1)),
    ]
