"""Rows of a trial in a grid that fetches what is scrolled to; columns are called by their place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address, neutral_names
from nymity.workbench.parts import box, said
from nymity.workbench.project import Project
from nymity.workbench.trials import TriedRelease
from nymity.workbench.unturned import unturned

SHOWN = ("all", "masked", "left_out")

#: Tab leaves a grid, whose cells arrows go through: a million rows would hold whoever has no mouse.
TAB_LEAVES = {":tabToNextCell": "() => false", ":tabToNextHeader": "() => false"}


def rows_beside(project: Project, trial: TriedRelease, names: Sequence[str], texts: Texts) -> None:
    """Show each column of the original beside the same of the release."""
    keys = neutral_names(1 + 2 * len(names))
    row = _column(keys[0], texts("result.row"), width=80, pinned="left")
    columns: list[dict[str, Any]] = [{"headerName": "#", "children": [row]}]  # a row of headings is never empty
    for place, name in enumerate(names):
        before = _column(keys[1 + 2 * place], texts("result.before"), cellClass="before-cell")
        after = _column(keys[2 + 2 * place], texts("result.after"), cellClass="after-cell")
        columns.append({"headerName": unturned(name), "children": [before, after]})
    where = f"{address(project, 'result-rows')}?trial={trial.number}"

    def show(choice: str) -> None:
        ui.run_javascript(_fetching(grid, f"{where}&show={choice}"))

    with box("div", "choices"):
        ui.select(
            {name: texts(f"result.show_{name}") for name in SHOWN},
            value="all",
            label=texts("result.show"),
            on_change=lambda event: show(event.value),
        ).props("outlined dense")
    grid = _grid(columns, f"{where}&show=all", texts("result.rows_title"))


def rows_released(project: Project, trial: TriedRelease, names: Sequence[str], texts: Texts) -> None:
    """Show the rows of a release alone."""
    keys = neutral_names(len(names))
    columns = [_column(key, name) for key, name in zip(keys, names, strict=True)]
    _grid(columns, f"{address(project, 'result-released')}?trial={trial.number}", texts("result.released_title"))


def _column(key: str, title: str, **further: Any) -> dict[str, Any]:
    return {"field": key, "headerName": unturned(title), "sortable": False, "minWidth": 80, "width": 150, **further}


def _grid(columns: list[dict[str, Any]], where: str, label: str) -> ui.aggrid:
    options = {
        "columnDefs": columns,
        "rowModelType": "infinite",
        "cacheBlockSize": 100,
        "maxBlocksInCache": 20,
        "suppressFieldDotNotation": True,
        "enableCellTextSelection": True,
        ":datasource": f"nymityRows({json.dumps(where)})",
        **TAB_LEAVES,
    }
    grid = ui.aggrid(options, auto_size_columns=False).classes("rows-grid")
    said(grid, aria_label=label)
    return grid


def _fetching(grid: ui.aggrid, where: str) -> str:
    return f"getElement({grid.id}).api.setGridOption('datasource', nymityRows({json.dumps(where)}))"
