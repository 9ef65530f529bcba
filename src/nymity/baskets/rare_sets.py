"""Rare sets: what up to m items together do not have k records that hold them, class by class.

Every record has a class, the records that look alike in all quasi-identifiers, and a set of items on a cut.
k^m-anonymity (Terrovitis, Mamoulis & Kalnis 2008) inside classes asks that every set of at most m items
that a record of a class holds is held by k records of this class. An item is therefore numbered together with its
class: then classes cannot meet, and one count does for all of them.

Sets grow by one item at a time. Those that are rare already are not grown: whatever holds them is rare too, and
whatever is done against them does for it (the apriori principle).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from nymity.baskets.item_tree import Ints, ItemTree
from nymity.core.different import different
from nymity.core.errors import TableError

#: As many sets of items are looked at, at most.
MOST_SETS = 2 * 10**8
#: Sets that are kept in memory at a time, about.
_AT_A_TIME = 4_000_000


@dataclass(frozen=True, eq=False)
class Baskets:
    """The records of a table as sets of items: (record, item) of what occurs, sorted, and the class of each record.

    record, item (n_entries,); classes (n_records,).
    """

    record: Ints
    item: Ints
    classes: Ints
    tree: ItemTree

    @cached_property
    def of_items(self) -> Ints:
        """How often each item occurs, (n_items,)."""
        return np.bincount(self.item, minlength=self.tree.n_items).astype(np.int64)

    @cached_property
    def of_nodes(self) -> Ints:
        """How often the items below each node occur, (n_nodes,)."""
        return self.tree.occurrences(self.of_items)

    def on(self, cut: Ints) -> CutBaskets:
        """Return what the records hold on a cut."""
        return CutBaskets.of(self, cut)

    def check_number_of_sets(self, where: str, m: int) -> None:
        """Refuse to look at more sets than anybody would wait for."""
        sizes = np.bincount(self.record, minlength=1)
        if (sets := number_of_sets(sizes, m)) > MOST_SETS:
            raise TableError(
                where,
                expected=f"at most {MOST_SETS:,} sets of up to {m} items of a record",
                got=f"{sets:,}, because one record has up to {int(sizes.max()):,} items",
                hint="a smaller m, or fewer items in each record",
            )


@dataclass(frozen=True, eq=False)
class CutBaskets:
    """Records on a cut: (record, pair) of what occurs, sorted; a pair is a class and a node of the cut.

    nodes, classes (n_pairs,): what each pair is. occurrences (n_pairs,): of items below its node in records of its
    class. start (n_records + 1,): where the pairs of each record begin.
    """

    record: Ints
    pair: Ints
    start: Ints
    nodes: Ints
    classes: Ints
    occurrences: Ints

    @staticmethod
    def of(baskets: Baskets, cut: Ints) -> CutBaskets:
        """Generalize the items of all records; those that become one are one."""
        width = len(baskets.tree.labels)
        both = baskets.classes[baskets.record] * width + cut[baskets.item]
        known, pair, occurrences = np.unique(both, return_inverse=True, return_counts=True)
        held = different(baskets.record * max(len(known), 1) + pair)
        record, pair = held // max(len(known), 1), held % max(len(known), 1)
        start = np.searchsorted(record, np.arange(len(baskets.classes) + 1))
        return CutBaskets(
            record, pair, start.astype(np.int64), known % width, known // width, occurrences.astype(np.int64)
        )

    def rare(self, k: int, m: int) -> Iterator[Ints]:
        """Return sets of at most m pairs that some records hold, and fewer than k: (n_sets, size), for sizes from 1 on.

        Every rare set of at most m pairs holds one of those that are returned.
        """
        supports = np.bincount(self.pair, minlength=len(self.nodes))
        rare = supports < k
        if (few := np.flatnonzero(rare)).size:
            yield few[:, None]
        if m == 1:
            return
        left = ~rare[self.pair]
        alone = CutBaskets._restart(self.record[left], self.pair[left], len(self.start) - 1)
        for places in _portions(*alone, m):
            yield from _grown(*alone, places, len(self.nodes), k, m)

    @staticmethod
    def _restart(record: Ints, pair: Ints, n_records: int) -> tuple[Ints, Ints]:
        """Return the pairs, and where those of the record of each one end, (n_entries,)."""
        ends = np.searchsorted(record, np.arange(n_records), side="right")
        return pair, ends[record].astype(np.int64)


def number_of_sets(sizes: NDArray[np.int64], m: int) -> int:
    """Return how many sets of at most m items records of these numbers of items have."""
    different, records = np.unique(sizes, return_counts=True)
    of_size = (sum(comb(n, size) for size in range(1, min(m, n) + 1)) for n in different.tolist())
    return sum(number * sets for number, sets in zip(records.tolist(), of_size, strict=True))


def _portions(pair: Ints, ends: Ints, m: int) -> Iterator[Ints]:
    """Divide the entries by what a set begins with, such that sets of different portions are different and few."""
    after = ends - np.arange(len(pair)) - 1  # pairs of the same record that may follow
    ahead = np.zeros(len(pair))
    for size in range(1, m):  # no more than after^size / size! sets
        ahead += after.astype(np.float64) ** size / float(np.prod(np.arange(1, size + 1)))
    weight = np.bincount(pair, weights=ahead)
    portion = (np.cumsum(weight) / _AT_A_TIME).astype(np.int64)[pair]
    order = np.argsort(portion, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(portion[order])) + 1):
        if len(places):
            yield places


def _grown(pair: Ints, ends: Ints, places: Ints, n_pairs: int, k: int, m: int) -> Iterator[Ints]:
    """Grow sets that begin at some entries, and return those that are rare, (n_sets, size)."""
    members = np.arange(n_pairs, dtype=np.int64)[:, None]  # (n_sets, size) of the sets of this size, by their number
    at, known = places, pair[places]  # the last entry of each set that a record holds, and the number of the set
    for _ in range(2, m + 1):
        further = ends[at] - at - 1
        n = int(further.sum())
        if not n:
            return
        starts = np.repeat(np.cumsum(further) - further, further)
        after = np.repeat(at + 1, further) + np.arange(n) - starts
        keys, place, supports = np.unique(
            np.repeat(known, further) * n_pairs + pair[after], return_inverse=True, return_counts=True
        )
        members = np.column_stack([members[keys // n_pairs], keys % n_pairs])
        rare = supports < k
        if rare.any():
            yield members[rare]
        alive = ~rare[place]
        at, known = after[alive], place[alive].astype(np.int64)
