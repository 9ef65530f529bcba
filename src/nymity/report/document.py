"""A page in one file: contents, sections, every plot's specification, and the script that draws them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from nymity.report import chart
from nymity.report.markup import Figures, Html, Section, element, script_data

#: Nothing is fetched, whatever the page holds: the browser itself is told to refuse.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
#: A page without plots runs no script at all.
_PLAIN_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def document(title: str, opening: Html, sections: Sequence[Section], figures: Figures, *, style: str = "") -> str:
    """Return a page that needs no network; ``style`` is added to what every page has."""
    body = element(
        "body",
        element("div", _contents(sections), element("main", opening, *map(_rendered, sections)), class_="page"),
        script_data("plots", {"config": chart.CONFIG, "specs": figures.specs}),
        element("script", Html(chart.javascript())),
        element("script", Html(_asset("report.js"))),
    )
    return f'<!doctype html>\n<html lang="en">\n{_head(title, style, _POLICY)}\n{body}\n</html>\n'


def plain_document(title: str, opening: Html, sections: Sequence[Section], *, contents: bool = True) -> str:
    """Return a page without plots, which needs neither network nor script."""
    main = element("main", opening, *map(_rendered, sections))
    page = element("div", *([_contents(sections)] if contents else []), main, class_="page plain")
    body = element("body", page)
    return f'<!doctype html>\n<html lang="en">\n{_head(title, "", _PLAIN_POLICY)}\n{body}\n</html>\n'


def _head(title: str, style: str, policy: str) -> Html:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="robots", content="noindex"),
        element("title", title),
        element("style", Html(_asset("report.css") + style)),
    )


def _contents(sections: Sequence[Section]) -> Html:
    links = [element("li", element("a", section.short, href=f"#{section.anchor}")) for section in sections]
    return element("nav", element("ol", *links), aria_label="Contents")


def _rendered(section: Section) -> Html:
    return element("section", element("h2", section.title), *section.parts, id=section.anchor)


def _asset(name: str) -> str:
    return (files("nymity.report") / "assets" / name).read_text(encoding="utf-8")
