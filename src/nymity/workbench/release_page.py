"""A release to look at: what its certificate promises and warns of, and its rows. It belongs to no project."""

from __future__ import annotations

from pathlib import Path

import nymity as ny
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints.rows import shown_cells
from nymity.workbench.parts import badge, box, card, heading, in_thread, scroll_box, text, tile

#: Rows that are shown.
_ROWS = 50


async def show_release(path: str, texts: Texts) -> None:
    """Fill the page."""
    opened = await in_thread(ny.open, path)
    table, certificate = await in_thread(lambda: opened.table), opened.certificate
    heading(texts("received.title"), str(Path(path)))
    kind = "bad" if not opened.holds else "warned" if opened.warnings else "good"
    with box("div", "tiles"):
        tile(texts("received.records"), texts.number(table.height))
        tile(texts("received.columns"), texts.number(table.width))
        tile(texts("received.method"), "–" if opened.method is None else str(opened.method.key))
        tile(texts("received.verdict"), opened.verdict, texts("received.verdict_note"), kind)
    with card(texts("received.promises")):
        for number in range(len(certificate.promised)):
            promised, reached, holds = opened.reached(number)
            with box("div", "question"):
                with box("div", "question-head"):
                    text("strong", promised.model)
                    badge(texts("received.holds" if holds else "received.broken"), "good" if holds else "bad")
                text("p", promised.means, "small")
                if reached:
                    measured = ", ".join(f"{name} = {value}" for name, value in reached.items())
                    text("p", texts("received.measured", values=measured), "quiet small")
    if opened.warnings:
        with card(texts("received.warnings", n=len(opened.warnings))), box("ul"):
            for warning in opened.warnings:
                text("li", warning.says, "notice")
    rows = card(texts("received.rows", n=min(_ROWS, table.height)))
    with rows, scroll_box(), box("table", "list preview-rows"):
        with box("thead"), box("tr"):
            for name in table.columns:
                text("th", name)
        with box("tbody"):
            for row in shown_cells(table.head(_ROWS)).rows():
                with box("tr"):
                    for cell in row:
                        text("td", "" if cell is None else cell, "gap" if cell is None else "")
