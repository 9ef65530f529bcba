"""Draws that a test chooses: a permutation by name, and all others as they come; and all of them, one after another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import permutations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nymity.core.draws import Draws

T = TypeVar("T")


class Chosen(Draws):
    """Permutations and numbers as given by purpose; permutations that are not given leave everything in place."""

    origin = "a test"

    def __init__(
        self, orders: Mapping[str, Sequence[int]] | None = None, numbers: Mapping[str, Sequence[int]] | None = None
    ) -> None:
        self.orders, self.given, self.asked = dict(orders or {}), dict(numbers or {}), dict[str, int]()

    def permutation(self, purpose: str, n: int) -> NDArray[np.int64]:
        """Return what was given for the purpose."""
        self.asked[purpose] = n
        return np.array(self.orders.get(purpose, range(n)), dtype=np.int64)

    def below(self, purpose: str) -> Callable[[int], int]:
        """Return what was given, one after another, then zeros."""
        left = list(self.given.get(purpose, []))
        return lambda limit: min(left.pop(0) if left else 0, limit - 1)


class _Choice(Exception):  # noqa: N818 -- no error: the walk stops at the first choice nobody made yet
    def __init__(self, n: int) -> None:
        self.n = n


class _Walk(Draws):
    """Draws by a list of choices; asks for one more by raising."""

    origin = "a test"

    def __init__(self, choices: Sequence[tuple[int, int]], still: Collection[str]) -> None:
        self.choices, self.still, self.at = choices, still, 0

    def permutation(self, purpose: str, n: int) -> NDArray[np.int64]:
        """Choose one thing after another."""
        if purpose in self.still:
            return np.arange(n)
        left, order = list(range(n)), []
        while left:
            order.append(left.pop(self._choose(len(left))))
        return np.array(order, dtype=np.int64)

    def below(self, purpose: str) -> Callable[[int], int]:
        """Choose a number."""
        return self._choose

    def _choose(self, n: int) -> int:
        if n == 1:
            return 0
        if self.at == len(self.choices):
            raise _Choice(n)
        self.at += 1
        return self.choices[self.at - 1][0]


def every_draw(use: Callable[[Draws], T], still: Collection[str] = ()) -> Iterator[tuple[T, int]]:
    """Yield what comes of every possible draw, with one over its probability: a walk of the tree of all choices.

    ``still``: purposes that make no difference, and are left out.
    """
    stack: list[list[tuple[int, int]]] = [[]]
    while stack:
        choices = stack.pop()
        try:
            found = use(_Walk(choices, still))
        except _Choice as asked:
            stack += [[*choices, (i, asked.n)] for i in range(asked.n)]
        else:
            weight = 1
            for _, n in choices:
                weight *= n
            yield found, weight


def orders_of(groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield every order of things in which those of a group stand together, groups as they come."""
    if not groups:
        yield []
        return
    for first in permutations(groups[0]):
        for others in orders_of(groups[1:]):
            yield [*first, *others]
