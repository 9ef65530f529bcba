"""SampledPersonsRecoding: a sample of rows of which a class never has two of one person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nymity.core.bits import at_most_each, coins
from nymity.core.draws import Draws
from nymity.core.validation import whole_number
from nymity.kernels.grouping import distinct
from nymity.table.content_order import content_order
from nymity.table.encoding import person_ids
from nymity.table.hierarchy import Hierarchy
from nymity.table.recoding import Outliers, Recoded, Unseen
from nymity.table.sampled_recoding import SampledRecoding
from nymity.table.text import BEYOND


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledPersonsRecoding(SampledRecoding):
    """The recoding of a sample where ``person`` names the column that says of whom records are.

    At the published levels, records of one person that look alike are one row. Of the rows of each person at most
    ``records_per_person`` take part, drawn among that person's alone. *Then* every row is kept with probability
    ``beta``, independently, and classes of at least ``k`` rows, which are rows of as many persons, are published. Why
    in this order, and what it costs a person: docs/concepts/private-persons.md.
    """

    person: str
    records_per_person: int

    kind: ClassVar[str] = "sampled-persons"
    #: Two samples, which rows of each person take part in them, and the levels in between.
    may_draw: ClassVar[tuple[str, ...]] = (
        "which records of each person take part",
        "a sample of these to choose levels on",
        "the levels",
        "another sample of such records to publish",
    )

    @property
    def most_of_a_person(self) -> int:
        """How many rows of one person may take part."""
        return self.records_per_person

    @property
    def reads(self) -> list[str]:
        """The columns that are looked at, of which cells are read as text."""
        return [*super().reads, self.person]

    def recode(self, table: pl.DataFrame, unseen: Unseen, outliers: Outliers, draws: Draws | None) -> Recoded:
        """Draw rows of each person, a sample of these, and publish its classes of at least k."""
        self._check_removed(outliers)
        codes, persons = self._placed(table), person_numbers(table[self.person])
        there = np.flatnonzero((codes >= 0).all(axis=0) & (persons >= 0))
        group, _ = distinct(self._keys(self._general(codes, there)))
        rows = there[one_of_each(persons[there], group)]
        taking_part = rows[at_most_each(persons[rows], self.records_per_person, self.bits)]
        return self._of_rows(codes, taking_part[coins(self.beta, len(taking_part), self.bits)])

    def of_counts(self, table: pl.DataFrame, counts: NDArray[np.int64]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """Do the same where each row of a table stands for several: alike records of a person are one row anyway."""
        del counts
        # In the order of cells: who draws what depends on it, and rows come in any order.
        ordered = table[content_order(table)]
        rows = self.recode(ordered, "mask", "remove", None).table
        named = pl.DataFrame({f"c{i}": column for i, column in enumerate(rows)})
        found = named.group_by(named.columns, maintain_order=True).len()
        cells = pl.DataFrame({name: found[f"c{i}"] for i, name in enumerate(rows.columns)})
        return cells, found["len"].to_numpy().astype(np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types; a file always draws from the operating system."""
        return {**super().to_dict(), "person": self.person, "records_per_person": self.records_per_person}

    @classmethod
    def _rebuilt(
        cls, data: Mapping[str, Any], columns: tuple[str, ...], hierarchies: dict[str, Hierarchy]
    ) -> SampledPersonsRecoding:
        plain = super()._rebuilt(data, columns, hierarchies)
        person, most = data["person"], data["records_per_person"]
        whole_number("records_per_person", most, at_least=1)
        if not isinstance(person, str) or person in hierarchies:
            raise ValueError("a person column that is none")
        return SampledPersonsRecoding(
            columns,
            hierarchies,
            plain.levels,
            plain.k,
            plain.beta,
            others=plain.others,
            person=person,
            records_per_person=most,
        )

    def _needed(self) -> list[str]:
        return [*super()._needed(), self.person]


def person_numbers(column: pl.Series) -> NDArray[np.int64]:
    """Number the persons that a column names, (n_rows,); -1 where it names nobody.

    That is a gap, nothing but spaces, or a number that cannot be told from others: two persons taken for one would
    share the draws that are each one's own.
    """
    ids = person_ids(column)
    named = ids.set((ids == BEYOND).fill_null(False), None)
    return named.rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1


def one_of_each(persons: NDArray[np.int64], group: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return the first place of each pair of person and group."""
    _, first = np.unique(persons * (int(group.max(initial=0)) + 1) + group, return_index=True)
    return np.asarray(first, dtype=np.int64)
