"""Growing: classes that start with one record and take the cheapest one left until they have k.

Equal records are one item of a :mod:`tree of boxes <nymity.kernels.boxtree>`, which answers "cheapest to add" without
looking at most of them. The answer is that of a scan over all records in sorted order, the first of several winning.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from nymity.core.interrupt import interruptible
from nymity.core.progress import Observer, Progress, report
from nymity.kernels.boxes import ClassBoxes, Columns, begin, extend
from nymity.kernels.boxtree import NONE, Tree, divide, fit_all
from nymity.kernels.grow import cheapest_class, grow
from nymity.partition.geometry import Geometry, Ints
from nymity.partition.sorted_order import sorted_order

#: Costs are compared in units of the largest possible one over about 2 to this power.
GRID_BITS = 40
#: Seconds of compiled code between two reports.
PAUSE = 0.3


@dataclass(frozen=True, eq=False)
class Grown:
    """Classes as they grew: the records of each, in the order in which they were added, leftovers at the end."""

    members: list[list[int]]
    classes: Ints


def grow_classes(geometry: Geometry, k: int, *, away: bool, observe: Observer, stage: str) -> Grown:
    """Grow n // k classes of k records each, then give each record that is left to the class where it costs least.

    A class starts with the first record left in sorted order and a leftover joins the class with the least total cost
    afterwards; with ``away``, a class starts with the record furthest from the last one added, and a leftover joins the
    class whose total cost increases least.
    """
    order = sorted_order(geometry)
    items = Items.of(geometry, order)
    tree = items.tree()
    n_classes = len(order) // k
    boxes = empty_boxes(n_classes + 1, tree.columns)
    begin(tree.columns, boxes, n_classes, np.flatnonzero(tree.ranks == 0)[0])
    picked = np.empty((n_classes, k), np.int64)
    places = items.starts[tree.ranks]
    done, step = 0, 16
    while done < n_classes:
        began = perf_counter()
        stop = min(done + step, n_classes)
        with interruptible():
            grow(tree, boxes, places, picked, k, done, stop, away)
        step = paced(step, perf_counter() - began)
        done = stop
        report(observe, Progress(stage=stage, done=done * k, total=len(order)))
    members = order[picked].tolist()
    _place_leftovers(tree, boxes, items, members, order, by_increase=away)
    return Grown(members, number(members, len(order)))


def _place_leftovers(
    tree: Tree, boxes: ClassBoxes, items: Items, members: list[list[int]], order: Ints, *, by_increase: bool
) -> None:
    """Add what is left, in sorted order, to ``members``."""
    sizes = np.array([len(m) for m in members])
    # The last box was of the record that was added last, and is no class.
    kept = ClassBoxes(*(array[:-1] for array in boxes))
    remaining = np.flatnonzero(tree.left)
    for item in remaining[np.argsort(tree.ranks[remaining])]:
        end = items.starts[tree.ranks[item] + 1]
        for place in range(end - tree.left[item], end):
            best = cheapest_class(tree.columns, kept, sizes, item, by_increase)
            extend(tree.columns, kept, best, item)
            sizes[best] += 1
            members[best].append(int(order[place]))


def paced(step: int, seconds: float) -> int:
    """Return how many steps to make in the next call, given how long this one took."""
    return max(1, int(min(2.0**40, step * min(4.0, PAUSE / max(seconds, 1e-6)))))


def number(members: list[list[int]], n: int) -> Ints:
    """Return the class of each record (n,)."""
    classes = np.empty(n, np.int64)
    for c, those in enumerate(members):
        classes[those] = c
    return classes


# -- arrays for the kernels ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Items:
    """Equal records taken together, in sorted order: their columns, and where each one's records start (n_items + 1,).

    Columns without weight are left out. They come last in the sorted order, so records that differ in nothing else
    follow each other.
    """

    columns: Columns
    starts: Ints

    @staticmethod
    def of(geometry: Geometry, order: Ints) -> Items:
        """Take equal records together."""
        columns = columns_of(geometry, grid=True)
        points, slots = columns.points[order], columns.slots[order]
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = (points[1:] != points[:-1]).any(axis=1) | (slots[1:] != slots[:-1]).any(axis=1)
        first = np.flatnonzero(fresh)
        return Items(columns._replace(points=points[first], slots=slots[first]), np.append(first, len(order)))

    def tree(self) -> Tree:
        """Return a tree over all items."""
        columns, n = self.columns, len(self.starts) - 1
        order = np.arange(n)
        nodes = np.empty((4, 2 * n), np.int64)
        n_nodes = divide(
            columns.points, columns.scales, columns.slots, columns.set_scales, columns.set_limits, order, *nodes
        )
        starts, ends, right, parent = nodes[:, :n_nodes].copy()
        leaves = np.flatnonzero(right == 0)
        leaf = np.repeat(leaves, (ends - starts)[leaves])
        arranged = columns._replace(points=columns.points[order], slots=columns.slots[order])
        boxes = empty_boxes(n_nodes, columns)
        left = np.diff(self.starts)[order]
        first = np.full(n_nodes, NONE)
        tree = Tree(arranged, order, left, starts, ends, right, parent, leaf, boxes.lo, boxes.hi, boxes.mask, first)
        fit_all(tree)
        return tree


def columns_of(geometry: Geometry, *, grid: bool) -> Columns:
    """Return the columns of a geometry that have weight, with a ``grid`` for exact ties or without."""
    widths = geometry.scales * np.ptp(geometry.points, axis=0)
    axes, sets = widths > 0, geometry.set_scales > 0
    n_words = (geometry.set_sizes[sets] + 63) // 64
    starts = np.concatenate([[0], np.cumsum(n_words)])
    most = float(widths[axes].sum() + geometry.set_scales[sets] @ geometry.set_limits[sets])
    return Columns(
        points=np.ascontiguousarray(geometry.points[:, axes]),
        scales=geometry.scales[axes],
        slots=np.ascontiguousarray(geometry.codes[:, sets] + 64 * starts[:-1]),
        set_scales=geometry.set_scales[sets],
        set_limits=geometry.set_limits[sets],
        starts=starts,
        # 1.5 * 2^e, e far above any cost: floats there are multiples of 2^(e - 52), so that adding it rounds to these.
        grid=1.5 * 2.0 ** (frexp(most)[1] + 52 - GRID_BITS) if grid else 0.0,
    )


def empty_boxes(n_boxes: int, columns: Columns) -> ClassBoxes:
    """Return boxes to be filled."""
    n_axes, n_sets = len(columns.scales), len(columns.set_scales)
    ends = np.empty((2, n_boxes, n_axes))
    mask: NDArray[np.uint64] = np.zeros((n_boxes, columns.starts[-1]), np.uint64)
    return ClassBoxes(ends[0], ends[1], mask, np.zeros((n_boxes, n_sets), np.int64))
