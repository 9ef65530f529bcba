"""Local suppression as sdcMicro describes it (Templ 2008; its manual on localSuppression and kAnon).

Written from the description, not from the program: records that fewer than k rows match lose values, one after the
other, until all have k. Which value is suppressed is decided by how many rows match then; of several the variable of
less importance gives way, and without other importances a variable of more different values is the less important.
sdcMicro counts a suppressed value as a match of every value (``wildcard``). With ``wildcard=False`` the same rule is
run until every row is there k times, ``*`` being a value of its own, which sdcMicro does not offer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def local_suppression(codes: Ints, k: int, *, wildcard: bool = True) -> NDArray[np.bool_]:
    """Return which cells of the records (n, m) are suppressed."""
    stars = np.zeros(codes.shape, dtype=np.bool_)
    least_important = np.argsort([-len(np.unique(column)) for column in codes.T], kind="stable")
    while True:
        violating = _violating(codes, stars, k, wildcard=wildcard)
        if not len(violating):
            return stars
        for record in violating.tolist():
            if wildcard and _matching(codes, stars, record, wildcard=True).sum() >= k:
                continue  # by what others lost since
            _suppress_one(codes, stars, record, least_important, wildcard=wildcard)
        if not wildcard:
            _join_starred(stars, k)


def _suppress_one(
    codes: Ints, stars: NDArray[np.bool_], record: int, least_important: NDArray[np.intp], *, wildcard: bool
) -> None:
    """Suppress the value after which most rows match."""
    most, best = -1, -1
    for a in least_important.tolist():
        if not stars[record, a]:
            stars[record, a] = True
            matching = int(_matching(codes, stars, record, wildcard=wildcard).sum())
            stars[record, a] = False
            if matching > most:
                most, best = matching, a
    if best >= 0:
        stars[record, best] = True


def _matching(codes: Ints, stars: NDArray[np.bool_], record: int, *, wildcard: bool) -> NDArray[np.bool_]:
    """Return the rows that agree with a record where it shows values; others' stars match with wildcards alone."""
    agree = (codes == codes[record]) | stars[record]
    return np.asarray((agree | stars if wildcard else agree & ~(stars & ~stars[record])).all(axis=1))


def _violating(codes: Ints, stars: NDArray[np.bool_], k: int, *, wildcard: bool) -> Ints:
    if wildcard:
        fits = [int(_matching(codes, stars, record, wildcard=True).sum()) for record in range(len(codes))]
        return np.flatnonzero(np.array(fits) < k)
    shown = np.where(stars, -1, codes)
    _, row, counts = np.unique(shown, axis=0, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[row.ravel()] < k)


def _join_starred(stars: NDArray[np.bool_], k: int) -> None:
    """Let the rows with most stars join those without any value, where these are fewer than k."""
    bare = stars.all(axis=1)
    if 0 < bare.sum() < k:
        order = np.argsort(-stars.sum(axis=1), kind="stable")
        stars[order[:k]] = True
