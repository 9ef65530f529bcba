"""A private release: what is in it and in its certificate. The custodian's log is opened by a click that is kept."""

from __future__ import annotations

from typing import Any

from nicegui import ui

import nymity as ny
from nymity.core.errors import NymityError
from nymity.workbench.analyses import OpenedTrial, open_log
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, button, card, in_thread, scroll_box, text, told
from nymity.workbench.project import Project
from nymity.workbench.rows_grid import rows_released


def private_panel(project: Project, one: OpenedTrial, texts: Texts) -> None:
    """Show the release alone."""
    opened = one.opened
    with card(texts("result.private_title"), texts("result.private_lead")):
        _columns(opened, texts)
    with card(texts("result.released_title"), texts("result.released_lead")):
        rows_released(project, one.trial, opened.table.columns, texts)
    _log(project, one, texts)


def _columns(opened: ny.OpenedRelease, texts: Texts) -> None:
    with scroll_box(), box("table", "list"):
        with box("thead"), box("tr"):
            for name in ("column", "level", "different"):
                text("th", texts(f"result.{name}"))
        with box("tbody"):
            for column in opened.certificate.columns:
                with box("tr"):
                    text("td", column.name)
                    text("td", "–" if column.level is None else str(column.level))
                    text("td", texts.number(opened.table[column.name].n_unique()))


def _log(project: Project, one: OpenedTrial, texts: Texts) -> None:
    with card(texts("result.log_title"), texts("result.log_lead")):
        shown = box("div")

        async def look() -> None:
            try:
                found = await in_thread(open_log, project, one.trial)
            except NymityError as error:
                told(error, texts)
                return
            shown.clear()
            with shown:
                _table(found)
            opener.set_enabled(False)

        with box("div", "actions"):
            opener = button(texts("result.open_log"), lambda: confirm.open(), icon="lock_open")
    with ui.dialog() as confirm, box("div", "dialog"):
        text("h2", texts("result.open_log"))
        text("p", texts("result.open_log_lead"))
        with box("div", "actions end"):
            button(texts("app.cancel"), confirm.close)

            async def sure() -> None:
                confirm.close()
                await look()

            button(texts("result.open_log_sure"), sure, main=True)


def _table(found: dict[str, Any]) -> None:
    with scroll_box(), box("table", "list"), box("tbody"):
        for name, value in found.items():
            with box("tr"):
                text("td", name.replace("_", " "))
                text("td", str(value))
