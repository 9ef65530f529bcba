"""Cuts of Mondrian: classes as boxes of points, split at one place of one axis.

Classes are contiguous segments of an order of the points. places (n, m) uint32: rank of each point's value on each
axis; weights (n,): records of each point; scales (m, most values): value of each rank, already weighed so that
differences on all axes compare. sets (m,): axes whose width is the number of different values in use (times
set_scales), not a distance.

A cut is an axis, a rank and a number: points below the rank go to the lower part, and so many of those with the rank,
in their order. A strict cut takes all of these.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def split_all(places, weights, scales, sets, set_scales, k, by_gain, relaxed, order):
    """Split the segment of all points until no part can be split.

    order (n,) is permuted. Returns the starts and ends of all classes, in the order of their first position.
    """
    n = len(order)
    histogram = np.zeros(scales.shape[1], np.int64)
    out_starts, out_ends = [np.int64(0) for _ in range(0)], [np.int64(0) for _ in range(0)]
    stack_starts, stack_ends = [np.int64(0)], [np.int64(n)]
    moved, lower = np.empty(n, order.dtype), np.empty(n, np.bool_)
    while len(stack_starts) > 0:
        start, end = stack_starts.pop(), stack_ends.pop()
        cuts = balanced_cuts(
            places, weights, scales, sets, set_scales, order, start, end, k, by_gain, relaxed, True, histogram, lower
        )
        if len(cuts) == 0:
            out_starts.append(start)
            out_ends.append(end)
            continue
        mark_lower(places, order, start, end, cuts[0, 0], cuts[0, 1], cuts[0, 2], lower)
        middle = divide(order, start, end, lower, moved)
        stack_starts.append(middle)
        stack_ends.append(end)
        stack_starts.append(start)
        stack_ends.append(middle)
    return np.array(out_starts), np.array(out_ends)


@njit(cache=True, nogil=True)
def balanced_cuts(
    places, weights, scales, sets, set_scales, order, start, end, k, by_gain, relaxed, best_only, histogram, lower
):
    """Return the cut of each axis nearest to halves, (n_cuts, 3), of the widest axis or with the largest gain first.

    ``best_only``: those after the first need not be there. histogram (most values,) is zero and stays so, lower is
    filled with anything.
    """
    m = places.shape[1]
    widths, axes = np.empty(m, np.float64), np.empty(m, np.int64)
    rank_axes(places, scales, sets, set_scales, order, start, end, widths, axes, histogram)
    found, gains, n = np.empty((m, 3), np.int64), np.zeros(m, np.float64), 0
    for axis in axes:
        if widths[axis] <= 0.0:
            break
        rank, taken = balanced_cut(places, weights, order, start, end, axis, k, relaxed, histogram)
        if rank < 0:
            continue
        gain, at = 0.0, n
        if by_gain:
            mark_lower(places, order, start, end, axis, rank, taken, lower)
            gain = saved(places, weights, scales, sets, set_scales, order, start, end, lower, widths, histogram)
        while at > 0 and gains[at - 1] < gain:
            found[at], gains[at] = found[at - 1], gains[at - 1]
            at -= 1
        found[at, 0], found[at, 1], found[at, 2], gains[at] = axis, rank, taken, gain
        n += 1
        if best_only and not by_gain:
            break
    return found[:n]


@njit(cache=True, nogil=True)
def other_cuts(places, weights, scales, sets, set_scales, order, start, end, k, relaxed, histogram):
    """Return all other strict cuts, (n_cuts, 3), those of the widest axis first, and the smaller part of each."""
    m = places.shape[1]
    widths, axes = np.empty(m, np.float64), np.empty(m, np.int64)
    rank_axes(places, scales, sets, set_scales, order, start, end, widths, axes, histogram)
    found, smaller, n = np.empty((m * len(histogram), 3), np.int64), np.empty(m * len(histogram), np.int64), 0
    for axis in axes:
        if widths[axis] <= 0.0:
            break
        tried = (
            np.int64(-1) if relaxed else balanced_cut(places, weights, order, start, end, axis, k, False, histogram)[0]
        )
        total = np.int64(0)
        for p in range(start, end):
            histogram[places[order[p], axis]] += weights[order[p]]
            total += weights[order[p]]
        below = np.int64(0)
        for rank in range(len(histogram)):
            below += histogram[rank]
            if histogram[rank] > 0 and min(below, total - below) >= k and rank != tried:
                found[n, 0], found[n, 1], found[n, 2] = axis, rank, end - start
                smaller[n] = min(below, total - below)
                n += 1
            histogram[rank] = 0
    return found[:n], smaller[:n]


@njit(cache=True, nogil=True)
def rank_axes(places, scales, sets, set_scales, order, start, end, widths, axes, histogram):
    """Fill the width of each axis over a segment, and the axes by descending width, the first of equal ones first."""
    for axis in range(places.shape[1]):
        widths[axis] = _width(places, scales, sets, set_scales, order, start, end, axis, histogram)
        at = axis
        while at > 0 and widths[axes[at - 1]] < widths[axis]:
            axes[at] = axes[at - 1]
            at -= 1
        axes[at] = axis


@njit(cache=True, nogil=True)
def _width(places, scales, sets, set_scales, order, start, end, axis, histogram):
    low, high = places[order[start], axis], places[order[start], axis]
    for p in range(start + 1, end):
        place = places[order[p], axis]
        low, high = min(low, place), max(high, place)
    if not sets[axis]:
        return scales[axis, high] - scales[axis, low]
    if low == high:
        return 0.0
    different = 0
    for p in range(start, end):
        place = places[order[p], axis]
        different += histogram[place] == 0
        histogram[place] = 1
    for p in range(start, end):
        histogram[places[order[p], axis]] = 0
    return different * set_scales[axis]


@njit(cache=True, nogil=True)
def balanced_cut(places, weights, order, start, end, axis, k, relaxed, histogram):
    """Return the rank and number of the cut that comes nearest to halving the records.

    Of equally good strict cuts the lowest; of an odd number of records a relaxed cut puts one more below. The rank is
    -1 if a part would have fewer than k records.
    """
    low, high = places[order[start], axis], places[order[start], axis]
    total = np.int64(0)
    for p in range(start, end):
        place = places[order[p], axis]
        low, high = min(low, place), max(high, place)
        histogram[place] += weights[order[p]]
        total += weights[order[p]]
    below, best, cut, taken = np.int64(0), np.int64(-1), np.int64(-1), np.int64(end - start)
    half = (total + 1) // 2
    for place in range(low, high + np.int64(relaxed)):
        here = histogram[place]
        if relaxed and below < half <= below + here and total - half >= k:
            cut, taken = np.int64(place), half - below
        below += here
        smaller = min(below, total - below)
        if not relaxed and here > 0 and smaller >= k and smaller > best:
            best, cut = smaller, np.int64(place)
    for place in range(low, high + 1):
        histogram[place] = 0
    return cut, taken


@njit(cache=True, nogil=True)
def mark_lower(places, order, start, end, axis, cut, taken, lower):
    """Say which points of a segment go to the lower part: the first of lower (n,)."""
    left = taken
    for p in range(start, end):
        place = places[order[p], axis]
        lower[p - start] = place < cut or (place == cut and left > 0)
        if place == cut:
            left -= 1


@njit(cache=True, nogil=True)
def saved(places, weights, scales, sets, set_scales, order, start, end, lower, widths, histogram):
    """Return how much the records of a segment cost less after a cut, all axes together."""
    records = np.zeros(2, np.int64)
    for p in range(start, end):
        records[np.int64(lower[p - start])] += weights[order[p]]
    gain = 0.0
    for a in range(places.shape[1]):
        if widths[a] <= 0.0:
            continue
        for side in range(2):
            low, high, different = np.int64(2**31), np.int64(-1), 0
            for p in range(start, end):
                if np.int64(lower[p - start]) == side:
                    place = np.int64(places[order[p], a])
                    low, high = min(low, place), max(high, place)
                    if sets[a]:
                        different += histogram[place] == 0
                        histogram[place] = 1
            if sets[a]:
                for p in range(start, end):
                    histogram[places[order[p], a]] = 0
                width = different * set_scales[a] if different > 1 else 0.0
            else:
                width = scales[a, high] - scales[a, low]
            gain += (widths[a] - width) * records[side]
    return gain


@njit(cache=True, nogil=True)
def divide(order, start, end, lower, moved):
    """Put the lower part of a segment before the upper one, both in their order; return where the upper one starts."""
    middle, n = start, 0
    for p in range(start, end):
        if lower[p - start]:
            order[middle] = order[p]
            middle += 1
        else:
            moved[n] = order[p]
            n += 1
    for i in range(n):
        order[middle + i] = moved[i]
    return middle
