"""Persons whose rows are linked: who has rows in the same classes as enough others.

Rows of persons are entries in three arrays: start (n_persons + 1,), where the entries of each person begin; classes and
counts (n_entries,), a class and how many rows of it the person has. Classes come in the same order in every person.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def by_person(classes, codes, counts, n_persons):
    """Turn entries that are listed by class into those of each person: (start, classes, counts), by counting sort."""
    start = np.zeros(n_persons + 1, np.int64)
    for e in range(len(codes)):
        start[codes[e] + 1] += 1
    for p in range(n_persons):
        start[p + 1] += start[p]
    at = start[:-1].copy()
    own, rows = np.empty(len(codes), np.int64), np.empty(len(codes), np.int64)
    for e in range(len(codes)):
        place = at[codes[e]]
        # Entries come by class, and places are taken in turn: so they are in the same order in every person.
        own[place], rows[place] = classes[e], counts[e]
        at[codes[e]] += 1
    return start, own, rows


@njit(cache=True, nogil=True)
def keep_linked(start, classes, counts, n_classes, depth, k, alive):
    """Take persons out of ``alive`` (n_persons,) until every multiset of at most ``depth`` rows of one is k persons'.

    For every class in turn the multisets that begin with it are counted among the persons that are left. Where one is
    of too few, all who have it go, and the classes of their rows are looked at again: no other count has changed.
    """
    posted, posting, owner = _postings(start, classes, n_classes, alive)
    dirty, count = np.ones(n_classes, np.bool_), np.zeros(n_classes, np.int64)
    again = True
    while again:
        again = False
        for c in range(n_classes):
            if dirty[c]:
                dirty[c] = False
                listed = posting[posted[c] : posted[c + 1]]
                # Whom this takes out makes other classes dirty, earlier ones too: another round looks at these.
                if _visit(listed, depth, k, start, classes, counts, owner, alive, dirty, count) > 0:
                    again = True


@njit(cache=True, nogil=True)
def _postings(start, classes, n_classes, alive):
    """List for every class its entries: (where each class begins, entries, the person of each entry)."""
    # A counting sort: how many entries classes have, where each begins, and then the entries.
    posted, owner = np.zeros(n_classes + 1, np.int64), np.empty(len(classes), np.int64)
    for p in range(len(alive)):
        for e in range(start[p], start[p + 1]):
            owner[e] = p
            posted[classes[e] + 1] += alive[p]
    for c in range(n_classes):
        posted[c + 1] += posted[c]
    at, posting = posted[:-1].copy(), np.empty(posted[-1], np.int64)
    for p in range(len(alive)):
        if alive[p]:
            for e in range(start[p], start[p + 1]):
                posting[at[classes[e]]] = e
                at[classes[e]] += 1
    return posted, posting, owner


@njit(cache=True, nogil=True)
def _visit(listed, depth, k, start, classes, counts, owner, alive, dirty, count):
    """Look at the multisets that begin with a row of one class; return how many persons were taken out.

    ``listed``: the entries of that class. A multiset is known by the entries of its last class, one of everyone who has
    it, and by how many rows of that class it has. It grows by another row of that class, or by one of a later class;
    those it grows to wait on a stack, by size (numba keeps no kernels that call themselves).
    """
    entries, firsts, useds = [listed], [np.array([0, len(listed)])], [np.ones(1, np.int64)]
    turn = np.zeros(depth + 1, np.int64)
    gone = 0
    while len(entries) > 0:
        size = len(entries)
        t = turn[size - 1]
        if t == len(useds[-1]):
            entries.pop()
            firsts.pop()
            useds.pop()
            continue
        turn[size - 1] += 1
        used, have = useds[-1][t], _left(entries[-1][firsts[-1][t] : firsts[-1][t + 1]], owner, alive)
        # A multiset that too few have cannot be grown: all who have it go, with whatever they have beside it.
        if len(have) < k:
            for e in have:
                gone += _take_out(owner[e], start, classes, alive, dirty)
        elif size + 1 == depth:
            gone += _leaves(have, used, k, start, classes, counts, owner, alive, dirty, count)
        elif size < depth:
            further, first, uses = _grown(have, used, start, classes, counts, owner, count)
            entries.append(further)
            firsts.append(first)
            useds.append(uses)
            turn[size] = 0
    return gone


@njit(cache=True, nogil=True)
def _left(listed, owner, alive):
    """Return the entries of persons who are left."""
    have, n = np.empty(len(listed), np.int64), 0
    for e in listed:
        if alive[owner[e]]:
            have[n] = e
            n += 1
    return have[:n]


@njit(cache=True, nogil=True)
def _leaves(have, used, k, start, classes, counts, owner, alive, dirty, count):
    """Count one more row, of the same class or of each later one, and take out whoever has one that too few have."""
    # count[c]: how many of these persons have a row in the later class c; again: another row of this one
    gone = again = 0
    for e in have:
        again += counts[e] > used
        for further in range(e + 1, start[owner[e] + 1]):
            count[classes[further]] += 1
    for e in have:
        rare = again < k and counts[e] > used
        for further in range(e + 1, start[owner[e] + 1]):
            rare |= count[classes[further]] < k
        if rare:
            gone += _take_out(owner[e], start, classes, alive, dirty)
    for e in have:
        for further in range(e + 1, start[owner[e] + 1]):
            count[classes[further]] = 0
    return gone


@njit(cache=True, nogil=True)
def _grown(have, used, start, classes, counts, owner, count):
    """List what a multiset grows to: (entries, where those of each begin, rows of the last class of each)."""
    n = n_same = n_touched = 0
    for e in have:
        n_same += counts[e] > used
        for further in range(e + 1, start[owner[e] + 1]):
            n_touched += count[classes[further]] == 0
            count[classes[further]] += 1
            n += 1
    grown, first = np.empty(n_same + n, np.int64), np.zeros(n_touched + 2, np.int64)
    uses, touched = np.ones(n_touched + 1, np.int64), np.empty(n_touched, np.int64)
    uses[0], first[1] = used + 1, n_same
    t = same = 0
    for e in have:
        if counts[e] > used:
            grown[same] = e
            same += 1
        for further in range(e + 1, start[owner[e] + 1]):
            # Multisets grow by later classes alone, so that each is met once, by its first class.
            c = classes[further]
            if count[c] > 0:  # seen for the first time
                touched[t] = c
                first[t + 2] = first[t + 1] + count[c]
                count[c] = -1 - first[t + 1]  # from here on where its next entry goes
                t += 1
            grown[-1 - count[c]] = further
            count[c] -= 1
    for c in touched:
        count[c] = 0
    return grown, first, uses


@njit(cache=True, nogil=True)
def _take_out(person, start, classes, alive, dirty):
    """Take a person out, and have the classes of the person's rows looked at again; return 1 if it was in."""
    if not alive[person]:
        return 0
    alive[person] = False
    for e in range(start[person], start[person + 1]):
        dirty[classes[e]] = True
    return 1


