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
    "at_a_glance",
    "bullets",
    "cells_of_columns",
    "grid",
    "heading",
    "led",
    "paragraph",
    "remaining_risks",
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


def at_a_glance(*parts: Html) -> Section:
    """Return the first section of a report on any kind of release."""
    return Section(anchor="glance", title="At a glance", short="At a glance", parts=parts)


def cells_of_columns(*parts: Html) -> Section:
    """Return the section on cells where classes, or rows, have cells of their own."""
    return Section(anchor="levels", title="Cells of each quasi-identifier", short="Cells", parts=parts)


def remaining_risks(*parts: Html) -> Section:
    """Return the section on what a kept promise leaves open."""
    return Section(anchor="risk", title="What remains risky", short="Risks", parts=parts)


@dataclass(eq=False)
class Figures:
    """Collects the specifications of the page's plots while the places for them are laid out."""

    specs: list[Spec] = field(default_factory=list)

    def add(self, spec: Spec, caption: str, *, heading: str = "") -> Html:
        """Take a plot and return the figure in which the page's script will draw it."""
        self.specs.append({**spec, "description": caption})
        return PARTS.figure(f"chart-{len(self.specs) - 1}", caption, heading)
