"""Frontier: the open intervals of a branch and bound over a lattice, the one with the smallest bound first.

An interval [bottom, top] holds every node between two others; see :mod:`nymity.lattice.optimal` for the two facts that
rule intervals out. What is left open says at any time how small the loss of a node not yet looked at can be.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from math import inf, log2

import numpy as np

from nymity.kernels.dominance import any_above
from nymity.lattice.search import Inquiry
from nymity.lattice.space import Node
from nymity.quality import NodeStatistics

#: Open intervals kept in order of their bound; beyond that the search goes on depth first, which needs next to none.
MAX_OPEN = 50_000
#: Nodes known to suppress too much that are kept; the oldest are forgotten, which costs checks and nothing else.
MAX_RULED_OUT = 4_096


@dataclass(frozen=True, eq=False, slots=True)
class NodeInterval:
    """All nodes between ``bottom`` and ``top``; every one of them suppresses at least what ``above`` says.

    ``settled``: the top has been checked against the models themselves, and ``above`` is the best there is to know.
    ``below``: statistics of the bottom, once a loss that looks there has asked for them.
    """

    bottom: Node
    top: Node
    above: NodeStatistics
    settled: bool
    below: NodeStatistics | None = None

    @property
    def suppressed(self) -> int:
        """Every node of the interval suppresses at least as many records."""
        return int(self.above.suppressed[0])


#: What nodes of an interval are at least compared by; empty where the loss has no bound, which comes before all others.
Bounds = tuple[float, ...]
#: An interval with its bounds and its turn among those of the same bounds.
Entry = tuple[Bounds, int, NodeInterval]


class Frontier:
    """Intervals that may hold a better node than the best seen.

    ``check`` asks for one node under the models; it defaults to the inquiry's.
    """

    def __init__(self, inquiry: Inquiry, check: Callable[[Node], NodeStatistics | None] | None = None) -> None:
        self.inquiry, self._check = inquiry, check or inquiry.check
        self._turn = count()
        self._started = False
        self._queue: list[Entry] = []
        self._deep: list[Entry] = []  # what did not fit, last in first out
        self.ruled_out = RuledOut(len(inquiry.space.low))

    @cached_property
    def _prefer(self) -> list[dict[int, float]]:
        return _split_preference(self.inquiry)  # late, because some losses take checks for it

    @property
    def open(self) -> bool:
        """Whether anything is left; if not, the best seen node is the optimum."""
        return bool(self._queue or self._deep or not self._started)

    @property
    def bound(self) -> float:
        """No node of an open interval has a smaller loss; -inf where the loss has no bound."""
        if not self._started:
            return (*self._floors(self.inquiry.space.low, None), -inf)[0]
        # The heap has its least entry in front; what did not fit is in no order.
        return min(((*entry[0], -inf)[0] for entry in (*self._queue[:1], *self._deep)), default=inf)

    @property
    def intervals(self) -> Iterator[tuple[float, NodeInterval]]:
        """The open intervals and what their nodes lose at least, where the loss has a bound."""
        return ((bounds[0], interval) for bounds, _, interval in (*self._queue, *self._deep))

    @property
    def most_promising(self) -> Node:
        """The top of the interval that is looked at next."""
        return self._next()[2].top if self._started else self.inquiry.space.high

    def step(self) -> None:
        """Look at one interval, by at most one check. Nothing is lost if the check is interrupted."""
        if not self._started:
            parts = [*self._opened(self.inquiry.space.low, self.inquiry.space.high, ())]
            self._started = True
        else:
            bounds, _, interval = self._next()
            # The interval leaves the queue only after its parts are there: an interrupted check finds it again.
            parts = [] if self._excluded(bounds, interval) else [*self._parts(bounds, interval)]
            if self._deep:
                self._deep.pop()
            else:
                heapq.heappop(self._queue)
        for bounds, interval in parts:
            if not self._excluded(bounds, interval):
                self._keep((bounds, next(self._turn), interval))

    def _next(self) -> Entry:
        return self._deep[-1] if self._deep else self._queue[0]

    def _keep(self, entry: Entry) -> None:
        if len(self._queue) < MAX_OPEN:
            # The turn comes before the interval in an entry: entries of equal bounds are never compared further.
            heapq.heappush(self._queue, entry)
        else:
            self._deep.append(entry)

    def _excluded(self, bounds: Bounds, interval: NodeInterval) -> bool:
        return bool(bounds) and self.inquiry.seen.excludes(bounds, interval.suppressed)

    def _parts(self, bounds: Bounds, interval: NodeInterval) -> Iterator[tuple[Bounds, NodeInterval]]:
        """Split an interval in two, or check its top against the models themselves if nothing else is left of it."""
        bottom, top = interval.bottom, interval.top
        if not interval.settled and bottom == top:
            yield from self._settled(interval, bounds)
            return
        if self.inquiry.loss.looks_below and interval.below is None:
            yield from self._bounded(replace(interval, below=self.inquiry.look(bottom)), bounds)
            return
        # Split where the loss differs most between top and bottom: the upper part is then excluded soonest.
        prefer = self._prefer
        axis = max(
            (a for a in range(len(top)) if top[a] > bottom[a]), key=lambda a: prefer[a][top[a]] - prefer[a][bottom[a]]
        )
        highest = bottom[axis] if self.inquiry.loss.counts_classes else top[axis] - 1
        lower_top = (*top[:axis], highest, *top[axis + 1 :])
        yield from self._opened(bottom, lower_top, bounds, interval.below)
        higher_bottom = (*bottom[:axis], highest + 1, *bottom[axis + 1 :])
        # The upper part has the same top, which was checked; only its bottom, and so its bound, rises.
        yield from self._bounded(NodeInterval(higher_bottom, top, interval.above, interval.settled), bounds)

    def _opened(
        self, bottom: Node, top: Node, least: Bounds, below: NodeStatistics | None = None
    ) -> Iterator[tuple[Bounds, NodeInterval]]:
        """Check the top of a new interval whose nodes lose at least ``least``."""
        if self.ruled_out.covers(top):
            return
        # Where the models bound what parts of a class keep, that says no less than relaxed models would, at once.
        monotone, parts = self.inquiry.monotone, not self.inquiry.monotone and self.inquiry.bounded_by_parts
        if monotone:
            above = self._check(top)
        else:
            above = self.inquiry.check_bounded(top) if parts else self.inquiry.check_relaxed(top)
        if above is None:
            self.ruled_out.add(top)
        else:
            yield from self._bounded(NodeInterval(bottom, top, above, monotone or parts, below), least)

    def _settled(self, interval: NodeInterval, least: Bounds) -> Iterator[tuple[Bounds, NodeInterval]]:
        """Check a top, so far checked under relaxed models only, against the models themselves."""
        above = self.inquiry.check_bounded(interval.top)
        if above is None:
            self.ruled_out.add(interval.top)
        else:
            yield from self._bounded(replace(interval, above=above, settled=True), least)

    def _bounded(self, interval: NodeInterval, least: Bounds) -> Iterator[tuple[Bounds, NodeInterval]]:
        """Bound an interval, unless all of it has been checked."""
        if not (interval.settled and interval.bottom == interval.top):
            # Bounds of an interval hold for its parts, too, and can be the better ones.
            yield max(self._floors(interval.bottom, interval.above, interval.below), least), interval

    def _floors(self, levels: Node, above: NodeStatistics | None, below: NodeStatistics | None = None) -> Bounds:
        return self.inquiry.loss.floors(levels, above, below) or ()


def _split_preference(inquiry: Inquiry) -> list[dict[int, float]]:
    """What each level of each attribute adds to the loss when nothing is suppressed.

    Where classes are counted, it is by how much fewer values a level has, in bits.
    """
    space, loss, table = inquiry.space, inquiry.loss, inquiry.engine.table

    def alone(axis: int, level: int) -> float:
        if loss.counts_classes:
            return -log2(max(1, int(np.count_nonzero(table.frequencies_at(axis, level)))))
        node = (*space.low[:axis], level, *space.low[axis + 1 :])
        return sum(loss.floors(node, None, inquiry.look(node) if loss.looks_below else None) or ())

    return [
        {level: alone(axis, level) for level in range(space.low[axis], space.high[axis] + 1)}
        for axis in range(len(space.low))
    ]


class RuledOut:
    """Nodes that suppress too much; whatever lies below one of them does too."""

    def __init__(self, n_attributes: int) -> None:
        self.levels = np.empty((0, n_attributes), dtype=np.int64)

    def covers(self, node: Node) -> bool:
        """Return whether ``node`` lies at or below one of them."""
        return bool(any_above(self.levels, np.array(node)))

    def add(self, node: Node) -> None:
        """Add a node, and forget those it covers and the oldest beyond what is kept."""
        levels = np.array(node)
        others = self.levels[~(self.levels <= levels).all(axis=1)]
        self.levels = np.concatenate([others, levels[None, :]])[-MAX_RULED_OUT:]
