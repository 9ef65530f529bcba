"""How a table is read: what was found out, as fields to correct, with a preview of what the first rows become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.io import ReadOptions, format_of, read_preview, sheets_of
from nymity.workbench.catalogue import Texts
from nymity.workbench.endpoints.rows import shown_cells
from nymity.workbench.opening import read_again
from nymity.workbench.parts import box, button, error_card, in_background, in_thread, scroll_box, text
from nymity.workbench.project import Project
from nymity.workbench.watching import look_now

#: Rows of the preview.
_ROWS = 12
_ENCODINGS = ("utf-8", "cp1252", "utf-16", "iso-8859-15")


async def reading_form(project: Project, texts: Texts) -> None:
    """Show the fields and the preview."""
    source: dict[str, Any] = project.source_data
    if "path" not in source:
        text("p", texts("reading.no_options"), "quiet")
        return
    is_text = format_of(Path(source["path"])).is_text
    fields: dict[str, Any] = {}
    text("p", texts("reading.lead" if is_text else "reading.no_options"), "quiet")
    with box("div", "fields"):
        if is_text:
            _text_fields(fields, source, texts)
        elif len(sheets := await in_thread(sheets_of, Path(source["path"]))) > 1:
            given = source.get("sheet", sheets[0])
            fields["sheet"] = ui.select(sheets, label=texts("reading.sheet"), value=given).props("outlined dense")
        codes = ", ".join(str(code) for code in source.get("missing", ()))
        fields["missing"] = _input(texts("reading.missing"), codes, texts("reading.missing_hint"))
    if own := sorted({*source.get("missing_in", {}), *source.get("dates_in", {})}):
        text("p", texts("reading.per_column", columns=", ".join(own)), "quiet small")
    preview = box("div", "preview")

    def asked() -> dict[str, Any]:
        """Return what the fields say, and what has no field as it is."""
        said = {name: _value(field.value) for name, field in fields.items()}
        said["missing"] = [code.strip() for code in str(fields["missing"].value or "").split(",") if code.strip()]
        kept = {name: value for name, value in source.items() if name not in said and name != "path"}
        return {name: value for name, value in {**kept, **said}.items() if value not in (None, "", [])}

    async def show() -> None:
        try:
            options = ReadOptions(**asked())
            table = await in_thread(read_preview, source["path"], options, rows=_ROWS)
        except NymityError as error:
            table = None
            failure = error
        preview.clear()
        with preview:
            if table is None:
                error_card(failure, texts)
            else:
                _rows(table, texts)

    async def apply() -> None:
        if asked() == {name: value for name, value in source.items() if name != "path"}:
            ui.notify(texts("reading.unchanged"))
            return
        await in_background(texts, read_again, project, asked())
        look_now()
        ui.notify(texts("reading.applied"))

    for field in fields.values():
        field.on_value_change(show)
    with box("div", "actions"):
        button(texts("app.apply"), apply, main=True)
    await show()


def _text_fields(fields: dict[str, Any], source: dict[str, Any], texts: Texts) -> None:
    delimiters = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
    fields["delimiter"] = _select(texts, "delimiter", source, delimiters)
    encodings = {name: name for name in dict.fromkeys([*_ENCODINGS, *([source["encoding"]] * ("encoding" in source))])}
    fields["encoding"] = _select(texts, "encoding", source, encodings, own=True)
    fields["decimal"] = _select(texts, "decimal", source, {".": "point", ",": "comma"}, default=".")
    marks = {"": "nothing", ".": "point", ",": "comma", "'": "apostrophe", " ": "space"}
    fields["thousands"] = _select(texts, "thousands", source, marks, default="")
    fields["dates"] = _input(texts("reading.dates"), source.get("dates", ""), texts("reading.dates_hint"))
    fields["header"] = ui.checkbox(texts("reading.header"), value=bool(source.get("header", True)))


def _select(
    texts: Texts,
    name: str,
    source: dict[str, Any],
    words: dict[str, str],
    *,
    default: str | None = None,
    own: bool = False,
) -> ui.select:
    options = {value: word if own else texts(f"reading.{word}") for value, word in words.items()}
    value = source.get(name, default)
    if value is not None and value not in options:
        options[value] = value
    return ui.select(options, label=texts(f"reading.{name}"), value=value).props("outlined dense options-dense")


def _input(label: str, value: str, hint: str) -> ui.input:
    field = ui.input(label, value=value).props("outlined dense debounce=400")
    field.props["hint"] = hint
    return field


def _value(given: Any) -> Any:
    return None if given == "" else given


def _rows(table: Any, texts: Texts) -> None:
    text("h3", texts("reading.preview_rows", n=table.height))
    with scroll_box(), box("table", "list preview-rows"):
        with box("thead"), box("tr"):
            for name, kind in zip(table.columns, table.dtypes, strict=True):
                with box("th"):
                    text("strong", name)
                    text("div", str(kind), "small")
        with box("tbody"):
            for row in shown_cells(table).rows():
                with box("tr"):
                    for cell in row:
                        text("td", "" if cell is None else cell, "gap" if cell is None else "")
