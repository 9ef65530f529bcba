"""Points of which some are left: the nearest of them by a tree of boxes, the farthest by shells around a centre.

The distance of two points is a sum over columns: of the first ``axes`` columns |x - y|, or its square; of each other
column, which holds numbers of values without an order, its weight if they differ (Gower 1971, with columns scaled by
their range). Boxes bound every term, and sums of rounded terms are monotone: a bound is a bound in floating point, too.
So answers are those of a scan over all points left; of equally far ones the first in the caller's order counts.

begin, end (n_nodes,): the points of a node; right (n_nodes,): its second child, 0 for a leaf; the first child is the
next node; parent (n_nodes,); leaf (n,): the leaf of each point; lo, hi (n_nodes, p): the box of the points left; first
(n_nodes,): the first of these, NONE where there are none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.compiled import njit

#: Points of a leaf.
_LEAF = 8
#: The number of no point.
NONE = np.int64(2**62)
#: Above what sums of rounded numbers can be short of.
_SLACK = 1 + 1e-9


class PointMetric(NamedTuple):
    """How far points are apart: numbers in the first ``axes`` columns, weights (p,) of the others."""

    axes: Any
    weights: Any
    squared: Any


class PointTree(NamedTuple):
    """Points (n, p) in the order of the leaves, their numbers (n,) in the caller's, and the nodes over them."""

    points: Any
    numbers: Any
    places: Any
    left: Any
    begin: Any
    end: Any
    right: Any
    parent: Any
    leaf: Any
    lo: Any
    hi: Any
    first: Any
    stack: Any
    bounds: Any


@njit(cache=True, nogil=True)
def distance(metric, one, other):
    """Return how far two points (p,) are apart."""
    total = 0.0
    for a in range(metric.axes):
        apart = abs(one[a] - other[a])
        total += apart * apart if metric.squared else apart
    for a in range(metric.axes, len(one)):
        if one[a] != other[a]:
            total += metric.weights[a]
    return total


@njit(cache=True, nogil=True)
def nearest(tree, metric, place, near, kept):
    """Write the numbers and distances of the points left that are nearest to a place (p,), the nearest first.

    As many as there is room for; return how many.
    """
    k, have, top = near.shape[0], 0, min(near.shape[0], 1)
    stack, bounds = tree.stack, tree.bounds
    stack[0], bounds[0] = 0, 0.0
    while top > 0:
        top -= 1
        node = stack[top]
        if tree.first[node] == NONE:
            continue
        if have == k and not _before(bounds[top], tree.first[node], kept[k - 1], near[k - 1]):
            continue
        if tree.right[node] != 0:
            one, other = node + 1, tree.right[node]
            low, high = _least(tree, metric, one, place), _least(tree, metric, other, place)
            if low <= high:  # the nearer one is looked at first: it is on top
                one, other, low, high = other, one, high, low
            stack[top], bounds[top], stack[top + 1], bounds[top + 1] = one, low, other, high
            top += 2
            continue
        for i in range(tree.begin[node], tree.end[node]):
            if not tree.left[i]:
                continue
            apart, number = distance(metric, tree.points[i], place), tree.numbers[i]
            if have == k and not _before(apart, number, kept[k - 1], near[k - 1]):
                continue
            at = have if have < k else k - 1
            while at > 0 and _before(apart, number, kept[at - 1], near[at - 1]):
                kept[at], near[at] = kept[at - 1], near[at - 1]
                at -= 1
            kept[at], near[at] = apart, number
            have = min(have + 1, k)
    return have


@njit(cache=True, nogil=True)
def shells_of(points, metric, left, centre):
    """Return the points left, those farthest from a centre first: their numbers, their distances from it, the centre.

    Distances are roots where the metric is squared, so that they keep the triangle inequality.
    """
    numbers = np.flatnonzero(left)
    apart = np.empty(len(numbers))
    for i in range(len(numbers)):
        apart[i] = _root(metric, distance(metric, points[numbers[i]], centre))
    order = np.argsort(-apart, kind="mergesort")
    return numbers[order], apart[order], centre


@njit(cache=True, nogil=True)
def farthest(points, metric, left, shells, place):
    """Return the number of the point left that is farthest from a place (p,); NONE if none is left.

    No point is farther from the place than from the centre of the shells and on from there: the rest of them is not
    looked at once that is less than the best. A boundary box says far less: its corners are empty.
    """
    numbers, apart, centre = shells
    best, most, stop = NONE, -1.0, -1.0
    way = _root(metric, distance(metric, place, centre))
    for i in range(len(numbers)):
        if (apart[i] + way) * _SLACK < stop:
            break
        if left[numbers[i]]:
            found = distance(metric, points[numbers[i]], place)
            if _before(-found, numbers[i], -most, best):
                best, most, stop = numbers[i], found, _root(metric, found)
    return best


