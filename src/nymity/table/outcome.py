"""Outcome: what a method answers with, and says of itself, whatever kind of method it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import polars as pl

from nymity.table.recoding import Recoding


class ByValues:
    """How sensitive values can have had a say in what was chosen."""

    LEVELS = "Levels and suppressed classes were chosen by a search that accepts or rejects by sensitive values"
    LOSS = "Levels were chosen by a loss that counts sensitive values"
    CUTS = "Records were divided into classes by a search that accepts or rejects by sensitive values"


class Outcome(Protocol):
    """A recoding, and how it was found. Kinds are frozen dataclasses."""

    @property
    def recoding(self) -> Recoding:
        """How to publish."""
        ...

    @property
    def minimized(self) -> Any:
        """What the method kept small: something with ``key``, ``title`` and ``name``."""
        ...

    @property
    def loss(self) -> float:
        """How small it was kept."""
        ...

    @property
    def optimal(self) -> bool:
        """Whether it is proved that nothing the method ranges over loses less."""
        ...

    @property
    def bound(self) -> float | None:
        """What no other outcome is below, where that is proved."""
        ...

    @property
    def gap(self) -> float | None:
        """How much less another outcome could lose, as a share of this one's loss; None where nothing is proved."""
        ...

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each quasi-identifier; none where classes have cells of their own."""
        ...

    @property
    def suppressed(self) -> int | None:
        """Records in no published class; None where how many there are is private."""
        ...

    @property
    def checks(self) -> int | None:
        """How many nodes were looked at, where a lattice was searched."""
        ...

    @property
    def lattice_size(self) -> int | None:
        """How many nodes there are, where a lattice was searched."""
        ...

    @property
    def foreseen(self) -> bool:
        """Whether draws that a promise rests on can be predicted, so that nothing is promised."""
        ...

    def searched(self) -> dict[str, Any]:
        """Return what a certificate says of the search: nothing that depends on who has which value."""
        ...

    def trace(self) -> pl.DataFrame | None:
        """Return the nodes that were seen, for the custodian's log."""
        ...

    def chosen_by_values(self, *, promised: bool) -> str:
        """Say how sensitive values had a say in the choice, as the beginning of a sentence; empty if they had none.

        ``promised``: a promise looks at sensitive values.
        """
        ...


class MethodLoss:
    """What a method without a lattice keeps small; it has no parameters."""

    key: ClassVar[str]
    title: ClassVar[str]

    @property
    def name(self) -> str:
        """The key."""
        return self.key


class WithoutLattice:
    """What outcomes share whose method searches no lattice: nothing is published on levels, and there are no nodes."""

    @property
    def levels(self) -> Mapping[str, int]:
        """None: classes have cells of their own."""
        return {}

    @property
    def checks(self) -> int | None:
        """None: no nodes are looked at."""
        return None

    @property
    def lattice_size(self) -> int | None:
        """None: there is no lattice."""
        return None

    @property
    def foreseen(self) -> bool:
        """No promise rests on its draws."""
        return False

    @property
    def gap(self: Outcome) -> float | None:
        """How much less another outcome could lose, as a share of this one's loss; None where nothing is proved."""
        if self.optimal or self.loss == 0:
            return 0.0
        return None if self.bound is None else 1 - self.bound / self.loss

    def trace(self) -> None:
        """There are no nodes."""
