"""Columns of a private project, from public knowledge: names, roles, and the values there can be. None is read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import polars as pl

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.workbench.hierarchy_drafts import by_hand, source_of
from nymity.workbench.project import Project

#: Kinds of public values, and how many there may be.
KINDS, MOST_VALUES = ("numbers", "dates", "listed"), 100_000
ROLES = ("quasi", "person", "identifying")


def set_columns(project: Project, roles: dict[str, str], what: str) -> None:
    """Let the job have these columns; what is known of those that stay is kept."""

    def edit(data: dict[str, Any]) -> None:
        before = data.get("schema", {})
        data["schema"] = {
            name: before[name] if before.get(name, {}).get("role") == role else _column(role)
            for name, role in roles.items()
        }

    project.change_job(what, edit, decided=roles)


def state_reading(project: Project, fields: dict[str, Any], what: str) -> None:
    """Say how the file is written: in a private project nothing is found out from it."""

    def edit(data: dict[str, Any]) -> None:
        data["source"].update(fields)

    project.change_job(what, edit)


def named(text: str) -> list[str]:
    """Return the names in a text, separated by commas or lines, each once."""
    return list(dict.fromkeys(part.strip() for part in text.replace("\n", ",").split(",") if part.strip()))


def public_values(kind: str, first: str, last: str, listed: str) -> pl.Series:
    """Return the values there can be: whole numbers or days from one to another, or those that are listed."""
    validation.one_of("values", kind, KINDS)
    if kind == "listed":
        return _few(named(listed))
    begin, end = (_number(text) if kind == "numbers" else _day(text) for text in (first, last))
    if end < begin or end - begin >= MOST_VALUES:
        raise ParameterError("values", expected=f"1 to {MOST_VALUES:,} values", got=f"{first} to {last}")
    span = range(begin, end + 1)
    return pl.Series(span) if kind == "numbers" else pl.Series([date.fromordinal(day) for day in span])


def write_out(project: Project, column: str, builder: dict[str, Any], values: pl.Series) -> dict[str, Any]:
    """Build a hierarchy for public values, and return it written out, as private methods ask."""
    source = source_of(project, column, builder)
    assert source is not None  # a builder was given
    return by_hand(project, source.build(values, where=f"hierarchy of {column!r}"))


def _column(role: str) -> dict[str, Any]:
    """Return a column as a private job can have it: gaps must not stop its run."""
    return {"role": role, **({"missing": "drop"} if role == "person" else {})}


def _few(values: Iterable[str]) -> pl.Series:
    found = list(values)
    if not 0 < len(found) <= MOST_VALUES:
        raise ParameterError("values", expected=f"1 to {MOST_VALUES:,} values", got=str(len(found)))
    return pl.Series(found, dtype=pl.String)


def _number(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError as error:
        raise ParameterError("values", expected="a whole number", got=repr(text)[:80]) from error


def _day(text: str) -> int:
    try:
        return date.fromisoformat(text.strip()).toordinal()
    except ValueError as error:
        raise ParameterError("values", expected="a day such as 1990-01-31", got=repr(text)[:80]) from error
