"""Roll-up of grouped records: the inner loop of every lattice search.

A *grouping* is a set of distinct blocks, each with a sparse histogram over one further column, the pivot:

    keys    (n_blocks, n_words) uint64   the block's packed codes, one bit field per attribute
    block   (n_entries,)        uint32   the block an entry belongs to; entries of a block are adjacent
    codes   (n_entries,)        uint32   pivot code of an entry; distinct within a block
    weights (n_entries,)        uint32   records of an entry

Going to coarser levels maps some bit fields, and perhaps the pivot's codes, through small tables and merges what
becomes equal. Only blocks are hashed; entries are brought together by a counting sort and summed in one flat loop
without unpredictable branches. So a wide quasi-identifier makes the fastest pivot when only class sizes matter, and
a sensitive attribute as pivot gives each class its histogram.

Blocks keep the order of their first member, entries the order of first appearance: results depend on the input
arrays alone. Indices are unsigned throughout, which spares numba the test for negative ones.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
#: So many entries of a block are always looked through, whether they are there or not.
_LOOKED_THROUGH = 16
#: With fewer blocks a table of twice the size is still in the cache, and keys meet half as often.
_MANY_BLOCKS = 2**16


@njit(cache=True, nogil=True)
def roll_up(keys, block, codes, weights, changed, word, shift, mask, map_at, maps, pivot_size):
    """Return (keys, block, codes, weights) after raising the levels of some attributes of the key.

    changed (c,): those attributes; map_at (c,): where each one's code table starts in ``maps``.
    word, shift, mask (n_attributes,): the bit field of each attribute; pivot_size: bound of the pivot's codes.
    """
    new_keys, group = _group(keys, changed, word, shift, mask, map_at, maps)
    n_entries = len(block)
    moved = np.empty(n_entries, np.uint32)  # group of each entry
    # A counting sort by group: first the number of entries, then where each group begins, then where the next entry
    # goes.
    end = np.zeros(len(new_keys) + 1, np.uint32)
    for e in range(n_entries):
        g = group[block[e]]
        moved[e] = g
        end[g + _ONE] += np.uint32(1)
    for g in range(len(new_keys)):
        end[g + 1] += end[g]
    new_block = np.empty(n_entries, np.uint32)
    new_codes = np.empty(n_entries, np.uint32)
    new_weights = np.empty(n_entries, np.uint32)
    for e in range(n_entries):
        g = moved[e]
        at = end[g]
        end[g] = at + np.uint32(1)
        new_block[at] = g
        new_codes[at] = codes[e]
        new_weights[at] = weights[e]
    n = merge_entries(new_block, new_codes, new_weights, n_entries, np.zeros(pivot_size, np.uint32))
    return new_keys, new_block[:n], new_codes[:n], new_weights[:n]


@njit(cache=True, nogil=True)
def roll_up_capped(keys, begin, stop, of_block, codes, changed, word, shift, mask, map_at, maps, most):
    """Return what :func:`roll_up` does with at most ``most`` entries of each block, the first heavier for the rest.

    begin, stop, of_block (n_blocks,): where the entries of each block lie, and its records (:func:`spans_of_blocks`).

    min(most, entries) of every union of blocks stays what it was: a block that loses entries has ``most`` left. The
    weights of a block sum to its records; how they are divided among its entries says nothing. Few entries are found by
    looking through them, so nothing is sorted, and no table of the pivot's codes is needed. Who else is in a group that
    is full says nothing either: of the blocks that come later only the records are counted.
    """
    new_keys, group = _group(keys, changed, word, shift, mask, map_at, maps)
    n_groups, one, most = np.uint64(len(new_keys)), np.uint32(1), np.uint32(most)
    start = np.zeros(n_groups + _ONE, np.uint32)  # where the entries of each group have room, and one more
    for b in range(np.uint64(len(keys))):
        start[group[b] + one] += stop[b] - begin[b]
    for g in range(n_groups):
        start[g + _ONE] = start[g] + min(start[g + _ONE], most) + one
    end, records = start[:-1].copy(), np.zeros(n_groups, np.uint32)
    new_codes = np.empty(np.uint64(start[n_groups]) + np.uint64(most), np.uint32)
    few = most <= _LOOKED_THROUGH
    for b in range(np.uint64(len(keys))):
        g = group[b]
        first, last = start[g], end[g]
        records[g] += of_block[b]
        if last - first == most:
            continue
        for e in range(begin[b], stop[b]):
            code = codes[e]
            known = last - first == most  # if the group is full, anybody may be
            # Always as many places where those are few: how many are taken cannot be foreseen, and wrong guesses cost
            # most.
            for at in range(first, first + most if few else last):
                known |= (new_codes[at] == code) & (at < last)
            new_codes[last] = code  # the place after the last entry is free
            last += np.uint32(not known)
        end[g] = last
    new_block, new_weights = np.empty_like(new_codes), np.empty_like(new_codes)
    to = np.uint32(0)
    for g in range(n_groups):
        n = end[g] - start[g]
        for at in range(start[g], end[g]):
            new_block[to], new_codes[to], new_weights[to] = g, new_codes[at], one
            to += one
        if n > 0:  # blocks of a population alone are nobody's
            new_weights[to - n] += records[g] - n
    return new_keys, new_block[:to], new_codes[:to], new_weights[:to]


@njit(cache=True, nogil=True)
def spans_of_blocks(block, weights, n_blocks):
    """Return where the entries of each block begin and stop, and its records, (n_blocks,) each; 0 where it has none.

    The records are differences of sums over all entries so far: no step waits for what the one before has stored.
    """
    begin, stop = np.zeros(n_blocks, np.uint32), np.zeros(n_blocks, np.uint32)
    records, total = np.zeros(n_blocks, np.uint32), np.uint32(0)
    before, n = np.zeros(n_blocks, np.uint32), np.uint64(len(block))
    for e in range(n):
        b = block[e]
        total += weights[e]
        stop[b], records[b] = e + _ONE, total
    for i in range(n):
        last = n - _ONE - i
        b = block[last]
        total -= weights[last]
        begin[b], before[b] = last, total
    for b in range(np.uint64(n_blocks)):
        records[b] -= before[b]
    return begin, stop, records


@njit(cache=True, nogil=True)
def roll_up_pivot(block, codes, weights, table, pivot_size):
    """Return (block, codes, weights) after mapping the pivot's codes through ``table``."""
    n = len(block)
    new_block, new_weights = block.copy(), weights.copy()
    new_codes = np.empty_like(codes)
    for e in range(n):
        new_codes[e] = table[codes[e]]
    n = merge_entries(new_block, new_codes, new_weights, n, np.zeros(pivot_size, np.uint32))
    return new_block[:n], new_codes[:n], new_weights[:n]


