"""Changes of a hierarchy by hand: groups are moved, renamed, split and merged; every change gives a new hierarchy.

A cell of a level is named by its label, which is unique there. What stands above a cell moves with it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from nymity.core.errors import ParameterError
from nymity.core.quoting import shown
from nymity.table.hierarchy import Hierarchy, Label


def moved(hierarchy: Hierarchy, level: int, labels: Collection[Label], to: Label) -> Hierarchy:
    """Put cells of a level under a group of the next one."""
    _require(hierarchy, level, labels)
    _require(hierarchy, level + 1, [to])
    path = _path(hierarchy, level + 1, to)
    return _changed(hierarchy, lambda row: [*row[: level + 1], *path] if row[level] in labels else row)


def renamed(hierarchy: Hierarchy, level: int, label: Label, name: str) -> Hierarchy:
    """Give a group another name; to that of another group they become one."""
    _require(hierarchy, level, [label])
    if level == 0:
        raise ParameterError("level", expected="a group", got="a value of the column", hint="correct the table")
    if level == hierarchy.height:
        raise ParameterError("level", expected="a group below the top", got="the top")
    if not name.strip():
        raise ParameterError("name", expected="a name", got="none")
    if name in hierarchy.labels[level] and name != label:
        return merged(hierarchy, level, [label], name)
    return _changed(hierarchy, lambda row: [*row[:level], name, *row[level + 1 :]] if row[level] == label else row)


def merged(hierarchy: Hierarchy, level: int, labels: Collection[Label], to: Label) -> Hierarchy:
    """Make groups of a level one with another one."""
    _require(hierarchy, level, [*labels, to])
    path = _path(hierarchy, level, to)
    return _changed(hierarchy, lambda row: [*row[:level], *path] if row[level] in labels else row)


def split(hierarchy: Hierarchy, level: int, labels: Collection[Label], name: str) -> Hierarchy:
    """Put cells of a level into a new group of the next one, under what their old group was under."""
    _require(hierarchy, level, labels)
    above = level + 1
    if above >= hierarchy.height:
        raise ParameterError("level", expected="a level of groups below the top", got="none", hint="add a level first")
    if not name.strip() or name in hierarchy.labels[above]:
        raise ParameterError("name", expected="a name that no group of that level has", got=shown(name))
    first = next(row for row in hierarchy.rows() if row[level] in labels)
    path = [name, *first[above + 1 :]]
    return _changed(hierarchy, lambda row: [*row[:above], *path] if row[level] in labels else row)


def with_level(hierarchy: Hierarchy) -> Hierarchy:
    """Add a level of groups below the top, each with one cell so far."""
    return _changed(hierarchy, lambda row: [*row[:-1], row[-2], row[-1]])


def without_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Leave a level of groups out."""
    if not 0 < level < hierarchy.height:
        raise ParameterError("level", expected="a level between the values and the top", got=str(level))
    return _changed(hierarchy, lambda row: [*row[:level], *row[level + 1 :]])


def _changed(hierarchy: Hierarchy, change: Callable[[list[Label]], list[Label]]) -> Hierarchy:
    return Hierarchy.from_rows([change(list(row)) for row in hierarchy.rows()])


def _path(hierarchy: Hierarchy, level: int, label: Label) -> list[Label]:
    return next(list(row[level:]) for row in hierarchy.rows() if row[level] == label)


def _require(hierarchy: Hierarchy, level: int, labels: Collection[Label]) -> None:
    if not 0 <= level <= hierarchy.height:
        raise ParameterError("level", expected=f"a level from 0 to {hierarchy.height}", got=str(level))
    known = set(hierarchy.labels[level])
    for label in labels:
        if label not in known:
            raise ParameterError("label", expected=f"a cell of level {level}", got=shown(label))
    if not labels:
        raise ParameterError("label", expected="at least one cell", got="none")
