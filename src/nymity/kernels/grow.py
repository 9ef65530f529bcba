"""Classes of k records, each grown by the record that is cheapest to add."""

from __future__ import annotations

import numpy as np

from nymity.kernels.boxes import begin, cost_of, cost_with, extend
from nymity.kernels.boxtree import closest, take
from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def grow(tree, boxes, places, picked, size, start, stop, away):
    """Fill classes ``start`` to ``stop`` of ``picked`` (n_classes, k): places in the sorted order, as they were added.

    A class starts with the first record that is left or, with ``away``, with the one furthest from the last record that
    was picked. boxes: those of all classes, and one more for that record. places (n_items,): the next record of each
    item.
    """
    stack, bounds = np.empty(len(tree.begin) + 1, np.int64), np.empty(len(tree.begin) + 1)
    last = len(boxes.lo) - 1
    for c in range(start, stop):
        item = closest(tree, boxes, last, True, stack, bounds) if away else _first(tree)
        begin(tree.columns, boxes, c, item)
        for member in range(size):
            if member > 0:
                item = closest(tree, boxes, c, False, stack, bounds)
                extend(tree.columns, boxes, c, item)
            picked[c, member] = places[item]
            places[item] += 1
            take(tree, item)
        begin(tree.columns, boxes, last, item)


@njit(cache=True, nogil=True)
def cheapest_class(columns, boxes, sizes, item, increase):
    """Return the class with the least total cost (or least increase of it) once the item is added."""
    best, best_cost = -1, np.inf
    for c in range(len(sizes)):
        # A box costs that much for each record in it, so one that is wider costs all members.
        cost = (sizes[c] + 1) * cost_with(columns, boxes, c, item)
        if increase:
            cost -= sizes[c] * cost_of(columns, boxes, c)
        if cost < best_cost:
            best, best_cost = c, cost
    return best


@njit(cache=True, nogil=True)
def _first(tree):
    """Return the item with the first rank of all that are left."""
    node = 0
    while tree.right[node] != 0:
        node = node + 1 if tree.first[node + 1] == tree.first[node] else tree.right[node]
    for item in range(tree.begin[node], tree.end[node]):
        if tree.left[item] > 0 and tree.ranks[item] == tree.first[node]:
            return item
    return -1
