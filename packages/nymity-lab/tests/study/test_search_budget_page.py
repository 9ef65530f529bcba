"""The table of the page on the search's part of epsilon is what is kept of the run, to the digit."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

STUDIES = Path(__file__).parents[4] / "docs" / "studies"
TASKS = ("US Census 1", "US Census 2")


def test_every_row_of_the_table_is_of_the_run() -> None:
    kept = pl.read_parquet(STUDIES / "records" / "safepub.parquet").filter(exhibit="Beyond the paper, budget")
    found = {(series, at): value for series, at, value in kept.select("series", "at", "ours").iter_rows()}
    page = (STUDIES / "search-budget.md").read_text(encoding="utf-8").replace("*", "")
    searches = sorted({at for series, at in found if series.startswith("one draw")}, key=float)
    for form, at in (("as published", "0.1"), *(("one draw", at) for at in searches)):
        ends = [[found[f"{form}, {task}{end}", at] for end in ("", ", from", ", to")] for task in TASKS]
        told = " | ".join(f"{middle:.3f} ({low:.3f} to {high:.3f})" for middle, low, high in ends)
        assert re.search(rf"{at} \| {re.escape(told)} \|", page), (form, at, told)
