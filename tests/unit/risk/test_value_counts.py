"""The quick ways of counting values find what counting each by hash finds."""

from __future__ import annotations

import datetime as dt
import random

import numpy as np
import polars as pl
import pytest

from nymity.kernels.repeats import repeating_rows
from nymity.risk import value_counts as module
from nymity.risk.value_counts import value_counts

DRAW = random.Random(31)
MANY = 400
COLUMNS = {
    "ages": pl.Series([DRAW.randrange(90) for _ in range(MANY)]),
    "small numbers": pl.Series([DRAW.randrange(-120, 120) for _ in range(MANY)], dtype=pl.Int8),
    "numbers far apart": pl.Series([DRAW.randrange(-(2**60), 2**60) for _ in range(MANY)]),
    "numbers at the end": pl.Series([2**63 - 1 - DRAW.randrange(9) for _ in range(MANY)]),
    "numbers beyond": pl.Series([2**64 - 1 - DRAW.randrange(9) for _ in range(MANY)], dtype=pl.UInt64),
    "wide numbers": pl.Series([DRAW.randrange(9) for _ in range(MANY)], dtype=pl.Int128),
    "numbers of 32 bits": pl.Series([7_000_000 + DRAW.randrange(300) for _ in range(MANY)], dtype=pl.Int32),
    "days": pl.Series([dt.date(1960, 1, 1) + dt.timedelta(DRAW.randrange(300)) for _ in range(MANY)]),
    "cents": pl.Series([DRAW.randrange(300) / 100 for _ in range(MANY)]),
    "tenths below zero": pl.Series([DRAW.randrange(-300, 3) / 10 for _ in range(MANY)]),
    "whole floats": pl.Series([float(DRAW.randrange(300)) for _ in range(MANY)]),
    "two zeros": pl.Series([DRAW.choice([0.0, -0.0, 0.25, 0.5]) for _ in range(MANY)]),
    "thirds": pl.Series([DRAW.randrange(300) / 3 for _ in range(MANY)]),
    "a third at the end": pl.Series([*[DRAW.randrange(300) / 100 for _ in range(MANY)] * 5, 1 / 3]),
    "sums that are no decimals": pl.Series([0.1 + 0.2, 0.3, *[DRAW.randrange(9) / 10 for _ in range(MANY)]]),
    "infinite": pl.Series([float("inf"), -float("inf"), *[DRAW.randrange(9) / 10 for _ in range(MANY)]]),
    "large floats": pl.Series([1e17 + DRAW.randrange(9) * 64 for _ in range(MANY)]),
    "texts": pl.Series([DRAW.choice(["a", "b", "", "ä" * 40]) for _ in range(MANY)]),
    "texts of one record": pl.Series([f"person number {i}" for i in range(MANY * 5)]),
    "nearly so": pl.Series([*[f"person number {i}" for i in range(MANY * 5)], "person number 7"]),
    "truths": pl.Series([DRAW.random() < 0.3 for _ in range(MANY)]),
    "gaps": pl.Series([DRAW.choice([None, 1, 2, 3]) for _ in range(MANY)]),
    "only gaps": pl.Series([None] * MANY, dtype=pl.Float64),
    "nothing": pl.Series([], dtype=pl.Int64),
}


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", COLUMNS)
def test_every_way_counts_the_same(name: str, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MANY", 1 if large else 10**9)
    column = COLUMNS[name].alias(name)
    found = value_counts(column)
    plain = column.drop_nulls().alias("value").value_counts(name="count")
    assert found.schema == plain.schema
    assert len(found) == len(plain)
    assert dict(found.rows()) == dict(plain.rows())


def test_no_row_that_repeats_is_taken_for_one_that_is_alone() -> None:
    for _ in range(50):
        values = [DRAW.randrange(2**64) for _ in range(DRAW.randrange(1, 60))]
        pairs = [(DRAW.choice(values), DRAW.choice(values)) for _ in range(DRAW.randrange(1, 300))]
        first, second = (np.array(one, np.uint64) for one in zip(*pairs, strict=True))
        found = set(repeating_rows(first, second).tolist())
        assert {row for row, pair in enumerate(pairs) if pairs.count(pair) > 1} <= found


def test_most_rows_that_are_alone_are_told() -> None:
    numbers = pl.Series(range(10_000))
    assert len(repeating_rows(*(numbers.hash(seed).to_numpy() for seed in (0, 1)))) < 1000
