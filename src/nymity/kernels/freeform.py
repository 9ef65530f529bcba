"""Freeform rows: which record a published row covers next.

A row starts with its own record and covers one more per round. What it costs to cover a further record is what its cell
grows by: on an axis the distance to the interval times the scale; in a set the scale of the set for a new value, twice
that for the second one (see :class:`nymity.partition.geometry.Geometry`).

chosen (n,): the record each row takes in this round, -1 while it has none. taken (n,): whether a row took the record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nymity.kernels.compiled import njit


class FreeformRows(NamedTuple):
    """n records and the n published rows so far.

    points (n, p), scales (p,), codes (n, s), set_scales (s,): the geometry. covers (n, k): records of each row, the
    first its own; those of later rounds are not yet set. low, high (n, p): interval of each row on each axis. several
    (n, s): whether a row has more than its own value of a set.
    """

    points: np.ndarray
    scales: np.ndarray
    codes: np.ndarray
    set_scales: np.ndarray
    covers: np.ndarray
    low: np.ndarray
    high: np.ndarray
    several: np.ndarray


@njit(cache=True, nogil=True)
def take_nearest(rows, round_, first, last, chosen, taken):
    """Let the rows from ``first`` to ``last`` take the nearest free record each, one after the other.

    A row that covers every free record already stays without.
    """
    for row in range(first, last):
        record, _ = nearest(rows, round_, row, taken)
        chosen[row] = record
        if record >= 0:
            taken[record] = True


@njit(cache=True, nogil=True)
def nearest(rows, round_, row, taken):
    """Return the free record that costs the row least and what it costs; -1 if it covers all free ones.

    Of equal ones it is the first. But of those that cost nothing it is the next after the row's own, in a circle: so k
    or more equal records, side by side, cover one another and nobody else, the c-th round going c steps on.
    """
    n, best, least = len(taken), -1, np.inf
    for step in range(1, n):
        # In a circle from its own on, so that equal records side by side take one another.
        record = row + step if row + step < n else row + step - n
        if taken[record]:
            continue
        # The cost first: only what could be taken is looked for among the records that the row covers.
        cost = _added(rows, round_, row, record, least)
        if (cost < least or (cost == least and record < best)) and not _covered(rows, round_, row, record):
            best, least = record, cost
            if cost == 0.0:
                break
    return best, least


@njit(cache=True, nogil=True)
def all_nearest(rows, round_, first, last, taken, records, costs):
    """Write what :func:`nearest` says of the rows from ``first`` to ``last``."""
    for row in range(first, last):
        records[row], costs[row] = nearest(rows, round_, row, taken)


@njit(cache=True, nogil=True)
def all_costs(rows, round_, first, last, matrix):
    """Write what each record costs the rows from ``first`` to ``last`` into matrix (n, n); infinity if covered."""
    for row in range(first, last):
        for record in range(len(matrix)):
            matrix[row, record] = _added(rows, round_, row, record, np.inf)
        for earlier in range(round_):
            matrix[row, rows.covers[row, earlier]] = np.inf


@njit(cache=True, nogil=True)
def exchange(rows, round_, row, chosen, taken):
    """Find a record for a row that covers all free ones: an augmenting path of the fewest exchanges, of least cost.

    The row takes the record of a second, which takes that of a third ..., and the last one takes a free record. Rows
    are reached in layers; each keeps the cheapest way from the layer before. Each row may take n - round_ records, and
    each record may go to as many rows, so that a perfect matching and hence a path exist (König 1916).
    """
    n = len(chosen)
    free = np.flatnonzero(~taken)
    depth, before, cost = np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.full(n, np.inf)
    depth[row], cost[row] = 0, 0.0
    for layer in range(n):
        end, record = _cheapest_end(rows, round_, np.flatnonzero(depth == layer), free, cost)
        if end >= 0:
            taken[record] = True
            # Along the way back each row hands its record on to the one before it.
            while end >= 0:
                record, chosen[end] = chosen[end], record
                end = before[end]
            return
        # No row of this layer may take a free record. Reach the rows whose record one of them may take.
        for giver in range(n):
            if depth[giver] >= 0 or chosen[giver] < 0:
                continue
            saved = _added(rows, round_, giver, chosen[giver], np.inf)
            for taker in np.flatnonzero(depth == layer):
                way = cost[taker] + _added(rows, round_, taker, chosen[giver], np.inf) - saved
                if way < cost[giver] and not _covered(rows, round_, taker, chosen[giver]):
                    cost[giver], before[giver] = way, taker
            if before[giver] >= 0:
                depth[giver] = layer + 1


@njit(cache=True, nogil=True)
def _cheapest_end(rows, round_, ends, free, cost):
    """Return the row among ``ends`` and the free record it may take that end a path at least cost; -1 if none may."""
    best, best_record, least = -1, -1, np.inf
    for row in ends:
        for record in free:
            way = cost[row] + _added(rows, round_, row, record, np.inf)
            if way < least and not _covered(rows, round_, row, record):
                best, best_record, least = row, record, way
    return best, best_record


@njit(cache=True, nogil=True)
def least_costs(rows, others, first, last, bounds):
    """Write the least each row may cost at the end: its own record with the ``others``-th nearest of the rest.

    Whatever ``others`` records it covers, one of them is at least that far. For rows that cover only their own yet.
    """
    nearest_so_far = np.empty(others)  # ascending
    for row in range(first, last):
        nearest_so_far[:] = np.inf
        for record in range(len(rows.covers)):
            if record == row:
                continue
            cost = _added(rows, 1, row, record, nearest_so_far[-1])
            if cost < nearest_so_far[-1]:
                place = others - 1
                while place > 0 and nearest_so_far[place - 1] > cost:
                    nearest_so_far[place] = nearest_so_far[place - 1]
                    place -= 1
                nearest_so_far[place] = cost
        bounds[row] = nearest_so_far[-1]


@njit(cache=True, nogil=True)
def _added(rows, round_, row, record, limit):
    """Return what covering the record costs the row, or some figure above ``limit`` if it is more."""
    cost = 0.0
    for a in range(len(rows.scales)):
        place = rows.points[record, a]
        if place < rows.low[row, a]:
            cost += rows.scales[a] * (rows.low[row, a] - place)
        elif place > rows.high[row, a]:
            cost += rows.scales[a] * (place - rows.high[row, a])
        if cost > limit:
            return cost
    for a in range(len(rows.set_scales)):
        if rows.codes[record, a] == rows.codes[row, a]:
            continue
        if not rows.several[row, a]:
            cost += 2 * rows.set_scales[a]
        elif _is_new(rows, round_, row, a, rows.codes[record, a]):
            cost += rows.set_scales[a]
        if cost > limit:
            return cost
    return cost


@njit(cache=True, nogil=True)
def _is_new(rows, round_, row, a, code):
    for earlier in range(1, round_):  # noqa: SIM110 -- no generators in kernels
        if rows.codes[rows.covers[row, earlier], a] == code:
            return False
    return True


@njit(cache=True, nogil=True)
def _covered(rows, round_, row, record):
    for earlier in range(round_):  # noqa: SIM110 -- no generators in kernels
        if rows.covers[row, earlier] == record:
            return True
    return False


@njit(cache=True, nogil=True)
def cycles(permutation):
    """Return the number of the cycle each element of a permutation (n,) is in, counted from 0."""
    numbers = np.full(len(permutation), -1, np.int64)
    found = 0
    for start in range(len(permutation)):
        at = start
        while numbers[at] < 0:
            numbers[at] = found
            at = permutation[at]
        if numbers[start] == found:
            found += 1
    return numbers
