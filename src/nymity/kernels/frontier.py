"""Best-first branch and bound over intervals of a lattice, many steps in one call.

:mod:`nymity.lattice.frontier` has the method in words; this does the same where classes are judged by a rule that is
known here, and losses are a formula of what is known here. What is known of one node:

    counts    (N_COUNTS,)     as in :mod:`nymity.kernels.statistics`
    lost      (n_attributes,) sums over suppressed records, by leaves or costs of their cells
    further   (n_attributes,) what some losses ask for besides: lost entropy, or what rows cover (kept, all)

A rule (kind, smallest, l, numerators, denominators, caps, few, nodes, table, n, t) says which classes are accepted:

    SIZES      those with ``smallest`` records; the pivot is a quasi-identifier and classes are entries. In all others
               the pivot is the sensitive attribute and classes are blocks of at least ``smallest`` records and l
               different values (with fewer no part of them is accepted either), which have
    DISTINCT   nothing else
    CAPS       count * denominator <= numerator * size of every value; ``caps`` are the same shares,
               rounded, and ``few`` what they allow of few records
    CLOSE      a distance of at most t from the table; see :mod:`nymity.kernels.closeness`

A form (kind, base, rate, share, weights, scale, everything, dearest) says what a node between two loses at least, from
the levels l of the lower one and S suppressed records of the upper one, and what it loses if they are the same:

    SUM, GEOMETRIC, MAXIMUM  of the parts base[a, l] + S * rate[a, l] + share[a] * lost[a], weighted; of lost[a] no more
               than S * dearest[a, l], which S cells of the lower node can have
    SQUARES    scale * 2^(sum of base[a, l]) + S * (n - min(S, smallest - 1)); a node itself: squares + n * S
    COVERED    scale * 2^(sum of base[a, l]) + S * everything - what those rows cover; a node itself: without bound
"""

from __future__ import annotations

import heapq

import numpy as np

from nymity.kernels.caps import keeps_caps, most_of_class
from nymity.kernels.closeness import close_of_class
from nymity.kernels.compiled import njit
from nymity.kernels.dominance import any_above
from nymity.kernels.rollup import roll_up, roll_up_pivot
from nymity.kernels.statistics import (
    N_COUNTS,
    SQUARES,
    SUPPRESSED,
    count_sizes,
    covered_products,
    lost_entropy,
    summarize,
    weigh_lost,
)

SIZES, DISTINCT, CAPS, CLOSE = 0, 1, 2, 3
SUM, GEOMETRIC, MAXIMUM, SUM_OF_SQUARES, SUM_OF_COVERED = 0, 1, 2, 3, 4
NOTHING, ENTROPY, COVER = 0, 1, 2

#: Losses that differ by less than this share are ties, with room for the rounding of bounds.
_TIE = 4e-12
#: Bytes of materialized nodes; when there are more, all are forgotten.
_MOST_BYTES = 2**27
#: A predecessor with more entries is left by way of a waypoint.
_WAYPOINT_ENTRIES = 1_000
#: One with more is left by way of a second one.
_MANY_ENTRIES = 10_000
#: What was checked is kept if it has so many times fewer entries than what it was rolled up from: histograms take
#: longer to roll up than to copy.
_WORTH_KEEPING = 1.5
#: Cells for each entry up to which counting is faster than hashing and sorting.
_CELLS_AN_ENTRY = 4
#: More than any sum over suppressed records.
_ANY = 2.0**62


