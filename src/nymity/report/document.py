"""A page in one file: contents, sections, every plot's specification, and the script that draws them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, template

#: Nothing is fetched, whatever the page holds: the browser itself is told to refuse.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
#: A page without plots runs no script at all.
_PLAIN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

PAGE = template("page.html")


def document(title: str, opening: Html, sections: Sequence[Section], figures: Figures, *, style: str = "") -> str:
    """Return a page that needs no network; ``style`` is added to what every page has."""
    page = PAGE.document(
        title,
        _POLICY,
        Html(_asset("report.css") + style),
        opening,
        sections,
        plots={"config": chart.CONFIG, "specs": figures.specs},
        scripts=[Html(chart.javascript()), Html(_asset("report.js"))],
    )
    return str(page)


def plain_document(title: str, opening: Html, sections: Sequence[Section], *, contents: bool = True) -> str:
    """Return a page without plots, which needs neither network nor script."""
    return str(PAGE.document(title, _PLAIN_POLICY, Html(_asset("report.css")), opening, sections, contents))


def _asset(name: str) -> str:
    return (files("nymity.report") / "assets" / name).read_text(encoding="utf-8")
