"""Count queries, 64 at a time: how many records of a table satisfy each, as far as its cells tell.

A *cell* stands for a set of values; bit q of ``admits[v]`` says that query q admits value v, also where it does not ask
for the column of v. Records are in groups. A group has rows of cells, and beside them entries of further cells, and
nothing says which row belongs to which entry:

    answer(q) = sum over groups g of  R_g(q) / n_g * E_g(q)
    R_g(q)    = sum over rows r of g of     records_r * product over cells c of r of |c & q| / |c|
    E_g(q)    = the same over entries of g

with n_g the records of g and |c & q| the number of values of c that q admits. If all cells are single values and the
rows of a group are equal, that is the count: R_g / n_g is then 0 or 1, and sums of whole numbers are exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.compiled import njit

_ONE = np.uint64(1)


class GroupedRows(NamedTuple):
    """Different rows of the groups: cells (n_columns, n_rows), records (n_rows,).

    Those of group g are the rows from starts[g] to starts[g + 1]. ``wide`` lists the columns in which a cell may stand
    for several values.
    """

    cells: Any
    records: Any
    starts: Any
    wide: Any


class Overlaps(NamedTuple):
    """What 64 queries admit of each cell: bit q of some[c] says whether query q admits anything.

    shares[place[c], q] is the admitted share of a cell c of several values; place[c] is -1 for a single value.
    """

    some: Any
    place: Any
    shares: Any


@njit(cache=True, nogil=True)
def overlaps(covered, starts, place, admits):
    """Compare cells with 64 queries; covered[starts[c] : starts[c + 1]] are the values of cell c."""
    some = np.zeros(len(place), np.uint64)
    shares = np.zeros((np.sum(place >= 0), 64))
    for c in range(len(place)):
        size = starts[c + 1] - starts[c]
        for i in range(starts[c], starts[c + 1]):
            some[c] |= admits[covered[i]]
            if place[c] >= 0:
                _add(shares[place[c]], admits[covered[i]], 1.0)
        if place[c] >= 0:
            for q in range(64):
                shares[place[c], q] /= size
    return Overlaps(some, place, shares)


@njit(cache=True, nogil=True)
def answers(rows, entries, totals):
    """Return the answers to the 64 queries."""
    rows_fit, entries_fit = _fits(rows.cells, totals.some), _fits(entries.cells, totals.some)
    total, of_rows, of_entries, product = np.zeros(64), np.zeros(64), np.zeros(64), np.zeros(64)
    for g in range(len(rows.starts) - 1):
        size, fitting = 0, np.uint64(0)
        of_rows[:] = 0.0
        for r in range(rows.starts[g], rows.starts[g + 1]):
            size += rows.records[r]
            fitting |= rows_fit[r]
            if rows_fit[r] and len(rows.wide):
                product[:] = rows.records[r]
                for a in rows.wide:
                    _multiply(product, totals.shares, totals.place[rows.cells[a, r]])
                _add_each(of_rows, rows_fit[r], product)
            elif rows_fit[r]:
                _add(of_rows, rows_fit[r], float(rows.records[r]))
        # None of the 64 queries has a row in this group, whatever its entries are.
        if not fitting:
            continue
        of_entries[:] = 0.0
        for e in range(entries.starts[g], entries.starts[g + 1]):
            if entries_fit[e] & fitting:
                _add(of_entries, entries_fit[e], float(entries.records[e]))
        for q in range(64):
            # Divided first: where all rows fit it is exactly 1, and the sum of whole numbers stays exact.
            total[q] += of_rows[q] / size * of_entries[q]
    return total


@njit(cache=True, nogil=True)
def _fits(cells, some):
    """Which queries admit something of every cell of a row: bits (n_rows,)."""
    fits = np.full(cells.shape[1], ~np.uint64(0))
    for a in range(cells.shape[0]):
        for r in range(cells.shape[1]):
            fits[r] &= some[cells[a, r]]
    return fits


@njit(cache=True, nogil=True)
def _add(sums, bits, amount):
    """Add an amount where a bit is set."""
    for q in range(64):
        # A choice and no branch: the compiler makes one step of several queries.
        sums[q] += amount if (bits >> np.uint64(q)) & _ONE else 0.0


@njit(cache=True, nogil=True)
def _add_each(sums, bits, amounts):
    """Add the amount of each bit that is set."""
    for q in range(64):
        sums[q] += amounts[q] if (bits >> np.uint64(q)) & _ONE else 0.0


@njit(cache=True, nogil=True)
def _multiply(product, shares, place):
    """Multiply with the admitted shares of a cell; a single value is admitted or not, as the bits say."""
    if place >= 0:
        for q in range(64):
            product[q] *= shares[place, q]
