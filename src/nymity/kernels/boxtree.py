"""A tree of boxes over items, from which the item that is cheapest or dearest to add to a class is found.

An item stands for some equal records; its rank is its place in the sorted order. Each node has the box of the items
below it that are left and the ``first`` of their ranks. A node whose bound is worse than the best item found so far, or
equal with later ranks only, is not entered; so the answer is that of a scan over all items.

begin, end (n_nodes,): the items of a node; right (n_nodes,): its second child, 0 for a leaf; the first child is the
next node; parent (n_nodes,); leaf (n_items,): the leaf of each item.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.boxes import begin, cost_with, put
from nymity.kernels.compiled import njit

#: Items of a leaf.
LEAF = 8
#: Rank of nothing.
NONE = np.int64(2**62)


class Tree(NamedTuple):
    """Items in the order of the leaves: their columns, ranks and records left (n_items,), and the nodes over them."""

    columns: Any
    ranks: Any
    left: Any
    begin: Any
    end: Any
    right: Any
    parent: Any
    leaf: Any
    lo: Any
    hi: Any
    mask: Any
    first: Any


@njit(cache=True, nogil=True)
def closest(tree, boxes, b, away, stack, bounds):
    """Return the item with the least cost once added to box b, the first of several; -1 if none is left.

    With ``away`` the item with the largest cost; box b then holds a single record. stack and bounds (n_nodes + 1,) are
    working space.
    """
    best, best_cost, best_rank = -1, np.inf, NONE
    top, stack[0], bounds[0] = 1, 0, -np.inf
    while top > 0:
        top -= 1
        node = stack[top]
        # On a tie the first rank wins, so a node with an equal bound is entered unless all its ranks are later.
        if bounds[top] > best_cost or (bounds[top] == best_cost and tree.first[node] > best_rank):
            continue
        if tree.right[node] == 0:
            for item in range(tree.begin[node], tree.end[node]):
                if tree.left[item] > 0:
                    cost = cost_with(tree.columns, boxes, b, item)
                    cost = -cost if away else cost
                    if cost < best_cost or (cost == best_cost and tree.ranks[item] < best_rank):
                        best, best_cost, best_rank = item, cost, tree.ranks[item]
        else:
            top = _push_children(tree, boxes, b, away, node, stack, bounds, top)
    return best


@njit(cache=True, nogil=True)
def neighbours(tree, boxes, start, stop, nearest):
    """Fill rows ``start`` to ``stop`` of nearest (n_items, q): the items cheapest to add to each item, itself first.

    Rows and entries are ranks; of several equally near items the first in rank are kept. boxes: one.
    """
    stack, bounds = np.empty(len(tree.begin) + 1, np.int64), np.empty(len(tree.begin) + 1)
    costs = np.empty(nearest.shape[1])
    for item in range(start, stop):
        begin(tree.columns, boxes, 0, item)
        _fill_nearest(tree, boxes, stack, bounds, nearest[tree.ranks[item]], costs)


@njit(cache=True, nogil=True)
def _fill_nearest(tree, boxes, stack, bounds, nearest, costs):
    q = len(nearest)
    nearest[:], costs[:] = -1, np.inf
    top, stack[0], bounds[0] = 1, 0, -np.inf
    while top > 0:
        top -= 1
        node = stack[top]
        if bounds[top] > costs[q - 1] or (bounds[top] == costs[q - 1] and tree.first[node] > nearest[q - 1]):
            continue
        if tree.right[node] != 0:
            top = _push_children(tree, boxes, 0, False, node, stack, bounds, top)
            continue
        for item in range(tree.begin[node], tree.end[node]):
            cost, rank, e = cost_with(tree.columns, boxes, 0, item), tree.ranks[item], q - 1
            if cost > costs[e] or (cost == costs[e] and rank > nearest[e]):
                continue
            # Kept sorted by insertion: q is a few dozen, and most items fail the test above.
            while e > 0 and (cost < costs[e - 1] or (cost == costs[e - 1] and rank < nearest[e - 1])):
                costs[e], nearest[e] = costs[e - 1], nearest[e - 1]
                e -= 1
            costs[e], nearest[e] = cost, rank


@njit(cache=True, nogil=True)
def take(tree, item):
    """Take one record of an item away."""
    tree.left[item] -= 1
    if tree.left[item] == 0:
        node = tree.leaf[item]
        # A box shrinks only when an item is used up; above a node that stays as it was, all do.
        while node >= 0 and _fit(tree, node):
            node = tree.parent[node]


@njit(cache=True, nogil=True)
def fit_all(tree):
    """Fit every node."""
    # Children have higher numbers than their parent, so they are fitted before it.
    for node in range(len(tree.begin) - 1, -1, -1):
        _fit(tree, node)


@njit(cache=True, nogil=True)
def _fit(tree, node):
    """Fit a node to the items or nodes below it; say whether that changed it."""
    p, n_words = tree.lo.shape[1], tree.mask.shape[1]
    if tree.right[node] == 0:
        _fit_leaf(tree, node)
        return True
    one, other = node + 1, tree.right[node]
    changed = False
    first = min(tree.first[one], tree.first[other])
    if tree.first[node] != first:
        tree.first[node] = first
        changed = True
    for a in range(p):  # nothing left below: from infinity to minus infinity
        lo, hi = min(tree.lo[one, a], tree.lo[other, a]), max(tree.hi[one, a], tree.hi[other, a])
        changed |= lo != tree.lo[node, a] or hi != tree.hi[node, a]
        tree.lo[node, a], tree.hi[node, a] = lo, hi
    for w in range(n_words):
        mask = tree.mask[one, w] | tree.mask[other, w]
        changed |= mask != tree.mask[node, w]
        tree.mask[node, w] = mask
    return changed


@njit(cache=True, nogil=True)
def divide(points, scales, slots, set_scales, set_limits, order, begin, end, right, parent):
    """Arrange ``order`` (n_items,) and fill the nodes; return their number.

    A node is cut across the column that costs it most, between two values, as near to its middle as these allow.
    """
    pending = [(np.int64(0), np.int64(len(order)), np.int64(-1), False)]
    n_nodes = 0
    while len(pending) > 0:
        low, high, above, second = pending.pop()
        node, n_nodes = n_nodes, n_nodes + 1
        begin[node], end[node], parent[node], right[node] = low, high, above, 0
        if second:
            right[above] = node
        if high - low > LEAF:
            keys = _dearest(points, scales, slots, set_scales, set_limits, order[low:high])
            # Stable, so that the tree depends on the order of items alone and not on a sort's choices.
            arrangement = np.argsort(keys, kind="mergesort")
            order[low:high] = order[low:high][arrangement]
            cut = low + _middle(keys[arrangement])
            # The lower half is popped next: the first child is the node after its parent, and needs no pointer.
            pending.append((cut, high, np.int64(node), True))
            pending.append((low, cut, np.int64(node), False))
    return n_nodes


@njit(cache=True, nogil=True)
def _push_children(tree, boxes, b, away, node, stack, bounds, top):
    """Push the children with something left below, the more promising on top."""
    one, other = node + 1, tree.right[node]
    bound_one, bound_other = _bound(tree, boxes, b, away, one), _bound(tree, boxes, b, away, other)
    if bound_one > bound_other or (bound_one == bound_other and tree.first[one] > tree.first[other]):
        one, other, bound_one, bound_other = other, one, bound_other, bound_one
    for child, bound in ((other, bound_other), (one, bound_one)):
        if tree.first[child] < NONE:
            stack[top], bounds[top] = child, bound
            top += 1
    return top


@njit(cache=True, nogil=True)
def _bound(tree, boxes, b, away, node):
    """Return a lower bound of the cost (of minus the cost) of box b once an item of the node is added."""
    if tree.first[node] == NONE:
        return np.inf
    columns = tree.columns
    cost = 0.0
    for a in range(len(columns.scales)):
        low, high = tree.lo[node, a], tree.hi[node, a]
        if away:
            # The box is one record here, lo = hi: nothing in the node is further away than its far end.
            width = max(boxes.lo[b, a] - low, high - boxes.lo[b, a])
        else:
            width = max(boxes.hi[b, a], low) - min(boxes.lo[b, a], high)
        cost += width * columns.scales[a]
    for a in range(len(columns.set_scales)):
        common = other = False
        for w in range(columns.starts[a], columns.starts[a + 1]):
            common |= (tree.mask[node, w] & boxes.mask[b, w]) != 0
            other |= (tree.mask[node, w] & ~boxes.mask[b, w]) != 0
        different = boxes.distinct[b, a] + (other if away else not common)
        if different > 1:
            cost += min(different, columns.set_limits[a]) * columns.set_scales[a]
    # Rounded as costs are, else a bound could exceed by a last digit the cost that it bounds.
    cost = (cost + columns.grid) - columns.grid
    return -cost if away else cost


@njit(cache=True, nogil=True)
def _fit_leaf(tree, node):
    tree.first[node] = NONE
    for a in range(tree.lo.shape[1]):
        tree.lo[node, a], tree.hi[node, a] = np.inf, -np.inf
    for w in range(tree.mask.shape[1]):
        tree.mask[node, w] = 0
    for item in range(tree.begin[node], tree.end[node]):
        if tree.left[item] == 0:
            continue
        tree.first[node] = min(tree.first[node], tree.ranks[item])
        for a in range(len(tree.columns.scales)):
            x = tree.columns.points[item, a]
            tree.lo[node, a], tree.hi[node, a] = min(tree.lo[node, a], x), max(tree.hi[node, a], x)
        for a in range(len(tree.columns.set_scales)):
            put(tree.mask, node, tree.columns.slots[item, a])


@njit(cache=True, nogil=True)
def _dearest(points, scales, slots, set_scales, set_limits, items):
    """Return the values (n,) of these items in the column that would cost them most."""
    keys = np.zeros(len(items))
    most = 0.0
    for a in range(len(scales)):
        values = points[items, a]
        cost = (values.max() - values.min()) * scales[a]
        if cost > most:
            most, keys = cost, values
    for a in range(len(set_scales)):
        codes = slots[items, a]
        low, high = codes.min(), codes.max()
        if high > low:
            seen = np.zeros(high - low + 1, np.bool_)
            seen[codes - low] = True
            cost = min(seen.sum(), set_limits[a]) * set_scales[a]
            if cost > most:
                most, keys = cost, codes.astype(np.float64)
    return keys


@njit(cache=True, nogil=True)
def _middle(keys):
    """Return the cut of sorted keys nearest to their middle, between different ones where there are such."""
    n = len(keys)
    half = n // 2
    for step in range(half + 1):
        for cut in (half - step, half + step):
            if 0 < cut < n and keys[cut - 1] < keys[cut]:
                return cut
    return half