@njit(cache=True, nogil=True)
def records_of_blocks(block, weights, n_blocks):
    """Return the records of each block, (n_blocks,)."""
    records = np.zeros(n_blocks, np.uint32)
    for e in range(np.uint64(len(block))):
        records[block[e]] += weights[e]
    return records


@njit(cache=True, nogil=True)
def merge_entries(block, codes, weights, n, place):
    """Sum entries with equal (block, code) in place and return how many remain.

    place[code] is one more than where the code was last put; it counts only if that lies within the current block,
    so the caller hands in zeros. The output never overtakes the input: one set of arrays serves both.
    """
    one = np.uint32(1)
    at = first = np.uint32(0)
    current = np.uint32(0xFFFFFFFF)
    for e in range(np.uint64(n)):
        b, code, weight = block[e], codes[e], weights[e]
        first = at if b != current else first
        current = b
        seen = place[code]
        fresh = seen <= first
        to = at if fresh else seen - one
        place[code] = to + one
        block[to] = b
        codes[to] = code
        before = weights[to]
        weights[to] = weight if fresh else before + weight
        at = at + one if fresh else at
    return np.int64(at)


@njit(cache=True, nogil=True)
def _group(keys, changed, word, shift, mask, map_at, maps):
    """Map the keys; return the distinct new keys and the group of each block."""
    n_blocks, n_words = np.uint64(keys.shape[0]), np.uint64(keys.shape[1])
    keys = _mapped(keys, changed, word, shift, mask, map_at, maps)
    new_keys = np.empty_like(keys)
    group = np.empty(n_blocks, np.uint32)
    bits, size, room = 1, 2, 4 if n_blocks < _MANY_BLOCKS else 2
    while size < room * n_blocks:
        size *= 2
        bits += 1
    down, last, one = np.uint64(64 - bits), np.uint64(size - 1), np.uint32(1)
    table = np.zeros(size, np.uint32)  # group number plus one; 0 is free
    n_groups = np.uint32(0)
    for b in range(n_blocks):
        first = keys[b, 0]  # most keys are of one word, which stays in a register
        mixed = first * _MULTIPLIER
        for w in range(_ONE, n_words):
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ keys[b, w]) * _MULTIPLIER
        slot = mixed >> down
        found = table[slot]
        while found != 0:
            same = new_keys[found - one, 0] == first
            for w in range(_ONE, n_words):
                same &= new_keys[found - one, w] == keys[b, w]
            if same:
                break
            slot = (slot + _ONE) & last
            found = table[slot]
        # Whether a key is new cannot be foreseen, and wrong guesses cost most: both write the same places.
        n_groups += np.uint32(found == 0)
        found = n_groups if found == 0 else found
        table[slot], group[b], new_keys[found - one, 0] = found, found - one, first
        for w in range(_ONE, n_words):
            new_keys[found - one, w] = keys[b, w]
    return new_keys[:n_groups], group


@njit(cache=True, nogil=True)
def _mapped(keys, changed, word, shift, mask, map_at, maps):
    """Map one bit field of all keys after the other: plain loops, of which several steps run at once."""
    keys = keys.copy()
    for c in range(len(changed)):
        a = changed[c]
        w, s, m = word[a], shift[a], mask[a]
        table, others = maps[map_at[c] :], ~(m << s)
        for b in range(np.uint64(len(keys))):
            key = keys[b, w]
            keys[b, w] = (key & others) | (np.uint64(table[(key >> s) & m]) << s)
    return keys
