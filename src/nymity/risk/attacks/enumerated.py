"""Enumerated draws: everything a method could have drawn, each way once, with its exact probability.

The draws of a run form a tree: a permutation of n things is a fork of n! ways, a whole number below m one of m, and
all ways of a fork are equally likely. A run follows one path from the root; :func:`every_way` runs again and again
until all paths were taken. Nothing is known of the method, which may draw whatever it likes, depending on what it drew
before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import factorial, prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.draws import Draws

Ints = NDArray[np.int64]
T = TypeVar("T")


class TooManyWaysError(Exception):
    """There are more ways to draw than were asked for."""


@dataclass(frozen=True, eq=False)
class Orders:
    """The orders of n things that make a difference: alike and within (n,).

    Things of one number in ``alike`` can be exchanged without effect, and only the order of things of one number in
    ``within`` has one. Each order stands for equally many permutations, so all are equally likely.
    """

    alike: Ints
    within: Ints

    @cached_property
    def count(self) -> int:
        """How many there are."""
        each = (Counter(self.alike[own].tolist()).values() for own in self._groups)
        return prod(factorial(sum(counts)) // prod(map(factorial, counts)) for counts in each)

    def __getitem__(self, number: int) -> Ints:
        """Return one of them as a permutation: the thing at each place, (n,)."""
        return self._listed[number]

    @cached_property
    def _groups(self) -> list[Ints]:
        return [np.flatnonzero(self.within == group) for group in np.unique(self.within)]

    @cached_property
    def _listed(self) -> list[Ints]:
        ways = [list(_arranged(own, self.alike[own].tolist())) for own in self._groups]
        return [np.concatenate([*way, np.empty(0, dtype=np.int64)]) for way in product(*ways)]


#: Returns the orders of so many things.
MakeOrders = Callable[[int], Orders]


def all_alike(n: int) -> Orders:
    """Return the one order of things that are all alike."""
    return Orders(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64))


def _arranged(things: Ints, alike: list[int]) -> Iterator[Ints]:
    """Yield every order of some things, those alike in their own order."""
    left = {kind: [t for t, k in zip(things.tolist(), alike, strict=True) if k == kind] for kind in sorted(set(alike))}
    order: list[int] = []

    def extend() -> Iterator[Ints]:
        if len(order) == len(things):
            yield np.array(order, dtype=np.int64)
        for own in left.values():
            if own:
                order.append(own.pop(0))
                yield from extend()
                own.insert(0, order.pop())

    yield from extend()


class EnumeratedDraws(Draws):
    """Draws along one path, given as the way taken at each fork; beyond its end the first way is taken.

    ``known`` tells for some purposes which orders make a difference; under any other all are told apart. What is drawn
    under one purpose is drawn once, as :class:`~nymity.core.draws.KeyedDraws` has it.
    """

    def __init__(self, path: list[int], orders: Mapping[str, MakeOrders], most: int) -> None:
        self.ways: list[int] = []
        self._path, self._known, self._most = path, orders, most
        self._orders: dict[str, Ints] = {}
        self._numbers: dict[str, list[tuple[int, int]]] = {}

    @property
    def origin(self) -> str:
        """Nowhere: these are tried out."""
        return "enumerated"

    @property
    def chance(self) -> Fraction:
        """The probability of the path so far."""
        return Fraction(1, prod(self.ways))

    def permutation(self, purpose: str, n: int) -> Ints:
        """Return the order that the path says."""
        if purpose not in self._orders:
            orders = self._known.get(purpose, _all_orders)(n)
            self._orders[purpose] = orders[self._fork(orders.count)]
        if len(self._orders[purpose]) != n:
            raise ValueError(f"two draws with the purpose {purpose!r}")
        return self._orders[purpose]

    def below(self, purpose: str) -> Callable[[int], int]:
        """Return a function that gives the numbers that the path says."""
        drawn, place = self._numbers.setdefault(purpose, []), iter(range(10**9))

        def draw(limit: int) -> int:
            at = next(place)
            if at == len(drawn):
                drawn.append((limit, self._fork(limit)))
            # Asked again for the same draw, the run must ask for the same number of ways, else answers would not belong
            # together.
            if drawn[at][0] != limit:
                raise ValueError(f"two draws with the purpose {purpose!r}")
            return drawn[at][1]

        return draw

    def _fork(self, ways: int) -> int:
        """Return the way to take; paths with too small a probability are refused, so there are never too many."""
        self.ways.append(ways)
        if prod(self.ways) > self._most:
            raise TooManyWaysError
        at = len(self.ways) - 1
        if at == len(self._path):
            self._path.append(0)
        return self._path[at]


def every_way(
    run: Callable[[Draws], T], *, orders: Mapping[str, MakeOrders] | None = None, most: int = 10**4
) -> Iterator[tuple[T, Fraction]]:
    """Yield what ``run`` answers for every way to draw, with its probability; at most so many ways."""
    path: list[int] = []
    while True:
        draws = EnumeratedDraws(path, orders or {}, most)
        yield run(draws), draws.chance
        ways = draws.ways
        # Counting in mixed radix: the last draw moves on, and where it has no further answer the one before it does.
        while path and path[-1] + 1 == ways[len(path) - 1]:
            path.pop()
        if not path:
            return
        path[-1] += 1


@lru_cache
def _all_orders(n: int) -> Orders:
    """Return all orders; they are listed once, when the first of them is asked for."""
    return Orders(np.arange(n), np.zeros(n, dtype=np.int64))
