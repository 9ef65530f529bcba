"""How far classes are from a table, and how many records of a class can be within a limit of it.

classes, codes, counts (n_entries,): class, value and records of an entry; entries of a class are adjacent. sizes
(n_classes,): records of each class. Values are looked at on several levels: nodes (n_levels, n_values) is the node of
each value, numbered through all levels, table (n_nodes,) the records of each node in the table, n together on every
level. All products of two numbers of records stay below 2**62.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.class_entries import end_of_class
from nymity.kernels.compiled import njit

#: More than all rounding of a bound adds up to.
_SLACK = 1e-12


@njit(cache=True, nogil=True)
def surpluses(classes, codes, counts, sizes, nodes, table, n):
    """Return (n_levels, n_classes): the sum over the nodes of max(0, count * n - table * size)."""
    work = np.zeros((len(nodes), len(sizes)), np.int64)
    held, wanted = np.empty(nodes.size, np.int64), np.empty(nodes.size, np.int64)
    found = np.zeros(len(table), np.int64)
    first = 0
    while first < len(classes):
        here, end = classes[first], end_of_class(classes, first)
        for level in range(len(nodes)):
            of_level = nodes[level : level + 1]
            for i in range(_gather(codes, counts, first, end, of_level, table, found, held, wanted)):
                work[level, here] += max(0, held[i] * n - wanted[i] * np.int64(sizes[here]))
        first = end
    return work


@njit(cache=True, nogil=True)
def most_within(classes, codes, counts, sizes, nodes, table, n, numerator, denominator):
    """Return bounds s (n_classes,) with s (q(T) - n_levels t) <= c(T) for sets T of nodes of all levels.

    t = numerator / denominator; T are the nodes absent from the class and those lacking at s, c < q s. From the whole
    class on, s shrinks to c(T) / (q(T) - n_levels t) as long as that is less.
    """
    most = np.zeros(len(sizes), np.int64)
    held, wanted = np.empty(nodes.size, np.int64), np.empty(nodes.size, np.int64)
    found = np.zeros(len(table), np.int64)
    first = 0
    while first < len(classes):
        end = end_of_class(classes, first)
        m = _gather(codes, counts, first, end, nodes, table, found, held, wanted)
        size = np.int64(sizes[classes[first]])
        most[classes[first]] = _most(held, wanted, m, len(nodes), n, size, numerator, denominator)
        first = end
    return most


@njit(cache=True, nogil=True)
def close_of_class(codes, counts, first, end, size, nodes, table, n, t, found, held, wanted):
    """Return whether a class is within t = (numerator, denominator) of the table, and at most how many records if not.

    Its entries are those from ``first`` to ``end``; found, held and wanted are room as for :func:`most_within`.
    """
    numerator, denominator = t
    m = _gather(codes, counts, first, end, nodes, table, found, held, wanted)
    most = _most(held, wanted, m, len(nodes), n, size, numerator, denominator)
    if most < size:
        return False, most
    work, whole = np.int64(0), size * n * len(nodes)
    for i in range(m):
        work += max(0, held[i] * n - wanted[i] * size)
    # work <= t * whole, taken apart by the denominator so that no product leaves 64 bits
    return work <= whole // denominator * numerator + whole % denominator * numerator // denominator, most


@njit(cache=True, nogil=True)
def _most(held, wanted, m, n_levels, n, size, numerator, denominator):
    """Return the bound of :func:`most_within` for one class, of which ``m`` nodes are gathered."""
    # Every level has all n records of the table; those not in ``wanted`` lie in nodes where the class has none.
    absent, s = n_levels * n - wanted[:m].sum(), size
    if absent * denominator > n_levels * n * numerator:  # what is absent of any part, too, is farther than t
        return np.int64(0)
    while True:
        have, asked = np.int64(0), absent  # c(T), and q(T) n
        for i in range(m):
            lacks = np.int64(held[i] * n < wanted[i] * s)
            have += held[i] * lacks
            asked += wanted[i] * lacks
        room = asked * denominator - n_levels * n * numerator
        if room <= 0:
            return s
        bound = float(have) * float(n) * float(denominator) / float(room) * (1 + _SLACK)
        if bound >= s:
            return s
        s = np.int64(np.floor(bound))


@njit(cache=True, nogil=True)
def _gather(codes, counts, first, end, nodes, table, found, held, wanted):
    """Fill ``held`` and ``wanted`` with the nodes that entries of a class lie in, and return how many there are.

    ``found`` (n_nodes,) is zero before and after.
    """
    m = 0
    for level in range(len(nodes)):
        for e in range(first, end):
            found[nodes[level, codes[e]]] += np.int64(counts[e])
        for e in range(first, end):
            node = nodes[level, codes[e]]
            held[m], wanted[m] = found[node], table[node]
            m += found[node] > 0  # not counted again
            found[node] = 0
    return m
