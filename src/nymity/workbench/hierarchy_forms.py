"""What can be told the builders of hierarchies: a field each, with the kind of widget that asks for it."""

from __future__ import annotations

import dataclasses
from typing import Any

from nymity.table.builders import BUILDERS

#: Builders in the order in which they are offered, with their fields: number, whole, words (a list), text, choice.
FORMS: dict[str, dict[str, str]] = {
    "flat": {},
    "intervals": {"width": "number", "levels": "whole", "factor": "whole", "bottom": "number", "top": "number"},
    "ages": {"bands": "numbers", "bottom": "whole", "top": "whole"},
    "dates": {"levels": "words", "format": "text"},
    "masking": {"side": "side", "levels": "whole"},
    "ordering": {"group": "whole", "levels": "whole"},
    "money": {"lowest": "whole", "top": "number"},
    "countries": {"other": "text"},
    "nuts": {"other": "text"},
    "us-zip": {"other": "text"},
    "icd-10": {"other": "text"},
    "atc": {"other": "text"},
    "isco-08": {"other": "text"},
    "nace": {"other": "text"},
    "file": {"path": "text"},
    "taxonomy": {"file": "text"},
}
#: What a form begins with where the builder has nothing of its own to begin with.
STARTS: dict[str, dict[str, Any]] = {"intervals": {"width": 10, "levels": 3}}
SIDES = ("right", "left")


def new_draft(key: str) -> dict[str, Any]:
    """Return a hierarchy of a kind, to begin with."""
    return {"type": key, **STARTS.get(key, {})}


def shown_value(draft: dict[str, Any], name: str) -> Any:
    """Return what a form shows in a field."""
    usual = {one.name: one.default for one in dataclasses.fields(BUILDERS[draft["type"]])}
    value = draft.get(name, usual.get(name))
    if value is None or value is dataclasses.MISSING:
        return None
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def with_value(draft: dict[str, Any], name: str, kind: str, value: Any) -> dict[str, Any]:
    """Return the draft with another value; an empty one leaves it to the builder."""
    changed = {key: one for key, one in draft.items() if key != name}
    if value in (None, ""):
        return changed
    if kind == "whole":
        value = int(value) if float(value).is_integer() else float(value)
    elif kind in ("words", "numbers"):
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        value = [int(part) if part.isdigit() else part for part in parts] if kind == "numbers" else parts
    elif kind == "number":
        value = int(value) if float(value).is_integer() else float(value)
    return {**changed, name: value}
