"""Pieces of pages: the macros that all pages share, sections, and figures that a script draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup as Html

from nymity.core.template import Template

__all__ = [
    "PARTS",
    "Figures",
    "Html",
    "Section",
    "Spec",
    "bullets",
    "grid",
    "heading",
    "led",
    "paragraph",
    "table",
    "template",
    "tile",
    "tiles",
]

Spec = dict[str, Any]


def template(file: str) -> Template:
    """Return a file of the report's templates."""
    return Template(file, "nymity.report")


PARTS = template("parts.html")
paragraph, heading, led, bullets, table = PARTS.paragraph, PARTS.heading, PARTS.led, PARTS.bullets, PARTS.table
tile, tiles, grid = PARTS.tile, PARTS.tiles, PARTS.grid


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
        self.specs.append({**spec, "description": caption})
        return PARTS.figure(f"chart-{len(self.specs) - 1}", caption, heading)
