"""Fixed levels: publish one node of the lattice that somebody chose, such as one of those that ``explore`` lists.

Nothing is searched. The models and the suppression limit are held against this one node, and it is refused where they
do not hold. A search is a rule that anybody can run again; a choice by hand is none, so that nobody can say what
it tells about whoever was looked at. The certificate warns of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from nymity.core import validation
from nymity.core.errors import NoSolutionError, ParameterError
from nymity.lattice.outcome import demands_of
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.lattice.space import Node, Space


@dataclass(frozen=True, kw_only=True)
class FixedLevels(LatticeSearch):
    """Publish at the levels given, if every model holds there with limited suppression.

    ``levels`` are those of quasi-identifiers by name; one that is not named is published at its highest level.
    """

    levels: Mapping[str, int] = field(default_factory=dict)

    key: ClassVar[str] = "fixed-levels"
    by_hand: ClassVar[bool] = True
    complete: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.instance("fixed-levels.levels", self.levels, Mapping, expected="columns and their levels")
        for name, level in self.levels.items():
            validation.instance("fixed-levels.levels", name, str, expected="names of columns")
            validation.whole_number(f"fixed-levels.levels, {name!r}", level, at_least=0)
        object.__setattr__(self, "levels", dict(self.levels))

    def __hash__(self) -> int:
        return hash((self.loss, self.suppression, self.outliers, self.suppression_persons, *self.levels.items()))

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Check the node."""
        node = self.node(inquiry.engine.table.names, inquiry.space)
        statistics = inquiry.look(node)
        if inquiry.seen.solves_one(statistics):
            return ChosenNode(node, optimal=inquiry.space.size == 1)
        table, gone = inquiry.engine.table, int(statistics.suppressed[0])
        levels = ", ".join(f"{name}={level}" for name, level in zip(table.names, node, strict=True))
        verb = "does" if len(inquiry.engine.models) == 1 else "do"
        raise NoSolutionError(
            f"{demands_of(inquiry.engine.models)} {verb} not hold at levels {levels} "
            f"with suppression <= {self.allowed}: "
            f"{gone / table.n_records:.1%} ({gone:,} of {table.n_records:,} records) would have to be suppressed. "
            "Try: a node that explore shows as a solution, or a larger suppression limit"
        )

    def node(self, names: tuple[str, ...], space: Space) -> Node:
        """Return the node that is meant, of those that the schema allows."""
        for name in self.levels:
            validation.one_of("fixed-levels.levels", name, names)
        node = tuple(self.levels.get(name, high) for name, high in zip(names, space.high, strict=True))
        for name, level, low, high in zip(names, node, space.low, space.high, strict=True):
            if not low <= level <= high:
                raise ParameterError(
                    f"fixed-levels.levels, {name!r}", expected=f"a level from {low} to {high}", got=str(level)
                )
        return node
