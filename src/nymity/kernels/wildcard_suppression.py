"""Suppressed cells that match every value: which cells of an item to suppress until k records match it.

Items t and v match if in each column they have the same code, or one of them a star. For an item v let D(t) be the
columns in which v and t show different values. With the pattern S suppressed in v, t matches if D(t) is part of S. So
one pass over the items, counting records by D, and sums over parts tell how many match for every S at once.

stars (n,): suppressed columns of each item, a bit each; fits (n,): records that match it.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.cell_suppression import price
from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def suppress(items, k, stars, fits, chosen, limit, patterns, prices):
    """Suppress cells of the items ``chosen``, one after the other, that fewer than k records match.

    An item gets the cheapest of the ``patterns`` that lets k records match; of several the one after which most records
    gain a match that they need. Those for which that costs more than ``limit`` are left for later.
    """
    n = len(items.codes)
    apart, matched, helped = np.empty(n, np.int64), np.empty(len(patterns)), np.empty(len(patterns))
    for e in range(len(chosen)):
        v = chosen[e]
        if fits[v] >= k:
            continue
        for t in range(n):
            apart[t] = differing_shown(items.codes, stars, v, t)
        _count(items, k, fits, apart, patterns, matched, helped)
        best = -1
        for p in range(len(patterns)):
            # What is suppressed already stays so: others may be matched by k records because of these very stars.
            if matched[p] < k or prices[p] > limit or (patterns[p] & stars[v]) != stars[v]:
                continue
            if best < 0 or prices[p] < prices[best] or (prices[p] == prices[best] and helped[p] > helped[best]):
                best = p
        if best >= 0:
            for t in range(n):
                # Items that show no difference matched before, and are counted. A match counts on both sides.
                if apart[t] != 0 and (apart[t] & ~patterns[best]) == 0:
                    fits[t] += items.counts[v]
                    fits[v] += items.counts[t]
            stars[v] = patterns[best]


@njit(cache=True, nogil=True)
def restore(items, k, stars, fits, chosen):
    """Show suppressed cells of the items ``chosen`` again, the dearest first, where all are still matched by k."""
    n = len(items.codes)
    order = np.argsort(-items.weights)
    for e in range(len(chosen)):
        v = chosen[e]
        for a in order:
            if not (stars[v] >> a) & 1:
                continue
            lost, fine = 0, True
            for t in range(n):
                if t != v and _parted(items.codes, stars, v, t, a):
                    lost += items.counts[t]
                    # t would lose the records of v, too, and may have no more than k.
                    fine = fine and fits[t] - items.counts[v] >= k
                if not fine:
                    break
            if fine and fits[v] - lost >= k:
                for t in range(n):
                    if t != v and _parted(items.codes, stars, v, t, a):
                        fits[t] -= items.counts[v]
                fits[v] -= lost
                stars[v] &= ~(1 << a)


@njit(cache=True, nogil=True)
def differing_shown(codes, stars, one, other):
    """Return the columns in which two items show different values."""
    pattern, hidden = 0, stars[one] | stars[other]
    for a in range(codes.shape[1]):
        if codes[one, a] != codes[other, a] and not (hidden >> a) & 1:
            pattern |= 1 << a
    return pattern


@njit(cache=True, nogil=True)
def _parted(codes, stars, v, t, a):
    """Return whether items that match would no more if v showed its value in column a."""
    if codes[v, a] == codes[t, a] or (stars[t] >> a) & 1:
        return False
    return differing_shown(codes, stars, v, t) == 0


@njit(cache=True, nogil=True)
def _count(items, k, fits, apart, patterns, matched, helped):
    """Count the records that would match an item for each pattern, and those of them that need another match."""
    n_columns = items.codes.shape[1]
    # With all patterns, sums over parts are made a column at a time: 2^m m steps, however many items there are.
    if len(patterns) == 1 << n_columns:
        every, needy = np.zeros(len(patterns)), np.zeros(len(patterns))
        for t in range(len(apart)):
            every[apart[t]] += items.counts[t]
            needy[apart[t]] += items.counts[t] if fits[t] < k and apart[t] != 0 else 0
        # Both patterns, with column a and without, are sums over the columns before a so far: nothing counts twice.
        for a in range(n_columns):
            for pattern in range(len(patterns)):
                if (pattern >> a) & 1:
                    every[pattern] += every[pattern ^ (1 << a)]
                    needy[pattern] += needy[pattern ^ (1 << a)]
        for p in range(len(patterns)):
            matched[p], helped[p] = every[patterns[p]], needy[patterns[p]]
        return
    matched[:], helped[:] = 0.0, 0.0
    for t in range(len(apart)):
        for p in range(len(patterns)):
            if (apart[t] & ~patterns[p]) == 0:
                matched[p] += items.counts[t]
                helped[p] += items.counts[t] if fits[t] < k and apart[t] != 0 else 0


@njit(cache=True, nogil=True)
def prices_of(weights, patterns):
    """Return what each pattern costs a record."""
    found = np.empty(len(patterns))
    for p in range(len(patterns)):
        found[p] = price(weights, patterns[p])
    return found
