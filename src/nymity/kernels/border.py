"""The border between solutions and the rest of a lattice, for models that ask for a class size alone.

Intervals [bottom, top] of the lattice are settled depth first. Everything above a solution is a solution and everything
below another node is none, so an interval is settled by its top being none or its bottom being one; any other is split
in two along one attribute.

Each interval carries the classes of a node at or below its bottom, from which its own nodes are derived: at first as
a grouping (see :mod:`nymity.kernels.rollup`), and once the combinations of generalized values are not many more than
the classes, as a *cube*: the records of every combination, (cells,) in C order of the attributes by ``order``. A cell
counts up to the smallest class accepted, so that it fits a byte for small k. Raising a level of a cube adds slices,
without hashing or sorting. The attributes raised last, and so most often, are the outer ones: their slices are the
longest.

tags, one per node in C order: SOLUTION, NO_SOLUTION, or UNKNOWN.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit
from nymity.kernels.rollup import roll_up, roll_up_pivot

UNKNOWN, SOLUTION, NO_SOLUTION = np.int8(0), np.int8(1), np.int8(-1)
#: Bytes of a cube at most.
_MOST_BYTES = 2**24
#: Costs that differ by less than this share are ties, with room for the rounding of sums.
_TIE = 4e-12


@njit(cache=True, nogil=True)
def settle(
    keys, block, codes, weights, low, high, limit, smallest, pivot,
    order, map_at, width, maps, word, shift, mask, no_cube, bytes_a_class, tags, budget, cost, least,
):  # fmt: skip
    """Tag nodes between ``low`` and ``high`` until all are settled or ``budget`` are checked; return how many were.

    cost (n_attributes, n_levels) rises with the level: nodes whose levels cost more together than ``least``, or than a
    solution that was found, are left UNKNOWN. Returned second is the least of these.

    keys ... weights: the grouping of the raw table. limit: records that may be suppressed; smallest: records of an
    accepted class. order (n_attributes,): attributes of a cube, the outermost first. map_at (n_attributes, n_levels,
    n_levels): where the table between two levels of an attribute starts in ``maps``; width (n_attributes, n_levels):
    codes of each level. word, shift, mask (n_attributes,): bit fields of the key. no_cube (0,): of the type of
    a cube's cells, which twice ``smallest`` must fit; bytes_a_class: how large a cube may be for each class of the
    grouping it is made from. Called again, it goes on from the tags.
    """
    layout = (pivot, order, map_at, width, maps, word, shift, mask, smallest, bytes_a_class)
    m, checks = len(low), 0
    depth = np.sum(high - low) + 2  # every split takes a level off and leaves one interval waiting
    below = [(keys, block, codes, weights, no_cube) for _ in range(depth)]
    levels = np.zeros((depth, m), np.int64)
    bottoms, tops = np.empty((depth, m), np.int64), np.empty((depth, m), np.int64)
    bottoms[0], tops[0] = low, high
    waiting = 1
    while waiting > 0 and checks < budget:
        waiting -= 1
        at, bottom, top, classes = levels[waiting].copy(), bottoms[waiting].copy(), tops[waiting].copy(), below[waiting]
        # Where the bottom is settled, which a part has from the whole, a step up is the least that is left.
        here, step = _sum_at(cost, bottom), np.inf
        for a in range(m):
            if top[a] > bottom[a]:
                step = min(step, cost[a, bottom[a] + 1] - cost[a, bottom[a]])
        if here + (0 if tags[_number(low, high, bottom)] == UNKNOWN else step) > least * (1 + _TIE):
            continue
        if not _sweep(tags, low, high, bottom, top, UNKNOWN):
            continue
        # The top first: it is the cheapest node of the interval, and if it is no solution, nothing in the interval is.
        if tags[_number(low, high, top)] == UNKNOWN:
            checks += 1
            if not _tag(tags, low, high, top, _lost(_raised(classes, at, top, layout), smallest) <= limit):
                continue
            least = min(least, _sum_at(cost, top))
        # Both parts begin at or above the bottom, so its classes are what each of their nodes is derived from.
        classes = _raised(classes, at, bottom, layout)
        if tags[_number(low, high, bottom)] == UNKNOWN:
            checks += 1
            if _tag(tags, low, high, bottom, _lost(classes, smallest) <= limit):
                least = min(least, here)
                continue
        # Where most values merge, the two parts differ most in what they suppress: one of them is settled soon.
        axis = _longest_way(width, bottom, top)
        for part in range(2):  # the lower part, which keeps bottom's level, is settled first
            below[waiting] = classes
            levels[waiting], bottoms[waiting], tops[waiting] = bottom, bottom, top
            if part == 0:
                bottoms[waiting, axis] += 1
            else:
                tops[waiting, axis] = bottom[axis]
            waiting += 1
    return checks, least


@njit(cache=True, nogil=True)
def settle_classes(
    keys, block, codes, weights, low, high, limit, smallest, pivot,
    order, map_at, width, maps, word, shift, mask, no_cube, bytes_a_class, tags, budget, best,
):  # fmt: skip
    """Look for the solutions with most classes; return how many were checked, that number, and the nodes with so many.

    Classes are kept ones, and one more where records are suppressed. Arguments are those of :func:`settle`, and
    ``best``, the number that was found before. Nodes are tagged NO_SOLUTION, or SOLUTION where no other than those that
    were returned has as many classes. No node above another has more than

        kept there + floor(suppressed there / smallest), and one if any are suppressed there

    and in an interval records that its top suppresses make no class: they are suppressed everywhere below.
    """
    layout = (pivot, order, map_at, width, maps, word, shift, mask, smallest, bytes_a_class)
    m, checks = len(low), 0
    depth = np.sum(high - low) + 2
    below = [(keys, block, codes, weights, no_cube) for _ in range(depth)]
    levels = np.zeros((depth, m), np.int64)
    bottoms, tops = np.empty((depth, m), np.int64), np.empty((depth, m), np.int64)
    bottoms[0], tops[0] = low, high
    # An interval and what is known of it lie in the same row of all these arrays.
    gone = np.full(depth, -1)  # what the top suppresses, -1 before it is checked
    reached, n_reached = np.empty((64, m), np.int64), 0
    waiting = 1
    while waiting > 0 and checks < budget:
        waiting -= 1
        at, bottom, top, classes = levels[waiting].copy(), bottoms[waiting].copy(), tops[waiting].copy(), below[waiting]
        lost_above = gone[waiting]
        if not _sweep(tags, low, high, bottom, top, UNKNOWN):
            continue
        for end in range(2):  # the top, then the bottom, whose classes both parts are derived from
            node = top if end == 0 else bottom
            number = _number(low, high, node)
            if end == 0 and (lost_above >= 0 or tags[number] != UNKNOWN):
                continue
            raised = _raised(classes, at, node, layout)
            lost, kept = _lost(raised, smallest), _kept(raised, smallest)
            total = kept + (lost > 0)
            if tags[number] == UNKNOWN:
                checks += 1
                if lost <= limit and total >= best:
                    n_reached = 0 if total > best else n_reached
                    best = total
                    if n_reached == len(reached):
                        reached = np.concatenate((reached, np.empty_like(reached)))
                    reached[n_reached] = node
                    n_reached += 1
                tags[number] = SOLUTION
            if end == 0:
                lost_above = lost
                if lost > limit:
                    _sweep(tags, low, high, low, node, NO_SOLUTION)
                    break
            else:
                classes = raised
                # No node above the bottom can have as many classes as the best.
                if kept + lost // smallest + (lost > 0) < best:
                    _sweep(tags, low, high, node, high, SOLUTION)
                # Nor any in this interval: what its top suppresses makes no class in it.
                elif kept + (lost - max(lost_above, 0)) // smallest + (lost > 0) < best:
                    _sweep(tags, low, high, node, top, SOLUTION)
        if not _sweep(tags, low, high, bottom, top, UNKNOWN):
            continue
        axis = _longest_way(width, bottom, top)
        for part in range(2):
            below[waiting] = classes
            levels[waiting], bottoms[waiting], tops[waiting], gone[waiting] = bottom, bottom, top, lost_above
            if part == 0:
                bottoms[waiting, axis] += 1
            else:
                tops[waiting, axis] = bottom[axis]
                # The lower part has another top, which was not counted.
                gone[waiting] = -1
            waiting += 1
    return checks, best, reached[:n_reached]


@njit(cache=True, nogil=True)
def _sum_at(cost, node):
    total = 0.0
    for a in range(len(node)):
        total += cost[a, node[a]]
    return total


@njit(cache=True, nogil=True)
def _longest_way(width, bottom, top):
    """Return the attribute whose number of values shrinks most from bottom to top."""
    best, most = 0, 0.0
    for a in range(len(bottom)):
        ratio = width[a, bottom[a]] / width[a, top[a]]
        if top[a] > bottom[a] and ratio > most:
            best, most = a, ratio
    return best


# -- classes of a node ---------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _raised(classes, levels, node, layout):
    """Return the classes of ``node`` from those of a node below; as a cube where that is not too large."""
    keys, block, codes, weights, cube = classes
    pivot, order, map_at, width, maps, word, shift, mask, _, bytes_a_class = layout
    if len(cube) > 0:
        return keys, block, codes, weights, _add_slices(cube, levels, node, layout)
    # In floats, because the product of all widths can be beyond 64 bits.
    n_bytes = float(cube.itemsize)
    for a in order:
        n_bytes *= width[a, node[a]]
    if n_bytes <= min(bytes_a_class * len(block), _MOST_BYTES):
        return keys, block, codes, weights, _cube(classes, levels, node, layout)
    if levels[pivot] != node[pivot]:
        table = maps[map_at[pivot, levels[pivot], node[pivot]] :]
        block, codes, weights = roll_up_pivot(block, codes, weights, table, width[pivot, levels[pivot]])
    changed = np.array([a for a in range(len(node)) if a != pivot and levels[a] != node[a]], np.uint64)
    if len(changed) > 0:
        at = np.array([map_at[a, levels[a], node[a]] for a in changed], np.uint64)
        keys, block, codes, weights = roll_up(
            keys, block, codes, weights, changed, word, shift, mask, at, maps, width[pivot, node[pivot]]
        )
    return keys, block, codes, weights, cube


@njit(cache=True, nogil=True)
def _cube(classes, levels, node, layout):
    """Return the cube of ``node`` from the grouping of a node below."""
    keys, block, codes, weights, no_cube = classes
    pivot, order, map_at, width, maps, word, shift, mask, smallest, _ = layout
    place, pivot_place = np.zeros(len(keys), np.uint64), np.empty(0, np.uint64)  # what each code adds to the index
    stride = np.uint64(1)
    for a in order[::-1]:
        to = np.arange(width[a, levels[a]]).astype(np.uint64)
        if levels[a] != node[a]:
            start = map_at[a, levels[a], node[a]]
            to[:] = maps[start : start + len(to)]
        to *= stride
        stride *= np.uint64(width[a, node[a]])
        if a == pivot:
            pivot_place = to
        elif width[a, node[a]] > 1:
            for b in range(len(keys)):
                place[b] += to[(keys[b, word[a]] >> shift[a]) & mask[a]]
    cube = np.zeros(stride, no_cube.dtype)
    for e in range(len(block)):
        cell = place[block[e]] + pivot_place[codes[e]]
        cube[cell] = min(cube[cell] + weights[e], smallest)
    return cube


@njit(cache=True, nogil=True)
def _add_slices(cube, levels, node, layout):
    """Return the cube of a node above."""
    _, order, map_at, width, maps, _, _, _, smallest, _ = layout
    outer, inner = 1, len(cube)
    for a in order:
        old, new = width[a, levels[a]], width[a, node[a]]
        inner //= old
        if levels[a] != node[a]:
            table = maps[map_at[a, levels[a], node[a]] :]
            # The cube as (outer, old, inner): slices whose codes merge are added up in (outer, new, inner).
            higher = np.zeros(outer * new * inner, cube.dtype)
            for o in range(outer):
                for code in range(old):
                    _add(higher[(o * new + table[code]) * inner :], cube[(o * old + code) * inner :], inner, smallest)
            cube = higher
        outer *= new
    return cube


@njit(cache=True, nogil=True)
def _add(to, values, n, most):
    for i in range(n):
        # Both are ``most`` at the most, and a cell holds twice that: the sum does not overflow before it is cut.
        to[i] += values[i]
        to[i] = min(to[i], most)


@njit(cache=True, nogil=True)
def _lost(classes, smallest):
    """Return how many records are in classes that are too small."""
    _, _, _, weights, cube = classes
    return _sum_below(cube, smallest) if len(cube) > 0 else _sum_below(weights, smallest)


@njit(cache=True, nogil=True)
def _sum_below(sizes, smallest):
    total = np.uint32(0)  # there are fewer than 2^31 records; a wider sum would take twice the time
    for size in sizes:
        total = np.uint32(total + np.uint32(size * (size < smallest)))
    return np.int64(total)


@njit(cache=True, nogil=True)
def _kept(classes, smallest):
    """Return how many classes are not too small; a cube has empty cells, which are none."""
    _, _, _, weights, cube = classes
    return _count_from(cube, max(smallest, 1)) if len(cube) > 0 else _count_from(weights, smallest)


@njit(cache=True, nogil=True)
def _count_from(sizes, smallest):
    total = np.uint32(0)
    for size in sizes:
        total = np.uint32(total + np.uint32(size >= smallest))
    return np.int64(total)


# -- tags ----------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _tag(tags, low, high, node, solves):
    """Tag a node and all that follows from it; return ``solves``."""
    if solves:
        _sweep(tags, low, high, node, high, SOLUTION)
    else:
        _sweep(tags, low, high, low, node, NO_SOLUTION)
    return solves


@njit(cache=True, nogil=True)
def _sweep(tags, low, high, bottom, top, tag):
    """Give every node of an interval a tag; if that is UNKNOWN, only say whether there is a node without one."""
    # The last attributes, as far as the interval spans them in full, make one run of adjacent tags.
    last, run = len(low) - 1, 1
    while last > 0 and top[last] - bottom[last] == high[last] - low[last]:
        run *= high[last] - low[last] + 1
        last -= 1
    stride = np.empty(last + 1, np.int64)  # of the attributes that vary from run to run
    stride[last] = run
    for a in range(last, 0, -1):
        stride[a - 1] = stride[a] * (high[a] - low[a] + 1)
    run *= top[last] - bottom[last] + 1
    start = _number(low, high, bottom)
    current = np.zeros(last + 1, np.int64)
    while True:
        for i in range(start, start + run):
            if tag != UNKNOWN:
                tags[i] = tag
            elif tags[i] == UNKNOWN:
                return True
        a = last - 1
        while a >= 0 and current[a] == top[a] - bottom[a]:
            start -= current[a] * stride[a]
            current[a] = 0
            a -= 1
        if a < 0:
            return False
        current[a] += 1
        start += stride[a]


@njit(cache=True, nogil=True)
def _number(low, high, node):
    number = 0
    for a in range(len(node)):
        number = number * (high[a] - low[a] + 1) + node[a] - low[a]
    return number
