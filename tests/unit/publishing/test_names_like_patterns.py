"""Columns whose names polars takes for patterns, such as ``^age$``: they are names everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import nymity as ny
from nymity.io import WriteOptions
from nymity.table.content_order import content_order

N = 60
TABLE = pl.DataFrame(
    {
        "^age$": [20 + i % 5 for i in range(N)],
        "^s.x$": ["f", "m"] * (N // 2),
        "^pay$": [float(1000 + i * 7 % 90) for i in range(N)],
        "^ill$": ["a", "b", "c"] * (N // 3),
    }
)
ROLES = {"^age$": "quasi", "^s.x$": "quasi", "^pay$": "insensitive", "^ill$": "sensitive"}
NUMBERS = {"^age$": "quasi", "^s.x$": "insensitive", "^pay$": "quasi", "^ill$": "sensitive"}
PEOPLE = TABLE.with_columns(
    pl.Series("^who$", [f"p{i}" for i in range(N)]),
    pl.Series("^day$", [date(2020, 1, 1) + timedelta(days=i) for i in range(N)]),
)
KNOWN_PEOPLE: dict[str, Any] = {
    **ROLES,
    "^who$": ny.person(pseudonym="random"),
    "^day$": ny.insensitive(shift="per person", shift_days=10),
}
LINKED = ny.LinkedKAnonymity(k=3, knows="all")
CALLS: dict[str, Callable[[], Any]] = {
    "publish": lambda: ny.publish(TABLE, ROLES, k=3),
    "mondrian": lambda: ny.publish(TABLE, ROLES, k=3, method="mondrian"),
    "swapping": lambda: ny.publish(TABLE, ROLES, k=3, transforms=[ny.RankSwapping(columns=("^pay$",))]),
    "randomized": lambda: ny.publish(TABLE, ROLES, k=3, transforms=[ny.PostRandomization(columns=("^pay$",))]),
    "rounded": lambda: ny.publish(TABLE, ROLES, k=3, transforms=[ny.Rounding(columns=("^pay$",), base=5)]),
    "attack": lambda: ny.risk.attack(ny.publish(TABLE, ROLES, k=3), TABLE),
    "report": lambda: ny.publish(TABLE, ROLES, k=3).report(TABLE),
    "recommend": lambda: ny.recommend(TABLE, ROLES),
    "means of groups": lambda: ny.publish(TABLE, NUMBERS, k=3, method="group-means"),
    "cells": lambda: ny.publish(TABLE, NUMBERS, k=3, method="cell-suppression"),
    "persons": lambda: ny.risk.attack(ny.publish(PEOPLE, KNOWN_PEOPLE, privacy=LINKED), PEOPLE),
    "perturbed": lambda: ny.risk.attack(
        ny.publish(TABLE, ROLES, k=3, transforms=[ny.AdditiveNoise(columns=("^pay$",), share=0.5)]), TABLE
    ),
    "compare": lambda: ny.compare(TABLE, ny.publish(TABLE, ROLES, k=3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_they_are_names(name: str) -> None:
    assert CALLS[name]() is not None


def test_some_rows_in_the_order_of_their_content() -> None:
    rows = pl.Series([5, 3, 0]).to_numpy()
    plain = TABLE.rename({name: f"c{i}" for i, name in enumerate(TABLE.columns)})
    assert content_order(TABLE, rows=rows).tolist() == content_order(plain, rows=rows).tolist()


def test_a_codec_of_names_is_told_as_such(tmp_path: Path) -> None:
    """``idna`` encodes names of hosts: of longer texts it says neither where nor which letter."""
    table = pl.DataFrame({"a": ["x" * 80]})
    with pytest.raises(ny.NymityError, match=r"texts that idna can write.*utf-8"):
        ny.write_table(table, tmp_path / "t.csv", WriteOptions(encoding="idna"))


def test_dates_of_pandas() -> None:
    pd = pytest.importorskip("pandas", reason="no pandas: its dates were not read")
    frame = pd.DataFrame({"^a$": pd.to_datetime(["2020-01-02", "2021-03-04"])})
    assert ny.inspect(frame)["^a$"].distinct == 2
