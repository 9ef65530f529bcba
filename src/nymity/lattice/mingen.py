"""MinGen (Sweeney 2002; de Spoelberch, algorithm 2): evaluate every generalization, keep the least distorted.

All nodes of the lattice are evaluated, the solutions with the least loss are kept, and a preference chooses one of
them. The loss is 1 - Sweeney's precision unless another is named; attributes that matter more get a larger ``weight``
in the schema. Sweeney suppresses nothing, hence the default. The printed last step keeps a node unless another has *at
least* its precision, so that two which tie throw each other out; it takes a strict comparison.

Two solutions that are equally distorted are only as good as each other by that one number, so the outcome lists them
all (``minimal``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.lattice.seen_nodes import TIE
from nymity.quality import Loss, NodeStatistics

#: Largest lattice that is evaluated node by node.
MAX_EVALUATED = 2**24

#: Preferences by name; the node with the smallest value is chosen, (N,).
PREFERENCES: dict[str, Callable[[NodeStatistics], NDArray[np.int64]]] = {
    "fewest-suppressed": lambda nodes: nodes.suppressed,
    "lowest": lambda nodes: nodes.levels.sum(axis=1),
    "most-classes": lambda nodes: -nodes.accepted_classes,
}


@dataclass(frozen=True, kw_only=True)
class MinGen(LatticeSearch):
    """Evaluate every node and choose among the solutions with the least loss.

    ``prefer`` chooses among equals: ``fewest-suppressed`` records, the ``lowest`` sum of levels, ``most-classes``, or a
    list of attributes, the one whose level is to be lowest first. What is still equal goes to fewer suppressed records,
    then to the smaller sum of levels, then to the lexicographically smaller levels. ``threads`` share the evaluation.
    """

    loss: str | Loss = "precision"
    prefer: str | tuple[str, ...] = "fewest-suppressed"
    threads: int = 1

    key: ClassVar[str] = "mingen"

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.whole_number("mingen.threads", self.threads, at_least=1)
        if isinstance(self.prefer, str):
            validation.one_of("mingen.prefer", self.prefer, PREFERENCES)
        else:
            object.__setattr__(self, "prefer", _attributes(self.prefer))

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Evaluate the lattice and choose."""
        space, seen = inquiry.space, inquiry.seen
        preferred = self._columns(inquiry.engine.table.names)
        if space.size > MAX_EVALUATED:
            raise ParameterError(
                self.key,
                expected=f"at most {MAX_EVALUATED:,} nodes",
                got=f"{space.size:,}",
                hint="'anytime-lattice', or bound levels (min_level, max_level)",
            )
        candidates = []
        for batch in inquiry.engine.walk(space, threads=self.threads, observe=inquiry.observe):
            if seen.enter(batch):
                equal = seen.solves(batch) & (inquiry.loss.value(batch) <= seen.best_loss * (1 + TIE))
                candidates.append(batch[equal])
        if not candidates:
            return ChosenNode(None, optimal=False)
        tied = _least_distorted(inquiry, NodeStatistics.concatenate(candidates))
        order = np.lexsort((*tied.levels.T[::-1], tied.levels.sum(axis=1), tied.suppressed, *preferred(tied)[::-1]))
        nodes = [tuple(levels) for levels in tied.levels[order].tolist()]
        return ChosenNode(nodes[0], optimal=True, minimal=tuple(nodes))

    def _columns(self, names: tuple[str, ...]) -> Callable[[NodeStatistics], list[NDArray[np.int64]]]:
        """Return what is preferred of nodes, the most important first."""
        if isinstance(self.prefer, str):
            value = PREFERENCES[self.prefer]
            return lambda nodes: [value(nodes)]
        for name in self.prefer:
            validation.one_of("mingen.prefer", name, names)
        attributes = [names.index(name) for name in self.prefer]
        return lambda nodes: [nodes.levels[:, a] for a in attributes]


def _least_distorted(inquiry: Inquiry, nodes: NodeStatistics) -> NodeStatistics:
    """Return the nodes that tie with the best in all that they are compared by."""
    best = np.array(inquiry.seen.best_compared)
    return nodes[np.asarray((inquiry.loss.compared(nodes) <= best * (1 + TIE)).all(axis=1))]


def _attributes(prefer: object) -> tuple[str, ...]:
    if isinstance(prefer, list | tuple) and prefer and all(isinstance(name, str) for name in prefer):
        return tuple(prefer)
    raise ParameterError(
        "mingen.prefer",
        expected=f"one of {', '.join(map(repr, PREFERENCES))}, or a list of attributes",
        got=as_given(prefer),
    )
