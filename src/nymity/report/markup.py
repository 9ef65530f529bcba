"""HTML built from elements. Text is escaped unless it already is HTML, so that no value can break out of its place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

Spec = dict[str, Any]

_VOID = frozenset({"meta", "br"})


class Html(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of the page with its heading and its name in links."""

    anchor: str
    title: str
    short: str
    parts: tuple[Html, ...]


@dataclass(eq=False)
class Figures:
    """Collects the specifications of the page's plots while the places for them are laid out."""

    specs: list[Spec] = field(default_factory=list)

    def add(self, spec: Spec, caption: str, *, heading: str = "") -> Html:
        """Take a plot and return the figure in which the page's script will draw it."""
        place = element("div", class_="chart", id=f"chart-{len(self.specs)}")
        self.specs.append({**spec, "description": caption})
        title = element("h3", heading) if heading else ""
        return element("figure", title, place, element("figcaption", caption))


def element(tag: str, *children: str, **attributes: str) -> Html:
    """Return an element; children that are plain text and all attributes are escaped.

    A trailing underscore of an attribute's name is dropped (``class_``), other underscores become hyphens.
    """
    names = {name: name.rstrip("_").replace("_", "-") for name in attributes}
    written = "".join(f' {names[name]}="{escape(value)}"' for name, value in attributes.items())
    inner = "".join(child if isinstance(child, Html) else escape(child) for child in children)
    return Html(f"<{tag}{written}>") if tag in _VOID else Html(f"<{tag}{written}>{inner}</{tag}>")


def paragraph(*children: str, class_: str = "") -> Html:
    """Return a paragraph."""
    return element("p", *children, class_=class_) if class_ else element("p", *children)


def bullets(items: Iterable[str]) -> Html:
    """Return a list."""
    return element("ul", *(element("li", item) for item in items))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """Return a table with a line of titles; the first cell of each row names it. On small screens rows are stacked."""
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    body = []
    for name, *cells in rows:
        told = [element("td", cell, data_title=title) for title, cell in zip(titles[1:], cells, strict=True)]
        body.append(element("tr", element("th", name, scope="row"), *told))
    return element("table", element("thead", head), element("tbody", *body), class_="rows")


def joined(parts: Iterable[str], separator: str = " ") -> Html:
    """Put pieces side by side; plain text among them is escaped."""
    return Html(separator.join(part if isinstance(part, Html) else escape(part) for part in parts))


def tile(label: str, value: str, note: str = "") -> Html:
    """Return a number with what it counts, and a smaller line below."""
    return element(
        "div",
        element("span", label, class_="label"),
        element("strong", value),
        element("span", note, class_="note"),
        class_="tile",
    )


def script_data(name: str, data: Any) -> Html:
    """Embed data for the page's script. No ``<``, ``>`` or ``&`` is left that an HTML parser could take up."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return element("script", Html(text), type="application/json", id=name)
