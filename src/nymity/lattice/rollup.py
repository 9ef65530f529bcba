"""RollUp: the engine that checks nodes of a lattice by rolling up what was grouped before.

A node's classes are unions of the classes of any node below it, so a check starts from the smallest materialized
predecessor instead of the table. What is materialized is bounded by a byte budget; the raw table always stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nymity.core.different import different
from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.kernels import statistics as kernel
from nymity.kernels.rollup import records_of_blocks, roll_up, roll_up_capped, roll_up_pivot
from nymity.kernels.walk import check_node
from nymity.lattice.level_tables import LevelTables
from nymity.lattice.snapshots import Grouping, Snapshot, SnapshotStore
from nymity.lattice.space import Node, Space
from nymity.lattice.subtree import Subtree
from nymity.privacy import PrivacyModel
from nymity.privacy.decision import Decision, accepted_and_most_kept, decide, suppressed_records
from nymity.quality.node_statistics import COUNTS_ALONE, Needs, NodeStatistics
from nymity.table.classes import NOTHING, Classes, Crowd, Histogram, PairHistogram
from nymity.table.encoding import EncodedTable
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Outliers
from nymity.table.text import MASK

#: Bytes of materialized nodes an engine keeps by default.
SNAPSHOT_BUDGET = 128 * 2**20
#: A predecessor with more entries than this is left by way of a waypoint, or by way of what was checked before.
WAYPOINT_ENTRIES = 1_000
#: What was checked is kept if its predecessor has so many times its entries.
WORTH_KEEPING = 1.25
#: Nodes of a subtree that is evaluated in one go, about: how often a walk reports.
NODES_A_SUBTREE = 1_000
#: Codes of membership.
PUBLISHED, POPULATION = 0, 1
#: Attributes that rise between a node and itself, and their code tables.
NO_CHANGE = np.empty(0, np.uint64)


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of one node: codes (n_classes, n_attributes) at its levels, sizes and which are published."""

    levels: Node
    codes: NDArray[np.int64]
    classes: Classes
    decision: Decision


