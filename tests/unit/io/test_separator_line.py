"""The line sep=; at the top of a text file, as spreadsheets write and read it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from nymity.core.errors import FileError, TableError
from nymity.io import ReadOptions, format_of, read_table
from nymity.table.hierarchy import Hierarchy


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line", ["sep={}", "SEP={}", '"sep={}"', "sep={}{}"])
@pytest.mark.parametrize("mark", ["", "\ufeff", "\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_it_names_the_delimiter(tmp_path: Path, delimiter: str, line: str, mark: str, end: str) -> None:
    rows = [line.format(delimiter, delimiter), delimiter.join("ab"), delimiter.join(("1.5", "x")), delimiter.join("2y")]
    path = tmp_path / "table.csv"
    path.write_text(mark + end.join(rows) + end, encoding="utf-8", newline="")
    assert read_table(path).columns == ["a", "b"]
    assert read_table(path).rows() == [(1.5, "x"), (2.0, "y")]
    assert format_of(path).found_options(path, ReadOptions()).delimiter == delimiter


def test_it_settles_what_would_be_guessed_otherwise(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("sep=;\na,b;c\n1,2;3\n", encoding="utf-8")
    assert read_table(tmp_path / "table.csv").columns == ["a,b", "c"]


def test_a_stated_delimiter_goes_first(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("sep=;\na,b;c\n1,2;3\n", encoding="utf-8")
    assert read_table(tmp_path / "table.csv", ReadOptions(delimiter=",")).columns == ["a", "b;c"]


def test_lines_are_counted_from_the_top_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("\nsep=;\n\na;b\n1;2\n1;2;3\n", encoding="utf-8")
    with pytest.raises(TableError, match="line 6"):
        read_table(tmp_path / "table.csv")
    (tmp_path / "exact.csv").write_text('sep=;\na;b\n5" x;2\n1;2;3\n', encoding="utf-8")
    with pytest.raises(TableError, match="line 4"):
        read_table(tmp_path / "exact.csv")


def test_nothing_below_it(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("sep=;\n", encoding="utf-8")
    with pytest.raises(FileError, match="an empty file"):
        read_table(tmp_path / "table.csv")


def test_other_first_lines_are_rows(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("sep=x,b\n1,2\n", encoding="utf-8")
    assert read_table(tmp_path / "table.csv").columns == ["sep=x", "b"]


def test_in_the_file_of_a_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("sep=;\n1;low;*\n9;high;*\n", encoding="utf-8")
    hierarchy = Hierarchy.read(tmp_path / "age.csv")
    assert hierarchy.rows() == [["1", "low", "*"], ["9", "high", "*"]]
    assert hierarchy.build(pl.Series(["1", "9"])).height == 2
