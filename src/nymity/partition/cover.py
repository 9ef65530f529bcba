"""Cover: which records each published row covers, what its cells are, and what that promises.

n records and n published rows, one for each record; row i covers k different records, the first its own. Column c of
the cover is a permutation: the c-th of k perfect matchings between records and rows, and no pair is in two of them.
Hence every row fits k records at least, every record fits k rows at least, and no such pair can be ruled out, because
it is part of a matching of everybody (Doka, Xue, Tsoumakos and Karras 2015; Tassa, Mazza and Gionis 2012 call the
latter k-concealment). That is weaker than k-anonymity: rows need not be equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nymity.core.errors import PromiseError
from nymity.kernels.freeform import cycles
from nymity.partition.geometry import Floats, Geometry, Ints


@dataclass(frozen=True, eq=False)
class Cover:
    """The records (n, k) each row covers, the first its own; ``loss`` of all rows, and a ``bound`` no cover is below.

    Here the loss is summed over rows, each with its own cells: there are no classes.
    """

    records: Ints
    loss: float
    bound: float


@dataclass(frozen=True, eq=False)
class RowBoxes:
    """What the rows publish: intervals low to high (n, p), and the values of each set (n, k, s), some repeated."""

    low: Floats
    high: Floats
    values: Ints

    @staticmethod
    def of(geometry: Geometry, records: Ints) -> RowBoxes:
        """Return the smallest cells that cover the records (n, k)."""
        places = geometry.points[records]  # (n, k, p)
        return RowBoxes(places.min(axis=1), places.max(axis=1), geometry.codes[records])

    def loss(self, geometry: Geometry) -> float:
        """Return the cost of all rows: widths times scales, and d times the set's scale for d >= 2 values."""
        ordered = np.sort(self.values, axis=1)
        different = 1 + np.count_nonzero(np.diff(ordered, axis=1), axis=1)  # (n, s)
        axes = (self.high - self.low) @ geometry.scales
        sets = np.where(different > 1, different, 0) @ geometry.set_scales
        return float(np.sum(axes + sets))


def draw_links(records: Ints, below: Callable[[int], int]) -> Ints:
    """Return for each row the record whose other columns it is published with: each of its k with probability 1 / k.

    The row's own record would be a bad choice: who knows the algorithm may find it in the middle of its cells. The
    draw is a perfect matching within the cover, so that every record is published once. Rows that must change together
    form cycles, and each cycle is drawn for itself; so one link that somebody knows says nothing of other cycles.
    After c columns each pair has probability 1 / c; a cycle of these links and column c then keeps its links with
    probability c / (c + 1). ``below(m)`` draws a whole number below m.
    """
    links = records[:, 0].copy()
    holder = np.empty_like(links)
    for c in range(1, records.shape[1]):
        holder[links] = np.arange(len(links))
        cycle = cycles(holder[records[:, c]])
        renewed = np.array([below(c + 1) == 0 for _ in range(int(cycle.max(initial=-1)) + 1)], dtype=bool)
        links = np.where(renewed[cycle], records[:, c], links)
    return links


def verify(geometry: Geometry, records: Ints, boxes: RowBoxes, k: int) -> None:
    """Raise :class:`PromiseError` unless the cover and its cells keep the promise; no code of the search is used."""
    n = len(geometry)
    everybody = list(range(n))
    _demand(records.shape == (n, k), f"a cover of {n} rows has {k} records each, got {records.shape}")
    _demand(records[:, 0].tolist() == everybody, "a row does not cover its own record first")
    for c, column in enumerate(records.T.tolist()):
        _demand(sorted(column) == everybody, f"column {c} of the cover is no permutation of the records")
    _demand(all(len(set(row)) == k for row in records.tolist()), "a row covers a record twice")
    places, codes = geometry.points[records], geometry.codes[records]  # (n, k, p) and (n, k, s)
    fits = np.all((places >= boxes.low[:, None]) & (places <= boxes.high[:, None]), axis=2)
    for c in range(k):
        fits[:, c] &= np.all(np.any(boxes.values == codes[:, c : c + 1], axis=1), axis=1)
    _demand(bool(fits.all()), f"{np.count_nonzero(~fits)} records do not lie in the cells that cover them")
    rows_of_each = np.bincount(records[fits], minlength=n)
    _demand(bool(np.all(rows_of_each >= k)), f"a record fits only {rows_of_each.min(initial=k)} rows")


def _demand(holds: bool, broken: str) -> None:
    if not holds:
        raise PromiseError(f"the freeform cover breaks its promise: {broken}")
