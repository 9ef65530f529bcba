"""Column generation: the cheapest partition by a linear program over classes that are found as they are needed.

1. The linear program over the classes known so far gives each record a price. Classes that cost less than their
   records pay are searched for and added, until there are none: then its value bounds every partition. Prices are
   smoothed (Wentges 1997). Any prices give a bound on the way: a partition has at most n // k classes, each with at
   least the surplus of the cheapest class with the same first type.
2. That a partition has at most n // k classes, and what it can take from three types (subset-row cuts; Jepsen et al.
   2008), raises the bound; both are halves or k-ths of the constraints, rounded down.
3. What is left of the gap is closed by enumeration (Baldacci et al. 2008): a partition that costs less than a target
   has only classes whose surplus is below the distance of the target from the bound. All of these are enumerated, and
   branching on pairs chooses among them (:mod:`nymity.partition.pair_branching`). If it finds such a partition, it is
   the cheapest; if not, the target is a bound, and the next lies farther.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from time import monotonic

import numpy as np

from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.triples import violated_triples
from nymity.partition.distinct import Distinct
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.master import LinearOptimum, Master
from nymity.partition.optimum import TOLERANCE, Optimum
from nymity.partition.pair_branching import ChosenClasses, PairBranching
from nymity.partition.pricing import PricedClasses, Prices, search
from nymity.partition.refine import Refine

#: Classes added per type and round, and steps of the search for them.
KEPT, PATIENCE = 5, 1_000_000
#: Weight of the best prices so far in those that are tried next.
SMOOTHING = 0.5
#: Cuts added per round; how much a cut must be violated, and what a round must raise the bound, as a share of it.
CUTS, VIOLATED, RISE = 40, 0.02, 2e-5
#: The first target's distance from the bound, as a share of the value, and how it grows; the value itself is the target
#: if it lies within so many times the distance.
FIRST_STEP, GROWTH, NEAR = 0.002, 1.5, 1.25
#: Room for classes that begin with the same type, and for all that are chosen among; nodes where there are more.
ROOM, LISTED, NODES = 30_000, 300_000, 100


class ColumnGeneration:
    """One run, from a partition to start from until there is a proof or no more time."""

    def __init__(
        self, geometry: Geometry, distinct: Distinct, k: int, start: Optimum, until: float, observe: Observer
    ) -> None:
        self.geometry, self.distinct, self.k, self.until, self.observe = geometry, distinct, k, until, observe
        self.classes, self.value, self.bound = start.classes, start.value, start.bound
        self.master = Master(distinct.counts, k)
        self.prices = Prices(distinct.prices, 0.0, np.empty(0))  # whose worth is the bound
        self.patience, self.rounds, self.nodes, self.integral = PATIENCE, 0, 0, False

    def solve(self) -> Optimum:
        """Return the best partition and the bound."""
        types = self.distinct.types()
        self._add(types[self.classes == c] for c in np.unique(self.classes))
        with interruptible():
            shares = self._relax()
            self.integral = self._is_proved()
            while shares is not None and self._cut(shares):
                before, shares = self.bound, self._relax()
                # Cuts make the next rounds slower; where the bound hardly rises they do not pay.
                if self.bound < before * (1 + RISE):
                    break
            if shares is not None:
                self._round(shares)
                self._enumerate()
        return Optimum(
            self.classes,
            self.value,
            min(self.bound, self.value),
            columns=len(self.master.columns),
            cuts=len(self.master.triples),
            nodes=self.nodes,
            integral=self.integral,
        )

    def _relax(self) -> LinearOptimum | None:
        """Solve the linear program over all classes; None if the time is up."""
        weight = SMOOTHING
        while self._is_open():
            self._report("pricing classes")
            shares = self.master.solve()
            if not len(shares.fractional):
                chosen = np.rint(shares.chosen).astype(np.int64)
                columns = [self.master.columns[c] for c in np.repeat(np.arange(len(chosen)), chosen)]
                self._take(self.distinct.classes(columns))
            # Between the best prices so far and the newest ones: dual prices of single rounds jump, and their classes
            # with them.
            found = self._search(self.prices.mixed(shares.prices, weight), limit=-TOLERANCE, room=KEPT, every=False)
            n_new = self._add(members for first in found for members in first.classes)
            complete = all(first.complete for first in found)
            if shares.value - self.bound <= TOLERANCE * self.value or (n_new == 0 and weight == 0 and complete):
                return shares
            # Nothing at the true prices, but the search broke off: it gets more time. At smoothed ones, try the true
            # ones next.
            if n_new == 0 and weight == 0:
                self.patience *= 2
            weight = SMOOTHING if n_new else 0.0
        return None

    def _cut(self, shares: LinearOptimum) -> bool:
        """Add cuts that the fractional solution violates; return False if there are none."""
        fractional = shares.fractional
        uses, chosen = self.master.uses(fractional), shares.chosen[fractional]
        triples, excess = violated_triples(uses, chosen, self.distinct.counts, VIOLATED)
        self.master.cut(triples[np.argsort(-excess, kind="stable")[:CUTS]])
        return len(triples) > 0

    def _enumerate(self) -> None:
        """Raise the bound from target to target, until the cheapest partition lies below one or the time is up."""
        relaxed, step = self.bound, FIRST_STEP * self.value
        while self._is_open():
            self._report("enumerating classes")
            # A near target leaves few classes to list. If no partition lies below it, it is a bound itself.
            target = relaxed + step if relaxed + NEAR * step < self.value else self.value
            found = self._search(self.prices, limit=target - relaxed + TOLERANCE, room=ROOM, every=True)
            complete = all(first.complete for first in found) and sum(len(first.classes) for first in found) <= LISTED
            choice = self._choose(found, target, nodes=inf if complete else NODES)
            if choice.classes:
                self._take(self.distinct.classes(choice.classes))
            if not complete:  # too many to list: what was found stands without proof
                return
            self.bound = max(self.bound, min(target, choice.bound, self.value))
            if not choice.done:
                return
            step *= GROWTH

    def _choose(self, found: list[PricedClasses], target: float, *, nodes: float) -> ChosenClasses:
        """Choose among the classes that were found, those with the least surplus first."""
        every = [members for first in found for members in first.classes]
        order = np.argsort(np.concatenate([first.surpluses for first in found]), kind="stable")[:LISTED]
        classes = [every[c] for c in order]
        costs = np.array([self.distinct.cost(members) for members in classes])
        branching = PairBranching(self.distinct.counts, self.k, classes, costs, self.master.triples, target=target)
        choice = branching.solve(until=self.until, nodes=nodes, alive=lambda: self._report("choosing among classes"))
        self.nodes += branching.nodes
        return choice

    def _search(self, prices: Prices, *, limit: float, room: int, every: bool) -> list[PricedClasses]:
        """Search classes with a surplus below the limit; keep the prices if no others prove so much."""
        prices = prices.extended(len(self.master.triples))
        found = search(
            self.distinct, self.k, prices, self.master.triples,
            limit=limit, room=room, patience=self.patience, every=every, until=self.until,
        )  # fmt: skip
        # Each class is charged to its first type. There are at most n / k classes, so the n / k least surpluses bound
        # all.
        least = np.repeat([first.least for first in found], self.distinct.counts)
        worth = self.master.worth(prices) + float(np.sort(least)[: len(self.geometry) // self.k].sum())
        if worth > self.bound and all(first.complete for first in found):
            self.bound, self.prices = worth, prices
        return found

    def _add(self, classes: Iterable[Ints]) -> int:
        """Add classes to the linear program; return how many are new."""
        return sum(self.master.add(np.sort(members), self.distinct.cost(members)) for members in classes)

    def _round(self, shares: LinearOptimum) -> None:
        """Make a partition of the classes with the largest shares: others join the nearest, then all is refined."""
        left, chosen = self.distinct.counts.copy(), []
        for c in np.argsort(-shares.chosen, kind="stable")[: np.count_nonzero(shares.chosen > TOLERANCE)]:
            types, uses = np.unique(self.master.columns[c], return_counts=True)
            # As often as it fits, since records of one type are alike.
            while (left[types] >= uses).all():
                left[types] -= uses
                chosen.append(self.master.columns[c])
        classes = self.distinct.classes(chosen)
        for record in np.flatnonzero(classes < 0):
            members = [np.append(np.flatnonzero(classes == c), record) for c in range(len(chosen))]
            classes[record] = min(
                range(len(chosen)), key=lambda c: self.geometry.cost(members[c]) - self.geometry.cost(members[c][:-1])
            )
        self._take(Refine().improve(self.geometry, classes, self.k))

    def _take(self, classes: Ints) -> None:
        """Keep a partition if it is the best so far."""
        value = self.geometry.total(classes)
        if value < self.value:
            self.classes, self.value = classes, value

    def _is_open(self) -> bool:
        return not self._is_proved() and monotonic() < self.until

    def _is_proved(self) -> bool:
        return self.value - self.bound <= TOLERANCE * self.value

    def _report(self, stage: str) -> None:
        self.rounds += 1
        report(self.observe, Progress(stage=stage, done=self.rounds, best=self.value))
