"""RandomTree: groups drawn at random, for studies of what hierarchies do to a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import ClassVar

import polars as pl

from nymity.core import validation
from nymity.core.randomness import replayable
from nymity.table.builders.column import distinct
from nymity.table.builders.ordering import natural_order
from nymity.table.builders.value_sets import ValueSets, fixed_sets, set_label
from nymity.table.hierarchy import Hierarchy, Label
from nymity.table.label_form import SET_FORM, LabelForm


@dataclass(frozen=True, kw_only=True)
class RandomTree(ValueSets):
    """Split a column's values at random places, and the parts again, down to single values (de Spoelberch, 3.3.2).

    Values keep their natural order, so that a group holds neighbours; ``shuffled`` around it gives the trees without
    order. Each group is split into two to ``branches`` parts: their number and where they end are drawn uniformly,
    which the paper leaves open. Every value must lie equally deep, so the tree is cut off at its shallowest leaf: the
    groups there are left with single values below them. A group is published as the set of its values. The same
    ``seed`` and values give the same tree, on every machine.
    """

    key: ClassVar[str] = "random-tree"
    coarser: ClassVar[str] = "groups of values"
    forms: ClassVar[tuple[LabelForm, ...]] = (SET_FORM,)

    seed: int
    branches: int = 3

    def __post_init__(self) -> None:
        validation.whole_number("random-tree.seed", self.seed, at_least=0)
        validation.whole_number("random-tree.branches", self.branches, at_least=2)

    def build(self, values: pl.Series, *, where: str = "hierarchy") -> Hierarchy:
        """Draw the tree for a column of any type."""
        column = distinct(values)
        order = natural_order(column)
        layers = self._layers(order, replayable(self.seed)) if order else []
        rows: list[list[Label]] = [[value] for value in order]
        for groups in reversed(layers):
            labels = [label for group in groups for label in [set_label(group)] * len(group)]
            for row, label in zip(rows, labels, strict=True):
                row.append(label)
        rule = (self, fixed_sets(layers[::-1]))
        return column.hierarchy(rows, levels=len(layers) + 1, where=where, rule=rule)

    def _layers(self, order: Sequence[str], draw: Random) -> list[list[Sequence[str]]]:
        """Return the groups of each depth between the root and the shallowest leaf, both left out."""
        layers, groups = [], [order]
        while all(len(group) > 1 for group in groups):
            groups = [part for group in groups for part in self._parts(group, draw)]
            layers.append(groups)
        return layers[:-1]

    def _parts(self, group: Sequence[str], draw: Random) -> list[Sequence[str]]:
        n_parts = 2 + int(draw.random() * (min(self.branches, len(group)) - 1))
        places = sorted(range(1, len(group)), key=lambda _: draw.random())[: n_parts - 1]
        ends = [0, *sorted(places), len(group)]
        return [group[start:end] for start, end in pairwise(ends)]