@njit(cache=True, nogil=True)
def advance(root, layout, rule, form, prefer, further, limit, best, ceiling, true, waiting, ruled_out, budget):
    """Look at intervals until all that are left lose more than the best node, or ``budget`` nodes are checked.

    root (keys, block, codes, weights): the grouping of the raw table. layout (pivot, pivot_size, map_at, width, maps,
    word, shift, mask, leaf_at, leaves): see :mod:`nymity.kernels.border`; leaf_at (n_attributes, n_levels):
    where the leaf counts of a level start in ``leaves``. prefer (n_attributes, n_levels): an interval is split where
    this rises most. further: which statistics the loss asks for besides. limit: records that a solution may suppress.

    best: the least loss so far by what is counted here. Intervals that lose more than ``ceiling`` are dropped; if what
    is counted here is ``true``, that is the best. waiting (bounds (w,), bottoms (w, m), tops (w, m), gone (w,),
    lost (w, m)): open intervals, and what each of their nodes suppresses. ruled_out (r, m): nodes that suppress too
    much.

    Returns the nodes checked; the least loss; open intervals and nodes ruled out in the same form; and levels (E, m),
    counts (E, N_COUNTS), lost (E, m), further (E, m) and losses (E,) of nodes: of all where nothing further is asked
    for and sizes decide, otherwise of solutions that lose no more than the ceiling.
    """
    bounds, bottoms, tops, gone, lost = waiting
    m, checks = bottoms.shape[1], 0
    n, room = len(bounds), max(256, 2 * len(bounds))
    bounds, gone = _longer(bounds, room), _longer(gone, room)
    bottoms, tops, lost = _wider(bottoms, room), _wider(tops, room), _wider(lost, room)
    queue = [(bounds[i], i) for i in range(n)]
    heapq.heapify(queue)
    n_ruled, out = len(ruled_out), _wider(ruled_out, max(64, 2 * len(ruled_out)))
    # Levels and entries of what is materialized lie apart: to look through a list of arrays takes many times as long.
    kept, kept_levels, kept_entries, kept_bytes = [root], np.zeros((64, m), np.int64), np.zeros(64, np.int64), 0
    kept_entries[0] = len(root[1])
    found_levels, found_counts = np.empty((budget, m), np.int64), np.empty((budget, N_COUNTS), np.int64)
    found_lost, found_further = np.empty((budget, m), np.int64), np.empty((budget, max(m, 2)))
    found_loss, n_found = np.empty(budget), 0
    many = _MANY_ENTRIES if rule[0] == SIZES else len(root[1])  # histograms hardly shrink on such a short way
    counts, lost_here, least = np.empty(N_COUNTS, np.int64), np.empty(m, np.int64), np.empty(m + 1, np.int64)
    further_here, lost_above = np.zeros(max(m, 2)), np.zeros(max(m, 2))
    bottom, top, node = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m, np.int64)
    while len(queue) > 0 and checks < budget:
        bound, i = heapq.heappop(queue)
        if bound > best * (1 + _TIE):
            if bound > ceiling * (1 + _TIE):
                queue.clear()
            else:
                heapq.heappush(queue, (bound, i))
            break
        bottom[:], top[:] = bottoms[i], tops[i]
        axis, most = -1, -1.0
        for a in range(m):
            if top[a] > bottom[a] and prefer[a, top[a]] - prefer[a, bottom[a]] > most:
                axis, most = a, prefer[a, top[a]] - prefer[a, bottom[a]]
        if axis < 0:
            continue
        # The upper part has the same top; only its bottom, and so its bound, rises. It takes the place of the whole.
        level = bottom[axis]
        bottoms[i, axis] = top[axis]
        if (bottoms[i] < top).any():
            bounds[i] = max(bound, _floor(form, bottoms[i], gone[i], lost[i], rule[1]))
            if bounds[i] <= ceiling * (1 + _TIE):
                heapq.heappush(queue, (bounds[i], i))
        bottom[axis] = level
        node[:] = top
        node[axis] -= 1
        if any_above(out[:n_ruled], node):
            continue
        at = _smallest_below(kept_levels, kept_entries[: len(kept)], node)
        grouping, levels = kept[at], kept_levels[at].copy()
        # A level below in every attribute, where most neighbours start; then, for those of this interval, not below it.
        for least_entries, waypoint in (
            (_WAYPOINT_ENTRIES, np.maximum(levels, node - 1)),
            (many, np.maximum(np.maximum(levels, node - 1), bottom)),
        ):
            far = (waypoint != levels).any() and (waypoint != node).any()
            if far and len(grouping[1]) > least_entries:
                grouping, levels = _rolled(grouping, levels, waypoint, layout), waypoint
                kept_levels, kept_entries, kept_bytes = _keep(
                    kept, kept_levels, kept_entries, kept_bytes, grouping, levels
                )
        checks, n_entries = checks + 1, len(grouping[1])
        grouping = _rolled(grouping, levels, node, layout)
        if rule[0] != SIZES and len(grouping[1]) * _WORTH_KEEPING < n_entries:
            kept_levels, kept_entries, kept_bytes = _keep(kept, kept_levels, kept_entries, kept_bytes, grouping, node)
        told = _measure(
            grouping, node, layout, rule, form, further, limit, ceiling, counts, lost_here, least, further_here
        )
        # What no node below can keep either: where it is beyond the limit, all nodes below are ruled out, too.
        suppressed = least[m]
        if suppressed > limit:
            if n_ruled == len(out):
                out = _wider(out, 2 * n_ruled)
            out[n_ruled] = node
            n_ruled += 1
        else:
            _above(form, further, least, further_here, lost_above)
            if (bottom < node).any():
                floor = max(bound, _floor(form, bottom, suppressed, lost_above, rule[1]))
                if floor <= ceiling * (1 + _TIE):
                    if n == len(bounds):
                        bounds, gone = _longer(bounds, 2 * n), _longer(gone, 2 * n)
                        bottoms, tops, lost = _wider(bottoms, 2 * n), _wider(tops, 2 * n), _wider(lost, 2 * n)
                    bounds[n], bottoms[n], tops[n], gone[n], lost[n] = floor, bottom, node, suppressed, lost_above
                    heapq.heappush(queue, (floor, n))
                    n += 1
        if not told:
            continue
        value = np.inf
        if counts[SUPPRESSED] <= limit:
            value = _value(form, further, node, counts, lost_here, further_here)
            best = min(best, value)
            ceiling = best if true else ceiling
        if value <= ceiling * (1 + _TIE) or (further == NOTHING and rule[0] == SIZES):
            found_levels[n_found], found_counts[n_found], found_lost[n_found] = node, counts, lost_here
            found_further[n_found], found_loss[n_found] = further_here, value
            n_found += 1
    # Intervals that were closed keep their place in the arrays; only those in the queue are handed back.
    still = np.array([i for _, i in queue], np.int64)
    open_intervals = bounds[still], bottoms[still], tops[still], gone[still], lost[still]
    found = (
        found_levels[:n_found], found_counts[:n_found], found_lost[:n_found], found_further[:n_found],
        found_loss[:n_found],
    )  # fmt: skip
    return checks, best, open_intervals, out[:n_ruled], found


