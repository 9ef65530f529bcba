"""Association of two columns whose cells stand for sets of values.

The records of a row are spread evenly over the pairs of values that its two cells cover. Values that are covered by the
same cells are alike; together they are an *atom*, and only atoms are looked at. A cell's records are spread over its
atoms in proportion to their values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nymity.kernels.compiled import njit


class Spread(NamedTuple):
    """One column: which atoms each cell covers, which cells cover each atom, and the masses.

    atoms[starts[c] : starts[c + 1]], shares: those of cell c, and the share of its records that each gets;
    cells[begins[x] : begins[x + 1]], parts: the same by atom. mass (n_atoms,): records of each atom, suppressed ones
    included; loose (n_atoms,): share of the suppressed records that each gets.
    """

    atoms: Any
    starts: Any
    shares: Any
    cells: Any
    begins: Any
    parts: Any
    mass: Any
    loose: Any


@njit(cache=True, nogil=True)
def atoms_of(covered, starts, n_values):
    """Number values alike that the same cells cover, from 0 in order of their first value, (n_values,)."""
    atom = np.zeros(n_values, np.int64)
    # Each covered value splits off one atom at most, so numbers of atoms stay within this room.
    seen, moved = np.full(len(covered) + 1, -1), np.empty(len(covered) + 1, np.int64)
    n_atoms = 1
    for c in range(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            old = atom[covered[i]]
            if seen[old] != c:  # what the cell covers of an atom becomes an atom of its own
                seen[old], moved[old] = c, n_atoms
                n_atoms += 1
            atom[covered[i]] = moved[old]
    # Later cells may have emptied an atom: numbers are given again, without gaps.
    number, n_numbers = np.full(n_atoms, -1), 0
    for v in range(n_values):
        if number[atom[v]] < 0:
            number[atom[v]] = n_numbers
            n_numbers += 1
        atom[v] = number[atom[v]]
    return atom


@njit(cache=True, nogil=True)
def contingency(one, other, starts, cells, counts, suppressed):
    """Return the sum over pairs of atoms of O^2 / (R C): one more than Pearson's phi^2.

    cells[starts[c] : starts[c + 1]], counts: cells of the other column beside cell c, with their records. O is the mass
    of a pair, R and C are those of its atoms. The S suppressed records add S * a * b to every pair, a and b their
    shares; what they give where no row does is a product of sums.
    """
    total, found = 0.0, np.zeros(len(other.mass))
    touched = np.empty(len(other.mass), np.int64)
    for x in range(len(one.mass)):
        n_touched = 0
        for i in range(one.begins[x], one.begins[x + 1]):
            for j in range(starts[one.cells[i]], starts[one.cells[i] + 1]):
                weight = counts[j] * one.parts[i]
                for k in range(other.starts[cells[j]], other.starts[cells[j] + 1]):
                    y = other.atoms[k]
                    if found[y] == 0.0:
                        touched[n_touched] = y
                        n_touched += 1
                    found[y] += weight * other.shares[k]
        for y in touched[:n_touched]:
            # (found + beside)^2 without beside^2, whose sum over all pairs is the product of sums that is returned.
            beside = suppressed * one.loose[x] * other.loose[y]
            total += found[y] * (found[y] + 2.0 * beside) / (one.mass[x] * other.mass[y])
            found[y] = 0.0
    return total + suppressed**2 * _loose(one) * _loose(other)


@njit(cache=True, nogil=True)
def _loose(column):
    total = 0.0
    for x in range(len(column.mass)):
        if column.mass[x] > 0.0:
            total += column.loose[x] ** 2 / column.mass[x]
    return total
