"""Covering: how much published rows that may overlap give to each combination of raw values."""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def covering_bits(combinations, rows, bits, begins, cells, n_cells):
    """Return log2 of the sum of 2^bits over the rows that cover each combination: (n,), -inf where none does.

    combinations (n, m): places of raw values, in lexicographic order. rows (r, m): numbers of cells. bits (r,). The
    cells that stand for the value with place v are those of ``cells`` from begins[v] to begins[v + 1]; places of
    different attributes differ. n_cells: of the attribute with most.

    Combinations are walked as a tree: the rows that cover what one shares with the one before are not looked for again.
    """
    n, m = combinations.shape
    # kept[a, : many[a]]: the rows that cover the first a values of the combination
    kept, many = np.empty((m + 1, len(rows)), np.int64), np.zeros(m + 1, np.int64)
    kept[0], many[0] = np.arange(len(rows)), len(rows)
    # A cell stands for the value that is looked at if it bears the stamp: a new one clears all of them at once.
    covers, stamp = np.zeros(n_cells, np.int64), 0
    found = np.empty(n)
    for i in range(n):
        depth = 0
        while i > 0 and depth < m and combinations[i, depth] == combinations[i - 1, depth]:
            depth += 1
        for a in range(depth, m):
            stamp += 1
            value = combinations[i, a]
            for j in range(begins[value], begins[value + 1]):
                covers[cells[j]] = stamp
            left = 0
            for j in range(many[a]):
                row = kept[a, j]
                if covers[rows[row, a]] == stamp:
                    kept[a + 1, left] = row
                    left += 1
            many[a + 1] = left
        most = -np.inf
        for j in range(many[m]):
            most = max(most, bits[kept[m, j]])
        total = 0.0
        for j in range(many[m]):
            total += 2.0 ** (bits[kept[m, j]] - most)
        found[i] = most + np.log2(total) if many[m] else -np.inf
    return found
