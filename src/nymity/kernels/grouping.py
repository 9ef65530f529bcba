"""Grouping of records: from one packed key per record to distinct combinations."""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def distinct(keys):
    """Number equal rows of ``keys`` (n, n_words) alike.

    Returns (group (n,) uint32, first (n_groups,) int64): the group of each row, and the first row of each group.
    """
    n, n_words = keys.shape
    group = np.empty(n, np.uint32)
    first = np.empty(n, np.int64)
    size, bits = 1024, 10
    table = np.zeros(size, np.uint32)  # group number plus one; 0 is free
    n_groups = 0
    for row in range(n):
        # At most half full, so that free slots are near; four times as large, so that few rows are hashed again.
        if 2 * n_groups >= size:
            size, bits = 4 * size, bits + 2
            table = _rehash(keys, first, n_groups, size, bits)
        slot = _mix(keys, row) >> np.uint64(64 - bits)
        last = np.uint64(size - 1)
        while True:
            found = np.int64(table[slot]) - 1
            if found < 0:
                first[n_groups] = row
                group[row] = n_groups
                n_groups += 1
                table[slot] = n_groups
                break
            same = True
            for w in range(n_words):
                same &= keys[first[found], w] == keys[row, w]
            if same:
                group[row] = found
                break
            slot = (slot + _ONE) & last
    return group, first[:n_groups].copy()


@njit(cache=True, nogil=True)
def _rehash(keys, first, n_groups, size, bits):
    table = np.zeros(size, np.uint32)
    last = np.uint64(size - 1)
    for g in range(n_groups):
        slot = _mix(keys, first[g]) >> np.uint64(64 - bits)
        while table[slot] != 0:
            slot = (slot + _ONE) & last
        table[slot] = g + 1
    return table


@njit(cache=True, nogil=True)
def _mix(keys, row):
    mixed = keys[row, 0] * _MULTIPLIER
    for w in range(1, keys.shape[1]):
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ keys[row, w]) * _MULTIPLIER
    return mixed


@njit(cache=True, nogil=True)
def histograms(group, n_groups, codes, weights, n_values):
    """Add up the weight of each code within each group: (group, code, weight) of what occurs, ordered by group."""
    end = np.zeros(n_groups + 1, np.int64)
    for row in range(len(group)):
        end[np.int64(group[row]) + 1] += 1
    for g in range(n_groups):
        end[g + 1] += end[g]
    # end[g] is where group g begins now, and moves on as its rows are placed; start stays.
    ordered = np.empty(len(codes), np.int64)
    start = end.copy()
    for row in range(len(group)):
        g = group[row]
        ordered[end[g]] = row
        end[g] += 1
    out_group = np.empty(len(codes), np.uint32)
    out_code = np.empty(len(codes), np.uint32)
    out_count = np.empty(len(codes), np.uint32)
    # All zeros between groups: each clears what it wrote, and no more.
    counts = np.zeros(n_values, np.uint32)
    at = 0
    for g in range(n_groups):
        begin = at
        for i in range(start[g], start[g + 1]):
            code = codes[ordered[i]]
            if counts[code] == 0:
                out_group[at] = g
                out_code[at] = code
                at += 1
            counts[code] += weights[ordered[i]]
        for i in range(begin, at):
            out_count[i] = counts[out_code[i]]
            counts[out_code[i]] = 0
    return out_group[:at].copy(), out_code[:at].copy(), out_count[:at].copy()
