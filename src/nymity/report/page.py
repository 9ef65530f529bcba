"""The report as one page: sections in reading order, every plot's specification, and the script that draws them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from nymity.io import replace_file, to_polars
from nymity.publish.release import Release
from nymity.report import chart
from nymity.report.certificate import certificate_section
from nymity.report.class_size import class_size_section
from nymity.report.distribution import distribution_section
from nymity.report.headline import headline
from nymity.report.ladder import ladder_section
from nymity.report.loss import loss_section
from nymity.report.markup import Figures, Html, Section, element, script_data
from nymity.report.overview import overview_section
from nymity.report.risk import risk_section
from nymity.report.search import search_section
from nymity.report.subject import Subject

_SECTIONS = (
    overview_section,
    ladder_section,
    class_size_section,
    distribution_section,
    loss_section,
    search_section,
    risk_section,
    certificate_section,
)

#: Nothing is fetched, whatever the page holds: the browser itself is told to refuse.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"


def render_report(release: Release, original: Any) -> str:
    """Return the report on a release as one HTML page that needs no network.

    ``original`` is the table the release was made from, in any kind of frame; it is checked against the certificate.
    The page shows aggregates of the original (never a record, and no category of fewer records than the promise
    protects), so it is for the custodian. The same release and table give the same page.
    """
    subject = Subject.of(release, to_polars(original))
    figures = Figures()
    opening = headline(subject)
    sections = [section(subject, figures) for section in _SECTIONS]
    body = element(
        "body",
        element("div", _contents(sections), element("main", opening, *map(_rendered, sections)), class_="page"),
        script_data("plots", {"config": chart.CONFIG, "specs": figures.specs}),
        element("script", Html(chart.javascript())),
        element("script", Html(_asset("report.js"))),
    )
    return f'<!doctype html>\n<html lang="en">\n{_head()}\n{body}\n</html>\n'


def write_report(release: Release, original: Any, path: str | Path) -> None:
    """Render the report and put it at ``path``; an earlier file there is replaced only by a whole new one."""
    page = render_report(release, original)
    replace_file(path, lambda place: _write(place, page))


def _write(path: Path, page: str) -> None:
    path.write_text(page, encoding="utf-8", newline="\n")


def _head() -> Html:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="robots", content="noindex"),
        element("title", "nymity report"),
        element("style", Html(_asset("report.css"))),
    )


def _contents(sections: list[Section]) -> Html:
    links = [element("li", element("a", section.short, href=f"#{section.anchor}")) for section in sections]
    return element("nav", element("ol", *links), aria_label="Contents")


def _rendered(section: Section) -> Html:
    return element("section", element("h2", section.title), *section.parts, id=section.anchor)


def _asset(name: str) -> str:
    return (files("nymity.report") / "assets" / name).read_text(encoding="utf-8")
