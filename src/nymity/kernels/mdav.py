"""Groups of near points: MDAV, V-MDAV, and the best groups of sorted numbers.

MDAV (Domingo-Ferrer & Mateo-Sanz 2002; generic form of Domingo-Ferrer & Torra 2005): as long as 3k points are left, the
point r farthest from the centre of those left and its k - 1 nearest are a group, and so are the point s farthest from
r and its k - 1 nearest; then one more such group if 2k are left; the rest is the last one.

V-MDAV (Solanas & Martinez-Balleste 2006): the point farthest from the centre of all and its k - 1 nearest are a group.
It then takes further points, up to 2k - 1, as long as the one nearest to the group is nearer to it than ``gain`` times
its distance from the nearest other point left. When fewer than k are left, each joins the group of its nearest point.

The centre is the mean of each axis and the most frequent value of each other column. Of equally far or near points the
first is taken; callers draw the order.
"""

from __future__ import annotations

from math import lcm

import numpy as np
from numpy.typing import NDArray

from nymity.kernels.compiled import njit
from nymity.kernels.point_tree import NONE, distance, farthest, nearest, shells_of, take, tree_of

#: Shells are made anew when they have so many times the points that are left.
_RENEWED = 0.9


@njit(cache=True, nogil=True)
def mdav(points, metric, k):
    """Return the group of each of the points (n, p), (n,); groups have k to 2k - 1 points."""
    n = len(points)
    groups, size, group = np.zeros(n, dtype=np.int64), n, 0
    tree, left = tree_of(points, metric), np.ones(n, dtype=np.bool_)
    sums, counts = _sums(points, metric)
    near, kept = np.empty(k, dtype=np.int64), np.empty(k)
    shells = shells_of(points, metric, left, _centre(sums, counts, metric, max(n, 1)))
    while size >= 2 * k:
        several, centre = size >= 3 * k, _centre(sums, counts, metric, size)
        if size < _RENEWED * len(shells[0]):
            shells = shells_of(points, metric, left, centre)
        far = farthest(points, metric, left, shells, centre)
        second = farthest(points, metric, left, shells, points[far])
        _around(tree, metric, points, far, left, near, kept)
        size = _together(tree, metric, points, near, left, groups, group, sums, counts, size)
        group += 1
        # From 3k points on, k at least are left after both groups. Where ``far`` is the farthest from itself, all that
        # are left are equal, and the next turn takes k of them.
        if several and second != far:
            _around(tree, metric, points, second, left, near, kept)
            size = _together(tree, metric, points, near, left, groups, group, sums, counts, size)
            group += 1
    groups[left] = group
    return groups


@njit(cache=True, nogil=True)
def variable_groups(points, metric, k, gain):
    """Return the group of each of the points (n, p), (n,), by V-MDAV."""
    n = len(points)
    groups, size, group = np.full(n, -1), n, 0
    tree, left = tree_of(points, metric), np.ones(n, dtype=np.bool_)
    sums, counts = _sums(points, metric)
    middle = _centre(sums, counts, metric, max(n, 1))
    shells = shells_of(points, metric, left, middle)
    near, kept, members = np.empty(k, dtype=np.int64), np.empty(k), np.empty(2 * k - 1, dtype=np.int64)
    # Distances may be squared; what they are compared with is squared alike.
    factor = gain * gain if metric.squared else gain
    while size >= k:
        if size < _RENEWED * len(shells[0]):
            shells = shells_of(points, metric, left, middle)
        seed = farthest(points, metric, left, shells, middle)
        _around(tree, metric, points, seed, left, near, kept)
        size = _together(tree, metric, points, near, left, groups, group, sums, counts, size)
        members[:k], have = near, k
        while have < 2 * k - 1 and size > 0:
            further, inside = _next(tree, metric, points, members[:have], near, kept)
            two = near[:2]
            found = nearest(tree, metric, points[further], two, kept[:2])
            # The nearest to ``further`` among those left is itself, at 0. Of equal points either may come first.
            outside = np.inf if found < 2 else (kept[0] if two[0] != further else kept[1])
            if not inside < factor * outside:
                break
            members[have] = further
            size = _together(tree, metric, points, members[have : have + 1], left, groups, group, sums, counts, size)
            have += 1
        group += 1
    if group == 0:
        return np.zeros(n, dtype=np.int64)
    return _joined(points, metric, groups)


@njit(cache=True, nogil=True)
def _around(tree, metric, points, seed, left, near, kept):
    """Write the k points left that are nearest to a seed; it is one of them itself if it is left."""
    if not left[seed]:
        nearest(tree, metric, points[seed], near, kept)
        return
    take(tree, seed)
    near[0] = seed
    nearest(tree, metric, points[seed], near[1:], kept[1:])


