"""Classes that can be changed record by record, and what a change would cost.

Beside its box a class keeps the second lowest and second highest place on each axis, with multiplicity, and each record
knows in which sets its value occurs nowhere else in its class. So the cost of a class without one record and with
another takes one pass over the columns, however large the class is. Only the classes that a change touches are computed
anew, from their records.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.boxes import has, put
from nymity.kernels.compiled import njit


class Partition(NamedTuple):
    """Records and their classes; a class is a linked list of records, and some classes are empty.

    columns: of the n records. class_of, following, previous (n,): -1 ends a list. alone (n, s), without (n,): cost of
    the class without the record. head, size, cost (n_classes,): first record (-1: none), records, cost per record.
    lo, lo2, hi, hi2 (n_classes, p), mask (n_classes, n_words), distinct (n_classes, s). changed (n_classes,): the time
    of the last change; clock (1,). counts (64 n_words,): zeros, working space.
    """

    columns: Any
    class_of: Any
    following: Any
    previous: Any
    alone: Any
    without: Any
    head: Any
    size: Any
    cost: Any
    lo: Any
    lo2: Any
    hi: Any
    hi2: Any
    mask: Any
    distinct: Any
    changed: Any
    clock: Any
    counts: Any


@njit(cache=True, nogil=True)
def cost_after(partition, c, leaving, joining):
    """Return the cost per record of class c once one record left and another joined; -1 stands for none."""
    columns = partition.columns
    cost = 0.0
    for a in range(len(columns.scales)):
        lo, hi = partition.lo[c, a], partition.hi[c, a]
        if leaving >= 0:
            x = columns.points[leaving, a]
            # Where two records share the lowest place the second lowest is the same, so nothing changes.
            lo = partition.lo2[c, a] if x == lo else lo
            hi = partition.hi2[c, a] if x == hi else hi
        if joining >= 0:
            x = columns.points[joining, a]
            lo, hi = min(lo, x), max(hi, x)
        cost += (hi - lo) * columns.scales[a]
    for a in range(len(columns.set_scales)):
        # The mask still has the value of the record that leaves, so it is remembered: whoever joins may bring it back.
        different = partition.distinct[c, a]
        gone = np.int64(-1)
        if leaving >= 0 and partition.alone[leaving, a]:
            gone = columns.slots[leaving, a]
            different -= 1
        if joining >= 0:
            slot = columns.slots[joining, a]
            different += slot == gone or not has(partition.mask, c, slot)
        # A value that all share is published as it is, and costs nothing.
        if different > 1:
            cost += min(different, columns.set_limits[a]) * columns.set_scales[a]
    return cost


@njit(cache=True, nogil=True)
def loss(partition, c):
    """Return the cost of class c, summed over its records."""
    return partition.size[c] * partition.cost[c]


@njit(cache=True, nogil=True)
def relink(partition, r, c):
    """Put record r into class c; both classes need :func:`refresh` afterwards."""
    old = partition.class_of[r]
    if old >= 0:
        before, after = partition.previous[r], partition.following[r]
        if before >= 0:
            partition.following[before] = after
        else:
            partition.head[old] = after
        if after >= 0:
            partition.previous[after] = before
        partition.size[old] -= 1
    head = partition.head[c]
    if head >= 0:
        partition.previous[head] = r
    partition.following[r], partition.previous[r] = head, -1
    partition.head[c] = r
    partition.class_of[r] = c
    partition.size[c] += 1


@njit(cache=True, nogil=True)
def move(partition, r, c):
    """Put record r into class c and compute both classes anew."""
    old = partition.class_of[r]
    relink(partition, r, c)
    refresh(partition, old)
    refresh(partition, c)


@njit(cache=True, nogil=True)
def change(partition, who, where, n):
    """Put the first n records of ``who`` into the classes ``where`` says."""
    partition.clock[0] += 1
    now = partition.clock[0]
    for e in range(n):
        partition.changed[partition.class_of[who[e]]] = now
        partition.changed[where[e]] = now
        move(partition, who[e], where[e])


@njit(cache=True, nogil=True)
def refresh(partition, c):
    """Compute a class anew from its records."""
    columns = partition.columns
    _clear(partition, c)
    r = partition.head[c]
    while r >= 0:
        for a in range(len(columns.scales)):
            _widen(partition, c, a, columns.points[r, a])
        for a in range(len(columns.set_scales)):
            slot = columns.slots[r, a]
            partition.distinct[c, a] += partition.counts[slot] == 0
            partition.counts[slot] += 1
            put(partition.mask, c, slot)
        r = partition.following[r]
    if partition.size[c] > 0:
        # Nobody leaves here, so ``alone`` is not asked, which is marked below.
        partition.cost[c] = cost_after(partition, c, -1, -1)
    _mark_alone(partition, c)
    r = partition.head[c]
    while r >= 0:
        partition.without[r] = cost_after(partition, c, r, -1) if partition.size[c] > 1 else 0.0
        r = partition.following[r]


@njit(cache=True, nogil=True)
def fill(partition, classes):
    """Put each record into its class."""
    for r in range(len(classes) - 1, -1, -1):  # the first record becomes the head
        relink(partition, r, classes[r])
    for c in range(len(partition.size)):
        refresh(partition, c)


@njit(cache=True, nogil=True)
def _clear(partition, c):
    partition.cost[c] = 0.0
    for a in range(partition.lo.shape[1]):
        partition.lo[c, a] = partition.lo2[c, a] = np.inf
        partition.hi[c, a] = partition.hi2[c, a] = -np.inf
    for a in range(partition.distinct.shape[1]):
        partition.distinct[c, a] = 0
    for w in range(partition.mask.shape[1]):
        partition.mask[c, w] = 0


@njit(cache=True, nogil=True)
def _widen(partition, c, a, x):
    if x < partition.lo[c, a]:
        partition.lo2[c, a], partition.lo[c, a] = partition.lo[c, a], x
    else:
        partition.lo2[c, a] = min(partition.lo2[c, a], x)
    if x > partition.hi[c, a]:
        partition.hi2[c, a], partition.hi[c, a] = partition.hi[c, a], x
    else:
        partition.hi2[c, a] = max(partition.hi2[c, a], x)


@njit(cache=True, nogil=True)
def _mark_alone(partition, c):
    """Note which records have a value that no other of the class has, and leave ``counts`` zero."""
    slots, counts = partition.columns.slots, partition.counts
    r = partition.head[c]
    while r >= 0:
        for a in range(slots.shape[1]):
            partition.alone[r, a] = counts[slots[r, a]] == 1
        r = partition.following[r]
    r = partition.head[c]
    while r >= 0:
        for a in range(slots.shape[1]):
            counts[slots[r, a]] = 0
        r = partition.following[r]
