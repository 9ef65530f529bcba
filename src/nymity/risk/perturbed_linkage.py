"""Perturbed linkage: who knows perturbed columns and quasi-identifiers of people, and looks for their rows by them.

Two attackers, both of whom apply the job's codings to what they know, for everybody may know the job:

- *linked*: knows one record and picks the row that is nearest, numbers measured in standard deviations of the true
  ones, one at random of several;
- *linked_together*: knows all records and how much the columns were changed, and gives every record a row of its own
  so that all changes together are the likeliest. Changes of a number count as normal ones with the variance that they
  had; a value that is no number as kept with the share of those that were, else as any other value.

A gap is as near to a gap as can be, and as far from a number as two numbers of the column are at most. What both find
is no limit: somebody may know more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.draws import KeyedDraws
from nymity.table.text import as_text, plainly_named

Floats = NDArray[np.float64]
#: Rows that look alike, up to which all are given to records at once: that takes the cube of their number.
TOGETHER = 400
_LEAST = 1e-9


@dataclass(frozen=True, kw_only=True)
class PerturbedLinkage:
    """The chance that a row so found is the record's own, on average; ``by_chance``: that of one at random."""

    linked: float
    linked_together: float
    by_chance: float


@dataclass(frozen=True, eq=False)
class KnownColumn:
    """What is known of records, and what their rows show (n,): numbers, or codes of values."""

    before: Floats
    after: Floats
    is_number: bool

    @staticmethod
    def of(before: pl.Series, after: pl.Series) -> KnownColumn:
        """Compare numbers where both are, and texts otherwise."""
        if before.dtype.is_numeric() and after.dtype.is_numeric():
            sides = [plainly_named(one).cast(pl.Float64).fill_null(float("nan")).to_numpy() for one in (before, after)]
            if not np.isinf(sides).any():
                return KnownColumn(sides[0], sides[1], is_number=True)
        values = pl.concat([as_text(before).alias("cell"), as_text(after).alias("cell")])
        codes = values.rank("dense").fill_null(0).to_numpy().astype(np.float64)
        return KnownColumn(codes[: len(before)], codes[len(before) :], is_number=False)

    def distances(self, records: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
        """Return how far each record is from each row, squared, (records, rows)."""
        known, shown = self.before[records, None], self.after[None, rows]
        if not self.is_number:
            return np.asarray(known != shown, dtype=np.float64)
        apart = np.where(np.isnan(known) & np.isnan(shown), 0.0, (known - shown) ** 2)
        return np.where(np.isnan(apart), self._widest, apart)

    @property
    def spread(self) -> float:
        """What distances are measured in to compare columns: the variance of the true numbers."""
        known = self.before[~np.isnan(self.before)]
        return float(known.var()) or 1.0 if self.is_number and len(known) else 1.0

    @property
    def surprise(self) -> float:
        """What a distance of 1 takes from the logarithm of the likelihood."""
        if self.is_number:
            both = ~np.isnan(self.before) & ~np.isnan(self.after)
            changed = float(np.mean((self.before - self.after)[both] ** 2)) if both.any() else 0.0
            return 0.5 / max(changed, _LEAST * self.spread)
        kept = min(max(float(np.mean(self.before == self.after)), _LEAST), 1 - _LEAST)
        others = max(len(np.unique(self.after)) - 1, 1)
        return max(float(np.log(kept * others / (1 - kept))), 0.0)

    @property
    def _widest(self) -> float:
        every = np.concatenate([self.before, self.after])
        every = every[~np.isnan(every)]
        return float(np.ptp(every)) ** 2 if len(every) else 0.0


def linked_by_perturbed(columns: Sequence[KnownColumn], group: NDArray[np.int64], targets: int) -> PerturbedLinkage:
    """Look for records in the rows that look like theirs; ``group`` (n,) says which rows look alike.

    A record and its row have the same place. At most ``targets`` records, evenly spaced, are looked for.
    """
    looked_for, order = picked(len(group), targets), np.argsort(group, kind="stable")
    linked, together, guessed = [], [], []
    for number in np.unique(group[looked_for]).tolist():
        start, end = np.searchsorted(group[order], [number, number + 1])
        rows, some = order[start:end], looked_for[group[looked_for] == number]
        linked += found_nearest(columns, rows, some).tolist()
        together += _together(columns, rows, some).tolist()
        guessed += [1 / len(rows)] * len(some)
    return PerturbedLinkage(
        linked=float(np.mean(linked)), linked_together=float(np.mean(together)), by_chance=float(np.mean(guessed))
    )


def picked(n: int, targets: int) -> NDArray[np.int64]:
    """Return at most ``targets`` of n places, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, targets)).astype(np.int64))


def found_nearest(columns: Sequence[KnownColumn], rows: NDArray[np.int64], some: NDArray[np.int64]) -> Floats:
    """Return the chance of each record in ``some`` that the nearest of the rows is its own."""
    chances = np.zeros(len(some))
    for place, record in enumerate(some):
        each = (one.distances(np.array([record]), rows)[0] / one.spread for one in columns)
        distances = sum(each, np.zeros(len(rows)))
        own = distances[rows == record][0]
        chances[place] = 0.0 if (distances < own).any() else 1 / int((distances == own).sum())
    return chances


def _together(columns: Sequence[KnownColumn], rows: NDArray[np.int64], some: NDArray[np.int64]) -> Floats:
    """Give each record of those that look alike a row; where they are too many, as if it were known alone."""
    if len(rows) > TOGETHER:
        return found_nearest(columns, rows, some)
    from scipy.optimize import linear_sum_assignment

    # Equally likely ones are told apart by a draw: in the order of rows, records would find their own.
    draws = KeyedDraws.public("linked together")
    records, shown = (rows[draws.permutation(f"{what} {rows[0]}", len(rows))] for what in ("records", "rows"))
    lost = sum((one.surprise * one.distances(records, shown) for one in columns), np.zeros((len(rows), len(rows))))
    record, row = linear_sum_assignment(lost)
    own = dict(zip(records[record].tolist(), (records[record] == shown[row]).tolist(), strict=True))
    return np.array([float(own[one]) for one in some.tolist()])
