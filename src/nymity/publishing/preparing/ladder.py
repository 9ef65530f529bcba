"""Ladder: what each level of a hierarchy makes of a column: how many cells are left, which, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from nymity.lattice.solution_space import evaluate_lattice
from nymity.quality import DomainShareLoss
from nymity.table.attribute import Attribute, Role
from nymity.table.encoding import encode
from nymity.table.hierarchy import Hierarchy, HierarchySource, Label
from nymity.table.schema import Schema

#: Cells that a rung shows.
_EXAMPLES = 4


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One level: ``cells`` that occur, the records of the rarest, the most frequent ones, and the ``cost``.

    The cost is the share of the column's domain that a cell covers on average.
    """

    level: int
    cells: int
    fewest: int
    examples: tuple[tuple[Label, int], ...]
    cost: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Ladder:
    """The hierarchy of a column, how many records have each of its values, and its levels."""

    hierarchy: Hierarchy
    counts: tuple[int, ...]
    rungs: tuple[Rung, ...]

    @staticmethod
    def of(values: pl.Series, source: HierarchySource | None, name: str) -> Ladder:
        """Count the levels of a column; an incomplete hierarchy is refused with what it lacks."""
        column = values.rename(name)
        table = encode(column.to_frame(), Schema({name: Attribute(role=Role.QUASI, hierarchy=source)}))
        loss = DomainShareLoss()
        # A lattice of one column: its nodes are the levels, in order.
        costs = evaluate_lattice(table, (), [loss], limit=table.n_records).loss
        hierarchy = table.hierarchies[0]
        rungs = []
        for level, labels in enumerate(hierarchy.labels):
            found = table.frequencies_at(0, level)
            often = np.argsort(-found, kind="stable")[:_EXAMPLES]
            rungs.append(
                Rung(
                    level=level,
                    cells=int(np.count_nonzero(found)),
                    fewest=int(found[found > 0].min(initial=table.n_records)),
                    examples=tuple((labels[code], int(found[code])) for code in often.tolist() if found[code]),
                    cost=float(costs[level]),
                )
            )
        return Ladder(hierarchy=hierarchy, counts=tuple(table.frequencies_at(0, 0).tolist()), rungs=tuple(rungs))
