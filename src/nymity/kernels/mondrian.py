"""Cuts of Mondrian: classes as boxes of points, split at one place of one axis.

Classes are contiguous segments of an order of the points, which changes so that they stay so. A cut is an axis, a rank
and a number: points below the rank go to the lower part, and so many of those with the rank, in their order. A strict
cut takes all of these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.compiled import njit

#: No cut.
_NONE = (np.int64(-1), np.int64(-1), np.int64(-1))


class Points(NamedTuple):
    """places (m, n): rank of each point's value on each axis.

    order (n,): the points, those of a class one after another; weights (n,): their records, in that order.
    """

    places: Any
    weights: Any
    order: Any


class Axes(NamedTuple):
    """scales (m, most values): value of each rank, already weighed so that differences on all axes compare.

    sets (m,): axes whose width is the number of different values in use (times set_scales (m,)), not a distance.
    """

    scales: Any
    sets: Any
    set_scales: Any


class Scratch(NamedTuple):
    """Room to work in: histogram (most values,) is zero between calls, lower (n,) and moved (n,) are anything."""

    histogram: Any
    lower: Any
    moved: Any


class Rules(NamedTuple):
    """Records that both parts of a cut need, whether the largest gain goes first, and how cuts are made.

    relaxed: through the records with the median value. literal: after the median value, wherever that leads.
    """

    k: int
    by_gain: bool
    relaxed: bool
    literal: bool


@njit(cache=True, nogil=True)
def split_all(points, axes, rules, scratch):
    """Split the segment of all points until no part can be split; return where each class begins, ascending."""
    # An empty list, written so that numba knows its type.
    begins = [np.int64(0) for _ in range(0)]
    stack = [(np.int64(0), np.int64(len(points.order)), np.full(len(points.places), np.inf))]
    while len(stack) > 0:
        start, end, widths = stack.pop()
        if rules.by_gain:
            cut = best_cut(points, axes, rules, scratch, start, end)
        else:
            cut = widest_cut(points, axes, rules, scratch, start, end, widths)
        if cut[0] < 0:
            begins.append(start)
            continue
        middle = divide(points, scratch, start, end, cut)
        # The lower part is popped first, so that classes come out in ascending order.
        stack.append((middle, end, widths.copy()))
        stack.append((start, middle, widths))
    return np.array(begins)


@njit(cache=True, nogil=True)
def best_cut(points, axes, rules, scratch, start, end):
    """Return the first of :func:`balanced_cuts`; its axis is -1 if there is none."""
    cuts = balanced_cuts(points, axes, rules, scratch, start, end)
    return (cuts[0, 0], cuts[0, 1], cuts[0, 2]) if len(cuts) > 0 else _NONE


@njit(cache=True, nogil=True)
def widest_cut(points, axes, rules, scratch, start, end, widths):
    """Return the same as :func:`best_cut` where the widest axis goes first, and look at few axes for it.

    widths (m,): no axis is wider, since that is how wide it was before the segment was cut off. As far as it takes to
    find the widest they are made exact, and 0 where no cut is allowed: none will be in a part of the segment then. A
    literal cut may be allowed there all the same, since the median of a part is another one.
    """
    members, total = points.order[start:end], points.weights[start:end].sum()
    if total < 2 * rules.k:
        return _NONE
    exact, refused = np.zeros(len(widths), np.bool_), np.zeros(len(widths), np.bool_)
    while True:
        axis = -1
        for other in range(len(widths)):
            if not refused[other] and (axis < 0 or widths[other] > widths[axis]):
                axis = other
        if axis < 0 or widths[axis] <= 0.0:
            return _NONE
        # The widest by its upper bound: measure it, and look again which is widest. Most axes are never measured.
        if not exact[axis]:
            widths[axis], exact[axis] = _width(points.places[axis], members, axes, scratch, axis), True
            continue
        rank, taken = balanced_cut(points, rules, scratch, start, end, axis, total)
        if rank >= 0:
            return np.int64(axis), rank, taken
        refused[axis] = True
        if not rules.literal:
            widths[axis] = 0.0


@njit(cache=True, nogil=True)
def first_cuts(points, axes, rules, scratch, segments, widths):
    """Return the widest cut of each segment (n_segments, 2), (n_segments, 3), its axis -1 if there is none.

    widths (n_segments, m): what :func:`widest_cut` knows of each, and learns.
    """
    cuts = np.empty((len(segments), 3), np.int64)
    for i in range(len(segments)):
        cut = widest_cut(points, axes, rules, scratch, segments[i, 0], segments[i, 1], widths[i])
        cuts[i, 0], cuts[i, 1], cuts[i, 2] = cut
    return cuts


@njit(cache=True, nogil=True)
def best_cuts(points, axes, rules, scratch, segments):
    """Return the balanced cuts of all segments (n_segments, 2), one after another, and where those of each begin."""
    found, begins = [np.empty((0, 3), np.int64)], np.zeros(len(segments) + 1, np.int64)
    for i in range(len(segments)):
        found.append(balanced_cuts(points, axes, rules, scratch, segments[i, 0], segments[i, 1]))
        begins[i + 1] = begins[i] + len(found[-1])
    cuts = np.empty((begins[-1], 3), np.int64)
    for i in range(len(segments)):
        cuts[begins[i] : begins[i + 1]] = found[i + 1]
    return cuts, begins


@njit(cache=True, nogil=True)
def other_cuts(points, axes, rules, scratch, segments):
    """Return all other strict cuts of all segments, each segment's by descending width of axis, and where they begin.

    Also the smaller part of each cut.
    """
    m, histogram = len(points.places), scratch.histogram
    widths, ranked = np.empty(m, np.float64), np.empty(m, np.int64)
    found, begins = [(0, 0, 0, 0) for _ in range(0)], [0]
    for start, end in segments:
        total, near = points.weights[start:end].sum(), _brought_together(points, start, end)
        if total >= 2 * rules.k:
            rank_axes(near, axes, scratch, 0, end - start, widths, ranked)
        for axis in ranked:
            if total < 2 * rules.k or widths[axis] <= 0.0:
                break
            # The balanced cut of this axis was offered by best_cuts before.
            tried = balanced_cut(near, rules, scratch, 0, end - start, axis, total)[0] if not rules.relaxed else -1
            low, high = _count(near, histogram, 0, end - start, axis)
            below = np.int64(0)
            for rank in range(low, high):
                below += histogram[rank]
                smaller = min(below, total - below)
                if histogram[rank] > 0 and smaller >= rules.k and rank != tried:
                    found.append((int(axis), rank, end - start, smaller))
            histogram[low : high + 1] = 0
        begins.append(len(found))
    cuts, smaller = np.empty((len(found), 3), np.int64), np.empty(len(found), np.int64)
    for i in range(len(found)):
        cuts[i, 0], cuts[i, 1], cuts[i, 2], smaller[i] = found[i]
    return cuts, np.array(begins), smaller


@njit(cache=True, nogil=True)
def parts_of(points, segments, cuts):
    """Return the points of both parts of cuts (n, 3) of segments (n, 2), one cut after another: (place, part).

    The parts of the i-th cut are 2 i and 2 i + 1.
    """
    n = (segments[:, 1] - segments[:, 0]).sum()
    inside, part, at = np.empty(n, np.int64), np.empty(n, np.uint32), 0
    lower = np.empty(len(points.order), np.bool_)
    for i in range(len(cuts)):
        start, end = segments[i]
        mark_lower(points, start, end, cuts[i], lower)
        for p in range(end - start):
            inside[at], part[at] = start + p, 2 * i + (not lower[p])
            at += 1
    return inside, part


@njit(cache=True, nogil=True)
def divide_all(points, scratch, segments, cuts):
    """Cut segments (n, 2), each with its cut (n, 3); return where the upper part of each begins."""
    middles = np.empty(len(cuts), np.int64)
    for i in range(len(cuts)):
        middles[i] = divide(points, scratch, segments[i, 0], segments[i, 1], cuts[i])
    return middles


@njit(cache=True, nogil=True)
def balanced_cuts(points, axes, rules, scratch, start, end):
    """Return the cut of each axis nearest to halves, (n_cuts, 3), of the widest axis or with the largest gain first."""
    m = len(points.places)
    found, gains, n = np.empty((m, 3), np.int64), np.zeros(m, np.float64), 0
    total = points.weights[start:end].sum()
    if total < 2 * rules.k:
        return found[:0]
    widths, ranked = np.empty(m, np.float64), np.empty(m, np.int64)
    near = _brought_together(points, start, end)
    rank_axes(near, axes, scratch, 0, end - start, widths, ranked)
    for axis in ranked:
        if widths[axis] <= 0.0:
            break
        rank, taken = balanced_cut(near, rules, scratch, 0, end - start, axis, total)
        if rank < 0:
            continue
        cut, at, gain = np.array([axis, rank, taken]), n, 0.0
        if rules.by_gain:
            gain = saved(near, axes, scratch, 0, end - start, cut, widths)
        # Strictly smaller: of equal gains the wider axis, which came first, stays first.
        while at > 0 and gains[at - 1] < gain:
            found[at], gains[at] = found[at - 1], gains[at - 1]
            at -= 1
        found[at], gains[at] = cut, gain
        n += 1
    return found[:n]


@njit(cache=True, nogil=True)
def _brought_together(points, start, end):
    """Return the points of a segment alone, in their order: faster to go through many times."""
    members, m = points.order[start:end], len(points.places)
    places = np.empty((m, len(members)), points.places.dtype)
    for axis in range(m):
        for i in range(len(members)):
            places[axis, i] = points.places[axis, members[i]]
    return Points(places, points.weights[start:end], np.arange(len(members)))


@njit(cache=True, nogil=True)
def rank_axes(points, axes, scratch, start, end, widths, ranked):
    """Fill the width of each axis over a segment, and the axes by descending width, the first of equal ones first."""
    for axis in range(len(points.places)):
        widths[axis] = _width(points.places[axis], points.order[start:end], axes, scratch, axis)
        at = axis
        while at > 0 and widths[ranked[at - 1]] < widths[axis]:
            ranked[at] = ranked[at - 1]
            at -= 1
        ranked[at] = axis


@njit(cache=True, nogil=True)
def _width(places, members, axes, scratch, axis):
    """Return how wide an axis with places (n,) is over some points."""
    low, high = places[members[0]], places[members[0]]
    for i in members:
        low, high = min(low, places[i]), max(high, places[i])
    if not axes.sets[axis]:
        return axes.scales[axis, high] - axes.scales[axis, low]
    if low == high:
        return 0.0
    different = 0
    for i in members:
        different += scratch.histogram[places[i]] == 0
        scratch.histogram[places[i]] = 1
    scratch.histogram[low : high + 1] = 0
    return different * axes.set_scales[axis]


@njit(cache=True, nogil=True)
def balanced_cut(points, rules, scratch, start, end, axis, total):
    """Return the rank and number of the cut that comes nearest to halving the records, ``total`` of them.

    Of equally good strict cuts the lowest; of an odd number of records a relaxed cut puts one more below. A literal cut
    takes the median, which is the least value that half of the records do not exceed, and no other. The rank is -1 if a
    part would have fewer than k records.
    """
    histogram = scratch.histogram
    low, high = _count(points, histogram, start, end, axis)
    below, best, cut, taken = np.int64(0), np.int64(-1), np.int64(-1), np.int64(end - start)
    half = (total + 1) // 2
    # A strict cut leaves something above it, so none is at the highest rank; a relaxed one may go through it.
    for place in range(low, high + rules.relaxed):
        here = histogram[place]
        if rules.relaxed and below < half <= below + here and total - half >= rules.k:
            cut, taken = np.int64(place), half - below
        below += here
        smaller = min(below, total - below)
        if rules.literal:
            if below - here < half <= below and smaller >= rules.k:
                cut = np.int64(place)
        elif not rules.relaxed and here > 0 and smaller >= rules.k and smaller > best:
            best, cut = smaller, np.int64(place)
    histogram[low : high + 1] = 0
    return cut, taken


@njit(cache=True, nogil=True)
def _count(points, histogram, start, end, axis):
    """Count the records of each rank of a segment; return the least and the greatest rank."""
    places, members, weights = points.places[axis], points.order[start:end], points.weights[start:end]
    low = high = np.int64(places[members[0]])
    for i in range(len(members)):
        place = np.int64(places[members[i]])
        low, high = min(low, place), max(high, place)
        histogram[place] += weights[i]
    return low, high


@njit(cache=True, nogil=True)
def mark_lower(points, start, end, cut, lower):
    """Return which points of a segment go to the lower part: the first of lower (n,)."""
    axis, rank, left = cut
    places, members = points.places[axis], points.order[start:end]
    for i in range(len(members)):
        place = places[members[i]]
        here = place == rank
        lower[i] = place < rank or (here and left > 0)
        # Falls below 0 after the last one that is taken; only its sign is asked for.
        left -= here


@njit(cache=True, nogil=True)
def saved(points, axes, scratch, start, end, cut, widths):
    """Return how much the records of a segment cost less after a cut, all axes together."""
    mark_lower(points, start, end, cut, scratch.lower)
    parts, weights = points.order[start:end].copy(), points.weights[start:end].copy()
    middle = _lower_first(parts, scratch.lower, scratch.moved)
    _lower_first(weights, scratch.lower, scratch.moved)
    below, above = weights[:middle].sum(), weights[middle:].sum()
    gain = 0.0
    for axis in range(len(points.places)):
        if widths[axis] > 0.0:
            places = points.places[axis]
            gain += (widths[axis] - _width(places, parts[middle:], axes, scratch, axis)) * above
            gain += (widths[axis] - _width(places, parts[:middle], axes, scratch, axis)) * below
    return gain


@njit(cache=True, nogil=True)
def divide(points, scratch, start, end, cut):
    """Put the lower part of a segment before the upper one, both in their order; return where the upper one starts."""
    mark_lower(points, start, end, cut, scratch.lower)
    _lower_first(points.weights[start:end], scratch.lower, scratch.moved)
    return start + _lower_first(points.order[start:end], scratch.lower, scratch.moved)


@njit(cache=True, nogil=True)
def _lower_first(row, lower, moved):
    """Move what belongs to the lower part to the front; return how much that is."""
    n = 0
    for i in range(len(row)):
        # i points were seen, n of them go below: the others wait in ``moved``. No branch, since the answer is random.
        moved[i - n] = row[i]
        row[n] = row[i]
        n += lower[i]
    for i in range(len(row) - n):
        row[n + i] = moved[i]
    return n
