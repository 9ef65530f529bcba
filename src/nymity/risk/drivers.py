"""drivers: which columns, values and records make people stand out.

Of every combination of a few quasi-identifiers (Motwani & Xu 2007):

    distinction   different values / records
    separation    share of the pairs of records that differ in it

A *minimal sample unique* is a record that is unique in some columns, and in no part of them (Elliot, Manning & Ford
2002). The fewer columns it takes, and the more ways there are, the more special the record. With m columns in all and
sets of at most M of them, SUDA gives a minimal unique of k columns the score

    product over i = k ... min(M, m - 1) of (m - i),

and a record the sum over its minimal uniques. Where M = m, the product of the literature has a factor 0, which would
make all scores 0; we leave it out. Columns and values share the scores of the minimal uniques they take part in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core import validation
from nymity.core.calls import called_well
from nymity.core.card import Card, Carded, CardTable
from nymity.core.errors import ParameterError
from nymity.core.progress import Observer, Progress, report, silent
from nymity.core.wording import count, percent
from nymity.kernels.uniques import walk
from nymity.risk.combinations import Combinations, combinations_of
from nymity.table.packing import KeyLayout
from nymity.table.schema import Schema

#: Bytes that may be spent on remembering which records are unique in which columns.
MEMORY = 2**31
#: How many of the highest values :meth:`Drivers.to_dict` lists.
SHOWN_VALUES = 20


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Drivers(Carded):
    """What makes people stand out, by combinations of at most ``size`` columns.

    combinations: one row each, ``columns``, ``size``, ``distinct``, ``distinction``, ``separation``, ``unique`` records
    and ``minimal_unique`` ones. columns and values: ``share`` of the score of all minimal uniques that have the column
    or value in them; the shares of columns add up to more than 1, as each minimal unique has several. scores: one per
    record of the table, 0 for those without a minimal unique and those in no class. The scores and the values are
    about single people: they are the custodian's.
    """

    size: int
    records: int
    combinations: pl.DataFrame
    columns: pl.DataFrame
    values: pl.DataFrame
    scores: NDArray[np.float64]

    def card(self) -> Card:
        """Return what is shown: which columns single people out; values and scores, of single people, are not shown."""
        return Card(
            title=f"What singles people out, by at most {count(self.size, 'column')}",
            facts=[
                ("records", self.records),
                ("singled out", f"{self.special_records:,} ({percent(self.special_records, self.records or 1)})"),
            ],
            tables=[CardTable(columns=tuple(self.columns.columns), rows=self.columns.rows(), bars="share")],
            foot=".combinations has all; .values and .scores are about single people",
        )

    @property
    def minimal_uniques(self) -> dict[int, int]:
        """Number of minimal sample uniques by the number of columns they take."""
        sums = self.combinations.group_by("size").agg(pl.col("minimal_unique").sum()).sort("size")
        return dict(zip(sums["size"], sums["minimal_unique"], strict=True))

    @property
    def special_records(self) -> int:
        """Records with a minimal sample unique: those that at most ``size`` columns single out."""
        return int((self.scores > 0).sum())

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; of the values, those with the highest share."""
        return {
            "size": self.size,
            "records": self.records,
            "special_records": self.special_records,
            "minimal_uniques": {str(size): number for size, number in self.minimal_uniques.items()},
            "columns": self.columns.to_dicts(),
            "values": self.values.head(SHOWN_VALUES).to_dicts(),
            "combinations": self.combinations.to_dicts(),
        }


@called_well
def drivers(
    table: Any,
    schema: Schema | Sequence[str],
    *,
    size: int = 3,
    observe: Observer = silent,
) -> Drivers:
    """Measure every combination of at most ``size`` quasi-identifiers, and find the minimal sample uniques in them."""
    validation.whole_number("size", size, at_least=1)
    cells = combinations_of(table, schema)
    limit = min(size, len(cells.names))
    _check_memory(len(cells.names), limit, len(cells.counts))
    cells = _in_order(cells)
    found = _walked(cells, limit, observe)
    scores = np.append(found.scores, 0.0)[cells.class_of]  # class -1 is the 0 at the end
    return Drivers(
        size=limit,
        records=cells.records,
        combinations=_combinations(cells, limit, found),
        columns=_columns(cells, found),
        values=_values(cells, found),
        scores=scores,
    )


def weight(columns: int, limit: int, size: int) -> int:
    """Return the score of a minimal unique of ``size`` columns."""
    return prod(columns - i for i in range(size, min(limit, columns - 1) + 1))


