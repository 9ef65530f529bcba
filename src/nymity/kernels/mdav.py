"""Groups of near points: MDAV, and the best groups of sorted numbers.

MDAV (Domingo-Ferrer & Mateo-Sanz 2002; generic form of Domingo-Ferrer & Torra 2005): as long as 3k points are left, the
point r farthest from the centroid of those left and its k - 1 nearest are a group, and so are the point s farthest from
r and its k - 1 nearest; then one more such group if 2k are left; the rest is the last one. Of equally far or near
points any is taken; callers draw the order.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

#: Points that are looked at together: their distances stay in the fastest memory.
_BLOCK = 1024


@njit(cache=True, nogil=True)
def mdav(points, k):
    """Return the group of each of the points (n, p), (n,); groups have k to 2k - 1 points."""
    n, p = points.shape
    groups = np.zeros(n, dtype=np.int64)
    left = np.arange(n)
    columns = np.empty((p, n))  # those left, column by column, which the machine adds up several at a time
    sums = np.zeros(p)
    for column in range(p):
        columns[column] = points[:, column]
        sums[column] = columns[column].sum()
    near, distances = np.empty(k, dtype=np.int64), np.empty(_BLOCK)
    size, group = n, 0
    while size >= 2 * k:
        several = size >= 3 * k
        far = left[_farthest(columns, size, sums / size, distances)]
        second = left[_nearest(columns, left, size, points[far], far, near, distances)]
        size = _take(columns, left, size, near, sums, groups, group)
        group += 1
        if several and second != far:
            _nearest(columns, left, size, points[second], second, near, distances)
            size = _take(columns, left, size, near, sums, groups, group)
            group += 1
    for i in range(size):
        groups[left[i]] = group
    return groups


@njit(cache=True, nogil=True)
def _distances(columns, start, end, place, distances):
    """Write the squared distances of points from start to end, each summed over columns in their order."""
    for i in range(end - start):
        distances[i] = 0.0
    for column in range(columns.shape[0]):
        at, numbers = place[column], columns[column]
        for i in range(end - start):
            apart = numbers[start + i] - at
            distances[i] += apart * apart


@njit(cache=True, nogil=True)
def _farthest(columns, size, place, distances):
    """Return which point left is farthest from a place; the first of several."""
    best, most = 0, -1.0
    for start in range(0, size, _BLOCK):
        end = min(size, start + _BLOCK)
        _distances(columns, start, end, place, distances)
        for i in range(end - start):
            if distances[i] > most:
                best, most = start + i, distances[i]
    return best


@njit(cache=True, nogil=True)
def _nearest(columns, left, size, place, of, near, distances):
    """Write which k points left are nearest to a place, ``of`` before others there; return the farthest one."""
    k, have, best, most = near.shape[0], 0, 0, -1.0
    kept = np.empty(k)
    for start in range(0, size, _BLOCK):
        end = min(size, start + _BLOCK)
        _distances(columns, start, end, place, distances)
        for i in range(end - start):
            distance = distances[i]
            if distance > most:
                best, most = start + i, distance
            if have == k and distance > kept[k - 1]:
                continue
            if left[start + i] == of:
                distance = -1.0
            if have < k or distance < kept[k - 1]:
                at = have if have < k else k - 1
                while at > 0 and kept[at - 1] > distance:
                    kept[at], near[at] = kept[at - 1], near[at - 1]
                    at -= 1
                kept[at], near[at] = distance, start + i
                have = min(have + 1, k)
    return best


@njit(cache=True, nogil=True)
def _take(columns, left, size, near, sums, groups, group):
    """Make a group of these points, fill their places with the last ones, and return how many stay."""
    for i in near:
        groups[left[i]] = group
        for column in range(columns.shape[0]):
            sums[column] -= columns[column, i]
    for i in np.sort(near)[::-1]:
        size -= 1
        left[i] = left[size]
        for column in range(columns.shape[0]):
            columns[column, i] = columns[column, size]
    return size


@njit(cache=True, nogil=True)
def best_groups(numbers, k):
    """Return the group of each of sorted numbers (n,) that makes the sum of squared distances to group means least.

    Groups of the best have k to 2k - 1 neighbours (Hansen & Mukherjee 2003): least[j] is the least sum for the first j
    numbers, the minimum over the size of the last group.
    """
    n = numbers.shape[0]
    sums, squares = np.zeros(n + 1), np.zeros(n + 1)
    middle = numbers.mean() if n else 0.0
    for i in range(n):
        apart = numbers[i] - middle
        sums[i + 1] = sums[i] + apart
        squares[i + 1] = squares[i] + apart * apart
    least = np.full(n + 1, np.inf)
    least[0] = 0.0
    start = np.zeros(n + 1, dtype=np.int64)
    for j in range(k, n + 1):
        for size in range(k, min(2 * k - 1, j) + 1):
            i = j - size
            total = sums[j] - sums[i]
            cost = least[i] + squares[j] - squares[i] - total * total / size
            if cost < least[j]:
                least[j], start[j] = cost, i
    groups = np.zeros(n, dtype=np.int64)
    end = n
    while end > 0:
        groups[start[end] : end] = start[end]
        end = start[end]
    return groups
