"""Options of a column: what it has beside its role, in a dialog."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from nymity.core.errors import NymityError
from nymity.publishing import ColumnInspection
from nymity.workbench.catalogue import Texts
from nymity.workbench.parts import box, button, error_card, text
from nymity.workbench.project import Project
from nymity.workbench.roles import OPTIONS, set_options
from nymity.workbench.watching import look_now


def options_dialog(project: Project, column: ColumnInspection, texts: Texts) -> None:
    """Show the fields that a column of its role can have."""
    attribute = project.job_data["schema"].get(column.name, {"role": column.role.value})
    role = attribute["role"]
    fields: dict[str, Any] = {}
    with ui.dialog(value=True) as dialog, box("div", "dialog"):
        text("h2", texts("options.title", column=column.name))
        text("p", texts(f"options.role_{role}"), "quiet")
        with box("div", "option-fields"):
            for name in OPTIONS.get(role, ()):
                if name == "free_text" and column.type != "text" and name not in attribute:
                    continue
                fields[name] = _FIELDS[name](attribute, texts)
            fields["missing"] = _missing(attribute, texts)
        failed = box("div")

        def apply() -> None:
            given = {name: field.value for name, field in fields.items()}
            try:
                set_options(project, column.name, _cleaned(given), texts("options.changed", column=column.name))
            except NymityError as error:
                failed.clear()
                with failed:
                    error_card(error, texts)
                return
            dialog.close()
            look_now()

        with box("div", "actions end"):
            button(texts("app.cancel"), dialog.close)
            button(texts("app.apply"), apply, main=True)


def _cleaned(given: dict[str, Any]) -> dict[str, Any]:
    """Turn what the fields hold into fields of a column; what depends on another goes with it."""
    fields = dict(given)
    if "free_text" in fields:
        fields["free_text"] = "published" if fields["free_text"] else None
    if "shift" in fields:
        fields["shift"] = "per person" if fields["shift"] else None
        fields["shift_days"] = int(fields["shift_days"] or 365) if fields["shift"] else None
    if fields.get("pseudonym") != "keyed":
        fields.pop("recipient", None)
        if "pseudonym" in fields:
            fields["recipient"] = None
    return fields


def _select(name: str, words: dict[str, str], attribute: dict[str, Any], texts: Texts, default: str = "") -> ui.select:
    options = {value: texts(f"options.{word}") for value, word in words.items()}
    value = attribute.get(name, default)
    return ui.select(options, value=value, label=texts(f"options.{name}")).props("outlined dense options-dense")


def _missing(attribute: dict[str, Any], texts: Texts) -> ui.select:
    needed = attribute["role"] in ("person", "household", "weight")
    words = {"category": "missing_category", "drop": "missing_drop", "error": "missing_error"}
    if needed:
        del words["category"]
    return _select("missing", words, attribute, texts, "error" if needed else "category")


def _pseudonym(attribute: dict[str, Any], texts: Texts) -> ui.select:
    words = {"": "pseudonym_none", "random": "pseudonym_random", "keyed": "pseudonym_keyed"}
    return _select("pseudonym", words, attribute, texts)


def _recipient(attribute: dict[str, Any], texts: Texts) -> ui.input:
    return ui.input(texts("options.recipient"), value=attribute.get("recipient", "")).props("outlined dense")


def _publish(attribute: dict[str, Any], texts: Texts) -> ui.select:
    words = {"dropped": "publish_dropped", "coarsened": "publish_coarsened", "as it is": "publish_as_is"}
    return _select("publish", words, attribute, texts, "dropped")


def _shift(attribute: dict[str, Any], texts: Texts) -> ui.checkbox:
    return ui.checkbox(texts("options.shift"), value="shift" in attribute)


def _shift_days(attribute: dict[str, Any], texts: Texts) -> ui.number:
    given = attribute.get("shift_days", 365)
    days = ui.number(texts("options.shift_days"), value=given, min=1, max=36_500, precision=0)
    return days.props("outlined dense")


def _free_text(attribute: dict[str, Any], texts: Texts) -> ui.checkbox:
    return ui.checkbox(texts("options.free_text"), value="free_text" in attribute)


_FIELDS = {
    "pseudonym": _pseudonym,
    "recipient": _recipient,
    "publish": _publish,
    "shift": _shift,
    "shift_days": _shift_days,
    "free_text": _free_text,
}
