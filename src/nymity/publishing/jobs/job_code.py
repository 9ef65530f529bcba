"""A job as Python: code that makes the same job, for whoever goes on in a notebook or a script."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pprint import pformat
from typing import Any

from nymity.publishing.jobs.codec import default_of
from nymity.publishing.jobs.job import Job
from nymity.table.attribute import Attribute
from nymity.table.builders import Flat, HierarchyRows
from nymity.table.hierarchy import Hierarchy

#: Characters of a line, and how far each step goes in.
_WIDTH, _STEP = 100, 4
#: Fields of a job that Python names by what it calls them in ``nymity``.
_FIELDS = ("source", "children", "schema", "privacy", "method", "output", "target", "transforms", "seed", "engine")


def python_code(job: Job, *, out: str = "release") -> str:
    """Return Python that makes an equal job and publishes it; what it cannot say plainly it loads from the job file."""
    unsaid = [name for name in ("earlier_releases", "earlier", "ledger", "sign") if getattr(job, name)]
    made = 'ny.Job.load("job.toml")' if unsaid else _job(job)
    flat = f"from {Flat.__module__} import Flat\n" if "(Flat(" in made else ""  # ny.Hierarchy.flat wants values
    return f"import nymity as ny\n{flat}\njob = {made}\nrelease = ny.publish(job, out={out!r})\n"


def _job(job: Job) -> str:
    plain = {item.name: default_of(item) for item in dataclasses.fields(Job) if item.name in _FIELDS[3:]}
    given = {name: value for name in _FIELDS if (value := getattr(job, name)) not in (None, plain.get(name))}
    return _call("ny.Job", {name: _said(name, value, _STEP) for name, value in given.items()}, 0, several=True)


def _said(name: str, value: Any, indent: int) -> str:
    if name == "schema":
        columns = [f"{column!r}: {_attribute(one, indent + _STEP)}" for column, one in value.items()]
        return _block("ny.Schema({", columns, "})", indent)
    if name in ("privacy", "transforms"):
        return _block("[", [_piece(model, indent + _STEP) for model in value], "]", indent)
    return _piece(value, indent)


def _attribute(one: Attribute, indent: int) -> str:
    plain = Attribute(role=one.role)
    fields = {
        item.name: value
        for item in dataclasses.fields(one)
        if item.name != "role" and (value := getattr(one, item.name)) != getattr(plain, item.name)
    }
    hierarchy = fields.pop("hierarchy", None)
    first = [] if hierarchy is None else [_hierarchy(hierarchy, indent)]
    return f"ny.{one.role.value}({', '.join([*first, *(f'{name}={value!r}' for name, value in fields.items())])})"


def _hierarchy(source: Any, indent: int) -> str:
    if isinstance(source, Hierarchy | HierarchyRows):
        rows = source.rows() if isinstance(source, Hierarchy) else source.rows
        return f"ny.Hierarchy.from_rows({_value(rows, indent)})"
    if isinstance(source, Flat):
        return _call("Flat", _fields(source, indent), indent)
    return _call(f"ny.Hierarchy.{source.key.replace('-', '_')}", _fields(source, indent), indent)


def _piece(piece: Any, indent: int) -> str:
    if not dataclasses.is_dataclass(piece):
        return _value(piece, indent)
    return _call(f"ny.{type(piece).__name__}", _fields(piece, indent), indent)


def _fields(piece: Any, indent: int) -> dict[str, str]:
    """Return what a piece was given beside its defaults, as code."""
    return {
        item.name: _piece(value, indent + _STEP) if dataclasses.is_dataclass(value) else _value(value, indent + _STEP)
        for item in dataclasses.fields(piece)
        if item.init and (value := getattr(piece, item.name)) != default_of(item)
    }


def _call(name: str, fields: Mapping[str, str], indent: int, *, several: bool = False) -> str:
    inside = [f"{field}={value}" for field, value in fields.items()]
    line = f"{name}({', '.join(inside)})"
    if several or "\n" in line or len(line) + indent > _WIDTH:
        return _block(f"{name}(", inside, ")", indent)
    return line


def _block(start: str, lines: list[str], end: str, indent: int) -> str:
    inner = " " * (indent + _STEP)
    return "\n".join([start, *(f"{inner}{line}," for line in lines), " " * indent + end])


def _value(value: Any, indent: int) -> str:
    if isinstance(value, Mapping):
        value = dict(value)
    text = pformat(value, width=max(40, _WIDTH - indent), sort_dicts=False, compact=True)
    return text.replace("\n", "\n" + " " * indent)
