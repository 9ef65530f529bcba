"""The tree of a hierarchy that is written out: values and groups are moved, renamed, split and merged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from nicegui import ui
from nicegui.element import Element

import nymity as ny
from nymity.core.errors import NymityError
from nymity.table.hierarchy import Label
from nymity.table.hierarchy_edits import merged, moved, renamed, split, with_level, without_level
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints import address
from nymity.workbench.hierarchy_drafts import by_hand, ladder_of, save, saved
from nymity.workbench.parts import box, button, in_thread, text, told
from nymity.workbench.project import Project
from nymity.workbench.watching import look_now

#: Groups that a dialog lists; those that are typed are found beyond them.
_MOST_OFFERED = 2000


class HierarchyTree(Element, component="assets/hierarchies.js"):
    """The rows in the browser; it asks for changes and never makes one."""

    def __init__(self, where: str, words: dict[str, str]) -> None:
        super().__init__()
        self._props["address"], self._props["words"] = where, words


class TreePanel:
    """The tree of one column with what can be done to the cells that are chosen."""

    def __init__(self, project: Project, column: str, texts: Texts) -> None:
        self._project, self._column, self._texts = project, column, texts
        self._level = -1
        self._codes: list[int] = []
        names = ("search", "several", "tree", "open", "close", "missing")
        with box("div", "actions"):
            self._moving = button(texts("hierarchies.move"), self._ask_move, icon="drive_file_move")
            self._splitting = button(texts("hierarchies.split"), self._ask_split, icon="call_split")
            self._merging = button(texts("hierarchies.merge"), self._ask_merge, icon="call_merge")
            self._renaming = button(texts("hierarchies.rename"), self._ask_name, icon="edit")
            button(texts("hierarchies.add_level"), lambda: self._change(with_level), icon="add")
            self._leaving = button(texts("hierarchies.remove_level"), self._remove_level, icon="remove")
        where = f"{address(project, 'hierarchy')}?column={quote(column, safe='')}"
        self._tree = HierarchyTree(where, {name: texts(f"hierarchies.tree_{name}") for name in names})
        self._tree.on("choose", lambda event: self._chosen(event.args))
        self._tree.on("move", lambda event: self._dropped(event.args))
        text("p", texts("hierarchies.tree_help"), "quiet small")
        self._chosen({"level": -1, "codes": []})

    def _chosen(self, given: dict[str, Any]) -> None:
        self._level, self._codes = int(given["level"]), [int(code) for code in given["codes"]]
        height, some = self._hierarchy.height, bool(self._codes)
        self._moving.set_enabled(some and self._level < height - 1)
        self._splitting.set_enabled(some and self._level < height - 1)
        self._merging.set_enabled(some and 0 < self._level < height)
        self._renaming.set_enabled(len(self._codes) == 1 and 0 < self._level < height)
        self._leaving.set_enabled(some and 0 < self._level < height)

    @property
    def _hierarchy(self) -> ny.Hierarchy:
        found: ny.Hierarchy = ladder_of(self._project, self._column, saved(self._project, self._column)).hierarchy
        return found

    def _labels(self, level: int, codes: list[int]) -> list[Label]:
        known = self._hierarchy.labels[level]
        return [known[code] for code in codes if 0 <= code < len(known)]

    async def _change(self, edit: Callable[[ny.Hierarchy], ny.Hierarchy]) -> None:
        """Make a version of a change, or say why it cannot be."""

        def work() -> None:
            made = edit(self._hierarchy)
            save(self._project, self._column, by_hand(self._project, made), self._texts)
            ladder_of(self._project, self._column, saved(self._project, self._column))

        try:
            await in_thread(work)
        except NymityError as error:
            told(error, self._texts)
            return
        self._tree.run_method("load")
        look_now()

    async def _dropped(self, given: dict[str, Any]) -> None:
        level = int(given["level"])
        labels = self._labels(level, [int(code) for code in given["codes"]])
        targets = self._labels(level + 1, [int(given["to"])])
        if labels and targets:
            await self._change(lambda hierarchy: moved(hierarchy, level, labels, targets[0]))

    def _ask_move(self) -> None:
        level, labels = self._level, self._labels(self._level, self._codes)
        self._ask_group(
            self._texts("hierarchies.move_title"),
            level + 1,
            lambda to: self._change(lambda hierarchy: moved(hierarchy, level, labels, to)),
        )

    def _ask_merge(self) -> None:
        level, labels = self._level, self._labels(self._level, self._codes)
        self._ask_group(
            self._texts("hierarchies.merge_title"),
            level,
            lambda to: self._change(lambda hierarchy: merged(hierarchy, level, labels, to)),
        )

    def _ask_split(self) -> None:
        level, labels = self._level, self._labels(self._level, self._codes)
        self._ask_text(
            self._texts("hierarchies.split_title"),
            "",
            lambda name: self._change(lambda hierarchy: split(hierarchy, level, labels, name)),
        )

    def _ask_name(self) -> None:
        level, (label,) = self._level, self._labels(self._level, self._codes)
        self._ask_text(
            self._texts("hierarchies.rename_title"),
            label or "",
            lambda name: self._change(lambda hierarchy: renamed(hierarchy, level, label, name)),
        )

    async def _remove_level(self) -> None:
        level = self._level
        await self._change(lambda hierarchy: without_level(hierarchy, level))

    def _ask_group(self, title: str, level: int, then: Callable[[Label], Any]) -> None:
        groups = [label for label in self._hierarchy.labels[level] if label is not None]
        with ui.dialog(value=True) as dialog, box("div", "dialog"):
            text("h2", title)
            chosen = ui.select(groups[:_MOST_OFFERED], with_input=True, label=self._texts("hierarchies.group"))
            chosen.props("outlined")
            self._finish(dialog, lambda: None if chosen.value is None else then(chosen.value))

    def _ask_text(self, title: str, value: str, then: Callable[[str], Any]) -> None:
        with ui.dialog(value=True) as dialog, box("div", "dialog"):
            text("h2", title)
            name = ui.input(self._texts("hierarchies.name"), value=value).props("outlined autofocus")
            self._finish(dialog, lambda: then(str(name.value or "").strip()))

    def _finish(self, dialog: ui.dialog, then: Callable[[], Any]) -> None:
        async def done() -> None:
            dialog.close()
            waiting = then()
            if waiting is not None:
                await waiting

        with box("div", "actions end"):
            button(self._texts("app.cancel"), dialog.close)
            button(self._texts("app.apply"), done, main=True)