# -- one node ------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _measure(grouping, node, layout, rule, form, further, limit, ceiling, counts, lost, least, further_out):
    """Fill what is known of a node, and ``least`` (n_attributes + 1,): lost, and last the records, of every node below.

    Returns False if nothing but ``least`` is filled, because that much is beyond the limit or the ceiling already. What
    a loss asks for further is counted for solutions alone.
    """
    keys, block, codes, weights = grouping
    pivot, _, _, _, _, word, shift, mask, leaf_at, leaves = layout
    smallest, m, none = rule[1], len(node), np.int64(-1)  # plain numbers have what takes them compiled once more
    at = np.empty(m, np.uint64)
    for a in range(m):
        at[a] = leaf_at[a, node[a]]
    if rule[0] == SIZES:
        gone_of_block = np.zeros((1, len(keys)), np.uint32)
        of_pivot = count_sizes(block, codes, weights, smallest, leaves[at[pivot] :], counts, gone_of_block[0])
        weigh_lost(keys, gone_of_block, pivot, word, shift, mask, at, leaves, lost.reshape((1, m)))
        lost[pivot] = of_pivot
        least[:m], least[m] = lost, counts[SUPPRESSED]
        if further != NOTHING and counts[SUPPRESSED] <= limit:
            _measure_further(grouping, node, at, layout, smallest, further, further_out)
        return True
    sizes, gone, gone_below = _judge(grouping, rule)
    least[m] = gone_below.sum()
    if least[m] > limit:
        return False
    weigh_lost(keys, gone_below.reshape((1, len(keys))), none, word, shift, mask, at, leaves, least[:m].reshape((1, m)))
    # What the node itself refuses, of cells as dear as can be: most nodes are ruled out without a look at cells.
    if _floor(form, node, gone.sum(), np.full(m, _ANY), smallest) > ceiling * (1 + _TIE):
        return False
    blocks = np.arange(len(keys)).astype(np.uint32)
    summarize(keys, blocks, sizes, gone, codes, none, word, shift, mask, at, leaves, counts, lost)
    return True


@njit(cache=True, nogil=True)
def _measure_further(grouping, node, at, layout, smallest, further, out):
    """Fill the lost entropy of each attribute, or (kept, all) that rows cover."""
    keys, block, codes, weights = grouping
    pivot, _, _, width, _, word, shift, mask, _, leaves = layout
    gone = np.where(weights < smallest, weights, np.uint32(0))
    if further == ENTROPY:
        values = np.empty(len(node), np.int64)
        for a in range(len(node)):
            values[a] = width[a, node[a]]
        lost_entropy(keys, block, weights, gone, codes, pivot, word, shift, mask, values, out[: len(node)])
    else:
        kept, everything = covered_products(keys, block, weights, gone, codes, pivot, word, shift, mask, at, leaves)
        out[0], out[1] = kept, everything


