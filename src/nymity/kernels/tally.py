"""Tally: how often each value of a column occurs, by its place among whole numbers or fractions of one denominator."""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def tally(values, low, times):
    """Count whole numbers (n,) into ``times`` (width,), of which ``low`` is the first; all must have a place there."""
    for value in values:
        times[value - low] += 1


@njit(cache=True, nogil=True)
def tally_fractions(values, denominator, low, times):
    """Count floats (n,) that are each the one nearest to a whole number over ``denominator``; tell whether all are.

    ``low`` is the first numerator with a place in ``times`` (width,). A quotient is rounded once, as a decimal that is
    read is, so that ``numerator / denominator`` gives back the very float of ``12.34``.
    """
    for value in values:
        numerator = np.rint(value * denominator)
        place = np.int64(numerator) - low
        if place < 0 or place >= len(times) or numerator / denominator != value:
            return False
        times[place] += 1
    return True
