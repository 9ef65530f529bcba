"""A study's page in a real browser: every plot is drawn, and no script fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from in_browser import browser, check_drawn, opened
from nymity_lab.study.exhibit import Exhibit, Finding, Panel, Value
from nymity_lab.study.runner import StudyRun
from nymity_lab.study.study import Study
from nymity_lab.study.study_page import render_page

pytestmark = pytest.mark.browser
assert browser  # a fixture

STUDY = Study(name="s", title="S", source="T", version="1", scales={}, steps=lambda _: [], exhibits=lambda _: [])


def panel(title: str, places: list[int] | list[str], plot: str, paper: float | None = None) -> Panel:
    values = [Value(series=f"<{s}>", at=at, ours=i / 7, paper=paper) for s in "ab" for i, at in enumerate(places)]
    return Panel(title=title, across="n", measure="loss", values=tuple(values), plot=plot)  # type: ignore[arg-type]


def test_every_plot_is_drawn(browser: str, tmp_path: Path) -> None:
    panels = (
        panel("lines", [1, 10], "linear"),
        panel("logarithm, from 0", [1, 10, 100], "log"),
        panel("beside the paper", [1, 2], "linear", paper=0.5),
        panel("names", ["x", "y"], "linear"),
        panel("bars", [5], "linear"),
    )
    finding = Finding(paper="<p>", ours="o", holds=None)
    exhibit = Exhibit(number="Figure 1", title="<F>", panels=panels, findings=(finding,))
    machine = {"system": "x", "processor": "", "cores": 1, "versions": {}}
    run = StudyRun(
        study=STUDY, scale="s", exhibits=(exhibit,), steps=1, planned=1, computed=1, seconds=1.0, machines=(machine,)
    )  # fmt: skip
    (tmp_path / "study.html").write_text(render_page(run), encoding="utf-8")
    check_drawn(*opened(browser, tmp_path / "study.html", tmp_path / "profile"))
