"""Variants: a schema as given, and the same columns with finer or coarser intervals, or weighted by the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from nymity.table.attribute import Attribute
from nymity.table.builders import Intervals
from nymity.table.schema import Schema

GIVEN, FINER, COARSER, WEIGHTED = "as given", "finer intervals", "coarser intervals", "weighted by the target"

#: Weight of a quasi-identifier that tells nothing about the target; the one that tells most has 1.
LEAST_WEIGHT = 0.1


def variants(schema: Schema, importance: Mapping[str, float]) -> dict[str, Schema]:
    """Return the schema as given and what can be made of it, by name; what changes nothing is left out.

    ``importance``: what classifiers see in a column, on any scale.
    """
    changed = {
        FINER: _with_intervals(schema, _finer),
        COARSER: _with_intervals(schema, _coarser),
        WEIGHTED: _weighted(schema, importance),
    }
    return {GIVEN: schema, **{name: made for name, made in changed.items() if made != schema}}


def _with_intervals(schema: Schema, change: Callable[[Intervals, float], Intervals]) -> Schema:
    """Change intervals of equal width, where no bounds speak of their levels."""

    def changed(attribute: Attribute) -> Attribute:
        source = attribute.hierarchy
        free = attribute.min_level == 0 and attribute.max_level is None
        if not free or not isinstance(source, Intervals) or source.width is None:
            return attribute
        return replace(attribute, hierarchy=change(source, source.width))

    return Schema({name: changed(schema[name]) if name in schema.quasi else schema[name] for name in schema})


def _finer(intervals: Intervals, width: float) -> Intervals:
    """Halve the width, of whole numbers to a whole one, and keep about as wide intervals above."""
    half = width / 2 if width != int(width) else max(1, int(width) // 2)
    if half == width:
        return intervals
    return replace(intervals, width=half, levels=None if intervals.levels is None else intervals.levels + 1)


def _coarser(intervals: Intervals, width: float) -> Intervals:
    """Three times the width: twice would be a level that is there already."""
    return replace(intervals, width=3 * width)


def _weighted(schema: Schema, importance: Mapping[str, float]) -> Schema:
    """Let losses keep what tells about the target; the weights that were given count, too."""
    seen = {name: max(importance.get(name, 0.0), 0.0) for name in schema.quasi}
    most = max(seen.values(), default=0.0)
    if not most:
        return schema
    weights = {name: round(LEAST_WEIGHT + (1 - LEAST_WEIGHT) * value / most, 2) for name, value in seen.items()}
    return Schema(
        {n: replace(a, weight=round(a.weight * weights[n], 4)) if n in weights else a for n, a in schema.items()}
    )