class RollUp:
    """Checks nodes for a table and a set of models.

    When the models only ask for a class size, the widest quasi-identifier becomes the pivot of the grouping and a
    chain of nodes along it is checked at once. Otherwise the sensitive attributes are the pivots, and membership in
    the table or the population where a model counts both.
    """

    def __init__(
        self,
        table: EncodedTable,
        models: Sequence[PrivacyModel],
        *,
        needs: Needs = COUNTS_ALONE,
        outliers: Outliers = "mask",
        budget: int = SNAPSHOT_BUDGET,
        every_person: bool = False,
    ) -> None:
        self.table, self.models, self.needs, self.outliers = table, tuple(models), needs, outliers
        self.smallest = max((model.smallest_class for model in models), default=1)
        asked = [name for model in models for name in model.sensitive]
        self.sensitive = tuple(dict.fromkeys([*asked, *([needs.target] if needs.target is not None else [])]))
        #: Attributes of which models take shares of persons.
        shares = [model.sensitive for model in models if model.over_persons == "shares"]
        self.paired = tuple(dict.fromkeys(name for names in shares for name in names)) if table.persons else ()
        self.counts_population = any(model.second_table for model in models)
        further = table.persons is not None or self.counts_population
        # The pivot's codes are counted, not hashed: the widest attribute leaves the fewest keys to hash.
        self.pivot = -1 if self.sensitive or further else _widest(table)
        #: As many persons of a class are listed: min(most, persons) is all that models ask for. 0: all of them.
        numbers = all(model.over_persons == "number" for model in models) and not every_person
        self._most_persons = self.smallest if numbers else 0
        #: Persons of the population are listed where it tells them; as many of a class as k-maps ask for, 0: all.
        self.crowd = table.population_persons if self.counts_population else None
        maps = [model for model in models if model.second_table]
        self._most_people = max((m.fewest_people for m in maps), default=0) if all(m.fewest_people for m in maps) else 0
        #: Persons of the smallest class, and those who lose records, are counted.
        self.every_person = every_person and table.persons is not None
        #: Rows of a person are linked: whole persons are left out, and with them some records of a class.
        self.links = table.persons is not None and any(model.over_persons == "links" for model in models)
        if self.links and needs.target is not None:
            raise ParameterError(
                "method.loss",
                expected="a loss that counts records, where rows are linked and whole persons are left out",
                got="one that counts values of a class",
                hint="the loss 'loss'",
            )
        #: Class sizes and leaf counts are all it takes, so one kernel does everything.
        self.fused = self.pivot >= 0 and not needs.statistics and all(model.size_only for model in models)
        self._tables = LevelTables(table.hierarchies, needs.costs)
        columns = [table.sensitive[name] for name in self.sensitive]
        self._sensitive = [(column, column.totals) for column in columns]
        self._key_attributes = [a for a in range(len(table.names)) if a != self.pivot]
        # The pivot is counted and not hashed, so it takes no bits of the key.
        sizes = [1 if a == self.pivot else h.domain_size for a, h in enumerate(table.hierarchies)]
        self._layout = KeyLayout.for_sizes(sizes)
        #: The code of ``*`` by attribute and level, which trees of uneven depth have below their top.
        self._star_codes = [
            [labels.index(MASK) if MASK in labels else None for labels in h.labels] for h in table.hierarchies
        ]
        self._uneven = any(code is not None for codes in self._star_codes for code in codes[:-1])
        self._budget = budget
        self.checks = 0

    # -- one node --------------------------------------------------------------------------------------

    def check(self, node: Node) -> NodeStatistics:
        """Return the statistics of one node."""
        self.checks += 1
        return self._check_fused(self._start(node), node) if self.fused else self._statistics(self.snapshot(node))

    def check_bounded(
        self, node: Node, promising: Callable[[NodeStatistics], bool]
    ) -> tuple[NodeStatistics | None, NodeStatistics]:
        """Return the statistics of one node, and those with no more suppressed records than any node below it has.

        The decision on a node may take out classes that every model accepts, and takes longest. ``promising`` is asked
        before with the statistics in which these are kept: what is suppressed there is suppressed anyway. If it says
        no, there are none of the node itself.
        """
        self.checks += 1
        snapshot = self.snapshot(node)
        classes, block = self._classes(snapshot)
        accepted, most = accepted_and_most_kept(classes, self.models)
        # However a class is split below, no more of its records can be kept: what a node below suppresses is at least
        # the rest.
        least = self._summary(snapshot, classes, block, classes.sizes - most.astype(np.uint32))
        if not self.links:
            refused = np.where(accepted, np.uint32(0), classes.sizes)
            # The node refuses no less than any below it, so what is counted already may do.
            if not (promising(least) and promising(self._summary(snapshot, classes, block, refused))):
                return None, least
        return self._summary(snapshot, classes, block, self._suppressed(classes)), least

    def snapshot(self, node: Node) -> Snapshot:
        """Materialize a node, and keep it for those above it if that spares work."""
        start = self._start(node)
        snapshot = self._derive(start, node)
        if not self.fused and WAYPOINT_ENTRIES < WORTH_KEEPING * snapshot.n_entries < start.n_entries:
            self._store.put(snapshot)
        return snapshot

    def classes(self, node: Node) -> NodeClasses:
        """Return the classes of one node with their codes, for publishing."""
        snapshot = self.snapshot(node)
        classes, block = self._classes(snapshot)
        codes = np.stack([self._codes(snapshot, block, a) for a in range(len(self.table.names))], axis=1)
        return NodeClasses(node, codes, classes, decide(classes, self.models, self.outliers))

    # -- a whole lattice -------------------------------------------------------------------------------

    def walk(self, space: Space, *, threads: int = 1, observe: Observer = silent) -> Iterator[NodeStatistics]:
        """Check every node of ``space`` depth first and yield their statistics in batches, always in the same order.

        Only the path to the current node is materialized. Threads share the work by subtrees; each subtree is
        computed alone, so results do not depend on their number.
        """
        # The widest first: raising them early leaves small groupings for the many nodes further down.
        order = sorted(self._key_attributes, key=lambda a: -self.table.hierarchies[a].domain_size)
        # As many subtrees whatever the number of threads, so that batches come in the same order.
        subtrees, n_split = max(8, space.size // NODES_A_SUBTREE), 0
        while n_split < len(order) and prod(space.shape[a] for a in order[:n_split]) < subtrees:
            n_split += 1
        split, rest = order[:n_split], order[n_split:]
        prefixes = product(*(range(space.low[a], space.high[a] + 1) for a in split))

        def subtree(prefix: tuple[int, ...]) -> NodeStatistics:
            node = list(space.low)
            for attribute, level in zip(split, prefix, strict=True):
                node[attribute] = level
            return Subtree(self, space, rest).evaluate(tuple(node))

        done = 0
        pool = ThreadPoolExecutor(max_workers=threads)
        try:
            for statistics in pool.map(subtree, prefixes) if threads > 1 else map(subtree, prefixes):
                done += len(statistics)
                self.checks += len(statistics)
                report(observe, Progress(stage="evaluating the lattice", done=done, total=space.size))
                yield statistics
        finally:
            # Whoever stops asking does not wait for subtrees that nobody began.
            pool.shutdown(cancel_futures=True)

    # -- inside ----------------------------------------------------------------------------------------

    @cached_property
    def _store(self) -> SnapshotStore:
        """What is materialized; late, because of two engines of a search one is often asked nothing."""
        return SnapshotStore(self._group_table(), self._budget)

    def _group_table(self) -> Snapshot:
        """Materialize the raw table."""
        table = self.table
        columns = [
            np.zeros(len(table.counts), np.uint32) if a == self.pivot else table.combinations[:, a]
            for a in range(len(table.names))
        ]
        keys = self._layout.pack(columns)
        if self.pivot < 0:
            groupings = tuple(
                Grouping(keys, column.combination, column.codes, column.counts)
                for column in (table.sensitive[name] for name in self.sensitive)
            )
            if table.persons is not None:
                persons, pairs = table.persons, [table.persons.values[name] for name in self.paired]
                groupings += tuple(Grouping(keys, pair.combination, pair.codes, pair.counts) for pair in pairs)
                owned = Grouping(keys, persons.combination, persons.codes, persons.counts)
                groupings += (self._raised(self._persons_at, owned, NO_CHANGE, NO_CHANGE),)
            if (crowd := self.crowd) is not None:
                everyone = Grouping(keys, crowd.combination, crowd.codes, crowd.counts)
                groupings += (self._raised(self._crowd_at, everyone, NO_CHANGE, NO_CHANGE),)
            groupings += (_membership(keys, table),) if self.counts_population else ()
        else:
            # Sorted by key, so that the entries of a block are adjacent, as kernels expect them.
            order = _order(table, [*self._key_attributes, self.pivot])
            keys, codes = keys[order], table.combinations[order, self.pivot].astype(np.uint32)
            fresh = np.ones(len(keys), dtype=bool)
            fresh[1:] = (keys[1:] != keys[:-1]).any(axis=1)
            block = (np.cumsum(fresh) - 1).astype(np.uint32)
            groupings = (Grouping(np.ascontiguousarray(keys[fresh]), block, codes, table.counts[order]),)
        return Snapshot((0,) * len(table.names), groupings)

    def _start(self, node: Node) -> Snapshot:
        """Return a materialized node to roll ``node`` up from: the smallest there is, or a waypoint.

        A search mostly looks at neighbours. A long way from a large predecessor goes over a waypoint that is kept: the
        node one level below in every attribute, from which its neighbours are near. Where statistics beside sizes are
        asked for, or several groupings are rolled up, the nodes that were checked are kept and no others.
        """
        start = self._store.smallest_below(node)
        near = self.fused or (self.pivot < 0 and len(start.groupings) == 1)
        if near and start.n_entries > WAYPOINT_ENTRIES:
            waypoint = tuple(max(low, level - 1) for low, level in zip(start.levels, node, strict=True))
            if waypoint not in (start.levels, node):
                start = self._derive(start, waypoint)
                self._store.put(start)
        return start

    def _changes(self, start: Snapshot, node: Node) -> tuple[NDArray[np.uint64], NDArray[np.uint64], int]:
        """What rises between two nodes: attributes of the key, their code tables, and the pivot's (-1: none)."""
        below, tables = start.levels, self._tables
        changed = [a for a in self._key_attributes if node[a] != below[a]]
        at = [tables.map_at(a, below[a], node[a]) for a in changed]
        pivot, pivot_map = self.pivot, -1
        if pivot >= 0 and node[pivot] != below[pivot]:
            pivot_map = tables.map_at(pivot, below[pivot], node[pivot])
        return np.array(changed, dtype=np.uint64), np.array(at, dtype=np.uint64), pivot_map

    def _derive(self, start: Snapshot, node: Node) -> Snapshot:
        """Roll ``start`` up to ``node``: the pivot first, which leaves fewer entries to move."""
        groupings = start.groupings
        changed, at, pivot_map = self._changes(start, node)
        if pivot_map >= 0:
            (g,) = groupings
            entries = roll_up_pivot(
                g.block, g.codes, g.weights, self._tables.maps[pivot_map:], self._pivot_size(0, node)
            )
            groupings = (Grouping(g.keys, *entries),)
        if len(changed):
            groupings = tuple(self._raised(i, g, changed, at, node) for i, g in enumerate(groupings))
        return Snapshot(node, groupings)

    def _raised(
        self, i: int, g: Grouping, changed: NDArray[np.uint64], at: NDArray[np.uint64], node: Node | None = None
    ) -> Grouping:
        """Roll one grouping up; of persons no more are listed than models ask for."""
        layout = self._layout
        rising = (changed, layout.word, layout.shift, layout.mask, at, self._tables.maps)
        if most := {self._persons_at: self._most_persons, self._crowd_at: self._most_people}.get(i, 0):
            return Grouping(*roll_up_capped(g.keys, *g.spans, g.codes, *rising, most))
        return Grouping(*roll_up(g.keys, g.block, g.codes, g.weights, *rising, self._pivot_size(i, node)))

    @property
    def _persons_at(self) -> int:
        """Which grouping is over persons, -1 for none."""
        return -1 if self.table.persons is None else len(self.sensitive) + len(self.paired)

    @property
    def _crowd_at(self) -> int:
        """Which grouping is over the persons of the population, -1 for none."""
        if self.crowd is None:
            return -1
        return len(self.sensitive) + len(self.paired) + (self.table.persons is not None)

    def _pivot_size(self, grouping: int, node: Node | None = None) -> int:
        """Return how many codes the pivot of a grouping has, at its level of ``node`` where that is an attribute."""
        if self.pivot >= 0:
            return self._tables.width(self.pivot, 0 if node is None else node[self.pivot])
        if grouping < len(self.sensitive):
            return len(self.table.sensitive[self.sensitive[grouping]].labels)
        if self.crowd is not None and grouping == self._crowd_at:
            return len(self.crowd.ids)
        if (persons := self.table.persons) is None or grouping > self._persons_at:
            return len((PUBLISHED, POPULATION))
        if grouping == self._persons_at:
            return persons.n_persons
        return len(persons.values[self.paired[grouping - len(self.sensitive)]].value_of)

    def _classes(self, snapshot: Snapshot) -> tuple[Classes, NDArray[np.uint32]]:
        """Return the classes of a materialized node and the block each belongs to."""
        first = snapshot.groupings[0]
        if self.pivot >= 0:
            return Classes(first.weights, stars=self._stars(snapshot, first.block)), first.block
        published, everyone = self._counted(snapshot)
        block = np.flatnonzero(published).astype(np.uint32)  # blocks of the population alone are no classes
        owner = [g.block for g in snapshot.groupings]
        crowd = None if self.crowd is None else self._people(snapshot, published)
        if len(block) < len(published):
            number = np.cumsum(published > 0, dtype=np.uint32) - np.uint32(1)  # of the class of each block
            owner = [number[of_entry] for of_entry in owner]
        histograms = {
            name: Histogram(len(block), self._pivot_size(i), owner[i], g.codes, g.weights, *self._sensitive[i])
            for i, (name, g) in enumerate(zip(self.sensitive, snapshot.groupings, strict=False))
        }
        classes = Classes(published[block], histograms, stars=self._stars(snapshot, block))
        if (persons := self.table.persons) is not None:
            classes = replace(
                classes,
                persons=Histogram(**self._entries(snapshot, owner, self._persons_at, len(block))),
                pairs={
                    name: PairHistogram(
                        **self._entries(snapshot, owner, len(self.sensitive) + i, len(block)),
                        value_of=persons.values[name].value_of,
                        person_of=persons.values[name].person_of,
                    )
                    for i, name in enumerate(self.paired)
                },
                wholes={name: persons.values[name].whole for name in self.paired},
            )
        if crowd is not None:
            return replace(classes, population=crowd.inside.distinct, outside=len(crowd.outside), crowd=crowd), block
        if everyone is not None:
            classes = replace(classes, population=everyone[block], outside=int(everyone[published == 0].sum()))
        return classes, block

    def _people(self, snapshot: Snapshot, published: NDArray[np.uint32]) -> Crowd:
        """Return the persons of the population in the blocks that are classes, and in all others."""
        g, is_class = snapshot.groupings[self._crowd_at], published > 0
        number, inside = np.cumsum(is_class, dtype=np.uint32) - np.uint32(1), is_class[g.block]
        size = self._pivot_size(self._crowd_at)
        classes = int(np.count_nonzero(is_class))
        found = Histogram(classes, size, number[g.block[inside]], g.codes[inside], g.weights[inside], overall=NOTHING)
        return Crowd(found, different(g.codes[~inside]))

    def _entries(
        self, snapshot: Snapshot, owner: Sequence[NDArray[np.uint32]], i: int, n_classes: int
    ) -> dict[str, Any]:
        """Return the histogram of a grouping over persons; classes are compared with the table by values alone."""
        g = snapshot.groupings[i]
        entries = {"classes": owner[i], "codes": g.codes, "counts": g.weights, "overall": NOTHING}
        return {"n_classes": n_classes, "n_values": self._pivot_size(i), **entries}

    def _codes(self, snapshot: Snapshot, block: NDArray[np.uint32], a: int) -> NDArray[np.int64]:
        """Codes of an attribute at its level, (n_classes,)."""
        first = snapshot.groupings[0]
        if a == self.pivot:
            return first.codes.astype(np.int64)
        field = first.keys[block, int(self._layout.word[a])] >> self._layout.shift[a]
        return np.asarray(field & self._layout.mask[a], dtype=np.int64)

    def _stars(self, snapshot: Snapshot, block: NDArray[np.uint32]) -> int:
        """Return the class whose cells are all ``*``, -1 for none, and at the top, where there is no other class."""
        # With the same depth everywhere only the top has stars in all columns, and there is no other class to tell it
        # from.
        if len(block) < 2 or not self._uneven:
            return -1
        stars = [self._star_codes[a][level] for a, level in enumerate(snapshot.levels)]
        if None in stars:
            return -1
        found = np.logical_and.reduce([self._codes(snapshot, block, a) == code for a, code in enumerate(stars)])
        return int(np.argmax(found)) if found.any() else -1

    def _counted(self, snapshot: Snapshot) -> tuple[NDArray[np.uint32], NDArray[np.int64] | None]:
        """Return the records of each block in the table, and in the population if models count it."""
        last, n = snapshot.groupings[-1], len(snapshot.groupings[-1].keys)
        if not self.counts_population:
            return records_of_blocks(last.block, last.weights, n), None
        # Codes are PUBLISHED and POPULATION, 0 and 1: a block has an even and an odd place.
        of_both = 2 * last.block.astype(np.int64) + last.codes
        both = np.bincount(of_both, weights=last.weights, minlength=2 * n)
        return both[PUBLISHED::2].astype(np.uint32), both[POPULATION::2].astype(np.int64)

    def _suppressed(self, classes: Classes) -> NDArray[np.uint32]:
        """Suppressed records of each class."""
        return suppressed_records(classes, self.models, self.outliers)

    def _statistics(self, snapshot: Snapshot) -> NodeStatistics:
        classes, block = self._classes(snapshot)
        return self._summary(snapshot, classes, block, self._suppressed(classes))

    def _summary(
        self, snapshot: Snapshot, classes: Classes, block: NDArray[np.uint32], suppressed: NDArray[np.uint32]
    ) -> NodeStatistics:
        first, layout = snapshot.groupings[0], self._layout
        leaf_at = self._tables.leaf_at(snapshot.levels)
        counts, lost = np.empty((1, kernel.N_COUNTS), np.int64), np.empty((1, len(leaf_at)), np.int64)
        fields = (layout.word, layout.shift, layout.mask)
        sizes, lost_records = classes.sizes, suppressed
        if self.links:  # a class may lose some of its records, and those stand beside the rest as if apart
            kept, lose = np.flatnonzero(suppressed < sizes), np.flatnonzero(suppressed)
            block, sizes = np.append(block[kept], block[lose]), np.append((sizes - suppressed)[kept], suppressed[lose])
            suppressed = np.append(np.zeros(len(kept), np.uint32), suppressed[lose])
        members = (first.keys, block, sizes, suppressed, first.codes, self.pivot)
        kernel.summarize(*members, *fields, leaf_at, self._tables.leaves, counts[0], lost[0])
        counts[0, kernel.CLASSES] = len(classes)
        extra: dict[str, NDArray[Any]] = {}
        if self.every_person:
            counts[0, kernel.SMALLEST] = self._fewest(classes, lost_records)
            extra["touched"] = np.array([self._touched(classes, lost_records)])
        if "covered" in self.needs.statistics:
            extra["covered"] = np.array([kernel.covered_products(*members, *fields, leaf_at, self._tables.leaves)])
        if "spread" in self.needs.statistics:
            domain = float(np.log2(self._tables.domain_sizes).sum())
            extra["spread"] = np.array([kernel.spread(*members, *fields, leaf_at, self._tables.leaves, domain)])
        if self.needs.target is not None:
            largest = classes.histograms[self.needs.target].largest
            extra["matched"] = np.array([[largest[suppressed < classes.sizes].sum(), largest.sum()]])
        if "lost_entropy" in self.needs.statistics:
            entropy = np.empty(len(leaf_at))
            kernel.lost_entropy(*members, *fields, self._tables.widths(snapshot.levels), entropy)
            extra["lost_entropy"] = entropy[None, :]
        return self.statistics_of(np.array([snapshot.levels]), counts, lost, extra)

    def _touched(self, classes: Classes, suppressed: NDArray[np.uint32]) -> int:
        """Return how many persons lose records: those with one in a class that is suppressed, or left out themselves.

        Where only part of a class is known to be suppressed, nobody knows whose.
        """
        persons = classes.persons
        assert persons is not None
        if self.links:
            left = decide(classes, self.models, self.outliers).persons
            return 0 if left is None else int(np.count_nonzero(~left))
        touched = np.zeros(persons.n_values, dtype=np.bool_)
        touched[persons.codes[(suppressed == classes.sizes)[persons.classes]]] = True
        return int(np.count_nonzero(touched))

    def _fewest(self, classes: Classes, suppressed: NDArray[np.uint32]) -> int:
        """Return how many persons the class with the fewest of them has, 0 if there is none."""
        persons, published = classes.persons, classes.units[suppressed == 0]
        assert persons is not None
        if self.links and (left := decide(classes, self.models, self.outliers).persons) is not None:
            published = np.bincount(persons.classes[left[persons.codes]], minlength=len(classes))
        return int(min(published[published > 0], default=0))

    def statistics_of(
        self,
        levels: NDArray[np.int64],
        counts: NDArray[np.int64],
        lost: NDArray[np.int64],
        extra: dict[str, NDArray[Any]],
    ) -> NodeStatistics:
        """Put what kernels count into statistics of nodes."""
        extra = {"lost_leaves" if self.needs.costs is None else "lost_costs": lost, **extra}
        return NodeStatistics(
            levels=levels,
            suppressed=counts[:, kernel.SUPPRESSED],
            accepted_classes=counts[:, kernel.KEPT],
            squares=counts[:, kernel.SQUARES],
            classes=counts[:, kernel.CLASSES],
            smallest=counts[:, kernel.SMALLEST],
            **extra,
        )

    def _check_fused(self, start: Snapshot, node: Node) -> NodeStatistics:
        (g,) = start.groupings
        counts, lost = np.empty((1, kernel.N_COUNTS), np.int64), np.empty((1, len(node)), np.int64)
        arguments = self._chain_arguments(node, 1)
        check_node(g.keys, g.block, g.codes, g.weights, *self._changes(start, node), *arguments, counts, lost)
        return self.statistics_of(np.array([node]), counts, lost, {})

    def _chain_arguments(self, node: Node, length: int) -> tuple[Any, ...]:
        """What kernels need to evaluate the chain of ``length`` nodes that starts at ``node``."""
        low, layout, tables = node[self.pivot], self._layout, self._tables
        maps_at, leaves_at = tables.chain(self.pivot, low, low + length - 1)
        return (
            self.smallest, self.pivot, maps_at, leaves_at, self._pivot_size(0, node),
            layout.word, layout.shift, layout.mask, tables.leaf_at(node), tables.leaves, tables.maps,
        )  # fmt: skip


def _widest(table: EncodedTable) -> int:
    """Return the attribute with most values in use: as pivot it leaves the fewest blocks to hash."""
    return int(np.argmax([np.count_nonzero(frequency) for frequency in table.frequencies]))


def _order(table: EncodedTable, attributes: Sequence[int]) -> NDArray[np.int64]:
    """Return the combinations that have records, in order of some attributes: by one number where values in use fit."""
    rows = np.flatnonzero(table.counts)
    columns = [table.combinations[rows, a] for a in attributes]
    occurs = [table.frequencies[a] > 0 for a in attributes]
    if prod(int(np.count_nonzero(one)) for one in occurs) > 2**64:
        return rows[np.lexsort(columns[::-1])]
    # A number with one digit per attribute, in the base of its values in use: order by it is lexicographic order.
    number = np.zeros(len(rows), np.uint64)
    for values, column in zip(occurs, columns, strict=True):
        number *= np.uint64(np.count_nonzero(values))
        number += (np.cumsum(values) - 1).astype(np.uint64)[column]
    return rows[np.argsort(number)]


def _membership(keys: NDArray[np.uint64], table: EncodedTable) -> Grouping:
    """Group a table and its population: PUBLISHED and POPULATION records of each combination."""
    assert table.population is not None, "models of a second table refuse a table without one"
    n = len(table.counts)
    block, codes = np.repeat(np.arange(n, dtype=np.uint32), 2), np.tile(np.array([PUBLISHED, POPULATION], np.uint32), n)
    return Grouping(keys, block, codes, np.stack([table.counts, table.population], axis=1).ravel())
