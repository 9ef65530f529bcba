"""Diameter: the largest number of columns in which two rows differ.

Rows lie in blocks, and blocks in a binary tree. Of a node it is known which columns have one code throughout; two nodes
that share such a code cannot differ there, which bounds the distance of all their pairs. Pairs of nodes whose bound is
not above the best distance found are left out.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

_BLOCK = 16
_MIXED = -1


@njit(cache=True, nogil=True)
def diameter(rows, order, most):
    """Return (largest distance found, cells compared); the first is exact if the second is below ``most``.

    ``rows`` (n, m): codes, not negative, in an order that puts like ones together; ``order``: columns to look at first.
    """
    n, m = rows.shape
    # Nodes are numbered as in a heap: those below i are 2 i and 2 i + 1, and leaves begin at ``leaves``.
    leaves = 1
    while leaves * _BLOCK < n:
        leaves *= 2
    codes = _common(rows, leaves)
    possible = 0
    for a in range(m):
        possible += codes[1, a] == _MIXED
    best, compared = _far_pair(rows, possible), 0
    # A step down leaves two pairs more at most, and trees are not deep: a stack of 4,096 pairs is never full.
    left, right = np.empty(4096, np.int64), np.empty(4096, np.int64)
    left[0], right[0], waiting = 1, 1, 1
    while waiting and best < possible and compared < most:
        waiting -= 1
        one, other = left[waiting], right[waiting]
        if _bound(codes, one, other) <= best:
            continue
        if one >= leaves and other >= leaves:
            best, compared = _blocks(rows, one - leaves, other - leaves, order, best), compared + _BLOCK * _BLOCK * m
        elif one == other:
            for low, high in ((2 * one, 2 * one), (2 * one + 1, 2 * one + 1), (2 * one, 2 * one + 1)):
                left[waiting], right[waiting] = low, high
                waiting += 1
        else:
            for step in range(2):
                left[waiting] = one if one > other else 2 * one + step  # the larger number lies deeper
                right[waiting] = 2 * other + step if one > other else other
                waiting += 1
    return best, compared


@njit(cache=True, nogil=True)
def _common(rows, leaves):
    """The code that all rows of a node have in each column, (2 * leaves, m); -2 in every column of an empty node."""
    n, m = rows.shape
    codes = np.full((2 * leaves, m), -2, np.int64)
    for leaf in range(leaves):
        for row in range(leaf * _BLOCK, min(n, (leaf + 1) * _BLOCK)):
            for a in range(m):
                here = codes[leaves + leaf, a]
                codes[leaves + leaf, a] = rows[row, a] if here in (-2, rows[row, a]) else _MIXED
    for node in range(leaves - 1, 0, -1):
        for a in range(m):
            low, high = codes[2 * node, a], codes[2 * node + 1, a]
            codes[node, a] = low if high in (-2, low) else _MIXED
    return codes


@njit(cache=True, nogil=True)
def _bound(codes, one, other):
    """The number of columns in which rows of two nodes may differ; none where a node is empty."""
    possible = 0
    for a in range(codes.shape[1]):
        if codes[one, a] == -2 or codes[other, a] == -2:
            return 0
        possible += codes[one, a] == _MIXED or codes[one, a] != codes[other, a]
    return possible


@njit(cache=True, nogil=True)
def _distance(rows, one, other):
    apart = 0
    for a in range(rows.shape[1]):
        apart += rows[one, a] != rows[other, a]
    return apart


@njit(cache=True, nogil=True)
def _far_pair(rows, possible):
    """Walk from row to farthest row, four times."""
    best, here = 0, 0
    for _ in range(4):
        farthest = here
        for row in range(len(rows)):
            apart = _distance(rows, here, row)
            if apart > best:
                best, farthest = apart, row
            if best == possible:
                return best
        here = farthest
    return best


@njit(cache=True, nogil=True)
def _blocks(rows, one, other, order, best):
    """Compare the rows of two blocks; a pair is left as soon as it shares too many columns."""
    n, m = rows.shape
    for x in range(one * _BLOCK, min(n, (one + 1) * _BLOCK)):
        for y in range(other * _BLOCK, min(n, (other + 1) * _BLOCK)):
            shared = 0
            for a in order:
                shared += rows[x, a] == rows[y, a]
                if m - shared <= best:
                    break
            best = max(best, m - shared)
    return best
