"""Data: the table as it was read, what its columns hold, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from pathlib import Path
from typing import Any

from nicegui import ui

from nymity.publishing import ColumnInspection, ColumnShape, Inspection, StrayTexts, column_shape, stray_texts
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address, neutral_names
from nymity.workbench.parts import bars, box, button, heading, in_thread, scroll_box, text, tile
from nymity.workbench.project import Project
from nymity.workbench.reading_form import reading_form
from nymity.workbench.rows_grid import TAB_LEAVES
from nymity.workbench.screen_code import reading_code
from nymity.workbench.screens import ProjectScreen
from nymity.workbench.tables import LookedTable, look_at
from nymity.workbench.unturned import unturned
from nymity.workbench.watching import watched

#: Columns whose profile is shown at once.
_AT_ONCE = 40


async def render(project: Project, texts: Texts) -> None:
    """Show the table, its columns, and how it is read."""
    heading(texts("data.title"), texts("data.lead"))

    @watched(project)
    async def shown() -> None:
        place = box("div")
        looked = await in_thread(look_at, project)
        if place.is_deleted:  # the table is read otherwise now, and this is drawn anew
            return
        with place:
            figures = box("div")
            _tabs(project, looked, texts)
        # The rows do not wait for what is counted of them.
        inspection = await in_thread(lambda: looked.inspection)
        strays = await in_thread(_strays, looked)
        if figures.is_deleted:
            return
        with figures:
            _tiles(project, looked, inspection, texts)
            for name, found in strays.items():
                said = texts("data.strays", column=name, n=found.cells, texts=", ".join(found.texts))
                text("p", said, "notice")

    await shown()


def _tiles(project: Project, looked: LookedTable, inspection: Inspection, texts: Texts) -> None:
    with box("div", "tiles"):
        tile(texts("data.tile_records"), texts.number(looked.height))
        tile(texts("data.tile_columns"), texts.number(len(looked.columns)))
        cells = max(1, looked.height * len(looked.columns))
        gaps = sum(column.missing for column in inspection.columns)
        tile(texts("data.tile_gaps"), texts.percent(gaps / cells))
        source = project.source_data
        tile(texts("data.tile_file"), Path(source["path"]).name if "path" in source else source["url"])


def _strays(looked: LookedTable) -> dict[str, StrayTexts]:
    """Return columns that are text for a few words among their numbers."""
    if "strays" not in looked.memory:
        found = {name: stray_texts(looked.cells, name) for name in looked.columns}
        looked.memory["strays"] = {name: one for name, one in found.items() if one is not None}
    kept: dict[str, StrayTexts] = looked.memory["strays"]
    return kept


def _tabs(project: Project, looked: LookedTable, texts: Texts) -> None:
    names = ("table", "profile", "reading")
    with box("div", "card"):
        with ui.tabs().props("align=left no-caps inline-label dense outside-arrows mobile-arrows") as tabs:
            made = {name: ui.tab(name, label=texts(f"data.tab_{name}")) for name in names}
        with ui.tab_panels(tabs, value=made["table"]).classes("flat-panels") as shown:
            places = {name: ui.tab_panel(made[name]) for name in names}
    with places["table"]:
        _grid(project, looked, texts)
    # What nobody has asked for yet is not drawn: hundreds of cells that each page would carry along.
    left: dict[str, Callable[[], Awaitable[None] | None]] = {
        "profile": lambda: _profile(looked, texts),
        "reading": lambda: reading_form(project, texts),
    }

    async def chosen(event: Any) -> None:
        if (draw := left.pop(event.value, None)) is not None:
            with places[event.value]:
                done = draw()
                if isawaitable(done):
                    await done

    shown.on_value_change(chosen)


def _grid(project: Project, looked: LookedTable, texts: Texts) -> None:
    """Show rows as they are scrolled to: a page has a few hundred of them, the server the order of all."""
    numbers = {
        "field": "n", "headerName": "#", "width": 84, "minWidth": 84, "pinned": "left", "sortable": False,
        "cellClass": "row-number", "suppressMovable": True,
    }  # fmt: skip
    columns = [
        {"field": field, "headerName": unturned(name), "headerTooltip": unturned(name)}
        for field, name in zip(neutral_names(len(looked.columns)), looked.columns, strict=True)
    ]
    search = ui.input(texts("data.search")).props("outlined dense clearable debounce=300").classes("grid-search")
    grid = ui.aggrid(
        {
            "columnDefs": [numbers, *columns],
            "defaultColDef": {"sortable": True, "resizable": True, "minWidth": 110, "width": 150, "unSortIcon": False},
            "rowModelType": "infinite",
            "cacheBlockSize": 200,
            "maxBlocksInCache": 20,
            "infiniteInitialRowCount": min(looked.height, 200),
            "rowHeight": 34,
            "headerHeight": 38,
            "tooltipShowDelay": 400,
            "overlayNoRowsTemplate": texts("data.no_rows"),
            ":datasource": f"nymityRows({address(project, 'rows')!r})",
            **TAB_LEAVES,
        },
        auto_size_columns=False,
    ).classes("data-grid")

    def searched(event: Any) -> None:
        ui.run_javascript(f"nymityText = {json.dumps(str(event.value or ''))}")
        grid.run_grid_method("purgeInfiniteCache")

    search.on_value_change(searched)


def _profile(looked: LookedTable, texts: Texts) -> None:
    """Show what each column holds; of a wide table the first ones, until somebody asks for the rest."""
    columns = looked.inspection.columns
    with scroll_box(), box("table", "list profile"):
        with box("thead"), box("tr"):
            for name in ("column", "kind", "gaps", "distinct", "shape", "examples"):
                text("th", texts(f"data.profile_{name}"), "number-cell" if name in ("gaps", "distinct") else "")
        body = box("tbody")
    rest = columns[_AT_ONCE:]
    with body:
        for column in columns[:_AT_ONCE]:
            _profile_row(looked, column, texts)
    if not rest:
        return

    def show_rest() -> None:
        more.delete()
        with body:
            for column in rest:
                _profile_row(looked, column, texts)

    more = button(texts("data.profile_more", n=len(rest)), show_rest)


def _profile_row(looked: LookedTable, column: ColumnInspection, texts: Texts) -> None:
    shape = _shape(looked, column.name)
    with box("tr"):
        with box("td"):
            text("strong", column.name)
            if column.label:
                text("div", column.label, "quiet small")
        text("td", column.type)
        text("td", texts.percent(column.missing / column.records) if column.missing else "–", "number-cell")
        text("td", texts.number(column.distinct), "number-cell")
        with box("td"):
            bars(shape.counts, texts("data.shape_of", column=column.name), bound=shape.ordered)
            if shape.ordered and shape.labels:
                with box("div", "ends quiet small"):
                    text("span", shape.labels[0].split(" – ")[0])
                    text("span", shape.labels[-1].split(" – ")[-1])
        text("td", ", ".join(column.examples) if column.most_frequent > 1 else "", "quiet small examples")


def _shape(looked: LookedTable, name: str) -> ColumnShape:
    """Return how the values of a column lie; remembered."""
    kept: dict[str, ColumnShape] = looked.memory.setdefault("shapes", {})
    if name not in kept:
        kept[name] = column_shape(looked.cells, name)
    return kept[name]


def _code(project: Project) -> str:
    """Write what this screen shows as Python."""
    return reading_code(project) + (
        "for column in ny.inspect(table).columns:\n"
        "    print(column.name, column.type, column.missing, column.distinct, column.examples)\n"
    )


def _open_points(project: Project) -> int | None:
    return 0 if project.state.at else None


SCREEN = ProjectScreen(key="data", render=render, open_points=_open_points, code=_code)
