"""Datafly (Sweeney 1997): generalize the attribute with most values until few enough records are outliers.

A greedy path up the lattice: fast, and often far from the optimum, because an attribute with many values is
generalized long before one with two. Two stopping rules are published: at most k records in classes that break a model
(``at_most = "k-records"``, de Spoelberch, algorithm 1, where "tuples" counts records), or at most a share of the
records (``at_most = "share"``, the default, with ``suppression``). It also stops when nothing can be generalized
further. The loss plays no part in the search; it is only reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch
from nymity.lattice.space import Node
from nymity.privacy import KAnonymity, PrivacyModel
from nymity.table.encoding import EncodedTable


@dataclass(frozen=True, kw_only=True)
class Datafly(LatticeSearch):
    """Generalize the attribute with most different values, again and again, until the models hold."""

    at_most: Literal["share", "k-records"] = "share"

    key: ClassVar[str] = "datafly"
    complete: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.one_of("datafly.at_most", self.at_most, ("share", "k-records"))

    def limit(self, table: EncodedTable, models: Sequence[PrivacyModel]) -> int:
        """At most a share of the records, or at most k of them."""
        if self.at_most == "share":
            return super().limit(table, models)
        sizes = [model.k for model in models if isinstance(model, KAnonymity)]
        if not sizes:
            raise ParameterError(
                "datafly.at_most", expected="k-anonymity among the models for 'k-records'", got="none", hint="'share'"
            )
        return max(sizes)

    @property
    def allowed(self) -> str:
        """The limit in words."""
        return super().allowed if self.at_most == "share" else "k records"

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Climb until a node is a solution."""
        table, node = inquiry.engine.table, inquiry.space.low
        while inquiry.check(node) is None:
            free = [a for a in range(len(node)) if node[a] < inquiry.space.high[a]]
            if not free:
                return ChosenNode(None, optimal=False)
            axis = max(free, key=lambda a: _values_in_use(table, a, node[a]))  # the first of equal ones
            node = _raised(node, axis)
        return ChosenNode(node, optimal=False)


def _values_in_use(table: EncodedTable, attribute: int, level: int) -> int:
    return int(np.count_nonzero(table.frequencies_at(attribute, level)))


def _raised(node: Node, axis: int) -> Node:
    return (*node[:axis], node[axis] + 1, *node[axis + 1 :])
