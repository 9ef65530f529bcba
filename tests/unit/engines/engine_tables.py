"""Random tables with every type, gaps and odd texts, and a slow oracle of what engines do, in plain Python."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import nymity as ny

TEXTS = ["a", "B", "ß", "ü", "é", "é", "日本", "x\x1fy", "back\\slash", "two\nlines", '"q"', "", " ", "10", "9"]


def random_table(seed: int, rows: int = 300) -> pl.DataFrame:
    """A table whose cells are of every type that engines have."""
    draw = np.random.default_rng(seed)
    days = [date(1900 + int(n), 1, 1) + timedelta(days=int(n)) for n in range(0, 90, 9)]
    floats = [0.0, -0.0, float("nan"), 1.5, -2.25, 1e-7, 3.0]
    zone = "Europe/Berlin" if seed % 2 else "UTC"
    moments = [datetime(2020, 3, 29, 0, 30, 0, 1234, tzinfo=UTC) + timedelta(minutes=30 * n) for n in range(5)]
    columns: dict[str, pl.Series] = {
        "id": pl.Series(draw.permutation(rows)),
        "text": _of(draw, rows, pl.Series(TEXTS)),
        "^num$": _of(draw, rows, pl.Series([0, 1, 2, 3], dtype=pl.Int16)),
        "float": _of(draw, rows, pl.Series(floats)),
        "day": _of(draw, rows, pl.Series(days)),
        "big": _of(draw, rows, pl.Series([0, 2**63, 2**64 - 1], dtype=pl.UInt64)),
        "sick": _of(draw, rows, pl.Series(["flu", "cold", "Flu", "ü", ""])),
        "money": _of(draw, rows, pl.Series([Decimal("10.10"), Decimal("-0.05"), Decimal("7.00")])),
        "flag": _of(draw, rows, pl.Series([True, False])),
        "moment": _of(draw, rows, pl.Series(moments).dt.cast_time_unit("us").dt.convert_time_zone(zone)),
        "hour": _of(draw, rows, pl.Series([time(1, 2, 3), time(23, 59, 59, 999_999)])),
        "small": _of(draw, rows, pl.Series([0.5, float("nan"), -0.0], dtype=pl.Float32)),
    }
    return pl.DataFrame(columns)


def _of(draw: np.random.Generator, rows: int, values: pl.Series) -> pl.Series:
    chosen = values.gather(draw.integers(0, len(values), rows))
    return chosen.set(pl.Series(draw.random(rows) < 0.1), None) if draw.random() < 0.8 else chosen


def schema() -> ny.Schema:
    return ny.Schema(
        {
            "id": ny.identifying(),
            "text": ny.quasi(),
            "^num$": ny.quasi(ny.Hierarchy.intervals(width=2, levels=2)),
            "float": ny.quasi(),
            "day": ny.quasi(ny.Hierarchy.dates()),
            "big": ny.quasi(),
            "sick": ny.sensitive(),
            "money": ny.insensitive(),
            "flag": ny.sensitive(),
            "moment": ny.insensitive(),
            "hour": ny.insensitive(),
            "small": ny.insensitive(),
        }
    )


def in_files(table: pl.DataFrame, folder: Path, cuts: tuple[int, ...] = (70, 71)) -> Path:
    """Write a table as several Parquet files."""
    folder.mkdir()
    ends = [0, *cuts, table.height]
    for i, (start, stop) in enumerate(pairwise(ends)):
        table[start:stop].write_parquet(folder / f"part-{i}.parquet")
    return folder


def plain_cell(value: Any) -> str:
    """The text of a cell, from its definition."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value == round(value) and abs(value) < 2**53 else pl.Series([value]).cast(str)[0]
    if isinstance(value, datetime):
        since = value - datetime(1970, 1, 1, tzinfo=UTC if value.tzinfo else None)
        return str((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
    if isinstance(value, time):
        return str(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    return value.isoformat() if isinstance(value, date) else str(value)


def plain_hash(table: pl.DataFrame) -> str:
    """The hash of a table, from its definition, row by row."""
    rows: Counter[bytes] = Counter()
    for row in table.iter_rows():
        cells = [plain_cell(cell).replace("\\", "\\\\").replace("\x1f", "\\s").replace("\n", "\\n") for cell in row]
        rows["\x1f".join(cells).encode()] += 1
    digest = hashlib.sha256(f"nymity-rows-1\n{json.dumps(table.columns, ensure_ascii=False)}\n".encode())
    for text in sorted(rows):
        digest.update(text + f"\x1f{rows[text]}\n".encode())
    return digest.hexdigest()


def plain_counts(table: pl.DataFrame, columns: list[str]) -> Counter[tuple[str, ...]]:
    """How many rows there are of each combination, gaps being one value."""
    return Counter(tuple(plain_cell(cell) for cell in row) for row in table.select(pl.col(columns)).iter_rows())