@njit(cache=True, nogil=True)
def _next(tree, metric, points, members, near, kept):
    """Return the point left that is nearest to one of the members, the first of several, and how near it is."""
    best, least = NONE, np.inf
    for member in members:
        nearest(tree, metric, points[member], near[:1], kept[:1])
        if kept[0] < least or (kept[0] == least and near[0] < best):
            best, least = near[0], kept[0]
    return best, least


@njit(cache=True, nogil=True)
def _together(tree, metric, points, members, left, groups, group, sums, counts, size):
    """Make a group of these points, and return how many stay."""
    for i in members:
        groups[i] = group
        left[i] = False
        take(tree, i)
        for a in range(metric.axes):
            sums[a] -= points[i, a]
        for a in range(metric.axes, points.shape[1]):
            counts[a, int(points[i, a])] -= 1
    return size - len(members)


@njit(cache=True, nogil=True)
def _sums(points, metric):
    """Return sums of axes (p,), and how often each value of the other columns occurs (p, n_values)."""
    n, p = points.shape
    most = 0
    for a in range(metric.axes, p):
        for i in range(n):
            most = max(most, int(points[i, a]) + 1)
    sums, counts = np.zeros(p), np.zeros((p, most), dtype=np.int64)
    for i in range(n):
        for a in range(metric.axes):
            sums[a] += points[i, a]
        for a in range(metric.axes, p):
            counts[a, int(points[i, a])] += 1
    return sums, counts


@njit(cache=True, nogil=True)
def _centre(sums, counts, metric, size):
    """Return the mean of each axis and the most frequent value of each other column, the first of several, (p,)."""
    centre = sums / size
    for a in range(metric.axes, len(centre)):
        centre[a] = np.argmax(counts[a])
    return centre


@njit(cache=True, nogil=True)
def _joined(points, metric, groups):
    """Put points without a group into that of the nearest point which has one."""
    found = groups.copy()
    for i in np.flatnonzero(groups < 0):
        least = np.inf
        for j in range(len(points)):
            if groups[j] >= 0:
                apart = distance(metric, points[i], points[j])
                if apart < least:
                    found[i], least = groups[j], apart
    return found


@njit(cache=True, nogil=True)
def nearest_other(points, metric, inside):
    """Return the number of the point outside a group that is nearest to one inside, the first of several."""
    best, least = -1, np.inf
    for i in np.flatnonzero(inside):
        for j in range(len(points)):
            if not inside[j]:
                apart = distance(metric, points[i], points[j])
                if apart < least or (apart == least and j < best):
                    best, least = j, apart
    return best


def best_groups(numbers: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return the group of each of sorted whole numbers (n,) that makes the sum of squared distances to means least.

    Groups of the best have k to 2k - 1 neighbours (Hansen & Mukherjee 2003): least[j] is the least sum for the first j
    numbers, the minimum over the size of the last group. Sums are whole: those of few numbers beside one that is far
    away would be lost in a float.
    """
    n = len(numbers)
    if n < 2 * k:
        return np.zeros(n, dtype=np.int64)
    whole = numbers.astype(np.int64)
    apart, common = whole - whole[0], lcm(*range(k, 2 * k))
    largest = common * (n + 2 * k) * max(int(apart[-1]), 1) ** 2
    start = (
        _last_starts(apart, k, common) if largest < 2**62 else _last_starts.function(apart.astype(object), k, common)
    )
    groups, end = np.empty(n, dtype=np.int64), n
    while end > 0:
        groups[start[end] : end] = start[end]
        end = start[end]
    return groups


@njit(cache=True, nogil=True)
def _last_starts(apart, k, common):
    """Return where the last group of the first j numbers begins, (n + 1,); sums are counted in parts of ``common``.

    It is called as it is, too, with Python's whole numbers, where 64 bits do not hold a sum.
    """
    n = len(apart)
    sums = np.zeros(n + 1, dtype=apart.dtype)
    squares, least = np.zeros_like(sums), np.zeros_like(sums)
    for i in range(n):
        sums[i + 1] = sums[i] + apart[i]
        squares[i + 1] = squares[i] + apart[i] * apart[i]
    start = np.zeros(n + 1, dtype=np.int64)
    for j in range(k, n + 1):
        found = False
        # A group of 2k or more can be cut in two without raising the sum, so none is tried.
        for size in range(k, min(2 * k - 1, j) + 1):
            i = j - size
            if 0 < i < k:
                continue  # so few are no group
            total = sums[j] - sums[i]
            # The sum of squares around a mean is the sum of squares less total^2 / size.
            cost = least[i] + (size * (squares[j] - squares[i]) - total * total) * (common // size)
            if not found or cost < least[j]:
                found, least[j], start[j] = True, cost, i
    return start
