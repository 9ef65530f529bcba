"""Triples of types that a fractional choice of classes uses too often.

Half the constraints of three types, rounded down, give a subset-row cut: with c_t(C) the members of class C of type
t, n_t the records of type t and x_C how often C is chosen, every partition satisfies

    sum over classes C of floor((c_r + c_s + c_t) / 2) * x_C <= floor((n_r + n_s + n_t) / 2).
"""

from __future__ import annotations

import numpy as np

from nymity.kernels.compiled import njit


@njit(cache=True, nogil=True)
def violated_triples(uses, shares, counts, least):
    """Return triples (n, 3) in which two meet the third in some class, and by how much each is violated, above least.

    uses (n_classes, n_types): members of each type in each fractional class; shares (n_classes,): how often chosen.
    """
    n_types = len(counts)
    meet = np.zeros((n_types, n_types), np.bool_)
    for c in range(len(uses)):
        inside = np.flatnonzero(uses[c])
        for i in inside:
            for j in inside:
                meet[i, j] = True
    triples, excess = [(0, 0, 0)], [0.0]  # a first entry to infer types from
    for centre in range(n_types):
        near = np.flatnonzero(meet[centre])
        for a in range(len(near)):
            for b in range(a + 1, len(near)):
                one, other = near[a], near[b]
                if centre in (one, other) or (meet[one, other] and centre > one):  # if all meet: from the first
                    continue
                total = 0.0
                for c in range(len(uses)):
                    total += ((uses[c, one] + uses[c, other] + uses[c, centre]) // 2) * shares[c]
                total -= (counts[one] + counts[other] + counts[centre]) // 2
                if total > least:
                    triples.append((one, other, centre))
                    excess.append(total)
    return np.array(triples)[1:], np.array(excess)[1:]
