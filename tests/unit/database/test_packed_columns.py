"""Tables compared with what a server holds without reading rows: equal is said of equal tables, and of no others."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.database import TableWriter
from nymity.database.database_kind import quoted
from nymity.database.packed_columns import PackedColumns
from postgres import Server

ROWS = 500
CELLS = pl.DataFrame(
    {
        "text": [f"Köln {i % 7}" for i in range(ROWS)],
        'a "name"; $1 ? %s': ["" if i % 3 else None for i in range(ROWS)],
        "gaps": [None if i % 5 == 0 else "x\x03" for i in range(ROWS)],
        "none": pl.Series([None] * ROWS, dtype=pl.String),
        "whole": [i - 250 if i % 11 else None for i in range(ROWS)],
        "number": [(-1) ** i * i / 7 for i in range(ROWS)],
        "odd": [(float("inf"), float("-inf"), -0.0, 1e-300)[i % 4] for i in range(ROWS)],
        "truth": [i % 2 == 0 for i in range(ROWS)],
        "day": [date(1890 + i % 200, 1 + i % 12, 1) for i in range(ROWS)],
        "time": [datetime(1999 + i % 3, 1, 2, 3, 4, 5, i) for i in range(ROWS)],
        "zoned": [datetime(1999 + i % 3, 1, 2, 3, 4, 5, i, tzinfo=UTC) for i in range(ROWS)],
    }
)


def held(server: Server, cells: pl.DataFrame, *changes: str) -> bool | None:
    """Write a table, change it, and compare."""
    output = ny.DatabaseOutput(url=server.url(server.new_database()), table="t")
    with TableWriter(output) as writer:
        assert writer.put("t", cells, "", {}).equals(cells)
        for change in changes:
            writer.session.run(change)
        return writer.session.kind.holds(writer.session, quoted("t"), cells)


@pytest.mark.parametrize("blocks", [1, 3, 16_384])
def test_what_was_written_is_held(server: Server, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    monkeypatch.setattr("nymity.database.postgresql._BLOCKS", blocks)
    assert held(server, CELLS) is True
    assert held(server, CELLS, "DELETE FROM t WHERE whole = 249") is False


@pytest.mark.parametrize("column", CELLS.columns)
def test_one_other_cell_is_seen(server: Server, column: str) -> None:
    """In its place: what moves to the end of a table comes in another order, and is seen by that already."""
    place, there = quoted(column), CELLS[column].drop_nulls()
    other = "NULL" if len(there) else "'x'"
    columns = ", ".join(
        f"CASE WHEN n = 77 THEN {other} ELSE {place} END AS {place}" if name == column else quoted(name)
        for name in CELLS.columns
    )
    assert held(
        server,
        CELLS,
        f"CREATE TABLE u AS SELECT {columns} FROM (SELECT *, row_number() OVER (ORDER BY ctid) AS n FROM t) AS x "
        "ORDER BY n",
        "DROP TABLE t",
        "ALTER TABLE u RENAME TO t",
    ) is (CELLS[column][76] is None and other == "NULL")


@pytest.mark.parametrize(
    ("cells", "change"),
    [
        ({"a": ["x", "y"]}, "UPDATE t SET a = a || chr(1)"),
        ({"a": ["x", "y", None]}, "UPDATE t SET a = coalesce(a, '')"),
        ({"a": ["x", "y", None]}, "UPDATE t SET a = coalesce(a, chr(2))"),  # as one that is missing is asked for
        ({"a": ["x", None, "y"]}, "UPDATE t SET a = CASE WHEN a = 'x' THEN NULL ELSE coalesce(a, 'x') END"),
        ({"a": ["x", "y"]}, "UPDATE t SET a = CASE a WHEN 'x' THEN 'x' || chr(1) || 'y' ELSE NULL END"),
        ({"a": ["x", "\x02"]}, "UPDATE t SET a = nullif(a, chr(2))"),
        ({"a": ["x", "y"]}, "UPDATE t SET a = CASE a WHEN 'x' THEN 'x' || chr(1) || 'y' END"),
        ({"a": ["x", "y"], "b": ["1", "2"]}, "UPDATE t SET a = b, b = a"),
        ({"a": [1, 2]}, "UPDATE t SET a = a + 256"),
        ({"a": [1, None, 2]}, "UPDATE t SET a = CASE WHEN a = 1 THEN NULL ELSE coalesce(a, 1) END"),
        ({"a": ["x", "y"]}, "INSERT INTO t VALUES (NULL)"),
        ({"a": [1, 2]}, "INSERT INTO t VALUES (NULL)"),
    ],
)
def test_what_looks_alike_is_not_taken_for_it(server: Server, cells: dict[str, Any], change: str) -> None:
    assert held(server, pl.DataFrame(cells), change) is False


def test_what_cannot_be_told_is_read(server: Server) -> None:
    assert held(server, pl.DataFrame({"a": ["x\x02", None]})) is False
    assert held(server, pl.DataFrame({"a": ["x\x01y", "z"]})) is False  # and yet written, and read back as it is
    assert held(server, pl.DataFrame({"a": ["x" * 3000]})) is None
    assert PackedColumns.of(pl.DataFrame({"a": pl.Series([], dtype=pl.String)})) is None