@njit(cache=True, nogil=True)
def alike(start, classes, counts, alive):
    """Number persons with the same rows alike, (n_persons,), -1 for those not alive; rows are compared whole."""
    n = len(alive)
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    # At least twice as many slots as persons. The hash says where to look, and decides nothing.
    table, last = np.full(1 << bits, -1, np.int64), np.uint64((1 << bits) - 1)
    group, n_groups = np.full(n, -1, np.int64), 0
    for p in range(n):
        if not alive[p]:
            continue
        mixed = np.uint64(start[p + 1] - start[p])
        for e in range(start[p], start[p + 1]):
            mixed = (mixed ^ np.uint64(classes[e])) * _MULTIPLIER
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(counts[e])) * _MULTIPLIER
        slot = mixed >> np.uint64(64 - bits)
        while table[slot] >= 0 and not _same(start, classes, counts, p, table[slot]):
            slot = (slot + _ONE) & last
        if table[slot] < 0:
            table[slot] = p
            group[p] = n_groups
            n_groups += 1
        else:
            group[p] = group[table[slot]]
    return group


@njit(cache=True, nogil=True)
def _same(start, classes, counts, one, other):
    length = start[one + 1] - start[one]
    if start[other + 1] - start[other] != length:
        return False
    for i in range(length):
        a, b = start[one] + i, start[other] + i
        if classes[a] != classes[b] or counts[a] != counts[b]:
            return False
    return True
