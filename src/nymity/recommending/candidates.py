"""Candidates: the settings that can be tried, and which lie next to each other.

A family is a method with an axis for each setting: k, the variant of the schema, and fields of the method. First each
family is tried as it starts, with the smallest k, the largest and one in the middle, and with that every variant of the
schema. Then the front is refined: what differs from one of its members in a single setting is tried next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nymity.lattice.anytime import AnytimeLattice
from nymity.lattice.datafly import Datafly
from nymity.lattice.optimal import OptimalLattice
from nymity.lattice.space import provable
from nymity.partition.k_member import KMember
from nymity.partition.mondrian import Mondrian
from nymity.partition.refine import Refine
from nymity.publishing.jobs.registry import Method
from nymity.quality import ClassificationLoss
from nymity.recommending.variants import WEIGHTED

#: Values of k that are tried unless others are asked for.
DEFAULT_K = (2, 3, 5, 10, 20, 50, 100)
#: Values of k that every family is tried with.
FIRST_K = 3
#: Limits of suppression; the third is tried first.
SUPPRESSION = (0.0, 0.01, 0.05, 0.1, 0.2)
#: Losses that the optimal levels are sought for; they disagree on what is worth keeping.
LOSSES = ("loss", "entropy", "discernibility")
#: Records up to which methods that compare each record with many others are tried.
FEW_RECORDS = 5000
#: Nodes that are checked of a lattice that is too large for a proof: a count, so that a job gives the same everywhere.
CHECKS = 2000


@dataclass(frozen=True, kw_only=True)
class Axis:
    """The values of one setting. Those of an ``ordered`` one have neighbours, otherwise each is next to every other."""

    name: str
    values: tuple[Any, ...]
    start: int = 0
    ordered: bool = False

    def neighbours(self, place: int) -> list[int]:
        """Return the places next to one."""
        near = (place - 1, place + 1) if self.ordered else range(len(self.values))
        return [other for other in near if other != place and 0 <= other < len(self.values)]


@dataclass(frozen=True, kw_only=True)
class Family:
    """A method, and what of it is varied: the axes ``k`` and ``columns``, the others are fields of the method."""

    base: Method
    axes: tuple[Axis, ...]

    def start(self, k_place: int) -> Candidate:
        """Return where the family begins, with one of the values of k."""
        return Candidate(self, tuple(k_place if axis.name == "k" else axis.start for axis in self.axes))


@dataclass(frozen=True)
class Candidate:
    """One setting: a place on each axis of its family."""

    family: Family
    places: tuple[int, ...]

    @property
    def settings(self) -> dict[str, Any]:
        """The value on each axis."""
        return {axis.name: axis.values[place] for axis, place in zip(self.family.axes, self.places, strict=True)}

    @property
    def method(self) -> Method:
        """The method with its fields as this setting has them."""
        fields = {name: value for name, value in self.settings.items() if name not in ("k", "columns")}
        method: Method = replace(self.family.base, **fields)  # type: ignore[type-var]
        return method

    def words(self) -> str:
        """Describe it: ``mondrian, k = 5, as given, choose = gain, cuts = strict``."""
        said = {name: getattr(value, "key", value) for name, value in self.settings.items()}
        parts = [str(value) if name == "columns" else f"{name} = {value}" for name, value in said.items()]
        return ", ".join([self.family.base.key, *parts])

    def neighbours(self, name: str | None = None) -> Iterator[Candidate]:
        """Give what differs in a single setting, any or the one that is named."""
        for number, axis in enumerate(self.family.axes):
            for place in axis.neighbours(self.places[number]) if name in (None, axis.name) else ():
                yield Candidate(self.family, (*self.places[:number], place, *self.places[number + 1 :]))


def families(
    ks: Sequence[int], columns: Sequence[str], *, records: int, lattice_size: int, target: str | None
) -> tuple[Family, ...]:
    """Return what is tried on a table: ``columns`` are variants of its schema, ``target`` a sensitive target."""
    k = Axis(name="k", values=tuple(ks), ordered=True)
    every = Axis(name="columns", values=tuple(columns))
    levels = Axis(name="columns", values=tuple(name for name in columns if name != WEIGHTED))  # no loss is minimized
    cells = Axis(name="columns", values=tuple(name for name in columns if name in (columns[0], WEIGHTED)))
    losses = (*LOSSES, *((ClassificationLoss(target=target),) if target is not None else ()))
    loss = Axis(name="loss", values=losses)
    suppression = Axis(name="suppression", values=SUPPRESSION, start=2, ordered=True)
    choose, cuts = Axis(name="choose", values=("gain", "widest")), Axis(name="cuts", values=("strict", "relaxed"))
    best = OptimalLattice() if provable(lattice_size) else AnytimeLattice(checks=CHECKS)
    large = (
        Family(base=best, axes=(k, every, loss, suppression)),
        Family(base=Mondrian(), axes=(k, cells, choose, cuts)),
        Family(base=Datafly(), axes=(k, levels, suppression)),
    )
    if records > FEW_RECORDS:
        return large
    return (*large, Family(base=KMember(), axes=(k, cells)), Family(base=Refine(), axes=(k, cells)))


def first_round(tried: Sequence[Family]) -> Iterator[Candidate]:
    """Give the start of each family with a few values of k, so that stopping early leaves a range of them."""
    ks = spread(len(tried[0].axes[0].values))[:FIRST_K]
    for place in ks:
        yield from (family.start(place) for family in tried)
    for family in tried:
        yield from family.start(ks[-1]).neighbours("columns")


def spread(n: int) -> list[int]:
    """Put 0 … n - 1 into an order in which each is as far as can be from those before it."""
    order = [0, n - 1][: min(n, 2)] if n else []
    while len(order) < n:
        rest = [place for place in range(n) if place not in order]
        order.append(max(rest, key=lambda place: min(abs(place - other) for other in order)))
    return order
