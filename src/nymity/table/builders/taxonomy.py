"""Taxonomy: values become the concepts above them in a tree."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import polars as pl

from nymity.core.errors import HierarchyError, ParameterError
from nymity.core.paths import path_text
from nymity.core.quoting import as_given, quoted
from nymity.table.builders.column import distinct, plain_text, refuse
from nymity.table.builders.taxonomy_file import read_taxonomy
from nymity.table.hierarchy import MOST_LEVELS, Hierarchy, Label
from nymity.table.text import MASK

#: A concept and the one above it; ``None`` above a root.
Edge = tuple[str, str | None]


@dataclass(frozen=True, kw_only=True)
class Taxonomy:
    """Use a tree of concepts, given in one of three ways.

    ``tree``: nested mappings, with lists, empty mappings or ``None`` for the leaves:
    ``{"Europe": ["France", "Italy"], "Asia": {"East": ["Japan"], "India": None}}``.
    ``parents``: child → parent. ``file``: a path to a tree or a child → parent mapping as YAML or JSON, or to a CSV
    file with the two columns child and parent (a header with these names is skipped).

    A single root is published as ``*``; above several roots ``*`` is added. Names are unique in the whole tree.
    Where branches differ in depth, the leaf is repeated upwards, so that a concept stands on the level
    that its distance from the root gives: above, ``India`` is itself on level 1, beside ``East``.

    Every leaf is part of the hierarchy whether it occurs or not. A column may also hold inner concepts
    (``Europe`` beside ``France``); they are repeated upwards in the same way.
    """

    key: ClassVar[str] = "taxonomy"
    coarser: ClassVar[str] = "groups of a classification"

    tree: Mapping[str, Any] | None = field(default=None, hash=False)
    parents: Mapping[str, str | None] | None = field(default=None, hash=False)
    file: str | None = None

    def __post_init__(self) -> None:
        given = [name for name in ("tree", "parents", "file") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ParameterError(
                "taxonomy", expected="one of tree, parents and file", got=" and ".join(given) or "none"
            )
        for name in ("tree", "parents"):
            mapping = getattr(self, name)
            if mapping is not None:
                if not isinstance(mapping, Mapping):
                    raise ParameterError(f"taxonomy.{name}", expected="a mapping", got=as_given(mapping))
                self._concepts(f"taxonomy.{name}")  # also refuses what is nested too deeply to be copied
                object.__setattr__(self, name, copy.deepcopy(dict(mapping)))
        if self.file is not None:
            object.__setattr__(self, "file", path_text("taxonomy.file", self.file))

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the tree as levels, checked against the column's values."""
        column = distinct(values)
        concepts = self._concepts(where if self.file is None else self.file)
        present = set(column.texts)
        refuse(
            where,
            [text for text in column.texts if text not in concepts.paths],
            expected="values that the taxonomy holds",
            hint="add them to the taxonomy, or correct the values in the table",
        )
        rows = [
            concepts.row(name)
            for name in concepts.paths
            if name in concepts.leaves or (name in present and name != MASK)
        ]
        stated = Taxonomy(parents=concepts.parents)  # a file may be gone when the rule is asked
        return column.hierarchy(rows, levels=concepts.depth, where=where, rule=(stated, {}))

    def between(self, text: str, fixed: Mapping[str, Any]) -> list[Label] | None:
        """Find any concept of the tree."""
        known = self._known
        return known.row(text)[1:] if text in known.paths and text != MASK else None

    @cached_property
    def _known(self) -> _Concepts:
        return self._concepts("taxonomy")

    def _concepts(self, where: str) -> _Concepts:
        if self.tree is not None:
            edges = _tree_edges(self.tree, None, where)
        elif self.parents is not None:
            edges = _parent_edges(self.parents, where)
        else:
            assert self.file is not None  # checked at birth
            content = read_taxonomy(Path(self.file))
            edges = iter(content) if isinstance(content, list) else _mapping_edges(content, where)
        return _arrange(_parents(edges, where), where)


@dataclass(frozen=True)
class _Concepts:
    """``paths[name]``: the name and what stands above it, nearest first, without the root; root: empty."""

    paths: Mapping[str, tuple[str, ...]]
    leaves: frozenset[str]
    parents: Mapping[str, str | None]

    @cached_property
    def depth(self) -> int:
        return max(map(len, self.paths.values()))

    def row(self, name: str) -> list[Label]:
        """Levels below the top: the concept at depth ``min(own depth, depth - level)``."""
        path, depth = self.paths[name], self.depth
        if not path:  # the root itself as a value
            return [name, *([MASK] * (depth - 1))]
        return [path[max(0, len(path) - depth + level)] for level in range(depth)]


