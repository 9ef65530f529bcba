"""Fouad, Elbassioni and Bertino (2012, 2014): records replaced by generalizations that t records share.

Each record is replaced, by itself, with one of its *t-frequent* generalizations: those that at least t records of the
table have in common. Bild, Kuhn and Prasser (2018, section 8.7.2) report that delta is known only if t exceeds a
threshold ⌊T⌋, and print it for epsilon = 1 and hierarchies of h = 2 levels, where a cell is kept or suppressed.

They print neither the formula of T nor how a generalization is drawn. So this is no method but an analysis, exact, in
favour of the mechanism: what its releases can keep *at most*, and what they keep on average if every t-frequent
generalization is as likely. :func:`least_delta` says why such releases are not made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.errors import TableError
from nymity.core.validation import whole_number
from nymity.dp.parameters import Number, fraction_between

#: ⌊T⌋ by number of attributes, for epsilon = 1 and h = 2, as printed.
PRINTED: Mapping[int, int] = MappingProxyType({3: 76, 7: 1217})
#: A record of m attributes has 2^m generalizations.
_MOST_ATTRIBUTES = 20


@dataclass(frozen=True, kw_only=True)
class FouadThreshold:
    """Where ⌊T⌋ lies for a number of attributes: from ``low`` to ``high``, and whether it was ``printed``."""

    attributes: int
    low: int
    high: int
    printed: bool

    @property
    def t(self) -> int:
        """The least t that can be allowed: ⌊T⌋ + 1."""
        return self.low + 1


def threshold(attributes: int) -> FouadThreshold:
    """Return ⌊T⌋ for epsilon = 1 and h = 2, as printed or as the printed values imply.

    *If* T = c · 2^m for m attributes, 76 ≤ 8 c < 77 and 1217 ≤ 128 c < 1218: c lies in [1217, 1218) / 128. Both printed
    values fit that, and it settles ⌊T⌋ for up to seven attributes; it remains an assumption.
    """
    whole_number("attributes", attributes, at_least=1)
    bounds = [
        (Fraction(printed, 2**known), Fraction(printed + 1, 2**known)) for known, printed in PRINTED.items()
    ]  # of c, the upper one excluded
    least, limit = max(low for low, _ in bounds), min(high for _, high in bounds)
    low, high = int(least * 2**attributes), -int(-limit * 2**attributes // 1) - 1
    return FouadThreshold(attributes=attributes, low=low, high=high, printed=attributes in PRINTED)


@dataclass(frozen=True, kw_only=True)
class Survival:
    """What t-frequent generalizations keep of a table.

    ``most_kept[i]``: how many records keep i attributes in their best one. ``removed``: those that have none at all,
    not even the one without any value. ``kept``: the attributes that some record can keep. ``uniform_records`` and
    ``uniform_cells``: the shares of records that keep any value, and of values kept, on average, if every t-frequent
    generalization of a record is as likely.
    """

    t: int
    most_kept: tuple[int, ...]
    removed: int
    kept: tuple[str, ...]
    uniform_records: Fraction
    uniform_cells: Fraction

    @property
    def records(self) -> int:
        """How many records the table has."""
        return sum(self.most_kept) + self.removed

    @property
    def best_records(self) -> Fraction:
        """The share of records that can keep a value at all."""
        return Fraction(sum(self.most_kept[1:]), self.records)

    @property
    def best_cells(self) -> Fraction:
        """The share of values that releases can keep at most."""
        kept = sum(i * records for i, records in enumerate(self.most_kept))
        return Fraction(kept, self.records * (len(self.most_kept) - 1))


def survival(table: pl.DataFrame, *, t: int) -> Survival:
    """Look at all t-frequent generalizations of all records; every column of the table is an attribute."""
    whole_number("t", t, at_least=1)
    if not 1 <= table.width <= _MOST_ATTRIBUTES or table.height == 0:
        raise TableError(
            "table",
            expected=f"records of 1 to {_MOST_ATTRIBUTES} attributes",
            got=f"{table.height} records of {table.width}",
        )
    codes, records = _distinct(table)
    ways, total, best = (np.zeros(len(codes), dtype=np.int64) for _ in range(3))
    kept: set[int] = set()
    for rows, attributes in _frequent(codes, records, t):
        ways[rows] += 1
        total[rows] += len(attributes)
        best[rows] = np.maximum(best[rows], len(attributes))
        kept.update(attributes)
    there = ways > 0
    most = np.bincount(best[there], weights=records[there], minlength=table.width + 1)
    n, cells = table.height, table.height * table.width
    return Survival(
        t=int(t),
        most_kept=tuple(int(count) for count in most),
        removed=int(records[~there].sum()),
        kept=tuple(table.columns[i] for i in sorted(kept)),
        uniform_records=_mean(ways[there] - 1, ways[there], records[there]) / n,
        uniform_cells=_mean(total[there], ways[there], records[there]) / cells,
    )


def least_delta(*, t: int, published: Number) -> Fraction:
    """Return a delta that the mechanism has at least, whatever its epsilon.

    Take t - 1 records with the same values, and t others that share none with them: the former are published without
    any value. With one more of them all their generalizations are t-frequent. If each of the t records is then
    published with some value with probability p = ``published``, a value that could not appear before does with
    probability 1 - (1 - p)^t. To keep that below 10⁻⁵ at t = 77, p must be below 1.3 · 10⁻⁷.
    """
    whole_number("t", t, at_least=1)
    return 1 - (1 - fraction_between("published", published, 0, 1)) ** int(t)


def _frequent(
    codes: NDArray[np.int64], records: NDArray[np.int64], t: int
) -> Iterator[tuple[NDArray[np.intp], tuple[int, ...]]]:
    """Give the sets of attributes, and which rows share their values there with t records or more.

    A set is looked at only where it is frequent without its last attribute: otherwise it is not with it.
    """
    if records.sum() < t:
        return
    everyone = np.arange(len(codes))
    waiting: list[tuple[NDArray[np.intp], NDArray[np.intp], tuple[int, ...]]] = [(everyone, 0 * everyone, ())]
    while waiting:
        rows, groups, attributes = waiting.pop()
        yield rows, attributes
        for j in range(attributes[-1] + 1 if attributes else 0, codes.shape[1]):
            keys = groups * (int(codes[:, j].max()) + 1) + codes[rows, j]
            _, finer = np.unique(keys, return_inverse=True)
            large = (np.bincount(finer, weights=records[rows]) >= t)[finer]
            if large.any():
                waiting.append((rows[large], finer[large], (*attributes, j)))


def _distinct(table: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct records as codes (rows, attributes), a missing value being a value, and how many have them."""
    ranked = table.select(pl.all().rank("dense").fill_null(0).cast(pl.Int64))
    codes, records = np.unique(ranked.to_numpy(), axis=0, return_counts=True)
    return codes, records.astype(np.int64)


def _mean(parts: NDArray[np.int64], ways: NDArray[np.int64], records: NDArray[np.int64]) -> Fraction:
    """Return Σ records · parts / ways, exactly."""
    sums: dict[int, int] = {}
    for way in np.unique(ways).tolist():
        sums[way] = int((parts * records)[ways == way].sum())
    return sum((Fraction(part, way) for way, part in sums.items()), Fraction(0))
