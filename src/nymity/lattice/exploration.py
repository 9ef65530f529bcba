"""Exploration: a search of a lattice that can stop after any check and go on later.

Two things take turns. **Improving** looks for better nodes by descents. A descent starts at a solution and lowers one
attribute at a time, the one that buys most loss per further suppressed record, as long as the loss falls. Prices are
looked up again only when an attribute comes first (lazy, as for submodular functions by Minoux 1978), so a descent
takes about two checks a step instead of one for every attribute. The first one starts at the top; the others start
where one attribute of the best node (or two) is moved away and held there: raised, or lowered with all others at the
top. **Proving** splits the interval with the smallest bound (:mod:`nymity.lattice.frontier`); when nothing is left
open, the best node is the optimum.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import combinations
from math import inf

from nymity.core.progress import Observer
from nymity.lattice.frontier import Frontier
from nymity.lattice.search import Inquiry
from nymity.lattice.seen_nodes import TIE
from nymity.lattice.space import Node
from nymity.quality import NodeStatistics

#: Checked nodes that are remembered; then all are forgotten, which costs checks and nothing else.
MAX_KNOWN = 50_000
#: Checks without a better node, per attribute, after which proving takes every other turn.
PATIENCE = 4

#: A start, and the attributes that a descent from there leaves alone.
Start = tuple[Node, tuple[int, ...]]


class Exploration:
    """What is known about a lattice so far, and what to look at next."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.frontier = Frontier(inquiry, self._look)
        self._known: dict[Node, NodeStatistics | None] = {}
        self._improving: Iterator[None] | None = self._descend_from_top()
        self._exhausted: Node | None = None  # nothing better was found around this node
        self._best_loss, self._better_at, self._turn = inf, 0, 0

    @property
    def finished(self) -> bool:
        """Whether the best node is proved optimal, or that there is none."""
        return not self.frontier.open

    @property
    def bound(self) -> float | None:
        """No solution has a smaller loss; None where the loss has no bound. A hair below, to cover rounding."""
        bound = min(self.frontier.bound, self.inquiry.seen.best_loss)
        return None if bound in (inf, -inf) else bound * (1 - TIE)

    def observed_by(self, observe: Observer) -> None:
        """Report to someone else from now on."""
        self.inquiry = replace(self.inquiry, observe=observe)
        self.frontier.inquiry = self.inquiry

    def step(self) -> None:
        """Improve or prove, by at most one check."""
        if self._improves_next():
            self._improve()
        else:
            self.frontier.step()
        if self.inquiry.seen.best_loss < self._best_loss:
            self._best_loss, self._better_at = self.inquiry.seen.best_loss, self.inquiry.checks

    # -- improving -------------------------------------------------------------------------------------

    def _improves_next(self) -> bool:
        """Go on improving while that helps; then take turns, until nothing is left to try."""
        self._turn += 1
        best = self.inquiry.seen.best
        if self._improving is None and best is not None and best != self._exhausted:
            self._improving = self._search_around_best()
        if self._improving is None:
            return best is None and self._turn % 2 == 0
        stale = self.inquiry.checks - self._better_at > PATIENCE * len(self.inquiry.space.low)
        return not stale or self._turn % 2 == 0

    def _improve(self) -> None:
        if self._improving is None:  # no solution yet: there may be one where the bound is smallest
            self._look(self.frontier.most_promising)
            return
        try:
            next(self._improving)
        except StopIteration:
            self._improving = None
        except BaseException:
            self._improving = None  # what an interruption leaves behind cannot go on, but can start again
            raise

    def _descend_from_top(self) -> Iterator[None]:
        """Descend at the least price, and at any price: neither is always better, and each takes few checks."""
        yield from self._descend(self.inquiry.space.high)
        yield from self._descend(self.inquiry.space.high, at_any_price=True)

    def _search_around_best(self) -> Iterator[None]:
        """Descend from places away from the best node, anew whenever a better one turns up."""
        seen = self.inquiry.seen
        while (best := seen.best) is not None and best != self._exhausted:
            for start, held in self._starts_around(best):
                end = yield from self._descend(start, held)
                if end is not None:
                    yield from self._descend(end)
                if seen.best != best:
                    break
            else:
                self._exhausted = best

    def _starts_around(self, best: Node) -> Iterator[Start]:
        """Raise one attribute, lower one with all others at the top, raise two; the nearest first."""
        low, top = self.inquiry.space.low, self.inquiry.space.high
        attributes, steps = range(len(top)), range(1, 1 + max(self.inquiry.space.shape))
        for step in steps:
            yield from ((_at(best, a, best[a] + step), (a,)) for a in attributes if best[a] + step <= top[a])
        for step in steps:
            yield from ((_at(top, a, best[a] - step), (a,)) for a in attributes if best[a] - step >= low[a])
        for a, b in combinations([a for a in attributes if best[a] < top[a]], 2):
            yield _at(_at(best, a, best[a] + 1), b, best[b] + 1), (a, b)

    def _descend(
        self, node: Node, held: tuple[int, ...] = (), *, at_any_price: bool = False
    ) -> Generator[None, None, Node | None]:
        """Lower attributes while the loss falls; return where that ends.

        First comes what costs the fewest further suppressed records for the loss it saves, or what saves most.
        """
        low, here = self.inquiry.space.low, (yield from self._ask(node))
        if here is None:
            return None
        prices = [(-inf, a) for a in range(len(node)) if node[a] > low[a] and a not in held]  # a heap
        while prices:
            _, axis = heapq.heappop(prices)
            lower = _at(node, axis, node[axis] - 1)
            there = yield from self._ask(lower)
            if there is None or (gain := self._value(here) - self._value(there)) <= 0:
                continue
            # One more than the records, so that steps which suppress no more are ordered by what they gain.
            cost = 1 if at_any_price else 1 + int(there.suppressed[0]) - int(here.suppressed[0])
            price = cost / gain
            # The price was looked up at an earlier node and has risen since: another attribute comes first now.
            if prices and price > prices[0][0]:
                heapq.heappush(prices, (price, axis))
                continue
            node, here = lower, there
            if node[axis] > low[axis]:
                heapq.heappush(prices, (price, axis))
        return node

    # -- asking ----------------------------------------------------------------------------------------

    def _ask(self, node: Node) -> Generator[None, None, NodeStatistics | None]:
        """Look at a node and pause if that took a check."""
        before = self.inquiry.checks
        statistics = self._look(node)
        if self.inquiry.checks > before:
            yield
        return statistics

    def _look(self, node: Node) -> NodeStatistics | None:
        """Return the statistics of a node if it is a solution, by what is known or a check."""
        if node in self._known:
            return self._known[node]
        ruled_out = self.frontier.ruled_out
        if self.inquiry.monotone and ruled_out.covers(node):
            return None
        statistics = self.inquiry.check(node)
        if statistics is None and self.inquiry.monotone:
            ruled_out.add(node)
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[node] = statistics
        return statistics

    def _value(self, statistics: NodeStatistics) -> float:
        return float(self.inquiry.loss.value(statistics)[0])


def _at(node: Node, axis: int, level: int) -> Node:
    return (*node[:axis], level, *node[axis + 1 :])
