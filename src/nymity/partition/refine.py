"""Refinement: change a partition step by step, as long as that lowers its cost.

Round by round, until one changes nothing: each record moves to another class, alone or while a record from there or
from a third class takes its place, whichever gains most; each class is dissolved into others if that gains; each class
is cut in two, or cut anew together with another. (Merging classes without cutting them again never gains: a class costs
at least as much as its parts.) Classes keep k records or more, and only strict gains count, so a partition never gets
worse. Changes are sought among the classes of the records nearest to a record; the order is fixed, so a partition has
one refinement.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import ClassVar

import numpy as np

from nymity.core import validation
from nymity.core.errors import ParameterError
from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report, silent
from nymity.kernels.boxtree import neighbours
from nymity.kernels.partition_change import Partition, change, fill
from nymity.kernels.refine import DISSOLVE, EXCHANGE, RECUT, Search, improve
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.greedy_search import GreedySearch
from nymity.partition.growing import Items, columns_of, empty_boxes, paced
from nymity.partition.k_member import KMember
from nymity.partition.method import Partitioned, RecordMethod
from nymity.partition.problem import PartitionProblem
from nymity.partition.sorted_groups import SortedGroups, require_enough
from nymity.partition.sorted_order import sorted_order

#: Says whether a class of these records is acceptable.
Accepts = Callable[[Ints], bool]

#: A gain below this share of the cost of the whole table in one class is taken for rounding.
LEAST_GAIN = 1e-12

#: Items whose neighbours are sought in one call.
NEIGHBOURS_A_CALL = 256

#: What a round tries, in this order.
KINDS = (EXCHANGE, DISSOLVE, RECUT)

#: Where a refinement can start.
STARTS: dict[str, type[SortedGroups] | type[GreedySearch] | type[KMember]] = {
    method.key: method for method in (SortedGroups, GreedySearch, KMember)
}


@dataclass(frozen=True, kw_only=True)
class Refine(RecordMethod):
    """Improve a partition by moving and swapping records, dissolving classes and cutting them anew.

    ``start`` makes the partition. ``candidates`` is the number of classes nearby that are tried for each record. At
    most ``rounds`` are made, and none is begun after ``seconds``; with the latter, results depend on the machine.
    ``threads`` share the search for neighbours.
    """

    start: str = KMember.key
    candidates: int = 16
    rounds: int = 50
    seconds: float | None = None
    threads: int = 1

    key: ClassVar[str] = "refine"

    def __post_init__(self) -> None:
        super().__post_init__()
        validation.one_of("refine.start", self.start, STARTS)
        validation.whole_number("refine.candidates", self.candidates, at_least=1)
        validation.whole_number("refine.rounds", self.rounds, at_least=0)
        validation.whole_number("refine.threads", self.threads, at_least=1)
        if self.seconds is not None:
            validation.number("refine.seconds", self.seconds, at_least=0)

    def divide(self, problem: PartitionProblem, observe: Observer) -> Partitioned:
        """Improve what the start divides, asking every model about each class before it changes."""
        begin = STARTS[self.start]().divide(problem, observe).assignment
        if problem.size_only:
            classes = self.improve(problem.geometry, begin.class_of_records(), problem.k, observe=observe)
        else:
            classes = self.improve(
                problem.geometry, begin.class_of_records(), problem.k, accepts=problem.accepts, observe=observe
            )
        refined = problem.assignment(classes)
        fine = bool(refined.accepted().all())  # promises about all classes together
        # Different tables come to the same classes by different ways, so that even a way without refusals tells more.
        return Partitioned(refined if fine else begin, by_values=not problem.size_only)

    def partition(self, geometry: Geometry, k: int, observe: Observer = silent) -> Ints:
        """Return the class of each record (n,)."""
        return self.improve(geometry, STARTS[self.start]().partition(geometry, k, observe), k, observe=observe)

    def improve(
        self, geometry: Geometry, classes: Ints, k: int, *, accepts: Accepts | None = None, observe: Observer = silent
    ) -> Ints:
        """Return a partition that costs no more than ``classes`` (n,), with k records or more in each class.

        ``accepts`` is asked before a class is changed or made, and can refuse.
        """
        n = require_enough(geometry, k)
        _, numbered, sizes = np.unique(classes, return_inverse=True, return_counts=True)
        if sizes.min() < k:
            raise ParameterError("classes", expected=f"classes of at least {k} records", got=f"one of {sizes.min()}")
        partition = _partition(geometry, numbered, n // k)
        with interruptible():
            search = self._search(geometry, k, observe)
            self._rounds(partition, search, accepts, observe)
        return np.unique(partition.class_of, return_inverse=True)[1].astype(np.int64)

    def _rounds(self, partition: Partition, search: Search, accepts: Accepts | None, observe: Observer) -> None:
        began = perf_counter()
        for done in range(self.rounds):
            cost = float(partition.size @ partition.cost)
            progress = Progress(stage="refinement", done=done, total=self.rounds, best=cost)
            if self.seconds is not None and perf_counter() - began > self.seconds:
                return
            pause = partial(report, observe, progress)
            if not sum([_sweep(partition, search, kind, accepts, pause) for kind in KINDS]):
                return

    def _nearest(self, items: Items, observe: Observer) -> Ints:
        """Return the items nearest to each item (n_items, q), by rank; -1 where there are fewer."""
        tree = items.tree()
        n = len(tree.ranks)
        nearest = np.empty((n, min(n, self.candidates)), np.int64)
        bounds = [*range(0, n, NEIGHBOURS_A_CALL), n]

        def search(start: int, stop: int) -> None:
            neighbours(tree, empty_boxes(1, tree.columns), start, stop, nearest)

        pool = ThreadPoolExecutor(max_workers=self.threads)
        try:
            for done, _ in zip(bounds[1:], pool.map(search, bounds[:-1], bounds[1:]), strict=True):
                report(observe, Progress(stage="looking for neighbours", done=done, total=n))
        finally:
            pool.shutdown(cancel_futures=True)
        return nearest

    def _search(self, geometry: Geometry, k: int, observe: Observer) -> Search:
        n, n_classes = len(geometry), len(geometry) // k
        many = min(n, self.candidates)  # there are no more to try
        order = sorted_order(geometry)
        items = Items.of(geometry, order)
        item = np.empty(n, np.int64)
        item[order] = np.repeat(np.arange(len(items.starts) - 1), np.diff(items.starts))
        return Search(
            nearest=self._nearest(items, observe), item=item, starts=items.starts, order=order,
            k=k, least=LEAST_GAIN * geometry.cost(order), many=many,
            tried=np.full(n, -1), recut=np.full(n_classes, -1),
            dissolved=np.full(n_classes, -1), banned=np.zeros(n_classes, np.bool_),
            seen=np.zeros(n_classes, np.int64), stamp=np.zeros(1, np.int64),
            candidates=np.empty(many, np.int64), who=np.empty(n + 1, np.int64),
            where=np.empty(n + 1, np.int64), members=np.empty(n + 1, np.int64),
            sorted=np.empty(n + 1, np.int64), keys=np.empty(n + 1),
            costs=np.empty(n + 1), boxes=empty_boxes(1, items.columns),
        )  # fmt: skip


def _sweep(partition: Partition, search: Search, kind: int, accepts: Accepts | None, pause: Callable[[], None]) -> int:
    """Try every record or class once; return the number of changes. Where one is refused, others are tried."""
    n = len(search.tried) if kind == EXCHANGE else len(search.recut)
    done, step, n_changes, refused = 0, 64, 0, False
    while done < n:
        began = perf_counter()
        stop = done + 1 if refused else min(done + step, n)
        made, done, moved = improve(partition, search, kind, done, stop, accepts is not None)
        n_changes += made
        refused = accepts is not None and moved > 0 and not _settle(partition, search, moved, accepts)
        # The same record or class again, now without the classes that are banned: there may be a change that models
        # accept.
        if refused and kind != DISSOLVE:
            (search.tried if kind == EXCHANGE else search.recut)[done] = -1
            continue
        if moved:
            n_changes += not refused
            done, refused = done + 1, False
        search.banned[:] = False
        step = paced(step, perf_counter() - began)
        pause()
    return n_changes


def _settle(partition: Partition, search: Search, moved: int, accepts: Accepts) -> bool:
    """Make the proposed change if every class it leaves behind is acceptable; if not, ban the classes it touches."""
    who, where = search.who[:moved].copy(), search.where[:moved].copy()
    touched = np.union1d(where, partition.class_of[who])
    after = (np.setdiff1d(_members(partition, c), who[where != c]) for c in touched)
    after = (np.union1d(members, who[where == c]) for members, c in zip(after, touched, strict=True))
    if all(accepts(members) for members in after if len(members)):
        change(partition, who, where, moved)
        return True
    search.banned[touched] = True
    return False


def _members(partition: Partition, c: int) -> Ints:
    """Return the records of a class."""
    members, r = [], partition.head[c]
    while r >= 0:
        members.append(r)
        r = partition.following[r]
    return np.array(members, dtype=np.int64)


def _partition(geometry: Geometry, classes: Ints, n_classes: int) -> Partition:
    """Return the arrays of a partition, with room for ``n_classes``."""
    columns = columns_of(geometry, grid=False)
    n, p, s, n_words = len(geometry), len(columns.scales), len(columns.set_scales), int(columns.starts[-1])
    ends = np.empty((4, n_classes, p))
    partition = Partition(
        columns=columns, class_of=np.full(n, -1), following=np.full(n, -1), previous=np.full(n, -1),
        alone=np.zeros((n, s), np.bool_), without=np.zeros(n), head=np.full(n_classes, -1),
        size=np.zeros(n_classes, np.int64), cost=np.zeros(n_classes),
        lo=ends[0], lo2=ends[1], hi=ends[2], hi2=ends[3],
        mask=np.zeros((n_classes, n_words), np.uint64), distinct=np.zeros((n_classes, s), np.int64),
        changed=np.zeros(n_classes, np.int64), clock=np.zeros(1, np.int64), counts=np.zeros(64 * n_words, np.int64),
    )  # fmt: skip
    fill(partition, classes)
    return partition
