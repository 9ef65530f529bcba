"""Preview: the first rows are those that reading all of it would give."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from nymity.core.errors import InputError
from nymity.io import ReadOptions, read_preview, read_table
from nymity.io import preview as module


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "long.csv"
    rows = (f'{i};"a ""note""\nof two lines";{i % 7},5\n' for i in range(20_000))
    path.write_text("n;note;x\n" + "".join(rows))
    assert path.stat().st_size > module._HEAD
    return path


def test_the_first_rows_are_those_of_the_whole(long: Path) -> None:
    options = ReadOptions(decimal=",")
    seen = read_preview(long, options, rows=20)
    assert seen.equals(read_table(long, options).head(20))
    assert seen["x"].dtype == pl.Float64


def test_other_formats_are_read_whole(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": range(100)})
    table.write_parquet(tmp_path / "t.parquet")
    assert read_preview(tmp_path / "t.parquet", ReadOptions(), rows=3).equals(table.head(3))


def test_errors_speak_of_the_file_itself(long: Path) -> None:
    with pytest.raises(InputError) as told:
        read_preview(long, ReadOptions(encoding="utf-16"))
    assert "long.csv" in told.value.where
    assert "head.csv" not in str(told.value)


def test_a_line_longer_than_what_is_read_is_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_HEAD", 8)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n5,6\n")
    assert read_preview(path, ReadOptions(header=True)).rows() == [(1, 2)]