@dataclass(frozen=True, eq=False)
class _Found:
    """What the walk found: per combination, per class, and per value of all columns one after another."""

    distinct: NDArray[np.int64]
    pairs: NDArray[np.int64]
    unique: NDArray[np.int64]
    minimal: NDArray[np.int64]
    scores: NDArray[np.float64]
    value_scores: NDArray[np.float64]


def _in_order(cells: Combinations) -> Combinations:
    """Number the classes so that neighbours are alike, which is quicker; the given ones are used up."""
    order = np.lexsort(KeyLayout.for_sizes([len(labels) for labels in cells.labels]).pack(list(cells.codes)).T)
    number_of = np.full(len(order) + 1, -1)  # class -1 is the one at the end, and stays what it is
    number_of[order] = np.arange(len(order))
    for column in cells.codes:  # in place: a large table is not to be held twice
        column[:] = column[order]
    return replace(cells, counts=cells.counts[order], class_of=number_of[cells.class_of])


def _walked(cells: Combinations, limit: int, observe: Observer) -> _Found:
    codes, counts = cells.codes, cells.counts
    m, n = codes.shape
    binomials = np.array([[comb(a, k) for k in range(limit + 1)] for a in range(m + 1)], dtype=np.int64)
    offsets = np.append(0, np.append(0, np.cumsum(binomials[m, 1:])))  # of sizes 0, 1, ... limit + 1
    starts = np.cumsum([0, *map(len, cells.labels)])
    weights = np.array([0.0, *(float(weight(m, limit, k)) for k in range(1, limit + 1))])
    distinct, pairs, unique, minimal = (np.zeros(offsets[-1], dtype=np.int64) for _ in range(4))
    scores, value_scores = np.zeros(n), np.zeros(starts[-1])
    if n:
        unique_in = np.zeros((offsets[limit], n // 64 + 1), dtype=np.uint64)
        for top in range(m):
            walk(
                top, codes, counts, limit, binomials, offsets, weights, starts,
                unique_in, distinct, pairs, unique, minimal, scores, value_scores,
            )  # fmt: skip
            report(observe, Progress(stage="combinations of columns", done=top + 1, total=m))
    return _Found(distinct, pairs, unique, minimal, scores, value_scores)


def _combinations(cells: Combinations, limit: int, uniques: _Found) -> pl.DataFrame:
    records = cells.counted
    pairs = max(records * (records - 1), 1)
    sets = [
        chosen[::-1]
        for k in range(1, limit + 1)
        for chosen in sorted(combinations(range(len(cells.names) - 1, -1, -1), k))  # colexicographic
    ]
    return pl.DataFrame(
        {
            "columns": [[cells.names[c] for c in chosen] for chosen in sets],
            "size": [len(chosen) for chosen in sets],
            "distinct": uniques.distinct,
            "distinction": uniques.distinct / max(records, 1),
            "separation": 1 - uniques.pairs / pairs if records > 1 else np.zeros(len(sets)),
            "unique": uniques.unique,
            "minimal_unique": uniques.minimal,
        }
    )


def _columns(cells: Combinations, uniques: _Found) -> pl.DataFrame:
    ends = np.cumsum([len(labels) for labels in cells.labels])[:-1]
    sums = np.array([part.sum() for part in np.split(uniques.value_scores, ends)])
    shares = pl.DataFrame({"column": cells.names, "share": sums / max(uniques.scores.sum(), 1.0)})
    return shares.sort("share", descending=True, maintain_order=True)


def _values(cells: Combinations, uniques: _Found) -> pl.DataFrame:
    names = np.repeat(np.array(cells.names, dtype=object), [len(labels) for labels in cells.labels])
    chosen = np.flatnonzero(uniques.value_scores)
    labels = [label for values in cells.labels for label in values]
    shares = pl.DataFrame(
        {
            "column": pl.Series([names[i] for i in chosen], dtype=pl.String),
            "value": pl.Series([labels[i] for i in chosen], dtype=pl.String),
            "share": uniques.value_scores[chosen] / max(uniques.scores.sum(), 1.0),
        }
    )
    return shares.sort("share", descending=True, maintain_order=True)


def _check_memory(columns: int, limit: int, classes: int) -> None:
    sets = sum(comb(columns, k) for k in range(1, limit))
    if sets * classes / 8 > MEMORY:
        raise ParameterError(
            "size",
            expected=f"combinations that fit {MEMORY / 2**30:g} GiB",
            got=f"{sets:,} smaller ones of {columns} columns, each over {classes:,} classes",
            hint="a smaller size, or fewer columns",
        )
