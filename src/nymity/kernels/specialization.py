"""Counting for top-down specialization: records by group and cell.

``tally`` numbers the pairs (group, cell) that occur, 0, 1, ... in some order, and sums the records of each. Where
there are not many more possible pairs than rows they are counted in a table of all of them, otherwise by sorting.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

#: Entries of a table of all pairs that are always worth it, and how many for each row.
_SMALL, _PER_ROW = 1 << 16, 16


@njit(cache=True, nogil=True)
def tally(group, n_groups, cell, width, rows, counts):
    """Return (number (n,) int64, sizes (n_pairs,) int64) of the pairs (group[i], cell[rows[i]]), i < n.

    group (n,): below n_groups; cell: below width; counts: records, by row as cell.
    """
    n = len(rows)
    number, sizes = np.empty(n, np.int64), np.zeros(min(n, n_groups * width), np.int64)
    n_pairs = 0
    if n_groups * width <= max(_SMALL, _PER_ROW * n):
        place = np.zeros(n_groups * width, np.int64)  # number plus one; 0 is free
        for i in range(n):
            pair = group[i] * width + cell[rows[i]]
            if place[pair] == 0:
                n_pairs += 1
                place[pair] = n_pairs
            number[i] = place[pair] - 1
            sizes[number[i]] += counts[rows[i]]
        return number, sizes[:n_pairs]
    pairs = np.empty(n, np.int64)
    for i in range(n):
        pairs[i] = group[i] * width + cell[rows[i]]
    order = np.argsort(pairs)
    for j in range(n):
        i = order[j]
        if j == 0 or pairs[i] != pairs[order[j - 1]]:
            n_pairs += 1
        number[i] = n_pairs - 1
        sizes[n_pairs - 1] += counts[rows[i]]
    return number, sizes[:n_pairs]


@njit(cache=True, nogil=True)
def within(number, sizes, held_number, held, numerator, denominator):
    """Return whether of each group no value has more than numerator / denominator of its records.

    number (n,): the group of a row; held_number (n,): its pair of group and value, -1 for one that may be any.
    """
    for i in range(len(number)):
        pair = held_number[i]
        if pair >= 0 and held[pair] * denominator > sizes[number[i]] * numerator:
            return False
    return True
