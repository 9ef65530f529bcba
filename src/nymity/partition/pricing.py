"""Pricing: which classes cost less than their records pay, in parallel over the first type of a class."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from os import cpu_count
from time import monotonic

import numpy as np

from nymity.kernels.columns import cheap_classes
from nymity.partition.distinct import Distinct
from nymity.partition.geometry import Floats, Ints


@dataclass(frozen=True, eq=False)
class Prices:
    """What records pay for their types (n_types,), and what classes are charged beside their cost.

    levy: charged to each class. fines (n_triples,): charged for every second member from a triple. Prices, levy and
    fines are the dual values of a linear program; see :mod:`nymity.partition.master`.
    """

    of_types: Floats
    levy: float
    fines: Floats

    def mixed(self, others: Prices, weight: float) -> Prices:
        """Return these prices with a weight, others with the rest."""
        return Prices(
            weight * self.of_types + (1 - weight) * others.of_types,
            weight * self.levy + (1 - weight) * others.levy,
            weight * self.extended(len(others.fines)).fines + (1 - weight) * others.fines,
        )

    def extended(self, n_triples: int) -> Prices:
        """Return the same prices for more triples: those without a fine so far get none."""
        return replace(self, fines=np.pad(self.fines, (0, n_triples - len(self.fines))))


@dataclass(frozen=True, eq=False)
class PricedClasses:
    """Classes whose first type is the same, each as its types in ascending order, and what each has as a surplus.

    ``complete``: there are no others with a surplus below the limit, or none with a smaller one where some were kept.
    """

    classes: list[Ints]
    surpluses: Floats
    complete: bool

    @property
    def least(self) -> float:
        """The least surplus, at most 0."""
        return float(self.surpluses.min(initial=0.0))


def search(
    distinct: Distinct,
    k: int,
    prices: Prices,
    triples: Ints,
    *,
    limit: float,
    room: int,
    patience: int,
    every: bool,
    until: float,
) -> list[PricedClasses]:
    """Search classes with a surplus below the limit, for each type the classes that begin with it.

    ``room``, ``patience`` and ``every`` as in :func:`nymity.kernels.columns.cheap_classes`. No search begins after the
    monotonic time ``until``; those that would are not complete.
    """
    owners = np.argsort(triples.ravel(), kind="stable")  # entries of triples, type after type
    starts = np.searchsorted(triples.ravel()[owners], np.arange(len(distinct) + 1))
    stop = np.zeros(1, dtype=np.bool_)

    def beginning_with(root: int) -> PricedClasses:
        if monotonic() >= until:
            return PricedClasses([], np.empty(0), False)
        members = np.empty((room, 2 * k - 1), dtype=np.int64)
        sizes, surpluses = np.empty(room, dtype=np.int64), np.empty(room)
        n, complete = cheap_classes(
            distinct.points, distinct.codes, distinct.set_costs, distinct.set_limits, distinct.counts,
            prices.of_types, prices.levy, prices.fines, starts, owners // 3,
            root, k, limit, patience, stop, every, members, sizes, surpluses,
        )  # fmt: skip
        classes = [np.sort(members[i, : sizes[i]]) for i in range(n)]
        return PricedClasses(classes, surpluses[:n].copy(), bool(complete))

    with ThreadPoolExecutor(max_workers=cpu_count()) as pool:
        try:
            return list(pool.map(beginning_with, range(len(distinct))))
        except BaseException:
            stop[0] = True
            pool.shutdown(cancel_futures=True)
            raise
