"""Every combination of a few columns: how many values it has, what it separates, and whom it alone singles out.

Rows are distinct combinations of all columns, counts (n,) their records. codes (n_columns, n): the value of each row in
each column, numbered from 0 in every column.

Sets of columns are walked depth-first, each before its supersets: {0}, {1}, {0, 1}, {2}, {0, 2}, {1, 2}, {0, 1, 2} ...
A set is its parent (the set without its smallest column) refined by one column, so the rows stay sorted by group and
nothing is hashed. A group of one row cannot be refined: it is counted and left behind, which is most of the work saved.

A row is unique in a set if its group has one record; it is then unique in every superset. So it is *minimally* unique
in a set if it is unique there and in none of the sets with one column less. Of these, the parent needs no look: unique
rows were left behind there. For the others it is enough to remember in which set a row was left behind: a row that is
still there is not unique in the parent, nor in any part of it. If a column other than the smallest is taken out of a
set, the parent of what remains is a part of the parent; so the row got there too, and was left behind if it is unique.

Results lie at ``place``: sets by size, those of one size in colexicographic order.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def walk(
    top, codes, counts, limit, binomials, offsets, weights, starts,
    unique_in, distinct, pairs, unique, minimal, scores, value_scores,
):  # fmt: skip
    """Walk the sets of at most ``limit`` columns with ``top`` as their largest, those with smaller ones being done.

    binomials (n_columns + 1, limit + 1); offsets (limit + 1,): place of the first set of each size; weights
    (limit + 1,): score of a minimal unique by size; starts (n_columns,): place of each column's values in value_scores.
    unique_in (sets below the limit, words) uint64: a bit for each row left behind as unique. Per set: distinct values,
    ordered pairs of records that agree, unique rows, minimally unique rows. scores (n,), value_scores (n_values,).
    """
    n = codes.shape[1]
    chosen, after = np.empty(limit, np.int64), np.zeros(limit + 1, np.int64)
    rows, ends = np.empty((limit + 1, n), np.int32), np.empty((limit + 1, n), np.int32)
    groups = np.zeros(limit + 1, np.int64)
    left = np.zeros((limit + 1, 3), np.int64)  # per depth, of rows left behind: groups, pairs, unique rows
    slot, size = np.zeros(codes.max() + 1, np.int64), np.zeros(codes.max() + 1, np.int64)
    touched, alone, others = np.empty(codes.max() + 1, np.int64), np.empty(n, np.int32), np.empty(limit, np.int64)
    rows[0], ends[0, 0], groups[0] = np.arange(n), n, 1
    after[0] = top  # the next column to add at each depth; above the root there is only the top

    depth = 0
    while depth >= 0:
        column = after[depth]
        if depth == limit or column > top or (depth > 0 and column >= chosen[depth - 1]):
            depth -= 1
            continue
        after[depth] += 1
        chosen[depth] = column
        place = _place(chosen, depth + 1, -1, binomials, offsets)
        n_alone = _refine(codes[column], counts, rows, ends, groups, left, depth, slot, size, touched, alone)
        depth += 1
        after[depth] = 0
        distinct[place] = left[depth, 0] + groups[depth]
        unique[place] = left[depth, 2]
        pairs[place] = left[depth, 1] + _agreeing(counts, rows[depth], ends[depth], groups[depth])
        for e in range(depth - 1):  # the sets without one column, the parent apart
            others[e] = _place(chosen, depth, e, binomials, offsets)
        # Only sets that others contain are asked later whether a row was unique in them.
        if depth < limit:
            for r in alone[:n_alone]:
                unique_in[place, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
        for r in alone[:n_alone]:
            if _is_unique_in_any(unique_in, others[: depth - 1], r):
                continue
            minimal[place] += 1
            scores[r] += weights[depth]
            for c in chosen[:depth]:
                value_scores[starts[c] + codes[c, r]] += weights[depth]


@njit(cache=True, nogil=True)
def _refine(column, counts, rows, ends, groups, left, depth, slot, size, touched, alone):
    """Split the groups at a depth by one more column into those below it; return how many rows became unique.

    ``alone`` takes these rows. Groups of one row are left behind.
    """
    # Rows that are alone stay alone in every larger set: they are counted once and not looked at again.
    left[depth + 1] = left[depth]
    n_alone = n_groups = at = begin = 0
    for g in range(groups[depth]):
        members, begin = rows[depth, begin : ends[depth, g]], ends[depth, g]
        n_touched = 0
        for r in members:
            code = column[r]
            if size[code] == 0:
                touched[n_touched] = code
                n_touched += 1
            size[code] += 1
        for code in touched[:n_touched]:
            if size[code] > 1:
                slot[code] = at  # where the next row of this group goes
                at += size[code]
                ends[depth + 1, n_groups] = at
                n_groups += 1
        for r in members:
            code = column[r]
            if size[code] > 1:
                rows[depth + 1, slot[code]] = r
                slot[code] += 1
                continue
            records = counts[r]
            left[depth + 1, 0] += 1
            left[depth + 1, 1] += records * (records - 1)
            if records == 1:
                left[depth + 1, 2] += 1
                alone[n_alone] = r
                n_alone += 1
        for code in touched[:n_touched]:
            size[code] = 0
    groups[depth + 1] = n_groups
    return n_alone


@njit(cache=True, nogil=True)
def _agreeing(counts, rows, ends, n_groups):
    """Return the ordered pairs of records that share a group."""
    pairs = begin = 0
    for g in range(n_groups):
        records = counts[rows[begin]]
        for r in rows[begin + 1 : ends[g]]:
            records += counts[r]
        pairs += records * (records - 1)
        begin = ends[g]
    return pairs


@njit(cache=True, nogil=True)
def _place(chosen, size, without, binomials, offsets):
    """Return the place of a set given in falling order, one of its columns left out if ``without`` is not negative."""
    rank = taken = 0
    for e in range(size - 1, -1, -1):
        if e != without:
            taken += 1
            # The combinatorial number system: sets of one size are numbered without gaps, by their columns.
            rank += binomials[chosen[e], taken]
    return offsets[taken] + rank


@njit(cache=True, nogil=True)
def _is_unique_in_any(unique_in, places, r):
    found = np.uint64(0)
    for place in places:
        found |= unique_in[place, r >> 6] >> np.uint64(r & 63) & np.uint64(1)
    return found != 0
