"""A toy: the first solution on a walk through the whole lattice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nymity.lattice.search import ChosenNode, Inquiry, LatticeSearch


@dataclass(frozen=True, kw_only=True)
class ToyFirst(LatticeSearch):
    """Take the first node that is a solution."""

    key: ClassVar[str] = "toy-first"

    def search(self, inquiry: Inquiry) -> ChosenNode:
        """Walk."""
        for batch in inquiry.engine.walk(inquiry.space):
            for levels in batch.levels.tolist():
                if inquiry.check(tuple(levels)) is not None:
                    return ChosenNode(tuple(levels), optimal=False)
        return ChosenNode(None, optimal=False)