@njit(cache=True, nogil=True)
def _judge(grouping, rule):
    """Return sizes of the classes, the records that are refused, and those that any node below refuses of each."""
    keys, block, codes, weights = grouping
    kind, smallest, least_values, numerators, denominators, caps, few, nodes, table, n, t = rule
    sizes, gone, gone_below = (
        np.zeros(len(keys), np.uint32),
        np.zeros(len(keys), np.uint32),
        np.zeros(len(keys), np.uint32),
    )
    held, wanted = np.empty(nodes.size, np.int64), np.empty(nodes.size, np.int64)
    found, stop, total = np.zeros(len(table), np.int64), np.zeros(len(keys), np.uint32), np.uint32(0)
    for e in range(np.uint64(len(block))):  # the last entry of a class leaves where it ends, and the sum up to there
        total += weights[e]
        sizes[block[e]], stop[block[e]] = total, e + np.uint64(1)
    first, before = np.uint32(0), np.uint32(0)
    for b in range(len(keys)):
        end, before, sizes[b] = stop[b], sizes[b], sizes[b] - before
        size = np.int64(sizes[b])
        most = size
        if size < smallest or end - first < least_values:
            most = np.int64(0)
        elif kind == CAPS:
            most = most_of_class(codes, weights, first, end, size, caps, few)
            # What keeps the caps is never bounded by less than all of it, so few classes have to be looked at exactly.
            if most == size and not keeps_caps(codes, weights, first, end, size, numerators, denominators):
                most -= 1
        elif kind == CLOSE:
            close, most = close_of_class(codes, weights, first, end, size, nodes, table, n, t, found, held, wanted)
            most = size if close else min(most, size - 1)
        if most < smallest:  # no part of so few records is accepted
            most = np.int64(0)
        # Refused whole, or not at all; below, the records may be in classes that keep some of them.
        gone[b] = 0 if most == size else sizes[b]
        gone_below[b] = size - most
        first = end
    return sizes, gone, gone_below


# -- losses --------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _above(form, further, least, further_here, out):
    """Fill what bounds take from an upper node: what was lost by attribute, or what a loss asked for besides."""
    m = len(least) - 1
    if form[0] == SUM_OF_COVERED:
        out[:] = 0.0
        out[0] = max(0.0, least[m] * form[6] - (further_here[1] - further_here[0]))
    elif further == ENTROPY:
        out[:] = further_here
    else:
        out[:m] = least[:m]


@njit(cache=True, nogil=True)
def _floor(form, levels, gone, lost, smallest):
    """Return the least loss of a node above ``levels`` that suppresses all that ``gone`` and ``lost`` tell of."""
    kind, base, rate, share, weights, scale, everything, dearest = form
    total = 0.0
    if kind >= SUM_OF_SQUARES:
        for a in range(len(levels)):
            total += base[a, levels[a]] * share[a]
        beyond = lost[0]
        if kind == SUM_OF_SQUARES:
            beyond = gone * (everything - min(gone, smallest - 1))
        return scale * 2.0**total + beyond
    for a in range(len(levels)):
        level = levels[a]
        part = base[a, level] + gone * rate[a, level] + share[a] * min(lost[a], gone * dearest[a, level])
        if kind == SUM:
            total += weights[a] * part
        elif kind == GEOMETRIC:
            total += weights[a] * np.log1p(part)
        else:
            total = max(total, weights[a] * part)
    return np.expm1(total) if kind == GEOMETRIC else total


@njit(cache=True, nogil=True)
def _value(form, further, node, counts, lost, further_here):
    """Return the loss of a node."""
    if form[0] == SUM_OF_SQUARES:
        return counts[SQUARES] + form[6] * counts[SUPPRESSED]
    if form[0] == SUM_OF_COVERED:
        return further_here[0] + form[6] * counts[SUPPRESSED]
    return _floor(form, node, counts[SUPPRESSED], further_here if further == ENTROPY else lost * 1.0, np.int64(1))


# -- what is materialized ------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _keep(kept, kept_levels, kept_entries, kept_bytes, grouping, levels):
    """Add a grouping to ``kept``, without the slack its arrays were cut from, and return what is known of all.

    When there are too many bytes, all but the first are forgotten.
    """
    keys, block, codes, weights = grouping
    here = keys.nbytes + 3 * block.nbytes
    kept_bytes += here
    if kept_bytes > _MOST_BYTES:
        while len(kept) > 1:
            kept.pop()
        kept_bytes = here
    n = len(kept)
    if n == len(kept_entries):
        kept_levels, kept_entries = _wider(kept_levels, 2 * n), _longer(kept_entries, 2 * n)
    kept_levels[n], kept_entries[n] = levels, len(block)
    kept.append((keys.copy(), block.copy(), codes.copy(), weights.copy()))
    return kept_levels, kept_entries, kept_bytes


