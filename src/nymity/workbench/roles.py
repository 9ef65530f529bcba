"""Roles of columns in a job: a change of one with what follows from it, and how many people stand out by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

import nymity as ny
from nymity.core.progress import Observer
from nymity.publishing import Answers, Inspection, dump_attribute
from nymity.risk import Drivers, Uniqueness
from nymity.table import Role
from nymity.workbench.memory import give_back
from nymity.workbench.project import Project
from nymity.workbench.tables import LookedTable, look_at
from nymity.workbench.transform_forms import CHANGEABLE, unchanged
from nymity.workbench.turns import computing

#: Roles that one column has at most.
_SINGLE = ("person", "household", "weight")
#: Diversity where a column becomes sensitive, and items that somebody may know: as in a starter job.
_L, _M = 3, 2
#: Fields of a column that can be changed beside its role, by role; ``missing`` and the hierarchy have every one.
OPTIONS = {
    "person": ("pseudonym", "recipient"),
    "household": ("pseudonym", "recipient"),
    "weight": ("publish",),
    "insensitive": ("shift", "shift_days", "free_text"),
    "perturbed": ("free_text",),
    "quasi": ("free_text",),
    "sensitive": ("free_text",),
}


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """How far the chosen quasi-identifiers single people out: together, without each one, and by small combinations."""

    uniqueness: Uniqueness
    drivers: Drivers | None


def set_role(project: Project, name: str, role: str, what: str) -> None:
    """Give a column a role, with a hierarchy and promises as a starter job would have them."""
    looked = look_at(project) if project.may_look else None
    given = {"role": role} if looked is None else _attribute(looked, name, role)
    distinct = None if looked is None else looked.inspection[name].distinct

    def edit(data: dict[str, Any]) -> None:
        schema = data.setdefault("schema", {})
        before = schema.get(name, {}).get("role")
        if before == role:
            return
        for other, attribute in schema.items():
            # One column alone can have this role. The one before is left out of the release until somebody decides.
            if role in _SINGLE and attribute["role"] == role:
                schema[other] = {"role": "identifying"}
        schema[name] = given
        data["privacy"] = _promises(data, name, role, distinct)
        if role not in CHANGEABLE and (known := data.pop("transforms", [])) and (left := unchanged(known, name)):
            data["transforms"] = left
        if data.get("target") == name and role not in ("quasi", "sensitive", "insensitive"):
            del data["target"]

    project.change_job(what, edit, decided=[name])


def set_options(project: Project, name: str, fields: dict[str, Any], what: str) -> None:
    """Change what a column has beside its role; what is empty is taken back."""

    def edit(data: dict[str, Any]) -> None:
        for field, value in fields.items():
            if value in (None, ""):
                data["schema"][name].pop(field, None)
            else:
                data["schema"][name][field] = value
        ny.Schema({name: _parsed(name, data["schema"][name])})  # refused before it is a version

    project.change_job(what, edit, decided=[name])


def keep_suggested(project: Project, names: list[str], what: str) -> None:
    """Say that suggested roles are right."""
    project.change_job(what, lambda _: None, decided=names)


def exposure(project: Project, *, size: int = 2) -> Exposure | None:
    """Measure how far the quasi-identifiers single people out; None where there are none."""
    looked = look_at(project)
    schema = project.job_data.get("schema", {})
    quasi = tuple(name for name, one in schema.items() if one["role"] == "quasi" and name in looked.columns)
    person = next((name for name, one in schema.items() if one["role"] == "person"), None)
    if not quasi:
        return None
    kept = looked.memory.setdefault("exposure", {})
    key = (quasi, person, size)
    found: Exposure | None = kept.get(key)
    if found is None:
        with computing(later=True):
            unique = ny.risk.uniqueness(looked.cells, quasi, person=person)
            give_back()
            drivers = ny.risk.drivers(looked.keys(quasi), quasi, size=size) if size else None
        found = Exposure(uniqueness=unique, drivers=drivers)
        kept.clear()  # also by another page, which asks about other columns: what was found here is returned here
        kept[key] = found
        give_back()
    return found


def triples(project: Project, observe: Observer) -> pl.DataFrame:
    """Count the people that three columns single out, most first; this takes long."""
    looked = look_at(project)
    schema = project.job_data.get("schema", {})
    quasi = tuple(name for name, one in schema.items() if one["role"] == "quasi" and name in looked.columns)
    kept = looked.memory.setdefault("triples", {})
    made: pl.DataFrame | None = kept.get(quasi)
    if made is None:
        with computing(later=True):
            found = ny.risk.drivers(looked.keys(quasi), quasi, size=3, observe=observe).combinations
        made = found.filter(found["size"] == 3).sort("unique", descending=True)
        kept.clear()
        kept[quasi] = made
        give_back()
    return made


def suggestions(project: Project) -> Inspection:
    """Return what columns look like and which roles are suggested."""
    return look_at(project).inspection


def _attribute(looked: LookedTable, name: str, role: str) -> dict[str, Any]:
    """Return a column as a job has it: as it was suggested, or as it would be, were this role suggested."""
    suggested = looked.inspection[name]
    if suggested.role.value == role:
        return dict(dump_attribute(suggested.attribute))
    answers = Answers.from_dict({"columns": {name: role}})
    alone = ny.inspect(pl.DataFrame([looked.cells[name]]), answers=answers, reading=looked.reading)[name]
    return dict(dump_attribute(alone.attribute))


def _promises(data: dict[str, Any], name: str, role: str, distinct: int | None) -> list[dict[str, Any]]:
    """Return the promises that fit the roles: none about a column that is sensitive no more, one about a new one."""
    models: list[dict[str, Any]] = data.get("privacy", [])
    has_items = any(one["role"] == Role.ITEMS.value for one in data["schema"].values())
    models = [model for model in models if not has_items or "attribute" not in model]
    if role != "sensitive":
        models = [model for model in models if model.get("attribute") != name]
    elif not has_items and not any(model.get("attribute") == name for model in models) and (distinct or _L) > 1:
        models = [*models, {"model": "distinct-l-diversity", "l": min(_L, distinct or _L), "attribute": name}]
    about_items = any(model["model"] == "km-anonymity" for model in models)
    if has_items and not about_items:
        k = next((model["k"] for model in models if model["model"] == "k-anonymity"), 5)
        models = [*models, {"model": "km-anonymity", "k": k, "m": _M}]
    if not has_items:
        models = [model for model in models if model["model"] != "km-anonymity"]
    return models


def _parsed(name: str, fields: dict[str, Any]) -> Any:
    decided = Answers.from_dict({"columns": {name: fields}}).decided(name, ny.insensitive())
    assert decided is not None  # it has a role
    return decided
