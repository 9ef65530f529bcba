"""Tables of the pages on our own results are what is kept of the runs, to the last digit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl

STUDIES = Path(__file__).parents[4] / "docs" / "studies"
TASKS = ("US Census 1", "US Census 2")
ENDS = ("", ", from", ", to")


def test_every_row_on_the_budget_of_the_search_is_of_the_run() -> None:
    found = kept("safepub", "Beyond the paper, budget")
    searches = sorted({at for series, at in found if series.startswith("one draw")}, key=float)
    page = read("search-budget.md")
    for form, at in (("as published", "0.1"), *(("one draw", at) for at in searches)):
        row = " | ".join(told(*(found[f"{form}, {task}{end}", at] for end in ENDS)) for task in TASKS)
        assert re.search(rf"{at} \| {re.escape(row)} \|", page), (form, at, row)


def test_every_figure_on_what_truthfulness_costs_is_of_the_run() -> None:
    found = kept("truthfulness", "Beyond the paper")
    page = read("truthfulness.md")
    measured = [(series, at) for series, at in found if (series, f"{at}{ENDS[1]}") in found]
    assert len(measured) == 3 * 4
    for series, at in measured:
        mean, low, high = (found[series, f"{at}{end}"] for end in ENDS)
        assert any(f"| {cell} |" in page for cell in (told(mean, low, high), f"{mean:.3f}")), (
            series,
            at,
            mean,
            low,
            high,
        )


def test_every_row_of_exact_optima_is_of_the_run() -> None:
    steps = pl.read_parquet(STUDIES / "records" / "steps" / "exact-optima.parquet")
    rows = [row for text in steps["rows"] for row in json.loads(text)]
    page = read("exact-optima.md")
    methods = ("split & carry, S=3", "split & carry, S=5", "greedy search")
    for row in rows:
        proved = "yes" if row["proved"] else f"gap {row['gap']:.2%}"
        cells = [f"{row['loss']:.2f}", proved, f"{row['seconds']:.1f}", f"{row['nodes']:,}"]
        cells += [f"{row['losses'][method] / row['loss']:.3f}" for method in methods]
        draw = ("first", "second", "third")[row["draw"]]
        assert f"| {row['n']}, {row['k']}, {draw} | {' | '.join(cells)} |" in page
    assert f"{sum(row['proved'] for row in rows)} of {len(rows)} are proved" in page


def kept(study: str, exhibit: str) -> dict[tuple[str, str], float]:
    """Return our values of an exhibit by series and place."""
    values = pl.read_parquet(STUDIES / "records" / f"{study}.parquet").filter(exhibit=exhibit)
    return {(series, at): value for series, at, value in values.select("series", "at", "ours").iter_rows()}


def read(page: str) -> str:
    """Return a page without what makes letters bold, and with the minus that programs write."""
    return (STUDIES / page).read_text(encoding="utf-8").replace("*", "").replace("\N{MINUS SIGN}", "-")


def told(mean: float, low: float, high: float) -> str:
    """Write a mean with its interval as pages do."""
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"
