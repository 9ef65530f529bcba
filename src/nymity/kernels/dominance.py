"""Nodes of a lattice at or below one another."""

from __future__ import annotations

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def first_below(levels, node):
    """Return the first row of ``levels`` (n, m) that lies at or below ``node`` (m,), -1 if none does."""
    for i in range(len(levels)):
        below = True
        for a in range(len(node)):
            below &= levels[i, a] <= node[a]
        if below:
            return i
    return -1


@njit(cache=True, nogil=True)
def any_above(levels, node):
    """Return whether a row of ``levels`` (n, m) lies at or above ``node`` (m,)."""
    for i in range(len(levels)):
        above = True
        for a in range(len(node)):
            above &= levels[i, a] >= node[a]
        if above:
            return True
    return False
