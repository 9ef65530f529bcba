"""How far the sensitive values of each class are from those of the table, as exact fractions.

The earth mover's distances of Li, Li and Venkatasubramanian (2007). A class has c_v of its s records with value v, the
table Q_v of its n. The surplus of v, D_v = c_v n - Q_v s, is an integer, and p_v - q_v = D_v / (s n). Then

    equal          sum of the positive D_v                              over s n
    ordered        sum over i of |D_1 + ... + D_i|, m values in order   over (m - 1) s n
    hierarchical   sum over the levels below the top, h of them,        over h s n
                   of the positive surpluses of the values there

The last is the closed form of the paper's recursion: where all leaves are h levels below the root, moving a share over
an ancestor on level j costs j / h, so each level adds 1 / h for what has to leave its values. Values absent from a
class have no positive surplus, so the entries of a histogram are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nymity.kernels import closeness as kernel
from nymity.table.classes import Classes, Histogram
from nymity.table.encoding import SensitiveColumn

Distance = Literal["equal", "ordered", "hierarchical"]
#: Integers of 64 bits, or of Python where a sum could leave them.
Exact = NDArray[Any]

#: More than all rounding of a bound adds up to.
SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Closeness:
    """The distance of each class from the table as a fraction of integers, work / whole, (n_classes,)."""

    work: Exact
    whole: Exact

    def within(self, t: Fraction) -> NDArray[np.bool_]:
        """Return which distances are at most t <= 1: work is whole-numbered, so it is compared with floor(t * whole).

        The whole is taken apart by the denominator of t, so that no product leaves 64 bits.
        """
        often, rest = self.whole // t.denominator, self.whole % t.denominator
        most = often * t.numerator + rest * t.numerator // t.denominator
        return np.asarray(self.work <= most, dtype=np.bool_)

    @property
    def value(self) -> NDArray[np.float64]:
        """The distances, rounded."""
        return (self.work / np.maximum(self.whole, 1)).astype(np.float64)


def closeness(classes: Classes, attribute: str, distance: Distance) -> Closeness:
    """Return how far each class is from the table it is compared with."""
    histogram = classes.histograms[attribute]
    n, steps = int(histogram.overall.sum()), _steps(histogram, distance)
    sizes: Exact = classes.units
    # Products are compared exactly: Python's whole numbers where 64 bits could overflow.
    if n * steps * int(sizes.max(initial=0)) >= 2**62:
        sizes = sizes.astype(object)
    if distance == "ordered":
        return Closeness(_ordered(histogram, sizes), sizes * (n * steps))
    h = histogram
    if classes.sizes.dtype == object:
        return Closeness(_surpluses(h, sizes, *_levels(h, distance), n), sizes * (n * steps))
    nodes, table = _levels(h, distance)
    work = kernel.surpluses(h.classes, h.codes, h.counts, classes.sizes, nodes, table.ravel(), n)
    return Closeness(work.astype(sizes.dtype).sum(axis=0), sizes * (n * steps))


def most_within(classes: Classes, attribute: str, distance: Distance, t: Fraction) -> NDArray[np.int64]:
    """Bound the records of each class in parts of it that are within t, (n_classes,).

    The parts together are within t too, since the distances are convex. They have s records, u_v <= c_v of value v.
    With the nodes v of all h levels (of which ``equal`` has one, the values), the sum of max(0, q_v s - u_v) is at most
    h t s, hence for any set T of nodes

        s (q(T) - h t) <= u(T) <= c(T),   so that   s <= c(T) / (q(T) - h t)   where that is positive.

    The best T are the nodes with c_v < q_v s at the largest s possible. The kernel starts from the whole class and
    takes those lacking at the bound so far (Newton's method for a convex function); each T on the way is a bound.
    """
    h, n = classes.histograms[attribute], int(classes.histograms[attribute].overall.sum())
    if distance == "ordered":
        return _most_within_order(classes, attribute, t)
    if n * _steps(h, distance) * t.denominator >= 2**62:
        return classes.sizes.astype(np.int64)
    nodes, table = _levels(h, distance)
    given = h.classes, h.codes, h.counts, classes.sizes, nodes, table.ravel(), n
    return np.asarray(kernel.most_within(*given, t.numerator, t.denominator))


def _most_within_order(classes: Classes, attribute: str, t: Fraction) -> NDArray[np.int64]:
    """Bound the same for ordered values.

    Beside s records within t a class of c has c - s others. They are at most M away, the farthest that a single value
    of the class is from the table. By convexity the class as a whole is

        e <= (s t + (c - s) M) / c,   hence   s <= c (M - e) / (M - t)   where it is farther than t.
    """
    histogram, found = classes.histograms[attribute], closeness(classes, attribute, "ordered")
    each, one = np.arange(histogram.n_values, dtype=np.uint32), np.ones(histogram.n_values, dtype=np.uint32)
    alone = Histogram(histogram.n_values, histogram.n_values, each, each, one, histogram.column, histogram.overall)
    single = closeness(Classes(one, {attribute: alone}), attribute, "ordered").value
    farthest = _per_class(histogram.classes, single[histogram.codes], histogram.n_classes, np.maximum)
    room = farthest - float(t)
    bounded = ~found.within(t) & (room > 2 * SLACK)
    share = np.ones_like(room)
    np.divide(farthest - found.value + SLACK, room - SLACK, out=share, where=bounded)
    most: NDArray[np.int64] = np.floor(classes.sizes * np.clip(share, 0, 1) * (1 + SLACK)).astype(np.int64)
    return most


def _ordered(histogram: Histogram, sizes: Exact) -> Exact:
    """Return the sum of |D_1 + ... + D_i| over the values of the table in order.

    Between two values that a class has, own n - size F_i only falls, where own are its records and F_i those of the
    table up to value i. So it is summed up in two parts, before and after the turn from positive to negative.
    """
    assert histogram.column is not None
    assert histogram.column.ranks is not None
    order = np.argsort(histogram.column.ranks)
    order = order[np.asarray(histogram.overall[order] > 0, dtype=np.bool_)]
    place = np.zeros(histogram.n_values, dtype=np.int64)
    place[order] = np.arange(len(order))
    entries = np.lexsort((place[histogram.codes], histogram.classes))
    owner, start, counts = histogram.classes[entries], place[histogram.codes[entries]], histogram.counts[entries]
    first, size = _starts(owner), sizes[owner]
    end = np.append(start[1:], len(order))[: len(owner)]
    end[np.append(first, len(owner))[1:] - 1] = len(order)
    table = np.cumsum(histogram.overall[order]).astype(sizes.dtype)  # F
    sums = np.append(np.zeros(1, sizes.dtype), np.cumsum(table))
    seen = np.cumsum(counts, dtype=object if counts.dtype == object else np.int64)
    own = seen - np.repeat((seen - counts)[first], np.diff(first, append=len(owner)))
    have = own.astype(sizes.dtype) * int(histogram.overall.sum())
    # Up to here own n >= size F: terms are positive before the turn and negative after it.
    turn = np.clip(np.searchsorted(table, have // size, side="right"), start, end)
    runs = have * (2 * turn - start - end) + size * (sums[start] + sums[end] - 2 * sums[turn])
    runs[first] += size[first] * sums[start[first]]
    return _per_class(owner, runs, histogram.n_classes)


def _surpluses(h: Histogram, sizes: Exact, nodes: NDArray[np.int64], table: Exact, n: int) -> Exact:
    """Return the sum over the nodes of all levels of max(0, count * n - table * size), in Python's integers."""
    work = np.zeros(h.n_classes, dtype=object)
    for of_value in nodes:
        found, entry = np.unique(h.classes * np.int64(table.size) + of_value[h.codes], return_inverse=True)
        held = np.zeros(len(found), dtype=object)
        np.add.at(held, entry, h.counts)
        owner, node = np.divmod(found, table.size)
        np.add.at(work, owner, np.maximum(held * n - table.ravel()[node] * sizes[owner], 0))
    return work


def _levels(histogram: Histogram, distance: Distance) -> tuple[NDArray[np.int64], Exact]:
    """Return nodes (n_levels, n_values), numbered through all levels, and table (n_levels, n_nodes of one)."""
    if distance == "equal":
        return np.arange(histogram.n_values)[None, :], histogram.overall[None, :]
    assert histogram.column is not None
    of_table = histogram.overall is histogram.column.totals
    return histogram.column.nodes if of_table else histogram.column.nodes_of(histogram.overall)


def levels_of(column: SensitiveColumn, distance: Distance) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the same for the values of a table; None for ordered ones, and where there is no level."""
    if distance == "ordered" or column.totals.dtype == object:
        return None
    alone = np.empty(0, np.uint32)
    histogram = Histogram(0, len(column.labels), alone, alone, alone, column, column.totals)
    nodes, table = _levels(histogram, distance)
    return (nodes, table.astype(np.int64)) if len(nodes) == _steps(histogram, distance) else None


def fewest_values(table: NDArray[np.int64], t: Fraction) -> int:
    """Return the fewest different values of a class within t; table (n_levels, n_nodes): records of each node.

    What a class lacks has to move. On each level it has no more nodes than it has values, so it lacks at least all but
    the most frequent ones.
    """
    have = np.cumsum(np.sort(table, axis=1)[:, ::-1], axis=1).sum(axis=0)  # (n_nodes,): by so many values
    most = table.sum() * t.numerator // t.denominator  # what may move
    return int(np.searchsorted(have, table.sum() - most)) + 1


def _steps(histogram: Histogram, distance: Distance) -> int:
    """Return how many units of work make a distance of 1 for a whole class."""
    if distance == "ordered":
        return max(int(np.count_nonzero(histogram.overall)) - 1, 1)
    if distance == "hierarchical":
        assert histogram.column is not None
        assert histogram.column.hierarchy is not None
        return max(histogram.column.hierarchy.height, 1)
    return 1


def _per_class(owner: NDArray[np.uint32], terms: Exact, n_classes: int, join: np.ufunc = np.add) -> Exact:
    """Join the terms of each class, whose entries are adjacent; a class without entries has 0."""
    joined = np.zeros(n_classes, dtype=terms.dtype)
    first = _starts(owner)
    if len(first):
        joined[owner[first]] = join.reduceat(terms, first)
    return joined


def _starts(owner: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return where the entries of each class begin."""
    return np.flatnonzero(np.append(True, owner[1:] != owner[:-1])[: len(owner)])
