"""Hierarchies: how values become coarser, level by level, and what that costs; builders, and a tree to edit by hand."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.publishing import Ladder
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address
from nymity.workbench.hierarchy_drafts import by_hand, imported, is_by_hand, ladder_of, save, saved
from nymity.workbench.hierarchy_forms import FORMS, SIDES, new_draft, shown_value, with_value
from nymity.workbench.hierarchy_tree_panel import TreePanel
from nymity.workbench.parts import (
    badge,
    bar,
    box,
    button,
    card,
    empty_state,
    error_card,
    heading,
    in_thread,
    link,
    said,
    text,
    told,
)
from nymity.workbench.project import Project
from nymity.workbench.public_columns_panel import PublicHierarchyForm
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.watching import look_now, watched


async def render(project: Project, texts: Texts) -> None:
    """Fill the page: the quasi-identifiers, and the one that was chosen."""
    heading(texts("hierarchies.title"), texts("hierarchies.lead"))
    names = [name for name, one in project.job_data.get("schema", {}).items() if one.get("role") == "quasi"]
    if not names:
        empty_state(texts("hierarchies.none"), texts("hierarchies.none_then"))
        return
    now = {"column": names[0]}

    async def choose(name: str) -> None:
        now["column"] = name
        for other, choice in choices.items():
            said(choice, aria_current="true" if other == name else "false").update()
        await fill()

    async def fill() -> None:
        async with filling:  # who clicks two columns quickly sees the second, not both
            place.clear()
            with place:
                await _column(project, now["column"], texts)

    choices, filling = {}, asyncio.Lock()
    with box("div", "hierarchy-shell"):
        with said(box("nav", "column-choices"), aria_label=texts("hierarchies.columns")):
            for name in names:
                choices[name] = text("button", name, "column-choice")
                said(choices[name], aria_current="true" if name == names[0] else "false", type="button")
                choices[name].on("click", lambda name=name: choose(name), [])
        place = box("div")
    await fill()


async def _column(project: Project, column: str, texts: Texts) -> None:
    """Show a column's ladder, how it is made, and its tree where it is written out."""
    draft: dict[str, Any] = {"now": saved(project, column)}

    drawn = {"last": 0}

    @ui.refreshable
    async def rungs() -> None:
        drawn["last"] += 1
        mine = drawn["last"]
        if not project.may_look and not is_by_hand(project, draft["now"]):
            empty_state(texts("public.none"))
            return
        try:
            found = await in_thread(ladder_of, project, column, draft["now"])
        except NymityError as error:
            if mine != drawn["last"]:
                return
            badge(texts("hierarchies.incomplete"), "bad")
            error_card(error, texts)
            return
        if mine == drawn["last"]:  # two changes in a row: what was asked for last is drawn, once
            _rungs(found, texts)

    def again() -> None:
        draft["now"] = saved(project, column)
        rungs.refresh()
        form.refresh()
        tree.refresh()

    @ui.refreshable
    def form() -> None:
        if not project.may_look:
            PublicHierarchyForm(project, column, texts, again)
            return
        _form(project, column, draft, texts, rungs, again)

    @ui.refreshable
    def tree() -> None:
        if is_by_hand(project, saved(project, column)):
            with card(texts("hierarchies.tree_title"), texts("hierarchies.tree_lead")):
                TreePanel(project, column, texts)

    with card(texts("hierarchies.ladder", column=column), texts("hierarchies.ladder_lead")):
        await rungs()
    with card(texts("hierarchies.made_title"), classes="hierarchy-form"):
        form()
    tree()
    seen = {"version": saved(project, column)}

    @watched(project)
    def follow() -> None:
        if saved(project, column) != seen["version"]:
            seen["version"] = draft["now"] = saved(project, column)
            rungs.refresh()

    follow()


def _rungs(found: Ladder, texts: Texts) -> None:
    with box("div", "ladder-rungs"):
        for rung in found.rungs:
            with box("div", "ladder-rung"):
                text("span", str(rung.level), "place")
                with box("div"):
                    text("span", texts("hierarchies.cells", n=rung.cells), "small")
                    with box("div", "examples"):
                        for label, records in rung.examples:
                            words = texts("hierarchies.tree_missing") if label is None else label
                            said(badge(words), title=texts("hierarchies.records", n=records))
                with box("div", "cost"):
                    bar(rung.cost, texts.percent(rung.cost))
                    text("span", texts("hierarchies.cost", share=texts.percent(rung.cost)))


