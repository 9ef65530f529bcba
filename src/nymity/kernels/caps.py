"""Caps on the shares of values: which classes keep them, and how many records of a class can.

classes, codes, counts (n_entries,): class, value and records of an entry; entries of a class are adjacent. sizes
(n_classes,): records of each class, below 2**31. numerators, denominators (n_values,): caps of at most 1, of terms
below 2**62. A class without entries keeps every cap.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.class_entries import end_of_class
from nymity.kernels.compiled import njit

_HALF = 31
_LOW = np.int64(2**31 - 1)
#: More than the rounding of a share times a number of records.
_SLACK = 1e-6
#: More than sums of shares are off by.
_ROUNDING = 1e-9
#: Caps of classes of at most so many records are whole numbers in a table, of at most so many cells: sums of these come
#: to their end sooner than by way of a quotient.
_FEW, _CELLS = 256, 4096


@njit(cache=True, nogil=True)
def keep_caps(classes, codes, counts, sizes, numerators, denominators):
    """Return (n_classes,): which classes keep the caps."""
    kept = np.ones(len(sizes), np.bool_)
    first = 0
    while first < len(classes):
        here, end = classes[first], end_of_class(classes, first)
        kept[here] = keeps_caps(codes, counts, first, end, np.int64(sizes[here]), numerators, denominators)
        first = end
    return kept


@njit(cache=True, nogil=True)
def keeps_caps(codes, counts, first, end, size, numerators, denominators):
    """Return whether count * denominator <= numerator * size for every entry of a class, in integers of 93 bits."""
    for e in range(first, end):
        count, numerator, denominator = np.int64(counts[e]), numerators[codes[e]], denominators[codes[e]]
        # Products as high * 2**31 + low
        have, most = (denominator & _LOW) * count, (numerator & _LOW) * size
        high = (denominator >> _HALF) * count + (have >> _HALF)
        most_high = (numerator >> _HALF) * size + (most >> _HALF)
        if high > most_high or (high == most_high and (have & _LOW) > (most & _LOW)):
            return False
    return True


@njit(cache=True, nogil=True)
def most_under_caps(classes, codes, counts, sizes, caps):
    """Return (n_classes,): how many records of each class parts of it that keep the caps can have at most."""
    most, few = sizes.astype(np.int64), allowed(caps)
    first = 0
    while first < len(classes):
        here, end = classes[first], end_of_class(classes, first)
        most[here] = most_of_class(codes, counts, first, end, most[here], caps, few)
        first = end
    return most


@njit(cache=True, nogil=True)
def allowed(caps):
    """Return floor(cap * s) of each value, (n_sizes, n_values), for s from 0 on."""
    few = np.empty((1 + min(_FEW, _CELLS // max(1, len(caps))), len(caps)), np.uint32)
    for s in range(len(few)):
        for v in range(len(caps)):
            few[s, v] = np.uint32(caps[v] * s + _SLACK)
    return few


@njit(cache=True, nogil=True)
def most_of_class(codes, counts, first, end, size, caps, few):
    """Return the largest s <= size with s <= sum over the values of min(count, floor(cap * s)), or more.

    caps (n_values,): shares, rounded; few: :func:`allowed`. From the size of the class on, s shrinks to the sum of
    counts of the values below their caps, over what the caps of the others leave of 1; where s is in the table, to the
    sum itself.
    """
    s = size
    while s >= len(few):
        free, room, together = 0.0, 1.0 - _ROUNDING, np.int64(0)
        for e in range(first, end):
            cap = caps[codes[e]]
            together += min(np.int64(counts[e]), np.int64(cap * s + _SLACK))
            if cap * s < counts[e]:
                room -= cap
            else:
                free += counts[e]
        if together >= s:
            return s
        # Neither of the two is always the smaller one.
        s = min(together, np.int64(free / room)) if room > 0 else together
    while s > 0:
        some = np.uint32(0)
        for e in range(first, end):
            some += min(counts[e], few[s, codes[e]])
        if some >= s:
            break
        s = np.int64(some)
    return s
