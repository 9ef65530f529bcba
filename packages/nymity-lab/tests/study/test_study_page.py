"""What a study leaves behind for readers: exhibits as data, and the page."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import altair
import pytest
from toy_study import TOY, exhibits

from nymity.report import chart
from nymity_lab.study.exhibit import Exhibit, Finding, Value
from nymity_lab.study.runner import StudyRun
from nymity_lab.study.study import Results
from nymity_lab.study.study_page import render_page

ROWS = [{"number": n, "square": n * n, "root": n**0.5} for n in range(4)]
MACHINE = {"system": "Linux", "processor": "", "cores": 2, "versions": {"python": "3.11"}}


@pytest.fixture(scope="module")
def made() -> tuple[Exhibit, ...]:
    return tuple(exhibits(Results(scale="smoke", by_step={"square.all": ROWS})))


@pytest.fixture(scope="module")
def page(made: tuple[Exhibit, ...]) -> str:
    run = StudyRun(
        study=TOY, scale="smoke", exhibits=made, steps=4, planned=4, computed=4, seconds=2.0, machines=(MACHINE,)
    )  # fmt: skip
    return render_page(run)


@pytest.mark.parametrize(
    ("ours", "paper", "difference"),
    [
        (9, 8, 1),
        (0.5, 1.0, -0.5),
        ("[1, 2]", "[1, 2]", "same"),
        ("a", "b", "differs"),
        (3, None, None),
        (None, 3, None),
    ],
)
def test_differences(ours: int | None, paper: int | None, difference: object) -> None:
    assert Value(series="", at=1, ours=ours, paper=paper).difference == difference


def test_verdicts() -> None:
    assert [Finding(paper="", ours="", holds=holds).verdict for holds in (True, False, None)] == [
        "holds",
        "does not hold",
        "not decided",
    ]


def test_an_exhibit_as_plain_data(made: tuple[Exhibit, ...]) -> None:
    plain = json.loads(json.dumps(made[0].to_dict()))
    assert plain["number"] == "Table 1"
    assert plain["findings"] == [
        {"paper": "Squares grow.", "ours": "up to 9", "holds": True, "comparable": True, "verdict": "holds"}
    ]
    assert plain["panels"][0]["values"][3] == {"series": "square", "at": 3, "ours": 9, "paper": 8, "difference": 1}
    assert plain["panels"][1]["values"][0]["difference"] is None


class Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.specs = ""
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = "plots" if ("id", "plots") in attrs else tag
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data: str) -> None:
        if self.inside == "plots":
            self.specs += data
        elif self.inside in ("td", "th") and data.strip():
            self.rows[-1].append(data)


def test_the_page_shows_the_papers_values_beside_ours(page: str) -> None:
    text = Text()
    text.feed(page)
    assert ["n", "paper", "ours", "difference"] in text.rows
    assert ["3", "square", "8", "9", "1"] in text.rows
    assert ["n", "root"] in text.rows  # nothing to compare with: a series is a column
    assert ["2", "1.414"] in text.rows
    assert "Squares &amp; roots" in page
    assert "(a) &lt;squares&gt;" in page
    assert '<span class="badge good">holds</span>' in page
    assert "Their 3 squared is 8." in page
    assert "http" not in page[: page.index("<script")].replace("http-equiv", "")


def test_its_plots_are_valid_and_the_paper_is_a_series(page: str) -> None:
    text = Text()
    text.feed(page)
    specs = json.loads(text.specs)["specs"]
    assert len(specs) == 2
    for spec in specs:
        spec = {key: value for key, value in spec.items() if key != "description"}
        altair.LayerChart.from_dict(spec, validate=True)
    drawn = [(row["s"], row["x"], row["y"]) for row in specs[0]["data"]["values"]]
    assert ("square, paper", 3, 8) in drawn
    assert ("square", 0, 0) not in drawn  # no logarithm of 0
    assert len(drawn) == 5


def test_bars_and_named_places_are_valid_plots() -> None:
    marks = [chart.Mark(series=name, at="all", value=value) for name, value in (("a", 2.0), ("b", 0.0))]
    altair.LayerChart.from_dict(chart.series_bars(marks, measure="loss"), validate=True)
    lines = chart.series_lines(marks, across="x", measure="y", colours={"a": "red", "b": "blue"}, log=False)
    altair.LayerChart.from_dict(lines, validate=True)
    assert lines["layer"][0]["encoding"]["x"]["type"] == "nominal"
