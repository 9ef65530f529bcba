"""Changes of a partition that lower its cost: exchange, dissolve, recut.

Each ``propose_*`` writes the change it found as records ``who`` and their new classes ``where`` and returns how many,
0 for none. Candidates are the classes of records nearby: nearest (n_items, q) are items near each item, -1 at the end;
item (n,) the item of each record; the records of an item are starts[item] to starts[item + 1] of ``order`` (n,).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.boxes import begin, cost_of, extend
from nymity.kernels.compiled import njit
from nymity.kernels.partition_change import change, cost_after, loss, move

#: What a pass tries.
EXCHANGE, DISSOLVE, RECUT = 0, 1, 2


class Search(NamedTuple):
    """Where to look: the neighbourhood (see above), when a record or class was last tried, which classes to skip.

    k: the smallest size. least: the smallest gain that counts. many: candidate classes of a record. tried (n,), recut
    and dissolved (n_classes,): the time of the last try. banned (n_classes,). Working space: seen (n_classes,), stamp
    (1,), candidates (many,), who, where, members, sorted, keys, costs (n + 1,), boxes (1).
    """

    nearest: Any
    item: Any
    starts: Any
    order: Any
    k: Any
    least: Any
    many: Any
    tried: Any
    recut: Any
    dissolved: Any
    banned: Any
    seen: Any
    stamp: Any
    candidates: Any
    who: Any
    where: Any
    members: Any
    sorted: Any
    keys: Any
    costs: Any
    boxes: Any


@njit(cache=True, nogil=True)
def improve(partition, search, kind, start, stop, asking):
    """Apply every improving change that starts from records (exchange) or classes ``start`` to ``stop``.

    Returns how many were made, where it stopped, and 0; or, when ``asking``, stops at the first change without making
    it, and returns the number of records it would move.
    """
    n_changes = 0
    for subject in range(start, stop):
        moved = 0
        if kind == EXCHANGE:
            moved = _propose_exchange(partition, search, subject)
        elif partition.size[subject] > 0 and kind == DISSOLVE:
            moved = _propose_dissolution(partition, search, subject)
        elif partition.size[subject] > 0:
            moved = _propose_recut(partition, search, subject)
        if moved > 0 and asking:
            return n_changes, subject, moved
        if moved > 0:
            change(partition, search.who, search.where, moved)
            n_changes += 1
    return n_changes, stop, 0


@njit(cache=True, nogil=True)
def _propose_exchange(partition, search, r):
    """Move record r to another class, alone or while another takes its place: from there, or from a third class.

    ``freed`` is what the class saves without the record as long as another joins at no cost; it bounds what can be won.
    """
    own, since = partition.class_of[r], search.tried[r]
    search.tried[r] = partition.clock[0]
    # If neither class changed since the last try, swaps between them were refused then and would be again.
    fixed = partition.changed[own] <= since
    size, before = partition.size[own], loss(partition, own)
    freed = before - size * partition.without[r]
    # partner stays -1 where the record moves alone.
    gain, partner, target = search.least, np.int64(-1), np.int64(-1)
    nearest, added = np.int64(-1), np.inf  # where joining costs least
    for e in range(_find_candidates(partition, search, r)):
        c = search.candidates[e]
        joins = _added(partition, c, r)
        if joins < added:
            nearest, added = c, joins
        moved = before - (size - 1) * partition.without[r] - joins
        if size > search.k and moved > gain:
            gain, partner, target = moved, np.int64(-1), c
        if not (fixed and partition.changed[c] <= since):
            swapped, other = _best_swap(partition, r, c, freed, gain)
            if swapped > gain:
                gain, partner, target = swapped, other, c
    if nearest >= 0:
        fixed = fixed and partition.changed[nearest] <= since
        chained, other = _best_substitute(partition, search, r, nearest, freed - added, gain, fixed, since)
        if chained > gain:
            gain, partner, target = chained, other, nearest
    if target < 0:
        return 0
    search.who[0], search.where[0], search.who[1], search.where[1] = r, target, partner, own
    return 1 if partner < 0 else 2


@njit(cache=True, nogil=True)
def _best_swap(partition, r, c, freed, gain):
    """Return the gain of swapping record r with one of class c, and that one; -1 if none gains more than ``gain``."""
    own, best = partition.class_of[r], np.int64(-1)
    size, before, there = partition.size[own], loss(partition, own), loss(partition, c)
    other = partition.head[c]
    while other >= 0:
        # Both leave and nobody joins: what a swap can win at most. It spares most of the exact costs below.
        if freed + there - partition.size[c] * partition.without[other] > gain:
            swapped = before - size * cost_after(partition, own, r, other)
            swapped += there - partition.size[c] * cost_after(partition, c, other, r)
            if swapped > gain:
                gain, best = swapped, other
        other = partition.following[other]
    return gain, best


@njit(cache=True, nogil=True)
def _best_substitute(partition, search, r, target, left, gain, fixed, since):
    """Return the gain of moving record r to ``target`` while one of a third class takes its place, and that one.

    The third class is sought near another record of r's class. left: what is won if the substitute comes for nothing.
    """
    own, best = partition.class_of[r], np.int64(-1)
    size = partition.size[own]
    stays = partition.following[r] if partition.following[r] >= 0 else partition.head[own]
    for e in range(_find_candidates(partition, search, stays)):
        c = search.candidates[e]
        if c == target or partition.size[c] <= search.k or (fixed and partition.changed[c] <= since):
            continue
        other = partition.head[c]
        while other >= 0:
            saved = loss(partition, c) - (partition.size[c] - 1) * partition.without[other]
            # Taking the other in costs something: what does not win without that is not worth the exact cost.
            if left + saved > gain:
                worse = size * (cost_after(partition, own, r, other) - partition.without[r])
                if left + saved - worse > gain:
                    gain, best = left + saved - worse, other
            other = partition.following[other]
    return gain, best


@njit(cache=True, nogil=True)
def _propose_dissolution(partition, search, c):
    """Give each record of class c to the class where it costs least; taken back before returning."""
    n, gain = _list_members(partition, search, c, 0), loss(partition, c)
    since, search.dissolved[c] = search.dissolved[c], partition.clock[0]
    if not _is_disturbed(partition, search, c, n, since):
        return 0
    moved = 0
    while moved < n and gain > search.least:
        r = search.members[moved]
        best, target = np.inf, np.int64(-1)
        for e in range(_find_candidates(partition, search, r)):
            joins = _added(partition, search.candidates[e], r)
            if joins < best:
                best, target = joins, search.candidates[e]
        # Records join one after the other: what each costs includes those that joined before it.
        gain -= best
        if target >= 0:
            search.who[moved], search.where[moved] = r, target
            move(partition, r, target)
            moved += 1
    # In reverse, so that the lists of members are again in the order they had.
    for e in range(moved - 1, -1, -1):
        move(partition, search.who[e], c)
    return n if gain > search.least else 0


@njit(cache=True, nogil=True)
def _propose_recut(partition, search, c):
    """Cut class c in two if it is large enough for that; or cut it and a class nearby anew, taken together."""
    since = search.recut[c]
    search.recut[c] = partition.clock[0]
    fixed = partition.changed[c] <= since
    n = _find_candidates(partition, search, partition.head[c])
    for e in range(-1, n):
        other = search.candidates[e] if e >= 0 else _spare_class(partition, search, c)
        if other >= 0 and not (fixed and partition.changed[other] <= since):
            moved = _recut(partition, search, c, other)
            if moved > 0:
                return moved
    return 0


@njit(cache=True, nogil=True)
def _recut(partition, search, c, other):
    """Cut two classes, taken together, across the line between two records far from each other, where it is best."""
    columns, boxes, members = partition.columns, search.boxes, search.members
    n = _list_members(partition, search, other, _list_members(partition, search, c, 0))
    u = _furthest(columns, members[:n], members[0])
    v = _furthest(columns, members[:n], u)
    for e in range(n):
        search.keys[e] = _apart(columns, u, members[e]) - _apart(columns, v, members[e])
    arrangement = np.argsort(search.keys[:n], kind="mergesort")
    for e in range(n):
        search.sorted[e] = members[arrangement[e]]
    # From below: what the first e cost. The loop after it comes from above, and adds both up at every cut.
    for e in range(n - search.k):
        _put(columns, boxes, search.sorted[e], e == 0)
        search.costs[e + 1] = (e + 1) * cost_of(columns, boxes, 0)
    least, cut = loss(partition, c) + loss(partition, other) - search.least, -1
    for e in range(n - 1, search.k - 1, -1):
        _put(columns, boxes, search.sorted[e], e == n - 1)
        if e <= n - search.k:
            cost = search.costs[e] + (n - e) * cost_of(columns, boxes, 0)
            if cost < least:
                least, cut = cost, e
    moved = 0
    for e in range(n if cut > 0 else 0):
        target = c if e < cut else other
        if partition.class_of[search.sorted[e]] != target:
            search.who[moved], search.where[moved] = search.sorted[e], target
            moved += 1
    return moved


# -- helpers ---------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _added(partition, c, r):
    """Return by how much class c gets dearer with record r."""
    return (partition.size[c] + 1) * cost_after(partition, c, -1, r) - loss(partition, c)


@njit(cache=True, nogil=True)
def _find_candidates(partition, search, r):
    """Write the classes of records near record r to ``candidates``, the nearest first; return their number."""
    search.stamp[0] += 1
    now = search.stamp[0]
    # The record's own class counts as seen: it is no candidate.
    search.seen[partition.class_of[r]] = now
    n = 0
    for e in range(search.nearest.shape[1]):
        item = search.nearest[search.item[r], e]
        if item < 0:
            break
        # Of an item with thousands of equal records only the first are asked for their class.
        for place in range(search.starts[item], min(search.starts[item + 1], search.starts[item] + search.many)):
            c = partition.class_of[search.order[place]]
            if search.seen[c] != now and not search.banned[c]:
                search.candidates[n] = c
                n += 1
                if n == search.many:
                    return n
            search.seen[c] = now
    return n


@njit(cache=True, nogil=True)
def _is_disturbed(partition, search, c, n, since):
    """Return whether class c or one near its n ``members`` changed since some time."""
    if partition.changed[c] > since:
        return True
    for m in range(n):
        for e in range(_find_candidates(partition, search, search.members[m])):
            if partition.changed[search.candidates[e]] > since:
                return True
    return False


@njit(cache=True, nogil=True)
def _list_members(partition, search, c, n):
    """Write the records of class c to ``members``, after n others; return the number of both."""
    r = partition.head[c]
    while r >= 0:
        search.members[n] = r
        n += 1
        r = partition.following[r]
    return n


@njit(cache=True, nogil=True)
def _spare_class(partition, search, c):
    """Return an empty class if class c is large enough to be cut in two; -1 if not, or if there is none."""
    if partition.size[c] >= 2 * search.k:
        for other in range(len(partition.size)):
            if partition.size[other] == 0:
                return -1 if search.banned[other] else other
    return -1


@njit(cache=True, nogil=True)
def _furthest(columns, members, r):
    """Return the record that is furthest from record r."""
    best, most = r, 0.0
    for e in range(len(members)):
        cost = _apart(columns, r, members[e])
        if cost > most:
            best, most = members[e], cost
    return best


@njit(cache=True, nogil=True)
def _apart(columns, one, other):
    """Return what two records cost each when published alike."""
    cost = 0.0
    for a in range(len(columns.scales)):
        cost += abs(columns.points[one, a] - columns.points[other, a]) * columns.scales[a]
    for a in range(len(columns.set_scales)):
        if columns.slots[one, a] != columns.slots[other, a]:
            cost += 2 * columns.set_scales[a]
    return cost


@njit(cache=True, nogil=True)
def _put(columns, boxes, r, fresh):
    if fresh:
        begin(columns, boxes, 0, r)
    else:
        extend(columns, boxes, 0, r)
