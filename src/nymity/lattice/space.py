"""Space: the lattice of generalization levels, its nodes numbered in mixed radix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.errors import ParameterError
from nymity.table.encoding import EncodedTable

Node = tuple[int, ...]

#: Largest lattice for which the optimum is sought to the end. A search sees a small part of the nodes; beyond this
#: nobody can say how long it takes.
LARGE = 10**6
#: Dimensions that numpy's arrays can have.
MOST_DIMENSIONS = 64


def provable(nodes: int) -> bool:
    """Return whether a proof of the optimum over so many nodes is sure to end in a reasonable time."""
    return nodes <= LARGE


@dataclass(frozen=True)
class Space:
    """All nodes between levels ``low`` and ``high``, both included."""

    low: Node
    high: Node

    @staticmethod
    def of(table: EncodedTable) -> Space:
        """Return the levels a table's schema allows."""
        return Space(table.min_levels, table.max_levels)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of levels of each attribute."""
        return tuple(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    @property
    def grid(self) -> tuple[int, ...]:
        """The shape of an array with an entry for each node, which has a dimension for each attribute."""
        if len(self.low) > MOST_DIMENSIONS:
            raise ParameterError(
                "method",
                expected=f"at most {MOST_DIMENSIONS} quasi-identifiers for a method that keeps a table of all nodes",
                got=f"{len(self.low)}",
                hint=f"the method {self.feasible!r}",
            )
        return self.shape

    @property
    def size(self) -> int:
        """Number of nodes; exact, however large."""
        return prod(self.shape)

    @property
    def feasible(self) -> str:
        """Key of a search of this lattice that ends, for hints."""
        return "optimal-lattice" if provable(self.size) else "anytime-lattice"

    def below(self, node: Sequence[int]) -> tuple[slice, ...]:
        """Index of the nodes at or below ``node`` in an array of this shape."""
        return tuple(slice(0, level - low + 1) for level, low in zip(node, self.low, strict=True))

    def above(self, node: Sequence[int]) -> tuple[slice, ...]:
        """Index of the nodes at or above ``node`` in an array of this shape."""
        return tuple(slice(level - low, None) for level, low in zip(node, self.low, strict=True))

    def at(self, node: Sequence[int]) -> tuple[int, ...]:
        """Index of ``node`` in an array of this shape."""
        return tuple(level - low for level, low in zip(node, self.low, strict=True))

    def node(self, number: int) -> Node:
        """Return the node with this number in C order."""
        steps = zip(self._strides, self.shape, self.low, strict=True)
        return tuple(int(number) // stride % levels + low for stride, levels, low in steps)

    def numbers(self, levels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers, in C order, of nodes given by their levels (N, m)."""
        return np.asarray((levels - np.array(self.low)) @ np.array(self._strides))

    def levels(self) -> NDArray[Any]:
        """Levels of every node, (size, m), in C order and in as few bytes as they fit."""
        every = np.empty((self.size, len(self.low)), dtype=np.min_scalar_type(max(self.high)))
        for axis, stride in enumerate(self._strides):
            every[:, axis] = self.low[axis] + np.arange(self.size) // stride % self.shape[axis]
        return every

    @property
    def _strides(self) -> tuple[int, ...]:
        """By how much the number of a node rises with each level; not through numpy, which has few dimensions."""
        return tuple(prod(self.shape[axis + 1 :]) for axis in range(len(self.low)))

    def heights(self) -> NDArray[np.int64]:
        """Sum of levels of every node, in an array of this shape."""
        total = np.zeros(self.grid, dtype=np.int64)
        for axis, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            total += np.arange(low, high + 1).reshape([-1 if a == axis else 1 for a in range(len(self.low))])
        return total