@njit(cache=True, nogil=True)
def _smallest_below(levels, entries, node):
    """Return which materialized node at or below ``node`` has the fewest entries; the first is below all."""
    best = 0
    for i in range(1, len(entries)):
        if entries[i] <= entries[best]:
            below = True
            for a in range(len(node)):
                below &= levels[i, a] <= node[a]
            if below:
                best = i
    return best


@njit(cache=True, nogil=True)
def _rolled(grouping, levels, node, layout):
    """Roll a grouping up to a node above, by counting where combinations are not many more than entries."""
    keys, block, codes, weights = grouping
    pivot, pivot_size, map_at, width, maps, word, shift, mask, _, _ = layout
    inner = pivot_size if pivot < 0 else width[pivot, node[pivot]]
    cells = float(inner)  # the product of all widths can be beyond 64 bits
    for a in range(len(node)):
        cells *= 1 if a == pivot else width[a, node[a]]
    if cells <= _CELLS_AN_ENTRY * len(block):
        return _counted(grouping, levels, node, layout, inner, np.int64(cells))
    if pivot >= 0 and levels[pivot] != node[pivot]:  # the pivot first, which leaves fewer entries to move
        table = maps[map_at[pivot, levels[pivot], node[pivot]] :]
        block, codes, weights = roll_up_pivot(block, codes, weights, table, inner)
    changed, at, n = np.empty(len(node), np.uint64), np.empty(len(node), np.uint64), 0
    for a in range(len(node)):
        if a != pivot and levels[a] != node[a]:
            changed[n], at[n] = a, map_at[a, levels[a], node[a]]
            n += 1
    if n > 0:
        keys, block, codes, weights = roll_up(
            keys, block, codes, weights, changed[:n], word, shift, mask, at[:n], maps, inner
        )
    return keys, block, codes, weights


@njit(cache=True, nogil=True)
def _counted(grouping, levels, node, layout, inner, cells):
    """Return the grouping of a node above in order of its codes: each combination of the node has a cell.

    The pivot's ``inner`` codes are adjacent, so that entries come out in the order of their blocks.
    """
    keys, block, codes, weights = grouping
    pivot, _, map_at, width, maps, word, shift, mask, _, _ = layout
    place, strides, stride = np.zeros(len(keys), np.int64), np.zeros(len(node), np.int64), inner
    for a in range(len(node)):
        if a != pivot and width[a, node[a]] > 1:
            strides[a] = stride
            to = np.arange(width[a, levels[a]])
            if levels[a] != node[a]:
                start = map_at[a, levels[a], node[a]]
                to[:] = maps[start : start + len(to)]
            to *= stride
            for b in range(len(keys)):
                place[b] += to[(keys[b, word[a]] >> shift[a]) & mask[a]]
            stride *= width[a, node[a]]
    sizes = np.zeros(cells, np.uint32)
    if pivot >= 0 and levels[pivot] != node[pivot]:
        table = maps[map_at[pivot, levels[pivot], node[pivot]] :]
        for e in range(len(block)):
            sizes[place[block[e]] + table[codes[e]]] += weights[e]
    else:
        for e in range(len(block)):
            sizes[place[block[e]] + codes[e]] += weights[e]
    # What has records comes out in the order of the cells: nothing is hashed or sorted.
    n_blocks, n = 0, 0
    new_keys = np.zeros((min(len(keys), cells // inner), keys.shape[1]), np.uint64)
    new_block, new_codes = np.empty(len(block), np.uint32), np.empty(len(block), np.uint32)
    new_weights = np.empty(len(block), np.uint32)
    for first in range(0, cells, inner):
        before = n
        for code in range(inner):
            size = sizes[first + code]
            if size > 0:
                new_block[n], new_codes[n], new_weights[n] = n_blocks, code, size
                n += 1
        if n > before:
            for a in range(len(node)):
                if strides[a] > 0:
                    new_keys[n_blocks, word[a]] |= np.uint64(first // strides[a] % width[a, node[a]]) << shift[a]
            n_blocks += 1
    return new_keys[:n_blocks], new_block[:n], new_codes[:n], new_weights[:n]


@njit(cache=True, nogil=True)
def _longer(values, room):
    longer = np.empty(room, values.dtype)
    longer[: len(values)] = values
    return longer


@njit(cache=True, nogil=True)
def _wider(rows, room):
    wider = np.empty((room, rows.shape[1]), rows.dtype)
    wider[: len(rows)] = rows
    return wider
