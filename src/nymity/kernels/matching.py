"""Which records fit which rows, and flows between them.

A row is a box: one cell per attribute, each a set of ranks. A record is one rank per attribute. Both are distinct ones,
with counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nymity.kernels.compiled import njit


class RowsAndRecords(NamedTuple):
    """Rows and records to compare.

    rows (n_rows, m): numbers of cells. records (n_records, m): ranks. low, high (n_cells,): the least and greatest rank
    of a cell, ``ranks[starts[cell] : starts[cell + 1]]`` all of them, ascending. by_value[a]: the records in the order
    of their rank of attribute a; those of rank v begin at ``value_starts[a, v]``. narrowest (n_rows,): the attribute
    whose cell the fewest records lie in.
    """

    rows: np.ndarray
    records: np.ndarray
    low: np.ndarray
    high: np.ndarray
    starts: np.ndarray
    ranks: np.ndarray
    by_value: np.ndarray
    value_starts: np.ndarray
    narrowest: np.ndarray


class Network(NamedTuple):
    """A flow from rows to records; nodes are the rows, ``n_rows`` of them, and then the records.

    Edge e leads from node row[e] to node record[e] and carries flow[e] (n_edges,), at most the product of the counts
    (n_nodes,) of both. ``edges[first[node] : first[node + 1]]`` are those of a node. need (n_nodes,): what a row has
    still to send, and a record may still take. level (n_nodes,): steps from a row that has to send, -1 if there is no
    way. next (n_nodes,): the first edge that may lead on. way (n_nodes,): room for a queue of nodes, or a way of edges.
    """

    n_rows: int
    row: np.ndarray
    record: np.ndarray
    flow: np.ndarray
    first: np.ndarray
    edges: np.ndarray
    counts: np.ndarray
    need: np.ndarray
    level: np.ndarray
    next: np.ndarray
    way: np.ndarray


@njit(cache=True, nogil=True)
def find_fits(boxes, fits):
    """Return how many records fit each row, (n_rows,), and write them, row after row, as far as there is room."""
    counts, n = np.zeros(len(boxes.rows), np.int64), 0
    for row in range(len(counts)):
        # Only records in the narrowest cell are tried against the other cells.
        a = boxes.narrowest[row]
        cell = boxes.rows[row, a]
        for place in range(boxes.starts[cell], boxes.starts[cell + 1]):
            rank = boxes.ranks[place]
            for at in range(boxes.value_starts[a, rank], boxes.value_starts[a, rank + 1]):
                if _fits(boxes, row, boxes.by_value[a, at]):
                    if n < len(fits):
                        fits[n] = boxes.by_value[a, at]
                    n += 1
                    counts[row] += 1
    return counts


@njit(cache=True, nogil=True)
def _fits(boxes, row, record):
    for a in range(boxes.rows.shape[1]):
        cell, rank = boxes.rows[row, a], boxes.records[record, a]
        low, high = boxes.low[cell], boxes.high[cell]
        if rank < low or rank > high:
            return False
        first, last = boxes.starts[cell], boxes.starts[cell + 1]
        if last - first <= high - low and not _lists(boxes.ranks, first, last, rank):  # else all between are in it
            return False
    return True


@njit(cache=True, nogil=True)
def _lists(ranks, first, last, rank):
    """Return whether a rank is among those from first to last, by halving."""
    while last - first > 1:
        middle = (first + last) // 2
        if ranks[middle] <= rank:
            first = middle
        else:
            last = middle
    return ranks[first] == rank


@njit(cache=True, nogil=True)
def saturate(net, order):
    """Let the flow become as large as it can be: augmenting ways in phases (Dinic 1970), from a greedy start.

    order (n_rows,): the rows as the start serves them.
    """
    for row in order:
        for at in range(net.first[row], net.first[row + 1]):
            e = net.edges[at]
            # The greedy start serves nearly everybody; phases then mend the few that it left.
            amount = min(net.need[row], net.need[net.record[e]], _room(net, row, e))
            net.flow[e] += amount
            net.need[row] -= amount
            net.need[net.record[e]] -= amount
    while _set_levels(net):
        # Edges that led nowhere are not tried again within a phase: that is what makes phases fast.
        net.next[:] = net.first[:-1]
        for row in range(net.n_rows):
            while net.need[row] > 0 and _augment(net, row):
                pass


@njit(cache=True, nogil=True)
def _room(net, node, e):
    """Return how much more may go from a node over its edge: from a record, by sending less to it."""
    if node >= net.n_rows:
        return net.flow[e]
    return net.counts[node] * net.counts[net.record[e]] - net.flow[e]


@njit(cache=True, nogil=True)
def _other(net, node, e):
    return net.record[e] if node < net.n_rows else net.row[e]


@njit(cache=True, nogil=True)
def _set_levels(net):
    """Count steps from the rows that have to send; say whether they lead to a record that may take."""
    net.level[:] = -1
    queued, reached = 0, False
    for row in range(net.n_rows):
        if net.need[row] > 0:
            net.level[row], net.way[queued], queued = 0, row, queued + 1
    served = 0
    while served < queued:
        node, served = net.way[served], served + 1
        for at in range(net.first[node], net.first[node + 1]):
            e = net.edges[at]
            other = _other(net, node, e)
            if net.level[other] < 0 and _room(net, node, e) > 0:
                net.level[other], net.way[queued], queued = net.level[node] + 1, other, queued + 1
                reached |= other >= net.n_rows and net.need[other] > 0
    return reached


@njit(cache=True, nogil=True)
def _augment(net, start):
    """Send along one way of rising levels from a row to a record that may take; False if there is none."""
    steps, node = 0, start
    while True:
        e = _next_edge(net, node)
        if e >= 0:
            net.way[steps], steps, node = e, steps + 1, _other(net, node, e)
            if node >= net.n_rows and net.need[node] > 0:
                _send(net, start, node, steps)
                return True
        elif steps == 0:
            return False
        else:
            # A dead end: back one step, past the edge that led here.
            steps -= 1
            node = _other(net, node, net.way[steps])
            net.next[node] += 1


@njit(cache=True, nogil=True)
def _next_edge(net, node):
    """Return the edge on which a way leads on from a node, -1 if none does in this phase."""
    while net.next[node] < net.first[node + 1]:
        e = net.edges[net.next[node]]
        if net.level[_other(net, node, e)] == net.level[node] + 1 and _room(net, node, e) > 0:
            return e
        net.next[node] += 1
    return -1


@njit(cache=True, nogil=True)
def _send(net, start, end, steps):
    """Send as much as the way allows: more over every other edge, less over those between."""
    amount, node = min(net.need[start], net.need[end]), start
    for step in range(steps):
        amount = min(amount, _room(net, node, net.way[step]))
        node = _other(net, node, net.way[step])
    for step in range(steps):
        net.flow[net.way[step]] += amount if step % 2 == 0 else -amount
    net.need[start] -= amount
    net.need[end] -= amount
