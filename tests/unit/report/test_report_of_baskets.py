"""The report for the custodian of a table of persons and items, put together to one record for each person."""

from __future__ import annotations

import re

import polars as pl

import nymity as ny
from nymity.report import render_report


def test_a_table_of_persons_and_items_counts_persons_before_and_after() -> None:
    rows = [(f"p{p}", "AB"[p % 2], code) for p in range(12) for code in ("E1", "I1")]
    rows += [("gone", None, "E1"), ("gone", None, "I1")]
    source = pl.DataFrame(rows[::-1], schema=["who", "ward", "code"], orient="row")
    codes = ny.Hierarchy.from_rows([["E1", "E", "*"], ["I1", "I", "*"]])
    schema = {"who": ny.person(), "ward": ny.quasi(missing="drop"), "code": ny.items(codes)}
    release = ny.publish(source, schema, privacy=[ny.KMAnonymity(k=3, m=2)])
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", render_report(release, source)))
    assert "13 → 12" in page
    assert "Smallest class, in persons 6 → 6" in page
