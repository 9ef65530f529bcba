"""The fast reader against the standard library's, and lossless types."""

from __future__ import annotations

import csv
import io
import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nymity.core.errors import TableError
from nymity.io import ReadOptions, read_table, reread_table, write_table
from nymity.io.lossless import typed
from nymity.io.scan import Scanner

#: Pieces that make trouble in delimited text.
PIECES = st.sampled_from([",", "\n", "\r\n", "\r", '"', '""', "a", "b", " ", "é", "1", ",,", "\n\n"])
CELLS = st.lists(PIECES, max_size=4).map("".join)


def read_text(text: str, **options: Any) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        return read_table(path, ReadOptions(delimiter=",", encoding="utf-8", header=False, **options))


def oracle(text: str) -> list[tuple[str | None, ...]] | None:
    """Rows as the standard library reads them, or None where the text is malformed or ragged."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        return None
    while rows and not rows[0]:
        del rows[0]
    width = len(rows[0])
    if width > 1:
        rows = [row for row in rows if row]
    rows = [row or [""] for row in rows]
    return None if any(len(row) != width for row in rows) else [tuple(cell or None for cell in row) for row in rows]


def outline_of(text: str, size: int) -> Any:
    scanner, content = Scanner("t", ","), text.encode()
    for start in range(0, len(content), size):
        scanner.feed(content[start : start + size])
    return scanner.finish()


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=30).map("".join).filter(lambda text: text.strip("\r\n")))
def test_any_text_is_read_like_the_oracle_or_refused(text: str) -> None:
    expected = oracle(text)
    if expected is None:
        with pytest.raises(TableError):
            read_text(text)
        return
    cells = read_text(text).select(pl.all().cast(pl.String)).rows()
    assert cells == expected


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1)),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 9),
)
def test_well_formed_text_is_regular_however_it_is_cut(rows: Any, end: Any, size: Any) -> None:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    outline = outline_of(buffer.getvalue(), size)
    assert (outline.regular, outline.rows, outline.fields, outline.gaps) == (True, len(rows), len(rows[0]), False)
    expected = [tuple(cell or None for cell in row) for row in rows]
    assert read_text(buffer.getvalue()).select(pl.all().cast(pl.String)).rows() == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=40).map("".join), st.integers(1, 7))
def test_the_scan_does_not_depend_on_how_text_is_cut(text: str, size: Any) -> None:
    def outcome(step: Any) -> Any:
        try:
            outline = outline_of(text, step)
        except TableError as error:
            return str(error)
        return outline if outline.regular else "irregular"

    whole, cut = outcome(10_000), outcome(size)
    # A chunk with a stray quote is given up as a whole, so only finer cuts may see a ragged row before it.
    assert cut == whole or (whole == "irregular" and "fields as in the first row" in str(cut))


def test_many_quoted_rows_across_parallel_parts() -> None:
    rows = [(str(i), f'line\n"{i}", and\r\nmore' if i % 3 else "") for i in range(60_000)]
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    table = read_text(buffer.getvalue())
    assert table["column_1"].to_list() == list(range(60_000))
    assert table["column_2"].to_list() == [text or None for _, text in rows]


# --- types


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["1", "-20", None, "0"], pl.Int64),
        (["9223372036854775807", "-9223372036854775808"], pl.Int64),
        (["9223372036854775808"], pl.String),
        (["007", "8"], pl.String),
        (["+5"], pl.String),
        (["-0", "1.5"], pl.Float64),
        (["1e3"], pl.String),
        ([" 1"], pl.String),
        (["1_000"], pl.String),
        (["1,5"], pl.String),
        (["1.5", "-2.25", "0.1", None], pl.Float64),
        (["67.0", "34.0", None], pl.Int64),
        (["67.0", "67"], pl.Int64),
        (["1.0", "2.5"], pl.Float64),
        (["1.50", "10.00"], pl.Float64),
        (["1.10", "1.1"], pl.String),
        (["1.10", "1.1", "1"] * 300, pl.String),
        (["1", "1.5"], pl.Float64),
        (["1e-05", "0.5", "1e+05"], pl.Float64),
        (["5E1", "2E2"], pl.String),
        (["1234567890123456.5"], pl.String),
        (["00.5"], pl.String),
        (["1.", ".5"], pl.String),
        (["NaN", "1.5"], pl.String),
        (["inf"], pl.String),
        (["0.1000000000000000055"], pl.String),
        (["2020-02-29", None], pl.Date),
        (["2020-02-30"], pl.String),
        (["2020-1-1"], pl.String),
        (["2020-01-01 00:00:00"], pl.String),
        (["01.02.2020"], pl.String),
        (["true", "false"], pl.String),
        ([None, None], pl.String),
        ([], pl.String),
        (["1"] * 300 + ["01"], pl.String),
        (["1"] * 300 + [None, "2"], pl.Int64),
    ],
)
def test_a_type_is_given_only_where_no_value_is_lost(cells: Any, dtype: Any) -> None:
    assert typed(pl.DataFrame({"a": pl.Series(cells, dtype=pl.String)})).schema["a"] == dtype


@pytest.mark.parametrize("cells", [["67.0", "34.5"], ["1.0"], ["1.50"], ["1", "1.5"], ["-0"], ["1e-05"]])
def test_what_nymity_wrote_is_typed_only_where_no_text_is_lost(cells: list[str]) -> None:
    assert typed(pl.DataFrame({"a": cells}), exactly=True)["a"].to_list() == cells


NUMBERLIKE = st.one_of(
    st.integers().map(str),
    st.floats().map(repr),
    st.dates(min_value=date(1, 1, 1)).map(str),
    st.text(alphabet="0123456789+-.eE", max_size=6),
    st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(NUMBERLIKE, NUMBERLIKE), min_size=1, max_size=5))
def test_what_was_written_is_read_and_written_back_to_the_same_text(rows: Any) -> None:
    text = "".join(f"x,{a},{b}\n" for a, b in [("p", "q"), *rows])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        write_table(reread_table(path, ReadOptions(delimiter=",", header=True)), path)
        back = path.read_text(encoding="utf-8").replace("'", "")
        assert back == text


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBERLIKE, min_size=1, max_size=5))
def test_a_number_that_was_read_is_the_one_that_stands_there(cells: list[str]) -> None:
    read = typed(pl.DataFrame({"a": pl.Series(cells, dtype=pl.String)}))["a"]
    if read.dtype.is_numeric():
        assert [Decimal(str(value)) for value in read] == [Decimal(repr(float(cell))) for cell in cells] or [
            Decimal(value) for value in read
        ] == list(map(Decimal, cells))
    else:
        assert read.cast(pl.String).to_list() == cells
