"""Snapshots: nodes of a lattice that are materialized, and which of them are kept to roll others up from."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nymity.kernels.dominance import first_below
from nymity.kernels.rollup import spans_of_blocks
from nymity.lattice.space import Node


@dataclass(frozen=True, eq=False)
class Grouping:
    """Blocks of equal keys with a sparse histogram over the pivot; see :mod:`nymity.kernels.rollup`."""

    keys: NDArray[np.uint64]
    block: NDArray[np.uint32]
    codes: NDArray[np.uint32]
    weights: NDArray[np.uint32]

    @cached_property
    def spans(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
        """Where the entries of each block begin and stop, and its records: many nodes are rolled up from one."""
        return spans_of_blocks(self.block, self.weights, len(self.keys))  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        """Bytes of the four arrays."""
        return self.keys.nbytes + self.block.nbytes + self.codes.nbytes + self.weights.nbytes


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A materialized node: one grouping per sensitive attribute needed, or one over a quasi-identifier.

    Where records are of persons, groupings over pairs of person and value and one over persons come after them. Where
    models count a population, the last grouping is over membership: PUBLISHED and POPULATION records of a block.
    """

    levels: Node
    groupings: tuple[Grouping, ...]

    @property
    def n_entries(self) -> int:
        """Entries of all groupings: what rolling up from here costs."""
        return sum(len(grouping.block) for grouping in self.groupings)

    def compact(self) -> Snapshot:
        """Return the same node without the slack its arrays were cut from."""
        return Snapshot(
            self.levels,
            tuple(Grouping(g.keys.copy(), g.block.copy(), g.codes.copy(), g.weights.copy()) for g in self.groupings),
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all groupings."""
        return sum(grouping.nbytes for grouping in self.groupings)


class SnapshotStore:
    """Materialized nodes within a byte budget, the least recently used dropped first; the root is never dropped.

    They are kept in order of size, so that the first predecessor found is the smallest.
    """

    def __init__(self, root: Snapshot, budget: int) -> None:
        self.root, self._budget, self._used, self._clock = root, budget, 0, 0
        self._snapshots: list[Snapshot] = [root]
        self._levels = np.array([root.levels], dtype=np.int64)  # (n_snapshots, m)
        self._last_used = [0]

    def put(self, snapshot: Snapshot) -> None:
        """Keep a node, dropping others when the budget is exceeded."""
        if snapshot.nbytes > self._budget:
            return
        self._clock += 1
        self._used += snapshot.nbytes
        place = bisect_left(self._snapshots, snapshot.n_entries, key=lambda kept: kept.n_entries)
        self._snapshots.insert(place, snapshot.compact())
        self._levels = np.insert(self._levels, place, snapshot.levels, axis=0)
        self._last_used.insert(place, self._clock)
        # It fits alone, so that this ends before the root.
        while self._used > self._budget:
            self._drop_oldest()

    def smallest_below(self, node: Node) -> Snapshot:
        """Return the smallest materialized predecessor of a node, or the node itself; the newest of equal ones."""
        first = int(first_below(self._levels, np.array(node)))
        if first < 0:
            raise ValueError(f"{node} is not above the levels of the table")
        self._clock += 1
        self._last_used[first] = self._clock
        return self._snapshots[first]

    def _drop_oldest(self) -> None:
        candidates = (i for i, kept in enumerate(self._snapshots) if kept is not self.root)
        oldest = min(candidates, key=self._last_used.__getitem__)
        self._used -= self._snapshots.pop(oldest).nbytes
        self._last_used.pop(oldest)
        self._levels = np.delete(self._levels, oldest, axis=0)
