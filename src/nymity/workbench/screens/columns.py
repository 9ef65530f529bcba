"""Columns: what each one is, what is not clear first; and beside it how far they single people out."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl
from nicegui import background_tasks, context, ui
from nicegui.elements.mixins.text_element import TextElement

from nymity.core.errors import NymityError
from nymity.core.progress import Progress
from nymity.publishing import ColumnInspection, Inspection
from nymity.table import Role
from nymity.workbench.catalogue import Texts
from nymity.workbench.column_options import options_dialog
from nymity.workbench.parts import (
    OneAtATime,
    badge,
    bar,
    box,
    button,
    card,
    empty_state,
    heading,
    icon_button,
    in_background,
    in_thread,
    line_figure,
    link,
    said,
    text,
    tile,
)  # fmt: skip
from nymity.workbench.project import Project
from nymity.workbench.public_columns_panel import public_columns_panel
from nymity.workbench.roles import Exposure, exposure, keep_suggested, set_role, suggestions, triples
from nymity.workbench.screen_code import reading_code
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.watching import look_now, watched

#: What the panel beside the columns is called in the page.
_ANCHOR = "who-stands-out"
#: Columns and combinations that are shown at once.
_AT_ONCE, _PAIRS = 60, 5
_counting = OneAtATime()

#: Columns and how many people they single out together.
Combinations = list[tuple[list[str], int]]


async def render(project: Project, texts: Texts) -> None:
    """Show the columns and what their roles lead to."""
    heading(texts("columns.title"), texts("columns.lead"))
    if not project.may_look:
        public_columns_panel(project, texts)
        return
    inspection = await in_thread(suggestions, project)
    with box("div", "columns-layout"):
        with box("div", "columns-left"):
            _questions(project, inspection, texts)
            _columns(project, inspection, texts)
            line = link(texts("app.working"), f"#{_ANCHOR}", "in-sight")
        with said(box("aside", "columns-right"), id=_ANCHOR, tabindex="0", aria_label=texts("columns.risk")):
            await _risk(project, texts, line)


# -- what is not clear -----------------------------------------------------------------------------------------


def _questions(project: Project, inspection: Inspection, texts: Texts) -> None:
    """Show the columns that somebody should decide on, what is most at stake first."""

    @watched(project)
    def shown() -> None:
        version = project.state.version
        names = version.undecided if version is not None else ()
        if not names:
            with box("p", "all-decided"):
                text("span", "✓", "done")
                text("span", texts("columns.all_decided"))
            return
        with card(texts("columns.questions", n=len(names)), texts("columns.questions_lead"), "questions"):
            for name in names[:_AT_ONCE]:  # the next ones come up when these are decided
                _question(project, inspection[name], texts)
            if len(names) > 1:
                with box("div", "actions"):
                    button(texts("columns.keep_all"), lambda: _keep(project, list(names), texts))

    shown()


def _question(project: Project, column: ColumnInspection, texts: Texts) -> None:
    current = project.job_data["schema"][column.name]["role"]
    others = [role.value for role in column.instead if role.value != current]
    with box("div", "question"):
        with box("div", "question-head"):
            text("strong", column.name)
            badge(texts(f"roles.{current}"), current)
        text("p", column.reason, "quiet small")
        with box("div", "actions"):
            button(texts("columns.keep", role=texts(f"roles.{current}")), lambda: _keep(project, [column.name], texts))
            for role in others:
                words = texts("columns.make", role=texts(f"roles.{role}"))
                button(words, partial(_change, project, column.name, role, texts))


def _keep(project: Project, names: list[str], texts: Texts) -> None:
    keep_suggested(project, names, texts("columns.kept", columns=", ".join(names)))
    look_now()


async def _change(project: Project, name: str, role: str, texts: Texts) -> None:
    what = texts("columns.changed", column=name, role=texts(f"roles.{role}"))
    await in_background(texts, set_role, project, name, role, what)
    look_now()


# -- all columns -----------------------------------------------------------------------------------------------


def _columns(project: Project, inspection: Inspection, texts: Texts) -> None:
    """Show every column with its role and the evidence for it."""
    drawn: dict[str, str] = {}

    @ui.refreshable
    def shown(most: int = _AT_ONCE) -> None:
        drawn.update(_roles(project))
        with card(texts("columns.all"), texts("columns.all_lead")):
            with said(box("div", "column-list"), role="list"):
                for column in inspection.columns[:most]:
                    _column(project, column, texts, drawn)
            if len(inspection.columns) > most:
                left = len(inspection.columns) - most
                button(texts("columns.more", n=left), lambda: shown.refresh(len(inspection.columns)))

    @watched(project)
    def follow() -> None:
        """Draw anew what another page, or a question above, has changed; not what was chosen here."""
        if drawn and drawn != _roles(project):
            shown.refresh()

    shown()
    follow()


def _roles(project: Project) -> dict[str, str]:
    return {name: one["role"] for name, one in project.job_data.get("schema", {}).items()}


def _column(project: Project, column: ColumnInspection, texts: Texts, drawn: dict[str, str]) -> None:
    role = drawn.get(column.name, column.role.value)
    choices = {one.value: texts(f"roles.{one.value}") for one in Role}

    async def chosen(event: Any) -> None:
        drawn[column.name] = event.value
        select.classes(replace=f"role-select {event.value}")
        await _change(project, column.name, event.value, texts)

    with said(box("div", "column-row"), role="listitem"):
        with box("div", "column-name"):
            text("strong", column.name)
            text("span", column.label or column.type, "quiet small")
        select = ui.select(choices, value=role, on_change=chosen).props("outlined dense options-dense")
        said(select, aria_label=texts("columns.role_of", column=column.name)).classes(f"role-select {role}")
        with box("div", "column-why"):
            text("span", column.reason, "small")
            with box("div", "quiet small facts"):
                text("span", texts("columns.sure", share=_sure(column, texts)))
                text("span", texts("columns.distinct", n=column.distinct))
                if column.missing:
                    text("span", texts("columns.missing", n=column.missing))
                if column.unique:
                    text("span", texts("columns.unique_values", n=column.unique))
        words = texts("columns.options_of", column=column.name)
        icon_button("tune", words, lambda: options_dialog(project, column, texts))


def _sure(column: ColumnInspection, texts: Texts) -> str:
    return "> 99%" if column.confidence > 0.99 else texts.percent(column.confidence, 0)


# -- how far they single people out ----------------------------------------------------------------------------


async def _risk(project: Project, texts: Texts, line: TextElement) -> None:
    """Show it, newly whenever the job changes; in a narrow window it lies below all columns, and ``line`` in sight."""

    @watched(project)
    async def shown() -> None:
        with card(texts("columns.risk"), texts("columns.risk_lead")):
            place = box("div")
        with place:
            ui.spinner().props["aria-label"] = texts("app.working")
        pairs: Combinations = []
        try:
            found: Any = await in_thread(exposure, project)
            if found is not None and found.drivers is not None:
                pairs = await in_thread(_most, found.drivers.combinations, 2)
        except NymityError as error:
            found = error
        if place.is_deleted:  # the job changed meanwhile, and this is drawn anew
            return
        place.clear()
        _in_a_line(line, found, texts)
        with place:
            if isinstance(found, NymityError):
                text("p", str(found), "quiet")
            elif found is None:
                empty_state(texts("columns.no_quasi"), texts("columns.no_quasi_then"))
            else:
                _exposed(found, pairs, texts)
                if found.drivers is not None and len(found.uniqueness.without) > 2:
                    _count_triples(project, found.drivers.records, texts)

    await shown()


def _in_a_line(line: TextElement, found: Exposure | NymityError | None, texts: Texts) -> None:
    line.clear()
    line.set_text("" if isinstance(found, Exposure) else texts("columns.risk"))
    if isinstance(found, Exposure):
        with line:
            line_figure(texts("columns.unique"), texts.number(found.uniqueness.unique))
            line_figure(texts("columns.share"), texts.percent(found.uniqueness.share))
            line_figure(texts("promises.smallest"), texts.number(found.uniqueness.smallest))


def _count_triples(project: Project, records: int, texts: Texts) -> None:
    """Fill in triples when they are counted, which is after all else is shown; whoever leaves the page ends that."""
    place, client, told = box("div", "triples"), context.client, {"done": 0, "total": 1}
    at_work = stopped = done = False
    with place:
        text("h3", texts("columns.triples"))
        line = text("p", texts("columns.triples_counting"), "quiet small")
        said(line, role="status")

    def wanted() -> bool:
        # A page that lost its connection is kept for a minute: it counts on when it is there again.
        return not place.is_deleted and not client.is_deleted and client.has_socket_connection

    def observe(progress: Progress) -> bool | None:
        nonlocal stopped
        told.update(done=progress.done, total=progress.total or 1)
        stopped = not wanted()
        return False if stopped else None

    def tell() -> None:
        share = texts.percent(told["done"] / told["total"])
        line.set_text(texts("columns.triples_counted", share=share))

    async def count() -> None:
        nonlocal stopped, done
        stopped = False
        try:
            found: Any = await _counting.in_thread(wanted, lambda: _most(triples(project, observe), 3))
        except NymityError as error:
            found = error
        if found is None or stopped or not wanted():
            return
        done = True
        timer.cancel()
        place.clear()
        with place:
            if isinstance(found, NymityError):
                text("p", str(found), "quiet small")
            else:
                _combinations(found, records, texts("columns.triples"), texts)

    async def begin() -> None:
        nonlocal at_work
        while wanted() and not at_work and not done:  # whoever was away meanwhile may be there again
            at_work = True
            await count()
            at_work = False

    with place:
        timer = ui.timer(1.0, tell)
    client.on_connect(begin)
    background_tasks.create(begin(), name="triples")


def _exposed(found: Exposure, pairs: Combinations, texts: Texts) -> None:
    unique = found.uniqueness
    of = "persons" if unique.counts_persons else "records"
    share = texts.percent(unique.share)
    with box("div", "tiles"):
        note = texts(f"columns.of_{of}", n=unique.units)
        tile(texts("columns.unique"), texts.number(unique.unique), note, "bad" if unique.share > 0.05 else "")
        tile(texts("columns.share"), share, texts(f"columns.smallest_{of}", n=unique.smallest))
    text("h3", texts("columns.drives"))
    text("p", texts("columns.drives_lead"), "quiet small")
    shares = {} if found.drivers is None else dict(found.drivers.columns.iter_rows())
    for name, left in sorted(unique.without.items(), key=lambda one: (-shares.get(one[0], 0.0), one[1]))[:_AT_ONCE]:
        gone = unique.unique - left
        words = texts("columns.without_one", column=name, left=left, gone=gone)
        with said(box("div", "driver"), title=words):
            text("span", name, "driver-name")
            text("span", texts("columns.fewer", n=gone) if gone else texts("columns.same"), "small driver-number")
            bar(shares.get(name, gone / max(1, unique.unique)), words)
    if found.drivers is not None:
        _combinations(pairs, found.drivers.records, texts("columns.pairs"), texts)


def _most(combinations: pl.DataFrame, size: int) -> Combinations:
    """Return the combinations of so many columns that single out most."""
    most = combinations.filter(pl.col("size") == size).sort("unique", descending=True, maintain_order=True).head(_PAIRS)
    return list(most.select("columns", "unique").iter_rows())


def _combinations(most: Combinations, records: int, title: str, texts: Texts) -> None:
    """Show the combinations that single out most, where any single out somebody."""
    if not most or not most[0][1]:
        return
    text("h3", title)
    for columns, count in most:
        with box("div", "driver"):
            text("span", " + ".join(columns), "driver-name")
            text("span", texts("columns.pair_unique", n=count), "small driver-number")
            bar(count / max(1, records), " + ".join(columns))


def _open_points(project: Project) -> int | None:
    version = project.state.version
    if version is None:
        return None
    return len(version.undecided) if project.job_data.get("schema") else 1  # a private project begins without any


def _code(project: Project) -> str:
    """Write what this screen shows as Python; a private project reads nothing here."""
    if not project.may_look:
        return ""
    schema = project.job_data.get("schema", {})
    quasi = [name for name, one in schema.items() if one["role"] == "quasi"]
    person = next((name for name, one in schema.items() if one["role"] == "person"), None)
    return reading_code(project) + (
        "for column in ny.inspect(table).columns:\n"
        "    print(column.name, column.role, column.confidence, column.reason)\n\n"
        f"quasi = {quasi!r}\n"
        f"print(ny.risk.uniqueness(table, quasi{'' if person is None else f', person={person!r}'}))\n"
        "print(ny.risk.drivers(table, quasi, size=3).combinations)\n"
    )


SCREEN = ProjectScreen(
    key="columns",
    render=render,
    looks=False,  # a private project has a form for what is publicly known
    open_points=_open_points,
    code=_code,
)
