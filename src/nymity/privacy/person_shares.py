"""PersonShares: how the values of an attribute are spread over the classes of a finished table, by persons.

With P(C) the persons of a class, n_p the records of p in it and n_ps those of them with value s,

    q_s(C) = (1 / |P(C)|) sum over p of n_ps / n_p,

so that every person weighs one. Entropy and recursive diversity, t-closeness, likeness and delta-disclosure look at
these shares; those of the table that they compare them with are the same of all rows as one class. Here they are plain
fractions, from group-bys of the rows as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import polars as pl

#: The share of each value that occurs; a missing one is None.
Shares = dict[Any, Fraction]


@dataclass(frozen=True, kw_only=True)
class PersonShares:
    """The shares of values in each class and in the whole table, and how many persons each class has."""

    classes: Sequence[Shares]
    people: Sequence[int]
    table: Shares

    @staticmethod
    def of(rows: pl.DataFrame) -> PersonShares:
        """Take them from the ``class``, ``person`` and ``value`` of every row."""
        found = _by_class(rows)
        whole = _by_class(rows.with_columns(pl.lit(0).alias("class")))
        return PersonShares(
            classes=[shares for shares, _ in found],
            people=[people for _, people in found],
            table=whole[0][0] if whole else {},
        )

    def pairs(self) -> list[tuple[Fraction, Fraction]]:
        """Return the share of every value of every class, and its share of the table."""
        return [(share, self.table[value]) for shares in self.classes for value, share in shares.items()]


def _by_class(rows: pl.DataFrame) -> list[tuple[Shares, int]]:
    """Return the shares and the persons of each class."""
    counts = rows.group_by("class", "person", "value").len("records").with_columns(pl.col("records").cast(pl.Int64))
    counts = counts.with_columns(pl.col("records").sum().over("class", "person").alias("of_person"))
    people = dict(rows.group_by("class").agg(pl.col("person").n_unique()).iter_rows())
    summed = counts.group_by("class", "value", "of_person").agg(pl.col("records").sum()).sort("class")
    found: dict[int, dict[Any, list[tuple[int, int]]]] = {}
    for number, value, of_person, records in summed.iter_rows():
        found.setdefault(number, {}).setdefault(value, []).append((records, of_person))
    return [(_shares(terms, people[number]), people[number]) for number, terms in found.items()]


def _shares(terms: dict[Any, list[tuple[int, int]]], people: int) -> Shares:
    """Sum n_ps / n_p over the persons of a class, those with the same n_p already together."""
    common = lcm(*{of_person for parts in terms.values() for _, of_person in parts})
    return {
        value: Fraction(sum(records * (common // of_person) for records, of_person in parts), common * people)
        for value, parts in terms.items()
    }
