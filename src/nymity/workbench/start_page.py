"""Start: projects that are there, and every way to begin one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.io import sheets_of
from nymity.workbench.catalogue import Texts
from nymity.workbench.home import Home
from nymity.workbench.house.rights import Right
from nymity.workbench.opening import LyingThere, address_of, open_database, open_demo, open_table
from nymity.workbench.parts import (
    badge,
    box,
    button,
    card,
    empty_state,
    heading,
    in_background,
    in_thread,
    said,
    text,
    told,
)
from nymity.workbench.project import Project


async def show_start(home: Home, texts: Texts) -> None:
    """Fill the page."""
    heading(texts("start.title"), texts("start.lead"))
    with box("div", "two-columns"):
        if home.actor.may(Right.BEGIN):
            with box("div"):
                private = _open_file(home, texts)
                _demo(home, texts)
                _database(home, private, texts)
        with box("div"):
            await _recent(home, texts)


def _open_file(home: Home, texts: Texts) -> ui.checkbox:
    """Open something by its path, or take a file that is dropped; return what says whether it is private."""
    with card(texts("start.open_title"), texts("start.open_lead")):
        _drop_zone(texts)
        with box("div", "path-row"):
            path = ui.input(texts("start.path")).classes("grow")
            path.props("outlined dense autocomplete=off spellcheck=false")
            button(texts("start.open"), lambda: open_path(), main=True)
        private = ui.checkbox(texts("start.private")).classes("private-choice")
        text("p", texts("start.private_lead"), "quiet small")

        async def open_path() -> None:
            try:
                there = LyingThere.at(path.value or "", home.actor.reach)
            except NymityError as error:
                told(error, texts)
                return
            await _open(home, texts, there, private=bool(private.value))

        path.on("keydown.enter", open_path)
        private.on_value_change(lambda event: ui.run_javascript(f"nymityPrivate = {int(bool(event.value))}"))
    return private


async def _open(home: Home, texts: Texts, there: LyingThere, *, private: bool) -> None:
    """Open what lies there, and go to it."""
    if there.kind == "table" and not private and len(sheets := await in_thread(sheets_of, there.path)) > 1:
        _choose_sheet(home, texts, there.path, sheets)
        return
    await _go(texts, lambda: address_of(home, there, private=private))


def _choose_sheet(home: Home, texts: Texts, path: Path, sheets: list[str]) -> None:
    async def chosen(sheet: str) -> None:
        await _go(texts, lambda: open_table(home, path, sheet=sheet).address)

    with ui.dialog(value=True), box("div", "dialog"):
        text("h2", texts("start.sheet_title"))
        text("p", texts("start.sheet_lead", n=len(sheets)), "quiet")
        for sheet in sheets:
            button(sheet, partial(chosen, sheet))


def _drop_zone(texts: Texts) -> None:
    """A file field of our own: it is a label with an input, which a keyboard and a screen reader know."""
    with said(box("label", "drop-zone"), **{"for": "upload"}) as zone:
        ui.icon("upload_file").props["aria-hidden"] = "true"
        text("span", texts("start.drop"), "drop-words")
        text("span", texts("start.formats"), "quiet small")
        said(ui.element("input"), id="upload", type="file", **{"class": "file-input"})
    said(zone, data_failed=texts("app.failed"), data_working=texts("app.working"))
    ui.add_body_html('<script src="/assets/upload.js"></script>')


def _database(home: Home, private: ui.checkbox, texts: Texts) -> None:
    """Open a table of a database; for files the same page has other ways."""
    with card(texts("start.database_title"), texts("start.database_lead"), "release-form"):
        url, table, schema = (ui.input(texts(f"start.database_{name}")) for name in ("url", "table", "schema"))
        for one in (url, table, schema):
            one.props("outlined dense autocomplete=off spellcheck=false")

        async def open_it() -> None:
            at, named, within = (str(one.value or "") for one in (url, table, schema))
            is_private = bool(private.value)

            def opened() -> str:
                return open_database(home, url=at, table=named, schema=within, private=is_private).address

            await _go(texts, opened)

        with box("div", "actions"):
            button(texts("start.database_open"), open_it, icon="storage")


def _demo(home: Home, texts: Texts) -> None:
    with card(texts("start.demo_title"), texts("start.demo_lead")):
        button(texts("start.demo"), lambda: _go(texts, lambda: open_demo(home).address), icon="local_hospital")


async def _go(texts: Texts, opened: Callable[[], str]) -> None:
    address: str | None = await in_background(texts, opened)
    if address is not None:
        ui.navigate.to(address)


async def _recent(home: Home, texts: Texts) -> None:
    projects = await in_thread(home.recent)
    with card(texts("start.recent_title")):
        if not projects:
            empty_state(texts("start.no_projects"), texts("start.no_projects_then"))
        with box("ul", "projects"):
            for project in projects:
                try:
                    project.check_folder()
                except NymityError:  # its page says why; the others are there all the same
                    _damaged(project, texts)
                else:
                    _project(project, texts)


def _damaged(project: Project, texts: Texts) -> None:
    with box("li"), said(box("a", "project"), href=project.address), box("span", "project-title"):
        text("strong", project.name)
        badge(texts("app.damaged_badge"), "bad")


def _project(project: Project, texts: Texts) -> None:
    with box("li"), said(box("a", "project"), href=project.address):
        with box("span", "project-title"):
            text("strong", project.name)
            if project.state.private:
                badge(texts("app.private_badge"), "warned")
        version = project.state.version
        source: Any = project.job_data.get("source", {})
        if project.actor.in_house:
            text("span", texts("house.of", name=project.state.owner), "quiet small")
        else:
            text("span", str(source.get("path") or source.get("url") or project.folder), "quiet small path")
        if version is not None:
            when = datetime.fromisoformat(version.when).astimezone()
            text("span", texts("start.changed", version=version.number, when=f"{when:%Y-%m-%d %H:%M}"), "quiet small")
