"""LevelTables: the hierarchies of a table laid out flat for the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nymity.table.hierarchy import Hierarchy


class LevelTables:
    """Code tables between any two levels, and leaf counts of every level, each in one array with offsets.

    ``costs``, per attribute and level, take the place of leaf counts where they are given.
    """

    def __init__(
        self, hierarchies: Sequence[Hierarchy], costs: Sequence[Sequence[NDArray[np.int64]]] | None = None
    ) -> None:
        self.domain_sizes = np.array([h.domain_size for h in hierarchies], dtype=np.int64)
        maps: list[NDArray[np.uint32]] = []
        leaves: list[NDArray[np.uint32]] = []
        self._map_at: dict[tuple[int, int, int], int] = {}
        self._leaf_at: list[list[int]] = []
        self._widths = [[len(labels) for labels in hierarchy.labels] for hierarchy in hierarchies]
        map_end = leaf_end = 0
        steps = [[_step(hierarchy, low) for low in range(hierarchy.height)] for hierarchy in hierarchies]
        for a, hierarchy in enumerate(hierarchies):
            self._leaf_at.append([])
            for low in range(hierarchy.height + 1):
                self._leaf_at[a].append(leaf_end)
                leaves.append((hierarchy.leaves if costs is None else costs[a])[low].astype(np.uint32))
                leaf_end += len(leaves[-1])
                # A table for each pair of levels: one look leads from any materialized node to any above.
                to = np.arange(len(hierarchy.labels[low]), dtype=np.uint32)
                for high in range(low + 1, hierarchy.height + 1):
                    self._map_at[a, low, high] = map_end
                    to = steps[a][high - 1][to]
                    maps.append(to)
                    map_end += len(maps[-1])
        self.maps = np.concatenate(maps) if maps else np.empty(0, np.uint32)
        self.leaves = np.concatenate(leaves)
        self._chains: dict[tuple[int, int, int], tuple[NDArray[np.uint64], NDArray[np.uint64]]] = {}

    def map_at(self, attribute: int, low: int, high: int) -> int:
        """Where the table from codes of level ``low`` to codes of level ``high`` starts in ``maps``."""
        return self._map_at[attribute, low, high]

    def width(self, attribute: int, level: int) -> int:
        """How many codes a level has."""
        return self._widths[attribute][level]

    def widths(self, levels: Sequence[int]) -> NDArray[np.int64]:
        """How many codes each attribute's level has, (n_attributes,)."""
        return np.array([self._widths[a][level] for a, level in enumerate(levels)], dtype=np.int64)

    def leaf_of(self, attribute: int, level: int) -> int:
        """Where the leaf counts of a level start in ``leaves``."""
        return self._leaf_at[attribute][level]

    def leaf_at(self, levels: Sequence[int]) -> NDArray[np.uint64]:
        """Where the leaf counts of each attribute's level start in ``leaves``, (n_attributes,)."""
        return np.array([self._leaf_at[a][level] for a, level in enumerate(levels)], dtype=np.uint64)

    def chain(self, attribute: int, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Offsets of the single steps from ``low`` to ``high`` and of the leaf counts of each of those levels."""
        known = self._chains.get((attribute, low, high))
        if known is None:
            steps = [self._map_at[attribute, level, level + 1] for level in range(low, high)]
            leaf_counts = self._leaf_at[attribute][low : high + 1]
            known = np.array(steps, dtype=np.uint64), np.array(leaf_counts, dtype=np.uint64)
            self._chains[attribute, low, high] = known
        return known

    def chains(
        self, attributes: Sequence[int], low: Sequence[int], high: Sequence[int]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The chains of several attributes as rows of two arrays, padded with zeros."""
        width = max((high[a] - low[a] + 1 for a in attributes), default=1)
        steps = np.zeros((len(attributes), width), dtype=np.uint64)
        leaf_counts = np.zeros((len(attributes), width), dtype=np.uint64)
        for row, a in enumerate(attributes):
            step, leaf_count = self.chain(a, low[a], high[a])
            steps[row, : len(step)], leaf_counts[row, : len(leaf_count)] = step, leaf_count
        return steps, leaf_counts


def _step(hierarchy: Hierarchy, low: int) -> NDArray[np.uint32]:
    """Codes of the next level for the codes of level ``low``."""
    table = np.zeros(len(hierarchy.labels[low]), dtype=np.uint32)
    # Raw values that share a code share the next one too, so it does not matter which of them is written last.
    table[hierarchy.codes[low]] = hierarchy.codes[low + 1]
    return table
