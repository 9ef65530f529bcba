"""PersonShares: how the values of an attribute are spread over the classes of a finished table, by persons.

With P(C) the persons of a class, n_p the records of p in it and n_ps those of them with value s,

    q_s(C) = (1 / |P(C)|) sum over p of n_ps / n_p,

so that every person weighs one. Entropy and recursive diversity, t-closeness, likeness and delta-disclosure look at
these shares; those of the table that they compare them with are the same of all rows as one class. Here they are plain
fractions, from group-bys of the rows as they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import polars as pl

#: The share of each value that occurs; a missing one is None.
Shares = dict[Any, Fraction]


@dataclass(frozen=True, kw_only=True)
class PersonShares:
    """The shares of values in the classes, in each way that occurs, and in the whole table.

    ``people`` are how many persons a class with these shares has. Classes that are alike in both are there once: in a
    table as it is most have a single record.
    """

    classes: Sequence[Shares]
    people: Sequence[int]
    table: Shares

    @staticmethod
    def of(rows: pl.DataFrame, alone: pl.Series) -> PersonShares:
        """Take them from the ``class``, ``person`` and ``value`` of rows, and how many ``records`` each stands for.

        ``alone`` marks the rows that are the only ones of their class.
        """
        found = [({value: Fraction(1)}, 1) for value in rows["value"].filter(alone).unique()]
        found += _by_class(rows.filter(~alone))
        whole = _summed(rows, []).select("value", "of_person", "records").iter_rows()
        return PersonShares(
            classes=[shares for shares, _ in found],
            people=[people for _, people in found],
            table=_shares(whole, rows["person"].n_unique()),
        )

    def pairs(self) -> list[tuple[Fraction, Fraction]]:
        """Return the share of every value of every class, and its share of the table."""
        return [(share, self.table[value]) for shares in self.classes for value, share in shares.items()]


def _by_class(rows: pl.DataFrame) -> list[tuple[Shares, int]]:
    """Return the shares and the persons of each class."""
    people = rows.group_by("class").agg(pl.col("person").n_unique().alias("people"))
    summed = _summed(rows, ["class"])
    kinds = summed.sort("class", "value", "of_person").group_by("class").agg("value", "of_person", "records")
    kinds = kinds.join(people, on="class").drop("class").unique()
    return [
        (_shares(zip(*parts, strict=True), persons), persons)
        for *parts, persons in kinds.select("value", "of_person", "records", "people").iter_rows()
    ]


def _summed(rows: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Sum the records of each value in each class, or in all rows: those of persons with ``of_person`` apart."""
    counts = rows.group_by(*by, "person", "value").agg(pl.col("records").sum())
    counts = counts.with_columns(pl.col("records").sum().over(*by, "person").alias("of_person"))
    return counts.group_by(*by, "value", "of_person").agg(pl.col("records").sum())


def _shares(parts: Iterable[tuple[Any, int, int]], people: int) -> Shares:
    """Sum n_ps / n_p over the persons of a class, those with the same value and n_p already together."""
    terms: dict[Any, list[tuple[int, int]]] = {}
    for value, of_person, records in parts:
        terms.setdefault(value, []).append((records, of_person))
    common = lcm(*{of_person for same in terms.values() for _, of_person in same})
    return {
        value: Fraction(sum(records * (common // of_person) for records, of_person in same), common * people)
        for value, same in terms.items()
    }
