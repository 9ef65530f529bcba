"""Classes by suppressed cells: which records are published alike, and which of their cells are not shown.

A pattern is a set of columns, a bit each: those whose cells are suppressed. All records that are equal in the other
columns can be published alike, and each costs the price of the pattern, the sum of its columns' weights. Records come
as items: different combinations of values, and how many records have each.

    cover     makes classes of all items left that share a pattern with k records
    least_*   lower what each item costs at least, by the patterns that it shares with k records
    renewed   frees the classes of items that lie together, covers them by the patterns in another order, and keeps
              the new classes if they cost no more
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.compiled import njit

_ONE = np.uint64(1)


class CountedItems(NamedTuple):
    """codes (n, m), counts (n,), weights (m,); marks (n_values,): words to hash by, of column a from starts[a] on."""

    codes: Any
    counts: Any
    weights: Any
    marks: Any
    starts: Any


class ItemClasses(NamedTuple):
    """class_of, following (n,): of items; head, size, stars (n,): first item, records and pattern of each class.

    Class numbers lie below n; ``free`` (n + 1,) lists those not in use, their number last.
    """

    class_of: Any
    following: Any
    head: Any
    size: Any
    stars: Any
    free: Any


@njit(cache=True, nogil=True)
def grouped(items, some, pattern, group, first, sizes):
    """Number the items that are equal outside the pattern alike; write group (n,), first and records of each."""
    codes, n_columns = items.codes, items.codes.shape[1]
    n_slots, n_groups = 16, 0
    # At most half of the slots are taken, so that a search for an empty one is short and ends.
    while n_slots < 2 * len(some):
        n_slots *= 2
    table, last = np.full(n_slots, -1, np.int64), np.uint64(n_slots - 1)
    for e in range(len(some)):
        item = some[e]
        mark = np.uint64(0)
        for a in range(n_columns):
            if not (pattern >> a) & 1:
                # Each value has a word, and a suppressed column leaves its word out. Equal marks are compared.
                mark ^= items.marks[items.starts[a] + codes[item, a]]
        slot = mark & last
        while True:
            g = table[slot]
            if g < 0:
                table[slot], first[n_groups], sizes[n_groups] = n_groups, item, 0
                g = n_groups
                n_groups += 1
                break
            if _equal_outside(codes, first[g], item, pattern):
                break
            slot = (slot + _ONE) & last
        group[e] = g
        sizes[g] += items.counts[item]
    return n_groups


@njit(cache=True, nogil=True)
def _equal_outside(codes, one, other, pattern):
    same = True
    for a in range(codes.shape[1]):
        same &= codes[one, a] == codes[other, a] or (pattern >> a) & 1 == 1
    return same


@njit(cache=True, nogil=True)
def cover(items, k, pattern, left, label, n_labels):
    """Make classes of the items ``left`` by a pattern; return how many there are then, and how many items are left.

    label (n,) takes the class of an item, by its place; what is left moves to the front of ``left``.
    """
    n = len(left)
    group, first, sizes = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    n_groups = grouped(items, left, pattern, group, first, sizes)
    number = np.full(n_groups, -1, np.int64)
    for g in range(n_groups):
        if sizes[g] >= k:
            number[g] = n_labels
            n_labels += 1
    rest = 0
    for e in range(n):
        if number[group[e]] >= 0:
            label[left[e]] = number[group[e]]
        else:
            left[rest] = left[e]
            rest += 1
    return n_labels, rest


@njit(cache=True, nogil=True)
def covered(items, k, pattern, left):
    """Return how many records of the items ``left`` a pattern would cover."""
    n, total = len(left), 0
    group, first, sizes = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for g in range(grouped(items, left, pattern, group, first, sizes)):
        total += sizes[g] if sizes[g] >= k else 0
    return total


@njit(cache=True, nogil=True)
def least_prices(items, k, pattern, price, least, some):
    """Lower ``least`` (n,) to the price of a pattern for items that share it with k records; return those without."""
    n, rest = len(items.codes), 0
    group, first, sizes = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    grouped(items, np.arange(n), pattern, group, first, sizes)
    for e in range(len(some)):
        if sizes[group[some[e]]] >= k:
            least[some[e]] = price
        else:
            some[rest] = some[e]
            rest += 1
    return rest


@njit(cache=True, nogil=True)
def least_costs(items, k, pattern, spared, least, some):
    """Lower ``least`` (n,) to what a pattern costs those of ``some`` items that share it with k records.

    spared (n_values,), as marks are: what a shown value spares, for one that tells more is dearer to suppress.
    """
    n, n_columns = len(items.codes), items.codes.shape[1]
    group, first, sizes = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    grouped(items, np.arange(n), pattern, group, first, sizes)
    for item in some:
        if sizes[group[item]] < k:
            continue
        cost = 0
        for a in range(n_columns):
            if (pattern >> a) & 1:
                cost += spared[items.starts[a] + items.codes[item, a]]
        least[item] = min(least[item], cost)


@njit(cache=True, nogil=True)
def renewed(items, classes, k, patterns, noise, order, start, stop, width, most, state):
    """Try windows ``start`` to ``stop`` of an order of the items: solve the classes found there anew.

    A window is ``width`` items that follow each other, some of the next window, and all that share a class with them,
    ``most`` at the most. Patterns come by their price plus some part of ``noise``. Returns how much less all cost.
    """
    n = len(order)
    prices = np.empty(len(patterns))
    for p in range(len(patterns)):
        prices[p] = price(items.weights, patterns[p])
    some, label, stamp = np.empty(most, np.int64), np.empty(len(items.codes), np.int64), np.empty(most, np.int64)
    keys, gained = np.empty(len(patterns)), 0.0
    for window in range(start, stop):
        size, n_old, before = 0, 0, 0.0
        for e in range(window * width, min(n, (window + 1) * width + width // 2)):
            c = classes.class_of[order[e]]
            # Nothing is suppressed in such a class, so there is nothing to win.
            if classes.stars[c] == 0 or _among(stamp, n_old, c):
                continue
            members = _count(classes, c)
            if size + members > most:
                continue
            stamp[n_old] = c
            n_old += 1
            before += classes.size[c] * price(items.weights, classes.stars[c])
            item = classes.head[c]
            while item >= 0:
                some[size] = item
                size += 1
                item = classes.following[item]
        # A class alone would only be found again.
        if n_old < 2:
            continue
        for p in range(len(patterns)):
            # In the order of prices alone, the same items would get the same classes every time.
            keys[p] = prices[p] + noise * uniform(state)
        n_new = _solved(items, k, patterns[np.argsort(keys)], some[:size].copy(), label)
        if n_new < 0:
            continue
        after = _cost(items, some[:size], label, n_new)
        if after <= before:  # as dear will do: it leads on to others
            gained += before - after
            _replace(items, classes, stamp[:n_old], some[:size], label, n_new)
    return gained


@njit(cache=True, nogil=True)
def _solved(items, k, patterns, left, label):
    """Cover some items by patterns in their order; return the number of classes, -1 if items are left."""
    n_labels, rest = 0, len(left)
    for pattern in patterns:
        if rest == 0:
            break
        n_labels, rest = cover(items, k, pattern, left[:rest], label, n_labels)
    return n_labels if rest == 0 else -1


@njit(cache=True, nogil=True)
def _cost(items, some, label, n_labels):
    """Return what classes of some items cost."""
    first, stars, sizes = np.full(n_labels, -1, np.int64), np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
    for item in some:
        c = label[item]
        sizes[c] += items.counts[item]
        # The pattern that made a class may hide a column in which all agree: what differs is what must be hidden.
        if first[c] < 0:
            first[c] = item
        stars[c] |= differing(items.codes, first[c], item)
    total = 0.0
    for c in range(n_labels):
        total += sizes[c] * price(items.weights, stars[c])
    return total


@njit(cache=True, nogil=True)
def differing(codes, one, other):
    """Return the columns in which two items differ."""
    pattern = 0
    for a in range(codes.shape[1]):
        if codes[one, a] != codes[other, a]:
            pattern |= 1 << a
    return pattern


@njit(cache=True, nogil=True)
def _replace(items, classes, old, some, label, n_new):
    """Put items of old classes into new ones."""
    free, n_classes = classes.free, len(classes.head)
    # Numbers of the old classes are given back first: there are never more classes than items, so enough are free.
    for c in old:
        classes.head[c], classes.size[c], classes.stars[c] = -1, 0, 0
        free[free[n_classes]] = c
        free[n_classes] += 1
    number = np.empty(n_new, np.int64)
    for c in range(n_new):
        free[n_classes] -= 1
        number[c] = free[free[n_classes]]
    for item in some:
        join(items, classes, number[label[item]], item)


@njit(cache=True, nogil=True)
def join(items, classes, c, item):
    """Put an item into a class."""
    if classes.head[c] >= 0:
        classes.stars[c] |= differing(items.codes, classes.head[c], item)
    classes.class_of[item], classes.following[item] = c, classes.head[c]
    classes.head[c] = item
    classes.size[c] += items.counts[item]


@njit(cache=True, nogil=True)
def fill(items, classes, label):
    """Put every item into its class."""
    for item in range(len(label)):
        join(items, classes, label[item], item)


@njit(cache=True, nogil=True)
def price(weights, pattern):
    """Return what a pattern costs a record."""
    total = 0.0
    for a in range(len(weights)):
        if (pattern >> a) & 1:
            total += weights[a]
    return total


@njit(cache=True, nogil=True)
def _count(classes, c):
    n, item = 0, classes.head[c]
    while item >= 0:
        n, item = n + 1, classes.following[item]
    return n


@njit(cache=True, nogil=True)
def _among(numbers, n, c):
    found = False
    for e in range(n):
        found |= numbers[e] == c
    return found


@njit(cache=True, nogil=True)
def uniform(state):
    """Return the next number from 0 to below 1 of a fixed sequence (xorshift; Marsaglia 2003)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    # 53 bits over 2^53: as many as a float has, so 1 is never reached.
    return float(x >> np.uint64(11)) / 9007199254740992.0
