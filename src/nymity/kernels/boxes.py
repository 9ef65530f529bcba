"""Boxes: what it costs each record of a class to be published like the others, while the class grows.

A class is its box: lowest and highest place on each axis, and for each set which values occur (a bit each) and how
many. With widths w, scales c, d different values, set scales g and limits m,

    cost = sum over axes (w c) + sum over sets (min(d, m) g if d > 1)

added in this order, then rounded to a grid, so that what is equal on paper is equal here whatever was added first. Each
step is monotone in w and d, also in floating point: a bound computed from bounds of w and d is a bound of the cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.compiled import njit

_ONE, _LOW_BITS = np.uint64(1), np.int64(63)


class Columns(NamedTuple):
    """Records: points (n, p), scales (p,), slots (n, s), set_scales (s,), set_limits (s,), starts (s + 1,), grid.

    A value of a set is a bit of a mask of 64-bit words; ``slots`` gives its number. The words of set a are those from
    starts[a] to starts[a + 1]. Adding and subtracting ``grid`` rounds a cost; 0 leaves it as it is.
    """

    points: Any
    scales: Any
    slots: Any
    set_scales: Any
    set_limits: Any
    starts: Any
    grid: Any


class ClassBoxes(NamedTuple):
    """Boxes of classes: lo and hi (n_boxes, p), mask (n_boxes, n_words), distinct (n_boxes, s)."""

    lo: Any
    hi: Any
    mask: Any
    distinct: Any


@njit(cache=True, nogil=True)
def cost_with(columns, boxes, b, r):
    """Return the cost of box b once record r is in it."""
    cost = 0.0
    for a in range(len(columns.scales)):
        x = columns.points[r, a]
        cost += (max(boxes.hi[b, a], x) - min(boxes.lo[b, a], x)) * columns.scales[a]
    for a in range(len(columns.set_scales)):
        different = boxes.distinct[b, a] + (not has(boxes.mask, b, columns.slots[r, a]))
        if different > 1:
            cost += min(different, columns.set_limits[a]) * columns.set_scales[a]
    return (cost + columns.grid) - columns.grid


@njit(cache=True, nogil=True)
def cost_of(columns, boxes, b):
    """Return the cost of box b as it is."""
    cost = 0.0
    for a in range(len(columns.scales)):
        cost += (boxes.hi[b, a] - boxes.lo[b, a]) * columns.scales[a]
    for a in range(len(columns.set_scales)):
        if boxes.distinct[b, a] > 1:
            cost += min(boxes.distinct[b, a], columns.set_limits[a]) * columns.set_scales[a]
    return (cost + columns.grid) - columns.grid


@njit(cache=True, nogil=True)
def begin(columns, boxes, b, r):
    """Make record r alone the content of box b."""
    for a in range(len(columns.scales)):
        boxes.lo[b, a] = boxes.hi[b, a] = columns.points[r, a]
    for w in range(boxes.mask.shape[1]):
        boxes.mask[b, w] = 0
    for a in range(len(columns.set_scales)):
        boxes.distinct[b, a] = 1
        put(boxes.mask, b, columns.slots[r, a])


@njit(cache=True, nogil=True)
def extend(columns, boxes, b, r):
    """Put record r into box b."""
    for a in range(len(columns.scales)):
        x = columns.points[r, a]
        boxes.lo[b, a] = min(boxes.lo[b, a], x)
        boxes.hi[b, a] = max(boxes.hi[b, a], x)
    for a in range(len(columns.set_scales)):
        slot = columns.slots[r, a]
        boxes.distinct[b, a] += not has(boxes.mask, b, slot)
        put(boxes.mask, b, slot)


@njit(cache=True, nogil=True)
def has(mask, b, slot):
    """Return whether a value is in mask b."""
    return (mask[b, slot >> 6] >> np.uint64(slot & _LOW_BITS)) & _ONE != 0


@njit(cache=True, nogil=True)
def put(mask, b, slot):
    """Add a value to mask b."""
    mask[b, slot >> 6] |= _ONE << np.uint64(slot & _LOW_BITS)