def _form(project: Project, column: str, draft: dict[str, Any], texts: Texts, rungs: Any, again: Any) -> None:
    """Ask how the hierarchy is made; the ladder shows it before it is saved."""
    given = draft["now"] or {"type": "flat"}
    kinds = [key for key in FORMS if texts.has(f"hierarchies.kind.{key}")]
    words = {key: texts(f"hierarchies.kind.{key}") for key in kinds} | {"rows": texts("hierarchies.kind.rows")}
    key = "rows" if is_by_hand(project, given) else given["type"]

    def changed(made: dict[str, Any]) -> None:
        draft["now"] = made
        rungs.refresh()

    def kind(event: Any) -> None:
        if event.value in FORMS:
            changed(new_draft(event.value))
            fields.refresh()

    async def apply() -> None:
        try:
            await in_thread(ladder_of, project, column, draft["now"])
        except NymityError as error:
            told(error, texts)
            return
        save(project, column, draft["now"], texts)
        look_now()
        again()

    async def write_out() -> None:
        try:
            found = await in_thread(ladder_of, project, column, draft["now"])
        except NymityError as error:
            told(error, texts)
            return
        save(project, column, by_hand(project, found.hierarchy), texts)
        look_now()
        again()

    @ui.refreshable
    def fields() -> None:
        if is_by_hand(project, draft["now"]):
            return  # the tree below is its form
        _fields(draft["now"] or {"type": "flat"}, texts, lambda: draft["now"] or {"type": "flat"}, changed)

    chosen = ui.select(
        words, value=key if key in words else None, label=texts("hierarchies.kind_label"), on_change=kind
    )
    chosen.props("outlined options-dense")
    fields()
    with box("div", "actions"):
        button(texts("app.apply"), apply, icon="check", main=True)
        button(texts("hierarchies.by_hand"), write_out, icon="account_tree")
        button(texts("hierarchies.import"), lambda: _importing(project, column, texts, again), icon="upload_file")
        where = f"{address(project, 'hierarchy-csv')}?column={quote(column, safe='')}"
        said(link(texts("hierarchies.export"), where, "export-link"), download="hierarchy.csv")


def _fields(given: dict[str, Any], texts: Texts, now: Any, changed: Any) -> None:
    with box("div", "form-row"):
        for name, kind in FORMS.get(given["type"], {}).items():
            label = texts(f"hierarchies.field.{name}")

            def put(event: Any, name: str = name, kind: str = kind) -> None:
                changed(with_value(now(), name, kind, event.value))

            value = shown_value(given, name)
            if kind == "side":
                sides = {side: texts(f"hierarchies.side_{side}") for side in SIDES}
                ui.select(sides, value=value, label=label, on_change=put).props("outlined dense")
            elif kind in ("number", "whole"):
                ui.number(label, value=value, on_change=put).props("outlined dense debounce=500 step=any")
            else:
                shown = ui.input(label, value=str(value or ""), on_change=put)
                shown.props("outlined dense debounce=500 spellcheck=false")
                if kind in ("words", "numbers"):
                    shown.classes("wide-field")


def _importing(project: Project, column: str, texts: Texts, again: Any) -> None:
    """Ask for a file in ARX's form."""
    with ui.dialog(value=True) as dialog, box("div", "dialog"):
        text("h2", texts("hierarchies.import"))
        text("p", texts("hierarchies.import_lead"), "quiet")
        path = ui.input(texts("hierarchies.field.path")).props("outlined spellcheck=false")

        async def take() -> None:
            try:
                made = await in_thread(imported, project, str(path.value or "").strip())
                await in_thread(ladder_of, project, column, made)
            except NymityError as error:
                told(error, texts)
                return
            dialog.close()
            save(project, column, made, texts)
            look_now()
            again()

        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)
            button(texts("app.apply"), take, main=True)


SCREEN = ProjectScreen(
    key="hierarchies",
    render=render,
    looks=False,  # in a private project hierarchies are of public values, and nothing is counted
)
