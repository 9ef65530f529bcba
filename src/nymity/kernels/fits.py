"""Fits: how many published rows are compatible with what someone knows of a person.

Classes of equal rows are bits, eight to a byte, the first one highest. ``bits[r]`` (n_bytes,) are the classes whose
cell covers one value of one column; ``rows[p, a]`` is that r for the value of person p in column a. A class fits a
person in some columns if it is in all of their bits. ``weights[i, b]`` sums up what the classes of byte i with the
pattern b count.
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def fitting(bits, rows, subsets, weights):
    """Sum up the classes that fit each person in each subset of columns: (n_people, n_subsets) int64."""
    n_people, n_subsets, n_bytes = len(rows), len(subsets), bits.shape[1]
    found = np.zeros((n_people, n_subsets), np.int64)
    common = np.empty(n_bytes, np.uint8)
    for p in range(n_people):
        for s in range(n_subsets):
            common[:] = 255
            for a in range(subsets.shape[1]):
                if subsets[s, a]:
                    common &= bits[rows[p, a]]
            total = 0
            for i in range(n_bytes):
                total += weights[i, common[i]]
            found[p, s] = total
    return found


@njit(cache=True, nogil=True)
def fitted(bits, rows):
    """Return which classes fit some person in all columns: (n_bytes,) uint8."""
    found, common = np.zeros(bits.shape[1], np.uint8), np.empty(bits.shape[1], np.uint8)
    for p in range(len(rows)):
        common[:] = 255
        for a in range(rows.shape[1]):
            common &= bits[rows[p, a]]
        found |= common
    return found
