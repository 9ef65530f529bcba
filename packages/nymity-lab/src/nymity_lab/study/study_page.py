"""The study as one HTML page that opens offline: findings first, then each exhibit with its plots and figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from nymity.core.template import Template
from nymity.report import chart
from nymity.report.document import document
from nymity.report.markup import Figures, Html, Section
from nymity.report.page_wording import amount
from nymity_lab.study.exhibit import Cell, Exhibit, Finding, Panel, Value

if TYPE_CHECKING:
    from nymity_lab.study.runner import StudyRun

_COUNTED = {"holds": "hold", "does not hold": "do not hold", "not decided": "not decided"}
_COUNTED |= {"not comparable": "not comparable"}
_BADGES = {True: "good", False: "bad", None: "open"}
_PAGE = Template("study.html", "nymity_lab.study", "nymity.report")


def render_page(run: StudyRun) -> str:
    """Return the page of a run."""
    figures, colours = Figures(), _colours(run.exhibits)
    sections = [_section(exhibit, figures, colours) for exhibit in run.exhibits]
    style = (files("nymity_lab.study") / "assets" / "study.css").read_text(encoding="utf-8")
    return document(f"nymity study: {run.study.title}", _opening(run), sections, figures, style=style)


def _opening(run: StudyRun) -> Html:
    findings = [(exhibit, finding) for exhibit in run.exhibits for finding in exhibit.findings]
    return _PAGE.opening(
        title=run.study.title,
        source=run.study.source,
        provenance=_provenance(run),
        score=_score([finding for _, finding in findings]),
        findings=[{"anchor": _anchor(e), "number": e.number, **_finding(finding)} for e, finding in findings],
    )


def _provenance(run: StudyRun) -> str:
    machines = "; ".join(
        f"{machine['processor'] or machine['system']}, {machine['cores']} cores, "
        + ", ".join(f"{package} {number}" for package, number in machine["versions"].items())
        for machine in run.machines
    )
    steps = f"{run.steps} steps" if run.steps == run.planned else f"only {run.steps} of {run.planned} steps"
    return f"Scale {run.scale}: {steps}, {run.seconds:,.0f} seconds of work. Made on {machines}."


def _score(findings: Sequence[Finding]) -> str:
    verdicts = [finding.verdict for finding in findings]
    return ", ".join(f"{verdicts.count(verdict)} {words}" for verdict, words in _COUNTED.items() if verdict in verdicts)


def _section(exhibit: Exhibit, figures: Figures, colours: dict[str, str]) -> Section:
    drawn = [_figure(panel, figures, colours) for panel in exhibit.panels if panel.plot != "none"]
    tables = [_table(panel) for panel in exhibit.panels if panel.plot != "points"]
    findings = [_finding(finding) for finding in exhibit.findings]
    return Section(
        anchor=_anchor(exhibit),
        title=f"{exhibit.number}: {exhibit.title}",
        short=exhibit.number,
        parts=(_PAGE.exhibit(findings, drawn, tables, exhibit.notes),),
    )


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "paper": finding.paper,
        "ours": finding.ours,
        "verdict": finding.verdict,
        "kind": _BADGES[finding.holds],
    }


# -- panels ----------------------------------------------------------------------------------------------------


def _figure(panel: Panel, figures: Figures, colours: dict[str, str]) -> Html:
    marks = list(_marks(panel))
    places = {mark.at for mark in marks}
    if len(places) == 1 and len(marks) > 1:
        caption = f"{panel.measure}; {panel.across}: {_written(places.pop())}"
        return figures.add(chart.series_bars(marks, measure=panel.measure), caption, heading=panel.title)
    used, log = {mark.series: colours[mark.series] for mark in marks}, panel.plot == "log"
    if panel.plot == "points":
        spec = chart.series_points(marks, across=panel.across, measure=panel.measure, colours=used)
        return figures.add(spec, f"{panel.measure} by {panel.across}", heading=panel.title)
    spec = chart.series_lines(marks, across=panel.across, measure=panel.measure, colours=used, log=log)
    caption = f"{panel.measure} by {panel.across}" + (", logarithmic scale" if log else "")
    return figures.add(spec, caption, heading=panel.title)


def _marks(panel: Panel) -> Iterable[chart.Mark]:
    """Our numbers as points, and the paper's, where it gives numbers, as series of their own."""
    for value in panel.values:
        for series, number in ((value.series, value.ours), (f"{value.series}, paper", value.paper)):
            if isinstance(number, int | float):
                yield chart.Mark(series=series, at=value.at, value=number)


def _colours(exhibits: Iterable[Exhibit]) -> dict[str, str]:
    """Give each series one colour on the whole page."""
    panels = [panel for exhibit in exhibits for panel in exhibit.panels if panel.plot != "none"]
    series = dict.fromkeys(mark.series for panel in panels for mark in _marks(panel))
    return {name: chart.SERIES[i % len(chart.SERIES)] for i, name in enumerate(series)}


def _table(panel: Panel) -> Html:
    """Beside the paper's values each of ours has a row; without, a series is a column."""
    if panel.compares:
        rows = [(v.at, v.series, v.paper, v.ours, v.difference) for v in panel.values]
        return _columns(panel.title, (panel.across, "", "paper", "ours", "difference"), rows)
    series = list(dict.fromkeys(value.series for value in panel.values))
    known = {(value.at, value.series): value for value in panel.values}
    places = dict.fromkeys(value.at for value in panel.values)
    return _columns(
        panel.title, (panel.across, *series), [(at, *(_ours(known.get((at, s))) for s in series)) for at in places]
    )


def _columns(title: str, names: Sequence[str], rows: Iterable[Sequence[Cell | None]]) -> Html:
    return _PAGE.figures(title, names, [[(_alignment(cell), _written(cell)) for cell in row] for row in rows])


def _ours(value: Value | None) -> Cell | None:
    return None if value is None else value.ours


def _written(cell: Cell | None) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, int):
        return f"{cell:,}"
    return amount(cell) if isinstance(cell, float) else cell


def _alignment(cell: Cell | None) -> str:
    return "number" if isinstance(cell, int | float) else "words"


def _anchor(exhibit: Exhibit) -> str:
    return re.sub("[^a-z0-9]+", "-", exhibit.number.lower())