def _tree_edges(node: object, above: str | None, where: str, depth: int = 0) -> Iterator[Edge]:
    """Walk nested mappings and lists, top down and in their order."""
    if node is None or node == "":
        return
    if depth > MOST_LEVELS:
        _refuse_depth(where)
    if isinstance(node, Mapping):
        for name, below in node.items():
            concept = plain_text(where, name)
            yield concept, above
            yield from _tree_edges(below, concept, where, depth + 1)
    elif isinstance(node, list | tuple):
        for item in node:
            if isinstance(item, Mapping):
                yield from _tree_edges(item, above, where, depth + 1)
            else:
                yield plain_text(where, item), above
    else:
        raise ParameterError(
            where,
            expected=f"a mapping or a list below {quoted(above)}",
            got=quoted(node),
            hint=f"put it in a list: [{quoted(node)}]",
        )


def _parent_edges(parents: Mapping[Any, Any], where: str) -> Iterator[Edge]:
    for child, parent in parents.items():
        yield plain_text(where, child), None if parent in (None, "") else plain_text(where, parent)


def _mapping_edges(content: Mapping[Any, Any], where: str) -> Iterator[Edge]:
    """Return the edges of either mapping a file may hold: only child → parent has text on the right."""
    if any(isinstance(right, str) and right for right in content.values()):
        return _parent_edges(content, where)
    return _tree_edges(content, None, where)


def _parents(edges: Iterable[Edge], where: str) -> dict[str, str | None]:
    """Collect child → parent; naming a concept at the top says nothing about its parent.

    The check comes while edges are drawn, so that a mapping that contains itself ends here too.
    """
    parents: dict[str, str | None] = {}
    for child, parent in edges:
        known = parents.get(child)
        if known is not None and parent is not None:
            raise HierarchyError(
                where,
                expected="each concept in one place of the taxonomy",
                got=f"{quoted(child)} below {quoted(known)} "
                + ("twice" if known == parent else f"and below {quoted(parent)}"),
                hint="leave one of them out, or give the two different names",
            )
        parents[child] = known if parent is None else parent
        if parent is not None:
            parents.setdefault(parent, None)
    return parents


def _arrange(parents: Mapping[str, str | None], where: str) -> _Concepts:
    """Order the concepts from the root down, which also finds those that hang on a cycle."""
    if parents.get(MASK) is not None:
        raise HierarchyError(
            where, expected=f"{MASK!r} as the root only", got=f"{MASK!r} below {quoted(parents[MASK])}"
        )
    children: dict[str | None, list[str]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    roots = children.get(None, [])
    single = len(roots) == 1 and roots[0] in children
    paths: dict[str, tuple[str, ...]] = {}
    # A list and no recursion: a tree of a thousand levels must end in an error of ours, not in Python's.
    waiting: list[tuple[str, tuple[str, ...]]] = [(root, ()) for root in reversed(roots)]
    while waiting:
        name, above = waiting.pop()
        is_root = name == MASK or (single and name == roots[0])
        paths[name] = () if is_root else (name, *above)
        if len(above) > MOST_LEVELS:
            _refuse_depth(where)
        waiting += [(child, paths[name]) for child in reversed(children.get(name, []))]
    if len(paths) < len(parents):
        raise HierarchyError(
            where, expected="a tree", got=f"a cycle: {_cycle(parents, set(parents) - set(paths))}", hint="cut it"
        )
    leaves = frozenset(name for name in paths if name not in children and name != MASK)
    if not leaves:
        raise HierarchyError(where, expected="at least one value", got="an empty taxonomy")
    return _Concepts(paths, leaves, parents)


def _refuse_depth(where: str) -> NoReturn:
    raise HierarchyError(
        where,
        expected=f"a taxonomy of at most {MOST_LEVELS} levels",
        got="a deeper one",
        hint="leave out concepts that have a single one below them",
    )


def _cycle(parents: Mapping[str, str | None], among: set[str]) -> str:
    name: str | None = min(among)
    walked: list[str] = []
    while name is not None and name not in walked:
        walked.append(name)
        name = parents[name]
    loop = [*walked[walked.index(str(name)) :], str(name)]
    return " below ".join(quoted(step) for step in loop[:6]) + (" …" if len(loop) > 6 else "")
