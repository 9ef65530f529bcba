"""Subtree: the nodes above one along some attributes, evaluated depth first from what is materialized on the way."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from nymity.kernels import statistics as kernel
from nymity.kernels.walk import walk_chains
from nymity.lattice.snapshots import Snapshot
from nymity.lattice.space import Node, Space
from nymity.quality.node_statistics import NodeStatistics

if TYPE_CHECKING:
    from nymity.lattice.rollup import RollUp


class Subtree:
    """Depth-first evaluation of all nodes above one, along some attributes and the pivot."""

    def __init__(self, engine: RollUp, space: Space, attributes: Sequence[int]) -> None:
        self.engine, self.space, self.attributes = engine, space, attributes
        self.length = space.shape[engine.pivot] if engine.pivot >= 0 else 1
        self.parts: list[NodeStatistics] = []

    def evaluate(self, start: Node) -> NodeStatistics:
        """Return the statistics of every node of the subtree."""
        snapshot = self.engine._derive(self.engine._store.root, start)
        if self.engine.fused:
            return self._walk_chains(snapshot)
        self._descend(snapshot, 0)
        return NodeStatistics.concatenate(self.parts)

    def _walk_chains(self, snapshot: Snapshot) -> NodeStatistics:
        """Let one kernel do the whole walk."""
        engine, space, n_levels = self.engine, self.space, [self.space.shape[a] for a in self.attributes]
        m, n = len(snapshot.levels), prod(n_levels)
        along = engine._tables.chains(self.attributes, space.low, space.high)
        counts, lost = np.empty((n, self.length, kernel.N_COUNTS), np.int64), np.empty((n, self.length, m), np.int64)
        (g,) = snapshot.groupings
        walk_chains(
            g.keys, g.block, g.codes, g.weights,
            np.array(self.attributes, dtype=np.uint64), np.array(n_levels, dtype=np.int64), *along,
            *engine._chain_arguments(snapshot.levels, self.length), counts, lost,
        )  # fmt: skip
        levels = np.tile(np.array(snapshot.levels), (n, self.length, 1))
        for attribute, index in zip(self.attributes, np.indices(n_levels).reshape(len(n_levels), n), strict=True):
            levels[:, :, attribute] += index[:, None]
        levels[:, :, engine.pivot] += np.arange(self.length)
        return engine.statistics_of(levels.reshape(-1, m), counts.reshape(-1, kernel.N_COUNTS), lost.reshape(-1, m), {})

    def _descend(self, snapshot: Snapshot, depth: int) -> None:
        if depth == len(self.attributes):
            for step in range(self.length):
                snapshot = self._raise(snapshot, self.engine.pivot) if step else snapshot
                self.parts.append(self.engine._statistics(snapshot))
            return
        attribute = self.attributes[depth]
        for level in range(self.space.low[attribute], self.space.high[attribute] + 1):
            if level != snapshot.levels[attribute]:
                snapshot = self._raise(snapshot, attribute)
            self._descend(snapshot, depth + 1)

    def _raise(self, snapshot: Snapshot, attribute: int) -> Snapshot:
        levels = snapshot.levels
        higher = (*levels[:attribute], levels[attribute] + 1, *levels[attribute + 1 :])
        return self.engine._derive(snapshot, higher)
