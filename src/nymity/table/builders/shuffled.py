"""Shuffled: another hierarchy whose values have changed places, for studies."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import polars as pl

from nymity.core import validation
from nymity.core.errors import HierarchyError, ParameterError
from nymity.core.quoting import as_given
from nymity.core.randomness import replayable
from nymity.table.builders.value_sets import ValueSets, fixed_sets, set_label
from nymity.table.hierarchy import Hierarchy, HierarchySource
from nymity.table.label_form import SET_FORM, LabelForm
from nymity.table.rule import Rule
from nymity.table.text import MASK


@dataclass(frozen=True, kw_only=True)
class Shuffled(ValueSets):
    """Draw which raw values fall under which group of a ``hierarchy``, keeping the size of every group.

    What is left of the hierarchy is its shape: whoever compares a method on both sees what its meaning was worth. With
    a random tree inside, these are the hierarchies of Datafly-Shuffled (de Spoelberch, 3.3.1). Groups get new names,
    the sets of their values: the old ones would tell an untruth. Missing values keep to themselves, and the top stays.

    ``hierarchy`` is what a job file says of one, ``{"type": "masking"}``, or in Python a hierarchy or a builder. The
    same ``seed`` and values give the same places, on every machine.
    """

    key: ClassVar[str] = "shuffled"
    coarser: ClassVar[str] = "groups of values"
    forms: ClassVar[tuple[LabelForm, ...]] = (SET_FORM,)

    hierarchy: Mapping[str, Any] = field(hash=False)
    seed: int

    def __post_init__(self) -> None:
        validation.whole_number("shuffled.seed", self.seed, at_least=0)
        object.__setattr__(self, "hierarchy", _specification(self.hierarchy))
        _ = self.source  # refuses what does not describe a hierarchy

    @property
    def source(self) -> HierarchySource:
        """The builder of the hierarchy to shuffle."""
        from nymity.table.builders import BUILDERS

        fields = dict(self.hierarchy)
        kind = fields.pop("type", None)
        validation.one_of("shuffled.hierarchy", kind, BUILDERS)
        known = [item.name for item in dataclasses.fields(BUILDERS[kind])]
        for name in fields:
            validation.one_of("shuffled.hierarchy", name, known)
        try:
            source: HierarchySource = BUILDERS[kind](**fields)
        except TypeError as error:
            raise ParameterError("shuffled.hierarchy", expected=f"all fields of {kind!r}", got=str(error)) from error
        return source

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Return the hierarchy with its values in other places."""
        ordered = self.source.build(values, where=where)
        rows = [row for row in ordered.rows() if row[0] is not None]
        draw = replayable(self.seed)
        names = [str(row[0]) for row in sorted(rows, key=lambda _: draw.random())]
        groups: list[list[list[str]]] = []
        for level in range(1, ordered.height):
            members: dict[Any, list[str]] = {}
            for name, row in zip(names, rows, strict=True):
                members.setdefault(row[level], []).append(name)
            groups.append([sorted(group) for group in members.values()])
            labels = {label: set_label(sorted(group)) for label, group in members.items()}
            for row in rows:
                row[level] = labels[row[level]]
        places = dict(zip(names, rows, strict=True))
        shuffled = [[row[0], *places[str(row[0])][1:]] for row in ordered.rows() if row[0] is not None]
        if not shuffled:
            return ordered
        everything = ordered.labels[-1][0] == MASK  # a top of another name says nothing of values that are not listed
        rule = Rule(builder=self, fixed=fixed_sets(groups), height=ordered.height) if everything else None
        finished = Hierarchy.from_rows(shuffled, where=where, rule=rule)
        return finished.with_missing(where=where) if None in ordered.index else finished


def _specification(source: object) -> dict[str, Any]:
    """Write a hierarchy or a builder the way a job file does."""
    if isinstance(source, Hierarchy):
        source = {"type": "rows", "rows": source.rows()}
    elif dataclasses.is_dataclass(source) and hasattr(source, "key"):
        changed = (item for item in dataclasses.fields(source) if getattr(source, item.name) != item.default)
        source = {"type": source.key, **{item.name: getattr(source, item.name) for item in changed}}
    if not isinstance(source, Mapping):
        raise ParameterError("shuffled.hierarchy", expected="a hierarchy or a builder", got=as_given(source))
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(source)))
    except (TypeError, ValueError) as error:
        raise HierarchyError("shuffled.hierarchy", expected="plain values", got=str(error)) from error
    return plain
