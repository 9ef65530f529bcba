"""SampledRecoding: a random sample at levels of the hierarchies, classes of fewer than k sampled records left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.bits import SYSTEM, Bits, binomials, coins
from nymity.core.draws import Draws
from nymity.core.errors import ParameterError
from nymity.core.quoting import as_given
from nymity.core.validation import whole_number
from nymity.kernels.grouping import distinct
from nymity.table.encoding import codes_of, distinct_in_order
from nymity.table.hierarchy import Hierarchy
from nymity.table.packing import KeyLayout
from nymity.table.recoding import Outliers, Recoded, Recoding, Unseen
from nymity.table.text import is_missing


@dataclass(frozen=True, eq=False, repr=False)
class SampledRecoding(Recoding):
    """The published columns, all of them quasi-identifiers, their levels, and how records are drawn.

    Every record is kept with probability ``beta``, independently, and published at ``levels`` if its class has at least
    ``k`` of those. All others are left out, never masked: how many they are is private. Each call of :meth:`apply`
    draws anew, and spends a budget anew.

    Cells are text that the hierarchies list, whatever type the table's columns have, so equal rows are equal bytes. A
    value that they do not list counts as the one that ``others`` names for its column, or excludes its record.
    """

    columns: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    levels: Mapping[str, int]
    k: int
    beta: Fraction
    bits: Bits = SYSTEM
    outliers: Outliers = "remove"
    others: Mapping[str, str] = field(default_factory=dict)

    kind: ClassVar[str] = "sampled"
    is_private: ClassVar[bool] = True
    unprotected: ClassVar[tuple[str, ...]] = (
        "further releases of the same records: what they spend is spent together",
        "what was chosen after a look at the records: columns, hierarchies and parameters must be public",
        "what holds for people at large: it can be learned about somebody whether they are in the table or not",
    )

    #: Two samples, and the levels in between.
    may_draw: ClassVar[tuple[str, ...]] = (
        "a sample of the records to choose levels on",
        "the levels",
        "another sample of the records to publish",
    )

    @property
    def drawn(self) -> tuple[str, ...]:
        """All that this kind draws."""
        return self.may_draw

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Draw a sample and publish its classes of at least k records, one class after another.

        Rows without a place are left out whatever ``unseen`` says: an error would tell of a record. The order of rows
        tells nothing of the table's. What it spends is for the caller to add up, as :func:`nymity.publish` and
        :func:`nymity.apply` do with a ledger.
        """
        self._check_removed(outliers)
        return self.of_sample(table, coins(self.beta, table.height, self.bits))

    def of_sample(self, table: pl.DataFrame, sampled: NDArray[np.bool_]) -> Recoded:
        """Publish the classes of at least k of the rows that are kept, (n_rows,), whoever has drawn these."""
        codes = self._placed(table)
        return self._of_rows(codes, np.flatnonzero(sampled & (codes >= 0).all(axis=0)))

    def of_counts(self, table: pl.DataFrame, counts: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Draw a sample of records of which each row of a table stands for so many; return its rows with their counts.

        The rows of a class are alike, so its number of kept ones is all that a release shows of it: a binomial draw,
        which has the distribution of as many coins (docs/concepts/safepub.md).
        """
        codes = self._placed(table)
        there = np.flatnonzero((codes >= 0).all(axis=0))
        general = self._general(codes, there)
        group, first = distinct_in_order(self._keys(general))
        sizes = np.bincount(group, weights=counts[there], minlength=len(first)).astype(np.int64)
        kept = binomials(sizes, self.beta, self.bits)
        large = kept >= self.k
        cells = dict(zip(self.hierarchies, general, strict=True))
        rows = {name: self._published(name, cells[name][first[large]]) for name in self.columns}
        return pl.DataFrame(rows), kept[large]

    @property
    def most_of_a_person(self) -> int | None:
        """How many rows of one person may take part; None where nothing tells of whom they are."""
        return None

    @property
    def reads(self) -> list[str]:
        """The columns that are looked at, of which cells are read as text."""
        return list(self.hierarchies)

    def _check_removed(self, outliers: Outliers) -> None:
        if outliers != "remove":
            raise ParameterError(
                "outliers", expected="'remove': the number of other records is private", got=as_given(outliers)
            )

    def _placed(self, table: pl.DataFrame) -> NDArray[np.int32]:
        """Return the codes of the records, (n_quasi, n_rows), -1 where a value has no place."""
        return np.stack([placed(table[name], h, self.others.get(name)) for name, h in self.hierarchies.items()])

    def _general(self, codes: NDArray[np.int32], rows: NDArray[np.int64]) -> list[NDArray[np.int32]]:
        """Return the published values of some rows, for each column (n,)."""
        columns = enumerate(self.hierarchies.items())
        return [np.asarray(h.codes[self.levels[name]][codes[a, rows]]) for a, (name, h) in columns]

    def _keys(self, general: list[NDArray[np.int32]]) -> NDArray[np.uint64]:
        return KeyLayout.for_sizes([h.domain_size for h in self.hierarchies.values()]).pack(general)

    def _of_rows(self, codes: NDArray[np.int32], chosen: NDArray[np.int64]) -> Recoded:
        """Publish the classes of at least k of the chosen rows."""
        general = self._general(codes, chosen)
        keys = self._keys(general)
        group, _ = distinct(keys)
        large = np.flatnonzero(np.bincount(group)[group] >= self.k)
        large = large[np.lexsort(keys[large].T)]
        cells = dict(zip(self.hierarchies, general, strict=True))
        published = {name: self._published(name, cells[name][large]) for name in self.columns}
        return Recoded(pl.DataFrame(published), chosen[large], np.zeros(len(large), dtype=np.bool_))

    def levels_in_use(self, name: str) -> list[int]:
        """The one that was drawn."""
        return [self.levels[name]]

    def published_as(self, name: str) -> dict[str, Any]:
        """The level and the height of the hierarchy."""
        return {"level": self.levels[name], "height": self.hierarchies[name].height}

    def mapping(self) -> pl.DataFrame:
        """Return what every raw value is published as: column, value, level, published."""
        rows = [
            {"column": name, "value": value, "level": level, "published": hierarchy.generalize(value, level)}
            for name, hierarchy in self.hierarchies.items()
            for level in [self.levels[name]]
            for value in hierarchy.values
        ]
        return pl.DataFrame(rows, schema={"column": str, "value": str, "level": int, "published": str})

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types; a file always draws from the operating system."""
        drawn: dict[str, Any] = {"levels": dict(self.levels), "k": self.k, "beta": str(self.beta)}
        return {**self._described(), **drawn, **({"others": dict(self.others)} if self.others else {})}

    @classmethod
    def _rebuilt(
        cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]
    ) -> SampledRecoding:
        levels, beta = {name: data["levels"][name] for name in hierarchies}, Fraction(data["beta"])
        for name, level in levels.items():
            whole_number(f"level of {name!r}", level, at_least=0, at_most=hierarchies[name].height)
        whole_number("k", data["k"], at_least=1)
        if not 0 < beta < 1 or set(columns) - set(hierarchies) or data["outliers"] != "remove":
            raise ValueError("beta outside of (0, 1), a column without a hierarchy, or outliers that are not removed")
        others = dict(data.get("others", {}))
        if any(other not in hierarchies[name].index for name, other in others.items()):
            raise ValueError("another value that is not listed")
        return SampledRecoding(columns, hierarchies, levels, data["k"], beta, others=others)

    def _published(self, name: str, codes: NDArray[np.int32]) -> pl.Series:
        """Return the published cells, as the hierarchy writes them."""
        labels = pl.Series("cell", self.hierarchies[name].labels[self.levels[name]], dtype=pl.String)
        return labels.gather(codes).alias(name)  # polars reads names like "^x$" as patterns


def placed(cells: pl.Series, hierarchy: Hierarchy, other: str | None) -> NDArray[np.int32]:
    """Return the code of each cell, (n,): that of ``other`` for a value that is not listed, -1 without one.

    A gap is no value: it has the place that the hierarchy gives it, or none.
    """
    codes = codes_of(cells, None, hierarchy.index, unknown=-1 if other is None else hierarchy.index[other])
    if other is None or None in hierarchy.index:
        return codes
    return np.where(is_missing(cells).to_numpy(), np.int32(-1), codes)
