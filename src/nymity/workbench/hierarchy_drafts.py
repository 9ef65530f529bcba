"""Hierarchies of a project's columns: what they make of the table, and changes of them as versions of the job."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

import nymity as ny
from nymity.core.errors import ParameterError
from nymity.io import cells_at
from nymity.publishing import Ladder, parse_schema
from nymity.table.hierarchy import HierarchySource
from nymity.workbench.catalogue import Texts
from nymity.workbench.house.rights import Right
from nymity.workbench.project import JOBS_NAME, Project
from nymity.workbench.tables import look_at
from nymity.workbench.turns import computing

#: Values up to which a hierarchy that was made by hand stands in the job itself.
MOST_ROWS = 200
#: What names of files begin with that hold longer ones.
_WRITTEN = "hierarchy-"


def column_values(project: Project, column: str) -> pl.Series:
    """Return the cells of a column."""
    looked = look_at(project)
    return cells_at(looked.cells, column, pl.int_range(looked.height, eager=True))


def source_of(project: Project, column: str, draft: dict[str, Any] | None) -> HierarchySource | None:
    """Return the builder that plain data describes; None is the column as it is, or nothing of it."""
    if draft is None:
        return None
    described = {column: {"role": "quasi", "hierarchy": draft}}
    project.check_reach({"schema": described})
    found: HierarchySource | None = parse_schema(described, folder=project.folder / JOBS_NAME)[column].hierarchy
    return found


def saved(project: Project, column: str) -> dict[str, Any] | None:
    """Return the hierarchy of a column as the job has it."""
    found: dict[str, Any] | None = project.job_data.get("schema", {}).get(column, {}).get("hierarchy")
    return found


def ladder_of(project: Project, column: str, draft: dict[str, Any] | None) -> Ladder:
    """Count the levels that a hierarchy makes of a column, or say what it lacks; remembered."""
    project.require(Right.LOOK, column)
    if not project.may_look:
        return _public_ladder(project, column, draft)
    memory = look_at(project).memory.setdefault("ladders", {})
    key = json.dumps([column, draft], sort_keys=True, default=str)
    found: Ladder | None = memory.get(key)
    if found is None:
        values, source = column_values(project, column), source_of(project, column, draft)
        with computing():
            found = Ladder.of(values, source, column)
        if len(memory) > 30:
            memory.clear()  # also by another page: what was counted here is returned here
        memory[key] = found
    return found


def _public_ladder(project: Project, column: str, draft: dict[str, Any] | None) -> Ladder:
    """Count the levels of a hierarchy that is written out by the values that it lists, each once; no record is read."""
    source = source_of(project, column, draft)
    if not is_by_hand(project, draft) or source is None:
        raise ParameterError(column, expected="a hierarchy that lists every possible value", got="none")
    listed = source.build(pl.Series([], dtype=pl.String), where=f"hierarchy of {column!r}")
    return Ladder.of(pl.Series(listed.values, dtype=pl.String), listed, column)


def save(project: Project, column: str, draft: dict[str, Any] | None, texts: Texts) -> None:
    """Give a column this hierarchy."""

    def edit(data: dict[str, Any]) -> None:
        attribute = data["schema"][column]
        attribute.pop("hierarchy", None)
        if draft is not None:
            attribute["hierarchy"] = draft

    project.change_job(texts("hierarchies.changed", column=column), edit)


def by_hand(project: Project, hierarchy: ny.Hierarchy) -> dict[str, Any]:
    """Return a hierarchy written out: in the job, or in a file of the project that never changes where it is long."""
    rows = [["" if cell is None else cell for cell in row] for row in hierarchy.rows()]
    if len(rows) <= MOST_ROWS:
        return {"type": "rows", "rows": rows}
    name = f"{_WRITTEN}{sha256(json.dumps(rows).encode()).hexdigest()[:16]}.csv"
    path = project.files / name
    if not path.exists():
        hierarchy.save(path)
        path.chmod(0o600)
    return {"type": "file", "path": str(path), "delimiter": ";"}


def is_by_hand(project: Project, draft: dict[str, Any] | None) -> bool:
    """Return whether a hierarchy is written out, so that it can be changed value by value."""
    if draft is None:
        return False
    path = Path(str(draft.get("path")))
    is_ours = path.parent == project.files and path.name.startswith(_WRITTEN)  # a table that was uploaded is not
    return draft["type"] == "rows" or (draft["type"] == "file" and is_ours)


def imported(project: Project, path: str) -> dict[str, Any]:
    """Read a file as ARX writes it, and keep what it says."""
    project.check_reach({"schema": {"": {"hierarchy": {"path": path}}}})
    return by_hand(project, ny.Hierarchy.read(path))
