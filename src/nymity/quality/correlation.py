"""Bivariate correlation: how far associations between columns have moved.

El Emam, Mosquera & Hoptroff 2020; de Spoelberch, section 2.2.12.

    median over pairs of quasi-identifiers of |V of the original - V of the release|

with Cramér's V = sqrt(phi² / min(r - 1, c - 1)), where phi² is Pearson's and r and c count the values that occur; V is
0 where a column has one value. A release has other values than the original, so the records of each row are spread
evenly over the pairs of raw values that its two cells stand for, suppressed ones over all pairs. Chance makes V larger
than 0 for independent columns too; the corrected one takes away what they are expected to show (Bergsma 2013):
phi² - (r - 1)(c - 1)/(n - 1), not below 0, and r - (r - 1)²/(n - 1) for r, c alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from weakref import WeakKeyDictionary

import numpy as np

from nymity.kernels.association import Spread, atoms_of, contingency
from nymity.kernels.grouping import histograms
from nymity.quality.metric import Metric, MetricValue, PreparedMetric
from nymity.quality.published_rows import Floats, Ints, PublishedRows

#: phi² and the number of occurring values of both columns.
Pair = tuple[float, int, int]

#: What rounding leaves of a phi² of 0, which a root would make 10^-8 of.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class CorrelationMetric(Metric):
    """Median change of Cramér's V over all pairs of columns."""

    key = "bivariate-correlation"
    title = "median change of Cramér's V between two columns"
    plain = "How much the strength of the link between two columns changed."
    group = "distributions"
    unit = "V, from 0 to 1"
    limits = "a change up counts as one down, and half of the pairs may change by more"

    def prepare(self, original: PublishedRows) -> PreparedMetric:
        """Measure the associations of the original."""
        n = original.table.n_records
        before = [self._strength(pair, n) for pair in associations(original)]

        def measured(published: PublishedRows) -> MetricValue:
            if not before:
                return MetricValue(undefined="a table with one quasi-identifier has no pairs")
            after = [self._strength(pair, n) for pair in associations(published)]
            return MetricValue(value=float(np.median(np.abs(np.subtract(before, after)))))

        return measured

    @property
    def _strength(self) -> Callable[[Pair, int], float]:
        return cramers_v


@dataclass(frozen=True, kw_only=True)
class CorrectedCorrelationMetric(CorrelationMetric):
    """Median change of the bias-corrected V over all pairs of columns."""

    key = "bivariate-correlation-corrected"
    title = "median change of Cramér's V between two columns, corrected for what chance shows"
    plain = "The same, after taking off the link that two columns show by chance alone."

    @property
    def _strength(self) -> Callable[[Pair, int], float]:
        return corrected_v


def cramers_v(pair: Pair, n: int) -> float:
    """Return V of two columns."""
    del n
    phi, r, c = pair
    return sqrt(phi / (min(r, c) - 1)) if min(r, c) > 1 else 0.0


def corrected_v(pair: Pair, n: int) -> float:
    """Return V less what independent columns would show."""
    phi, r, c = pair
    if n < 2:
        return 0.0
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return sqrt(max(0.0, phi - (r - 1) * (c - 1) / (n - 1)) / least) if least > 0 else 0.0


#: Two metrics look at the same associations.
_KNOWN: WeakKeyDictionary[PublishedRows, list[Pair]] = WeakKeyDictionary()


def associations(published: PublishedRows) -> list[Pair]:
    """Return phi² and the values of every two columns, those of the first column first."""
    if published not in _KNOWN:
        _KNOWN[published] = _associations(published)
    return _KNOWN[published]


def _associations(published: PublishedRows) -> list[Pair]:
    columns = [_spread(published, a) for a in range(len(published.cells))]
    values = [int(np.count_nonzero(published.spread(a))) for a in range(len(published.cells))]
    return [
        (_phi(published, a, b, columns[a], columns[b]), values[a], values[b])
        for a, b in combinations(range(len(published.cells)), 2)
    ]


def _phi(published: PublishedRows, a: int, b: int, one: Spread, other: Spread) -> float:
    n_cells, n_others = len(published.cells[a].labels), len(published.cells[b].labels)
    ones, others = (published.rows[:, column].astype(np.uint32) for column in (a, b))
    group, cells, counts = histograms(ones, n_cells, others, published.counts.astype(np.uint32), max(n_others, 1))
    starts = np.searchsorted(group, np.arange(n_cells + 1))
    total = contingency(one, other, starts, cells.astype(np.int64), counts, float(published.suppressed))
    return phi if (phi := float(total) - 1.0) > _ROUNDING else 0.0


def _spread(published: PublishedRows, attribute: int) -> Spread:
    cells, domain = published.cells[attribute], published.table.hierarchies[attribute].domain_size
    atom = atoms_of(cells.covered, cells.starts, domain)
    values = np.bincount(atom)  # of each atom
    first = np.unique(atom, return_index=True)[1]
    stands = first[atom[cells.covered]] == cells.covered  # one value of each atom stands for it
    atoms, of_cell = atom[cells.covered[stands]], np.repeat(np.arange(len(cells.labels)), cells.sizes)[stands]
    shares: Floats = values[atoms] / cells.sizes[of_cell]
    by_atom = np.argsort(atoms, kind="stable")
    begins: Ints = np.searchsorted(atoms[by_atom], np.arange(len(values) + 1))
    return Spread(
        atoms=atoms,
        starts=np.searchsorted(of_cell, np.arange(len(cells.labels) + 1)),
        shares=shares,
        cells=of_cell[by_atom],
        begins=begins,
        parts=shares[by_atom],
        mass=np.bincount(atom, weights=published.spread(attribute)),
        loose=values / domain,
    )
