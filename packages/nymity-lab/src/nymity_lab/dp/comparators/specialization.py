"""Specializations: generalized values of a taxonomy, what they divide into, and how good it is to divide them.

A specialization is scored by the records that it divides: ``counts`` (children, classes) of them. Which values other
attributes have does not matter, so a score never changes while a table is specialized.

**Max** is Σ over children of the count of their most frequent class. A further record raises one count by 1, hence the
Max of a specialization that divides it by 0 or 1, and that of no other: all changes lie in [0, 1].

**Information gain** is H(class) - Σ (share of child) H(class in child), in bits. It lies in [0, log₂ classes], so
changes lie in an interval twice that long. For two classes most of it is needed: one record beside another can raise
the gain from 0 to a bit, and a third lower it by three quarters of one.
It is rounded to whole units and put into these bounds *after* whatever floats made of it, so no rounding leaves them.
As it does not grow with the table, draws by it are close to blind unless epsilon is large; Max is the better choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, log2
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nymity.table.hierarchy import Hierarchy, Label

#: Units of information gain in one bit.
UNITS = 2**20


class Node(NamedTuple):
    """A generalized value: its level in the hierarchy, and its code there."""

    level: int
    code: int


def root(hierarchy: Hierarchy) -> Node:
    """Return the value that stands for all."""
    return _lowest(hierarchy, Node(hierarchy.height, 0))


def children(hierarchy: Hierarchy, node: Node) -> tuple[Node, ...]:
    """Return what a value is divided into, none if it cannot be; a value that is all of another is that one."""
    if node.level == 0:
        return ()
    codes = np.unique(hierarchy.codes[node.level - 1][members(hierarchy, node)])
    return tuple(_lowest(hierarchy, Node(node.level - 1, int(code))) for code in codes)


def members(hierarchy: Hierarchy, node: Node) -> NDArray[np.bool_]:
    """Return which raw values a value stands for."""
    return np.asarray(hierarchy.codes[node.level] == node.code)


def label(hierarchy: Hierarchy, node: Node) -> Label:
    """Return the text of a value."""
    return hierarchy.labels[node.level][node.code]


def max_score(counts: NDArray[np.int64]) -> int:
    """Return how many records have the most frequent class of their child."""
    return int(counts.max(axis=1).sum())


def information_gain(counts: NDArray[np.int64]) -> int:
    """Return by how many units the division lowers the entropy of the class."""
    total = counts.sum()
    if total == 0:
        return 0
    within = sum(float(child.sum() / total) * _entropy(child) for child in counts)
    return min(max(round((_entropy(counts.sum(axis=0)) - within) * UNITS), 0), _most_bits(counts.shape[1]))


@dataclass(frozen=True, kw_only=True)
class SpecializationScore:
    """What a specialization is scored by, and the length of an interval that holds all changes, by classes."""

    of: Callable[[NDArray[np.int64]], int]
    interval: Callable[[int], int]


SCORES: Mapping[str, SpecializationScore] = MappingProxyType(
    {
        "max": SpecializationScore(of=max_score, interval=lambda _: 1),
        "information-gain": SpecializationScore(of=information_gain, interval=lambda classes: 2 * _most_bits(classes)),
    }
)


def _most_bits(classes: int) -> int:
    return ceil(log2(classes) * UNITS)


def _entropy(counts: NDArray[np.int64]) -> float:
    shares = counts[counts > 0] / max(counts.sum(), 1)
    return float(-(shares * np.log2(shares)).sum())


def _lowest(hierarchy: Hierarchy, node: Node) -> Node:
    """Go down while there is one way only."""
    inside = members(hierarchy, node)
    while node.level and len(below := np.unique(hierarchy.codes[node.level - 1][inside])) == 1:
        node = Node(node.level - 1, int(below[0]))
    return node