@njit(cache=True, nogil=True)
def _root(metric, apart):
    return np.sqrt(apart) if metric.squared else apart


@njit(cache=True, nogil=True)
def take(tree, number):
    """Take a point away."""
    i = tree.places[number]
    tree.left[i] = False
    node = tree.leaf[i]
    # Above a node that stays as it was, all do.
    while node >= 0 and _fit(tree, node):
        node = tree.parent[node]


@njit(cache=True, nogil=True)
def tree_of(points, metric):
    """Return a tree over points (n, p), all of which are left."""
    n, p = points.shape
    # Nodes are halved while they have more than _LEAF points, so leaves have more than half of that, or all points.
    most = 2 * max(1, (4 * n) // _LEAF) + 2
    begin, end = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    right, parent = np.zeros(most, dtype=np.int64), np.full(most, -1)
    order, leaf = np.arange(n), np.zeros(n, dtype=np.int64)
    waiting, size = np.empty((most, 3), dtype=np.int64), 1  # begin, end, and the parent of a second child
    waiting[0] = 0, n, -1
    n_nodes = 0
    while size > 0:
        size -= 1
        start, stop, above = waiting[size]
        node, n_nodes = n_nodes, n_nodes + 1
        begin[node], end[node] = start, stop
        if above >= 0:
            right[above] = node
            parent[node] = above
        elif node > 0:
            parent[node] = node - 1
        if stop - start <= _LEAF:
            leaf[start:stop] = node
            continue
        some = order[start:stop]
        column = _widest(points, metric, some)
        # Stable: which of equal points comes first depends on the caller's order alone.
        order[start:stop] = some[np.argsort(points[some, column], kind="mergesort")]
        middle = (start + stop) // 2
        waiting[size] = middle, stop, node
        waiting[size + 1] = start, middle, -1
        size += 2
    places = np.empty(n, dtype=np.int64)
    places[order] = np.arange(n)
    tree = PointTree(
        points[order], order, places, np.ones(n, dtype=np.bool_),
        begin[:n_nodes], end[:n_nodes], right[:n_nodes], parent[:n_nodes], leaf,
        np.empty((n_nodes, p)), np.empty((n_nodes, p)), np.full(n_nodes, NONE),
        np.empty(n_nodes + 2, dtype=np.int64), np.empty(n_nodes + 2),
    )  # fmt: skip
    for node in range(n_nodes - 1, -1, -1):  # children have higher numbers
        _fit(tree, node)
    return tree


@njit(cache=True, nogil=True)
def _before(distance, number, other_distance, other_number):
    """Whether a point comes before another: nearer, or as near and earlier."""
    return distance < other_distance or (distance == other_distance and number < other_number)


@njit(cache=True, nogil=True)
def _widest(points, metric, some):
    """Return the column in which some points are farthest apart."""
    best, most = 0, -1.0
    for a in range(points.shape[1]):
        low, high = np.inf, -np.inf
        for i in some:
            low, high = min(low, points[i, a]), max(high, points[i, a])
        width = high - low
        if a < metric.axes:
            width = width * width if metric.squared else width
        else:
            width = metric.weights[a] if width > 0 else 0.0
        if width > most:
            best, most = a, width
    return best


@njit(cache=True, nogil=True)
def _least(tree, metric, node, place):
    """Return what no point of a node is nearer than."""
    total, lo, hi = 0.0, tree.lo[node], tree.hi[node]
    for a in range(len(place)):
        if lo[a] <= place[a] <= hi[a]:
            continue
        if a >= metric.axes:
            total += metric.weights[a]
            continue
        apart = lo[a] - place[a] if place[a] < lo[a] else place[a] - hi[a]
        total += apart * apart if metric.squared else apart
    return total


@njit(cache=True, nogil=True)
def _fit(tree, node):
    """Fit a node to what is left below it; say whether that changed it."""
    # A leaf has no right child; of other nodes the left one follows them.
    changed, first = False, NONE
    if tree.right[node] == 0:
        for i in range(tree.begin[node], tree.end[node]):
            if tree.left[i]:
                first = min(first, tree.numbers[i])
    else:
        first = min(tree.first[node + 1], tree.first[tree.right[node]])
    changed = first != tree.first[node]
    tree.first[node] = first
    for a in range(tree.lo.shape[1]):
        low, high = np.inf, -np.inf
        if tree.right[node] == 0:
            for i in range(tree.begin[node], tree.end[node]):
                if tree.left[i]:
                    low, high = min(low, tree.points[i, a]), max(high, tree.points[i, a])
        else:
            one, other = node + 1, tree.right[node]
            low, high = min(tree.lo[one, a], tree.lo[other, a]), max(tree.hi[one, a], tree.hi[other, a])
        changed |= low != tree.lo[node, a] or high != tree.hi[node, a]
        tree.lo[node, a], tree.hi[node, a] = low, high
    return changed
