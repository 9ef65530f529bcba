"""Rows that may have a twin: found by counters of hashes, of which there are many more than rows.

A row whose counter says one is alone for sure. Of the others, few are alone nevertheless; whoever asks compares them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nymity.kernels.compiled import njit

Numbers = npt.NDArray[np.unsignedinteger]

#: Counters for each row, as a power of two, and at most in all: four of them are a byte.
MORE_BITS, MOST_BITS = 6, 28

_MULTIPLIER, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def repeating_rows(first: Numbers, second: Numbers) -> npt.NDArray[np.uint32]:
    """Return the rows, of pairs of whole numbers (n_rows,), that may not be the only one of a pair; all others are.

    The lower halves of the numbers tell as much as their hashes would.
    """
    bits = min(len(first).bit_length() + MORE_BITS, MOST_BITS)
    pairs = first.astype(np.uint32), second.astype(np.uint32)
    found: npt.NDArray[np.uint32] = rows_that_may_repeat(*pairs, np.zeros(1 << bits - 2, np.uint8))
    return found


@njit(cache=True, nogil=True)
def rows_that_may_repeat(first, second, counters):
    """Return the rows, of pairs of ``first`` and ``second`` (n_rows,) uint32, that may not be the only one of a pair.

    ``counters`` (2**b,) uint8 are zeros, each byte four counters of none, one or several.
    """
    last = np.uint64(4 * len(counters) - 1)
    for row in range(len(first)):
        place = _place(first[row], second[row]) & last
        byte, shift = np.int64(place >> np.uint64(2)), np.uint8(place & np.uint64(3)) * np.uint8(2)
        if (counters[byte] >> shift) & np.uint8(3) < 2:
            counters[byte] += np.uint8(1) << shift
    found, n = np.empty(len(first), np.uint32), 0
    for row in range(len(first)):
        place = _place(first[row], second[row]) & last
        byte, shift = np.int64(place >> np.uint64(2)), np.uint8(place & np.uint64(3)) * np.uint8(2)
        found[n] = row
        n += (counters[byte] >> shift) & np.uint8(3) == 2
    return found[:n]


@njit(cache=True, nogil=True)
def _place(one, other):
    mixed = ((np.uint64(one) << _HALF) | np.uint64(other)) * _MULTIPLIER
    return ((mixed ^ (mixed >> _HALF)) * _OTHER) >> np.uint64(20)
