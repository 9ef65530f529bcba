"""Classes that cost little more than their records pay, found by depth-first search.

Records are given as types, each with the number of records that are alike. A class is a multiset of k to 2k - 1 types;
it costs its size times its width: the sum over axes of its extent and over sets of what its values cost. Each record
pays the price of its type. A class also pays a fine for every second member it has among the types of a triple (the
dual prices of subset-row cuts). Its surplus is what it costs, fines included, above what its records pay.

points (n_types, n_axes): place of each type, a unit of width costing 1. codes (n_types, n_sets): its value in each
set. set_costs (n_sets,): what each value costs once there are two, up to set_limits (n_sets,) of them. counts
(n_types,): records of each type. fines (n_triples,); the triples of type t are triple_of[starts[t] : starts[t + 1]].

Why a branch can be cut: let P be the members so far, w(P) their width, w(P + j) the width with j as well. The final
width is at least w(P + j) for each further member j, and every member pays for it. Fines never fall. So

    surplus >= |P| * w(P) + fines of P - prices of P + sum over further members j of (w(P + j) - price of j),

and the sum is at least that of its smallest terms: as many as are missing to k, and the negative ones after that.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def cheap_classes(
    points, codes, set_costs, set_limits, counts, prices, levy, fines, starts, triple_of,
    root, k, limit, patience, stop, every, members, sizes, surpluses,
):  # fmt: skip
    """Find classes with a surplus below ``limit`` whose first type is ``root``; return how many, and whether all.

    members (room, 2k - 1), sizes (room,) and surpluses (room,) take them. If there are more than room, the search stops
    where ``every`` one is wanted; otherwise those with the least surplus are kept, all others being worse. It also
    stops after so many steps as ``patience`` says, or once another thread has set ``stop`` (1,).
    """
    n_types, most, room, found = len(points), 2 * k - 1, len(sizes), 0
    # left: records of a type that are not yet members; hits: members so far of each triple.
    left, hits, chosen = counts.copy(), np.zeros(len(fines), np.int64), np.empty(most, np.int64)
    low, high = np.empty((most, points.shape[1])), np.empty((most, points.shape[1]))
    distinct, width, paid = np.ones((most, codes.shape[1]), np.int64), np.zeros(most), np.zeros(most)
    # per depth: types that may come next by falling gain, the width with each, how many, and which one is next
    nexts, wider, gain = np.empty((most, n_types), np.int64), np.empty((most, n_types)), np.empty((most, n_types))
    end, at = np.zeros(most, np.int64), np.zeros(most, np.int64)

    depth = 0  # the members so far are chosen[: depth + 1]
    chosen[0], low[0], high[0] = root, points[root], points[root]
    paid[0] = prices[root] - levy - _take(root, left, hits, fines, starts, triple_of)
    # Types from the root on: a class is found once, from its first type.
    end[0] = _rank(points, codes, set_costs, set_limits, prices, left, chosen[:1], low[0], high[0], distinct[0],
                   np.arange(root, n_types), k - 2, most - 2, limit + paid[0], nexts[0], wider[0], gain[0])  # fmt: skip
    while depth >= 0:
        place, size = at[depth], depth + 2
        at[depth] += 1
        if place < end[depth]:
            rest = _rest(nexts[depth], gain[depth], left, place, end[depth], k - size, most - size)
            least = -paid[depth] - gain[depth, place] - rest
        if place >= end[depth] or (depth + 1) * width[depth] + least >= limit:  # and so for all behind
            _put_back(chosen[depth], left, hits, starts, triple_of)
            depth -= 1
            continue
        patience -= 1
        if patience < 0 or stop[0]:
            return found, False
        j, w = nexts[depth, place], wider[depth, place]
        if (depth + 1) * w + least >= limit:
            continue
        chosen[depth + 1] = j
        fine = _take(j, left, hits, fines, starts, triple_of)
        surplus = size * w + fine - paid[depth] - prices[j]
        if size >= k and surplus < limit:
            if found == room and every:
                return found, False
            # Without room the worst one goes; from then on only better ones than the worst count.
            slot = found if found < room else np.argmax(surpluses)
            found = min(found + 1, room)
            members[slot, :size], sizes[slot], surpluses[slot] = chosen[:size], size, surplus
            if found == room and not every:
                limit = surpluses.max()
        if size == most or (depth + 1) * w + least + fine >= limit:
            _put_back(j, left, hits, starts, triple_of)
            continue
        depth += 1
        width[depth], paid[depth], at[depth] = w, paid[depth - 1] + prices[j] - fine, 0
        _widen(points, codes, chosen[:depth], j, low, high, distinct, depth)
        end[depth] = _rank(points, codes, set_costs, set_limits, prices, left, chosen[:size], low[depth], high[depth],
                           distinct[depth], nexts[depth - 1, place : end[depth - 1]], k - size - 1, most - size - 1,
                           limit + paid[depth], nexts[depth], wider[depth], gain[depth])  # fmt: skip
    return found, True


@njit(cache=True, nogil=True)
def _widen(points, codes, chosen, t, low, high, distinct, depth):
    """Derive the box and the numbers of values at a depth from those above and the type that is added."""
    for a in range(points.shape[1]):
        low[depth, a] = min(low[depth - 1, a], points[t, a])
        high[depth, a] = max(high[depth - 1, a], points[t, a])
    for s in range(codes.shape[1]):
        distinct[depth, s] = distinct[depth - 1, s] + _is_new(codes, chosen, t, s)


@njit(cache=True, nogil=True)
def _rank(
    points, codes, set_costs, set_limits, prices, left, chosen, low, high, distinct, among, needed, allowed, limit,
    nexts, wider, gain,
):  # fmt: skip
    """Sort the types that are left by what they bring, their price less the width with them; return how many.

    Those that cannot keep the surplus below the limit with the best company are left out.
    """
    widths, most_gain = np.empty(len(among)), -np.inf
    for e, t in enumerate(among):
        w = 0.0
        for a in range(len(low)):
            w += max(high[a], points[t, a]) - min(low[a], points[t, a])
        for s in range(len(distinct)):
            d = distinct[s] + _is_new(codes, chosen, t, s)
            if d > 1:
                w += min(d, set_limits[s]) * set_costs[s]
        widths[e] = w
        if left[t] > 0:
            most_gain = max(most_gain, prices[t] - w)
    # The best company: as many as are allowed if they bring something, else only as many as are needed.
    rest = (allowed if most_gain > 0.0 else max(needed, 0)) * most_gain
    count = 0
    for e, t in enumerate(among):
        mine, w = prices[t] - widths[e], widths[e]
        if left[t] == 0 or len(chosen) * w - mine - rest >= limit:
            continue
        place = count
        while place > 0 and gain[place - 1] < mine:
            gain[place], wider[place], nexts[place] = gain[place - 1], wider[place - 1], nexts[place - 1]
            place -= 1
        gain[place], wider[place], nexts[place] = mine, w, t
        count += 1
    return count


@njit(cache=True, nogil=True)
def _rest(nexts, gain, left, place, end, needed, allowed):
    """Return the largest sum of gains from ``place`` on, one there being taken: ``needed`` ones, then positive ones."""
    total, taken = 0.0, 0
    for e in range(place, end):
        available = left[nexts[e]] - (1 if e == place else 0)
        while available > 0 and taken < allowed and (taken < needed or gain[e] > 0.0):
            total += gain[e]
            taken += 1
            available -= 1
        if taken >= allowed or (taken >= needed and gain[e] <= 0.0):
            break
    return total if taken >= needed else -np.inf


@njit(cache=True, nogil=True)
def _take(t, left, hits, fines, starts, triple_of):
    """Take one record of a type; return the fine for it."""
    left[t] -= 1
    fine = 0.0
    for e in range(starts[t], starts[t + 1]):
        hits[triple_of[e]] += 1
        # A class counts in the cut with half its members of the triple, rounded down.
        if hits[triple_of[e]] % 2 == 0:
            fine += fines[triple_of[e]]
    return fine


@njit(cache=True, nogil=True)
def _put_back(t, left, hits, starts, triple_of):
    left[t] += 1
    for e in range(starts[t], starts[t + 1]):
        hits[triple_of[e]] -= 1


@njit(cache=True, nogil=True)
def _is_new(codes, chosen, t, s):
    for member in chosen:
        if codes[member, s] == codes[t, s]:
            return 0
    return 1
