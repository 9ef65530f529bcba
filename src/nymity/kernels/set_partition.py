"""The cheapest partition of a few records, with proof: prices by Lagrangian ascent, then depth-first search.

Types, prices and surplus are those of :mod:`nymity.kernels.columns`, without fines. Prices are fair if no class has a
negative surplus. Then a partition costs the prices of all records plus the surpluses of its classes, so the prices
bound every partition from below, and a class whose surplus reaches the gap is in none that is better than the best.

From any prices come fair ones: give each type the least surplus per member of the classes it is in,

    price_t + min over classes C with t of surplus(C) / |C|.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.columns import cheap_classes
from nymity.kernels.compiled import njit

#: Steps of the ascent.
_ROUNDS = 60
#: Differences below this share of the value are rounding.
_ROUNDING = 1e-12


@njit(cache=True, nogil=True)
def cheapest_partition(
    points, codes, set_costs, set_limits, counts, prices, k, value, members, sizes, patience, chosen
):
    """Find a partition cheaper than ``value``; return its cost, how many classes it has, and whether it is proved.

    prices (n_types,) must be fair. members (room, 2k - 1) and sizes (room,) are room to work; chosen (n_records,)
    takes where in them the classes of the best partition are, unless none is cheaper (0 classes). Without room for
    all classes that could help, or after so many steps as ``patience`` says, there is no proof.
    """
    bound = _sum(counts, prices)
    gap = value - bound
    if gap <= _ROUNDING * value:
        return value, 0, True
    for part in (8.0, 4.0, 2.0, 1.0):  # a small gap leaves few classes, and its failure costs little
        limit = bound + gap / part
        n, costs = _classes_within(
            points, codes, set_costs, set_limits, counts, prices, k, gap / part, members, sizes, patience
        )
        if n < 0:
            return value, 0, False
        n, fair = _ascend(counts, prices, limit, members, sizes, costs, n)
        best, n_best, proved = _choose(counts, fair, limit, members, sizes, costs, n, patience, chosen)
        if n_best > 0 or not proved:
            return min(best, value), n_best, proved
    return value, 0, True


@njit(cache=True, nogil=True)
def _classes_within(points, codes, set_costs, set_limits, counts, prices, k, gap, members, sizes, patience):
    """Find all classes with a surplus below the gap; return how many, -1 where that takes too long, and their costs."""
    n, surpluses = 0, np.empty(len(sizes))
    no_fines, none, starts = np.empty(0), np.empty(0, np.int64), np.zeros(len(points) + 1, np.int64)
    never = np.zeros(1, np.bool_)
    for root in range(len(points)):
        found, complete = cheap_classes(
            points, codes, set_costs, set_limits, counts, prices, 0.0, no_fines, starts, none,
            root, k, gap, patience // len(points), never, True, members[n:], sizes[n:], surpluses[n:],
        )  # fmt: skip
        n += found
        if not complete:
            return -1, surpluses
    for c in range(n):
        surpluses[c] += _paid(prices, members, sizes, c)
    return n, surpluses[:n]


@njit(cache=True, nogil=True)
def _ascend(counts, prices, value, members, sizes, costs, n):
    """Raise the prices by a subgradient method, dropping classes that cannot help; return how many are left."""
    n_types = len(counts)
    trial, fair = prices.copy(), prices.copy()
    bound, step = _sum(counts, prices), 1.0
    share, first, covered = np.empty(n_types), np.empty(n_types, np.int64), np.empty(n_types)
    for _ in range(_ROUNDS):
        # share: least surplus per member among a type's classes; first: the class that has it; covered: members it
        # takes.
        share[:], first[:], covered[:] = np.inf, -1, 0.0
        for c in range(n):
            each = (costs[c] - _paid(trial, members, sizes, c)) / sizes[c]
            for m in range(sizes[c]):
                if each < share[members[c, m]]:
                    share[members[c, m]], first[members[c, m]] = each, c
        if (first < 0).any():  # a type in no class that could help: nothing is better
            return 0, fair
        # trial + share are fair prices, so their sum is a bound, whatever the trial was.
        reached = _sum(counts, trial + share)
        if reached > bound:
            bound = reached
            fair[:] = trial + share
            n = _keep(fair, value - bound, members, sizes, costs, n, first)
        else:
            step *= 0.9
        for t in range(n_types):
            c = first[t]
            for m in range(sizes[c]):
                covered[members[c, m]] += counts[t] / sizes[c]
        slope = counts - covered
        steepness = _sum(slope, slope)
        if steepness <= 0.0 or value - bound <= _ROUNDING * value:
            break
        # Polyak's step: as far as it would take to close the gap if the bound rose along a line.
        trial += step * (value - reached) / steepness * slope
    return n, fair


@njit(cache=True, nogil=True)
def _keep(prices, gap, members, sizes, costs, n, first):
    """Drop classes whose surplus reaches the gap, keeping the order; update the numbers in ``first``."""
    kept, moved, wanted = 0, np.empty(n, np.int64), np.zeros(n, np.bool_)
    # The class that sets a type's price is kept even beyond the gap: the next slope is computed from it.
    wanted[first] = True
    for c in range(n):
        moved[c] = kept
        if wanted[c] or costs[c] - _paid(prices, members, sizes, c) < gap:
            members[kept], sizes[kept], costs[kept] = members[c], sizes[c], costs[c]
            kept += 1
    first[:] = moved[first]
    return kept


@njit(cache=True, nogil=True)
def _choose(counts, prices, value, members, sizes, costs, n, patience, chosen):
    """Choose classes that use up every type, always one that begins with the first type that is left."""
    n_types, tolerance = len(counts), _ROUNDING * value
    surpluses = np.empty(n)
    for c in range(n):
        surpluses[c] = costs[c] - _paid(prices, members, sizes, c)
    order, starts = _by_first_type(n_types, members, surpluses, n)
    gap, best, n_best = value - _sum(counts, prices) - tolerance, value, 0
    left, first = counts.copy(), np.zeros(len(chosen) + 1, np.int64)
    at, total, path = np.zeros(len(chosen) + 1, np.int64), np.zeros(len(chosen) + 1), np.empty(len(chosen), np.int64)
    depth = 0
    at[0] = starts[0]
    while depth >= 0:
        patience -= 1
        if patience < 0:
            return best, n_best, False
        e = at[depth]
        # Surpluses ascend within a type, so the first that reaches the gap ends the choice at this depth.
        if e >= starts[first[depth] + 1] or total[depth] + surpluses[order[e]] >= gap:
            depth -= 1
            if depth >= 0:
                for m in range(sizes[path[depth]]):
                    left[members[path[depth], m]] += 1
            continue
        at[depth] += 1
        c = order[e]
        if not _fits(left, members, sizes, c):
            continue
        path[depth], depth = c, depth + 1
        total[depth], first[depth] = total[depth - 1] + surpluses[c], first[depth - 1]
        while first[depth] < n_types and left[first[depth]] == 0:
            first[depth] += 1
        if first[depth] == n_types:
            gap, n_best = total[depth] - tolerance, depth
            best = gap + tolerance + _sum(counts, prices)
            chosen[:depth] = path[:depth]
            depth -= 1
            for m in range(sizes[c]):
                left[members[c, m]] += 1
        else:  # the same class again, or one behind it: in which order classes are chosen makes no difference
            at[depth] = e if first[depth] == first[depth - 1] else starts[first[depth]]
    return best, n_best, True


@njit(cache=True, nogil=True)
def _fits(left, members, sizes, c):
    """Take the members of a class if all of them are left."""
    for m in range(sizes[c]):
        left[members[c, m]] -= 1
        if left[members[c, m]] < 0:
            for i in range(m + 1):
                left[members[c, i]] += 1
            return False
    return True


@njit(cache=True, nogil=True)
def _by_first_type(n_types, members, surpluses, n):
    """Return classes by first type, then by surplus, and where each type's classes start (n_types + 1,)."""
    starts = np.zeros(n_types + 1, np.int64)
    for c in range(n):
        starts[members[c, 0] + 1] += 1
    starts = np.cumsum(starts)
    order, at = np.empty(n, np.int64), starts[:-1].copy()
    for c in np.argsort(surpluses, kind="mergesort"):
        order[at[members[c, 0]]] = c
        at[members[c, 0]] += 1
    return order, starts


@njit(cache=True, nogil=True)
def _paid(prices, members, sizes, c):
    total = 0.0
    for m in range(sizes[c]):
        total += prices[members[c, m]]
    return total


@njit(cache=True, nogil=True)
def _sum(one, other):
    """Return the sum of products, added from first to last: the same with and without compiling."""
    total = 0.0
    for i in range(len(one)):
        total += one[i] * other[i]
    return total
