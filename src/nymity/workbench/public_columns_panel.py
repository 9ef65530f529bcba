"""The screens on columns and hierarchies of a private project: forms for what is publicly known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.workbench.catalogue import Texts
from nymity.workbench.hierarchy_drafts import save
from nymity.workbench.hierarchy_forms import FORMS, SIDES, new_draft, shown_value, with_value
from nymity.workbench.parts import box, button, card, icon_button, in_thread, said, text, told
from nymity.workbench.project import Project
from nymity.workbench.public_columns import KINDS, ROLES, named, public_values, set_columns, state_reading, write_out
from nymity.workbench.watching import look_now, watched

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_ENCODINGS = ("utf-8", "cp1252", "latin-1", "utf-16")
#: Builders that need nothing but the values.
_OFFERED = [key for key in FORMS if key not in ("file", "taxonomy")]


def public_columns_panel(project: Project, texts: Texts) -> None:
    """Ask for the columns, and for how the file is written."""

    def roles() -> dict[str, str]:
        return {name: one["role"] for name, one in project.job_data.get("schema", {}).items()}

    def put(changed: dict[str, str]) -> None:
        _tried(lambda: set_columns(project, changed, texts("public.columns_changed")), texts)

    def leave_out(name: str) -> None:
        put({other: role for other, role in roles().items() if other != name})

    with card(texts("public.columns_title"), texts("public.columns_lead")):

        @watched(project)
        def shown() -> None:
            words = {role: texts(f"roles.{role}") for role in ROLES}
            for name, role in roles().items():
                with box("div", "public-column"):
                    text("strong", name)
                    chosen = ui.select(words, value=role).props("outlined dense")
                    said(chosen, aria_label=texts("columns.role_of", column=name))
                    chosen.on_value_change(lambda event, name=name: put({**roles(), name: event.value}))
                    icon_button("delete", texts("public.remove", column=name), partial(leave_out, name))

        shown()
        names = ui.input(texts("public.names")).props("outlined autocomplete=off")

        def add() -> None:
            put({**roles(), **{name: "quasi" for name in named(str(names.value or "")) if name not in roles()}})
            names.value = ""

        with box("div", "actions"):
            button(texts("public.add"), add, icon="add", main=True)
    _reading(project, texts)


def _reading(project: Project, texts: Texts) -> None:
    source = project.job_data.get("source", {})
    if "path" not in source:
        return
    with card(texts("public.reading_title"), texts("public.reading_lead")):
        words = {mark: texts(f"reading.{name}") for mark, name in _DELIMITERS.items()}
        with box("div", "form-row"):
            delimiter = ui.select(words, value=source.get("delimiter", ","), label=texts("reading.delimiter"))
            encodings = list(dict.fromkeys([source.get("encoding", "utf-8"), *_ENCODINGS]))
            encoding = ui.select(encodings, value=encodings[0], label=texts("reading.encoding"))
            for one in (delimiter, encoding):
                one.props("outlined dense")
        header = ui.checkbox(texts("reading.header"), value=bool(source.get("header", True)))

        def state() -> None:
            fields = {"delimiter": delimiter.value, "encoding": encoding.value, "header": bool(header.value)}
            _tried(lambda: state_reading(project, fields, texts("public.reading_changed")), texts)

        with box("div", "actions"):
            button(texts("app.apply"), state)


class PublicHierarchyForm:
    """Asks for the values there can be and how they become coarser; what is saved is written out."""

    def __init__(self, project: Project, column: str, texts: Texts, again: Callable[[], None]) -> None:
        self._project, self._column, self._texts, self._again = project, column, texts, again
        self._draft = new_draft("intervals")
        text("p", texts("public.values_lead"), "quiet")
        kinds = {kind: texts(f"public.values_{kind}") for kind in KINDS}
        self._kind = ui.select(kinds, value="numbers", label=texts("public.values")).props("outlined")
        with box("div", "form-row") as self._span:
            self._first, self._last = (ui.input(texts(f"public.{name}")) for name in ("first", "last"))
        self._listed = ui.textarea(texts("public.listed")).props("outlined autogrow").classes("note-input")
        self._listed.set_visibility(False)
        for one in (self._first, self._last):
            one.props("outlined dense autocomplete=off")
        self._kind.on_value_change(lambda event: self._choose(event.value))
        words = {key: texts(f"hierarchies.kind.{key}") for key in _OFFERED}
        made = ui.select(words, value="intervals", label=texts("hierarchies.kind_label")).props("outlined")
        self._fields = ui.refreshable(self._draw_fields)
        made.on_value_change(lambda event: self._build_by(event.value))
        self._fields()
        with box("div", "actions"):
            button(texts("app.apply"), self._apply, icon="check", main=True)

    def _choose(self, kind: str) -> None:
        self._span.set_visibility(kind != "listed")
        self._listed.set_visibility(kind == "listed")

    def _build_by(self, key: str) -> None:
        self._draft = new_draft(key)
        self._fields.refresh()

    def _draw_fields(self) -> None:
        with box("div", "form-row"):
            for name, kind in FORMS[self._draft["type"]].items():
                label = self._texts(f"hierarchies.field.{name}")

                def put(event: Any, name: str = name, kind: str = kind) -> None:
                    self._draft = with_value(self._draft, name, kind, event.value)

                value = shown_value(self._draft, name)
                if kind == "side":
                    sides = {side: self._texts(f"hierarchies.side_{side}") for side in SIDES}
                    ui.select(sides, value=value, label=label, on_change=put).props("outlined dense")
                else:
                    ui.input(label, value=str(value or ""), on_change=put).props("outlined dense")

    async def _apply(self) -> None:
        given = (str(one.value or "") for one in (self._first, self._last, self._listed))
        try:
            values = public_values(str(self._kind.value), *given)
            made = await in_thread(write_out, self._project, self._column, self._draft, values)
        except NymityError as error:
            told(error, self._texts)
            return
        save(self._project, self._column, made, self._texts)
        look_now()
        self._again()


def _tried(change: Callable[[], None], texts: Texts) -> None:
    try:
        change()
    except NymityError as error:
        told(error, texts)
        return
    look_now()
